// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstring>
#include <memory>
#include <optional>
#include <type_traits>
#include <vector>

#include <kompute/Core.hpp>
#include <kompute/Memory.hpp>
#include <kompute/Tensor.hpp>

namespace kp {

/// A specialization constant by its id. For shaders whose constants differ in size, or have ids
/// with gaps: pass a vector of these instead of a vector of values.
struct SpecializationConstant {
    uint32_t id = 0;
    uint32_t bytes = 0; ///< of the value: 1, 2, 4 or 8; a bool has 4
    std::array<unsigned char, 8> value{};

    template <typename T>
    static SpecializationConstant of(uint32_t id, T value) {
        static_assert(std::is_trivially_copyable<T>::value && sizeof(T) <= 8, "a number");
        SpecializationConstant constant{id, sizeof(T), {}};
        std::memcpy(constant.value.data(), &value, sizeof(T));
        return constant;
    }
};

/// A compute shader with the memory it is bound to, its constants and its work-group counts. Shader
/// modules and pipelines are shared by content between algorithms: a second algorithm with a shader
/// that is known costs microseconds.
///
/// Binding i of descriptor set 0 is memory object i. Arguments are checked against what the shader
/// declares when the algorithm is made and when it is dispatched.
/// Used by one thread at a time; different algorithms may be used by different threads.
class KOMPUTE_API Algorithm {
public:
    /// @param memObjects   memory for bindings 0, 1, ...
    /// @param spirv        SPIR-V of a compute shader with entry point "main". Where it is empty
    /// the
    ///                     algorithm stays uninitialised until rebuild()
    /// @param workgroup    work groups in x, y, z. An x of 0 means as many groups as the first
    ///                     memory object has elements; y and z of 0 mean 1
    /// @param specializationConstants  value of constant_id 0, 1, ...; or SpecializationConstants
    /// @param pushConstants            bytes of the push-constant block; the default of dispatches
    /// @throws ShaderError where the SPIR-V is not valid, needs what the device lacks, or does not
    ///         fit the arguments; InvalidArgument where an argument is wrong by itself
    template <typename S = float, typename P = float>
    Algorithm(std::shared_ptr<vk::Device> device,
              const std::vector<std::shared_ptr<Memory>>& memObjects = {},
              const std::vector<uint32_t>& spirv = {}, const Workgroup& workgroup = {},
              const std::vector<S>& specializationConstants = {},
              const std::vector<P>& pushConstants = {})
        : Algorithm(fromNative(device)) {
        rebuild(memObjects, spirv, workgroup, specializationConstants, pushConstants);
    }
    /// What a Manager calls: an algorithm without a shader yet.
    explicit Algorithm(std::shared_ptr<vulkan::Device> device);
    ~Algorithm();
    Algorithm(const Algorithm&) = delete;
    Algorithm(Algorithm&&) = delete;
    Algorithm& operator=(const Algorithm&) = delete;
    Algorithm& operator=(Algorithm&&) = delete;

    /// Replaces shader, memory and constants. Empty constants leave the previous ones in force.
    /// Sequences that recorded the algorithm keep what they recorded until Sequence::rerecord.
    /// @throws as the constructor; the algorithm is then as it was before
    template <typename S = float, typename P = float>
    void rebuild(const std::vector<std::shared_ptr<Memory>>& memObjects,
                 const std::vector<uint32_t>& spirv, const Workgroup& workgroup = {},
                 const std::vector<S>& specializationConstants = {},
                 const std::vector<P>& pushConstants = {}) {
        static_assert(std::is_trivially_copyable<S>::value && std::is_trivially_copyable<P>::value,
                      "constants are copied byte by byte");
        rebuildBytes(memObjects, spirv, workgroup,
                     {specializationConstants.data(), specializationConstants.size(), sizeof(S)},
                     std::is_same<S, SpecializationConstant>::value,
                     {pushConstants.data(), pushConstants.size(), sizeof(P)});
    }
    template <typename M, typename S = float, typename P = float,
              typename = std::enable_if_t<std::is_base_of<Memory, M>::value &&
                                          !std::is_same<Memory, M>::value>>
    void rebuild(const std::vector<std::shared_ptr<M>>& memObjects,
                 const std::vector<uint32_t>& spirv, const Workgroup& workgroup = {},
                 const std::vector<S>& specializationConstants = {},
                 const std::vector<P>& pushConstants = {}) {
        rebuild(std::vector<std::shared_ptr<Memory>>(memObjects.begin(), memObjects.end()), spirv,
                workgroup, specializationConstants, pushConstants);
    }

    /// Binds other memory to the same shader. Costs a descriptor set, never a pipeline. Work groups
    /// stay as they are. Sequences keep what they recorded until Sequence::rerecord.
    void setMemObjects(const std::vector<std::shared_ptr<Memory>>& memObjects);

    /// True once a shader is set and until destroy().
    bool isInit() const;
    /// Lets go of shader and memory. What is recorded or running keeps what it needs.
    void destroy();

    /// Work groups to dispatch: @p workgroup, or {minSize, 1, 1} where its x is 0.
    void setWorkgroup(const Workgroup& workgroup, uint32_t minSize = 1);
    const Workgroup& getWorkgroup() const;

    /// Dispatches at least this many invocations in x, y and z: the counts divided by the shader's
    /// local size, rounded up. The shader checks its bounds.
    /// @throws InvalidArgument where a count is 0, or the algorithm has no shader
    void setThreadCount(uint64_t x, uint64_t y = 1, uint64_t z = 1);
    /// The shader's local size, with specialization constants applied.
    Workgroup getLocalSize() const;

    /// Default push constants of later dispatches.
    /// @throws InvalidArgument unless the bytes are as many as those given to the last (re)build
    template <typename T>
    void setPushConstants(const std::vector<T>& pushConstants) {
        setPushConstants(pushConstants.data(), pushConstants.size(), sizeof(T));
    }
    void setPushConstants(const void* data, size_t count, size_t elementSize);

    /// @throws InvalidArgument where sizeof(T) does not divide the bytes given
    template <typename T>
    std::vector<T> getSpecializationConstants() const {
        return toVector<T>(specializationBytes());
    }
    template <typename T>
    std::vector<T> getPushConstants() const {
        return toVector<T>(pushConstantBytes());
    }

    const std::vector<std::shared_ptr<Memory>>& getMemObjects() const;
    /// The memory objects that are tensors; Kompute 0.9.0's name.
    std::vector<std::shared_ptr<Tensor>> getTensors() const;

    /// Records the dispatch itself, with getWorkgroup().
    void recordDispatch(const vk::CommandBuffer& commandBuffer);
    /// Records the binding of pipeline and memory.
    void recordBindCore(const vk::CommandBuffer& commandBuffer);
    /// Records the default push constants; nothing where there are none.
    void recordBindPush(const vk::CommandBuffer& commandBuffer);

    /// Handles of the pipeline in use; they stay the algorithm's. Null before a shader is set.
    VkPipeline nativePipeline() const;
    VkPipelineLayout nativePipelineLayout() const;
    VkDescriptorSet nativeDescriptorSet() const;

    struct Impl;
    /// For the library's own files.
    Impl& impl() const { return *mImpl; }

private:
    struct Bytes {
        const void* data;
        size_t count;
        size_t elementSize;
    };

    static std::shared_ptr<vulkan::Device> fromNative(const std::shared_ptr<vk::Device>& device);
    void rebuildBytes(const std::vector<std::shared_ptr<Memory>>& memObjects,
                      const std::vector<uint32_t>& spirv, const Workgroup& workgroup,
                      const Bytes& specializationConstants, bool specializationById,
                      const Bytes& pushConstants);
    const std::vector<unsigned char>& specializationBytes() const;
    const std::vector<unsigned char>& pushConstantBytes() const;
    [[noreturn]] static void throwWrongSize(size_t bytes, size_t elementSize);

    template <typename T>
    static std::vector<T> toVector(const std::vector<unsigned char>& bytes) {
        if (bytes.size() % sizeof(T) != 0)
            throwWrongSize(bytes.size(), sizeof(T));
        const T* first = reinterpret_cast<const T*>(bytes.data());
        return std::vector<T>(first, first + bytes.size() / sizeof(T));
    }

    std::unique_ptr<Impl> mImpl;
};

} // namespace kp
