// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstring>
#include <memory>
#include <optional>
#include <string_view>
#include <type_traits>
#include <vector>

#include <kompute/Core.hpp>
#include <kompute/Tensor.hpp>
#include <kompute/algorithm/AlgorithmOptions.hpp>
#include <kompute/detail/StoredConstants.hpp>
#include <kompute/memory/ArrayView.hpp>
#include <kompute/memory/MemoryObjects.hpp>

namespace kp {

/// A specialization constant with an explicit id. Pass a vector of these instead of plain values if
/// the shader's constants differ in size or their ids have gaps.
struct SpecializationConstant {
    uint32_t id = 0;
    uint32_t bytes = 0; ///< size of the value: 1, 2, 4 or 8; a bool takes 4
    std::array<unsigned char, 8> value{};
    /// Compared with the shader's declaration, unless it is eCustom.
    Memory::DataTypes type = Memory::DataTypes::eCustom;

    /// Returns a constant of sizeof(T) bytes; of 4 bytes (a VkBool32) if T is bool.
    template <typename T>
    static SpecializationConstant of(uint32_t id, T value) {
        static_assert(std::is_trivially_copyable<T>::value && sizeof(T) <= 8, "a number");
        using Stored = detail::StoredConstant<T>;
        const auto stored = static_cast<Stored>(value);
        SpecializationConstant constant{id, sizeof(Stored), {}, Memory::numberType<Stored>()};
        std::memcpy(constant.value.data(), &stored, sizeof(Stored));
        return constant;
    }
};

/// A compute shader together with the memory bound to it, its constants and its work group counts.
/// Algorithms share shader modules and pipelines by content, so a second algorithm with a known
/// shader takes microseconds to create.
///
/// Memory object i is bound to binding i of descriptor set 0. If the shader uses several sets,
/// arrays of descriptors, or separate samplers, the memory objects follow its used descriptors in
/// the order of set, binding and array element, skipping gaps and samplers;
/// shader::Binding::argument is the first of each binding. Tensors are storage buffers or uniform
/// blocks. Images are storage images, sampled images (texture2D), or, with a sampler of
/// AlgorithmOptions::samplers, combined image samplers (sampler2D). Arguments are checked against
/// the shader's declarations when the algorithm is created and again when it is dispatched.
///
/// Manager::algorithm creates algorithms. Thread safety: one thread at a time per algorithm;
/// different algorithms may be used by different threads.
class KOMPUTE_API Algorithm {
public:
    /// For programs that hold a Vulkan device themselves. Others call Manager::algorithm.
    /// @param device         the device of an existing Manager
    /// @param memObjects     memory for the bindings, in their order. The elements must match the
    ///                       type and size in the shader, unless they are kp::reinterpreted()
    /// @param spirv          SPIR-V of a compute shader with the entry point "main". If empty, the
    ///                       algorithm stays uninitialised until rebuild()
    /// @param workgroup      work group counts in x, y and z. An x of 0 means as many as
    ///                       AlgorithmOptions::threads need, or without it one group per element of
    ///                       the first memory object, and with kp_index() one invocation per
    ///                       element of the largest; a y or z of 0 means 1
    /// @param specializationConstants  values of constant_id 0, 1, ..., or SpecializationConstants
    /// @param pushConstants  the push constant block of dispatches that give none
    /// @param options        the number of invocations, and how the pipeline is made
    /// @throws ShaderError if the SPIR-V is invalid, needs something the device lacks, or does not
    ///         match the memory or the specialization constants; InvalidArgument if the push
    ///         constants do not match it, group counts exceed the device's limits, or an argument
    ///         is invalid in itself; Unsupported if the device lacks a feature for an option
    template <typename S = float, typename P = float>
    Algorithm(std::shared_ptr<vk::Device> device, const MemoryObjects& memObjects = {},
              ArrayView<uint32_t> spirv = {}, const Workgroup& workgroup = {},
              const std::vector<S>& specializationConstants = {},
              const std::vector<P>& pushConstants = {}, const AlgorithmOptions& options = {})
        : Algorithm(fromNative(device)) {
        rebuild(memObjects, spirv, workgroup, specializationConstants, pushConstants, options);
    }
    ~Algorithm();
    Algorithm(const Algorithm&) = delete;
    Algorithm(Algorithm&&) = delete;
    Algorithm& operator=(const Algorithm&) = delete;
    Algorithm& operator=(Algorithm&&) = delete;

    /// Replaces the shader, the memory, the constants and the options. Empty constants, and options
    /// that are not given, keep the previous ones. Sequences keep the old recording until
    /// Sequence::rerecord.
    /// @throws as the constructor; the algorithm is then unchanged
    template <typename S = float, typename P = float>
    void rebuild(const MemoryObjects& memObjects, ArrayView<uint32_t> spirv,
                 const Workgroup& workgroup = {},
                 const std::vector<S>& specializationConstants = {},
                 const std::vector<P>& pushConstants = {},
                 const std::optional<AlgorithmOptions>& options = std::nullopt) {
        static_assert(std::is_trivially_copyable<S>::value && std::is_trivially_copyable<P>::value,
                      "constants are copied byte by byte");
        using StoredS = detail::StoredConstant<S>;
        using StoredP = detail::StoredConstant<P>;
        const auto& constants = detail::storedConstants(specializationConstants);
        const auto& push = detail::storedConstants(pushConstants);
        rebuildBytes(
            memObjects, spirv, workgroup,
            {constants.data(), constants.size(), sizeof(StoredS), Memory::numberType<StoredS>()},
            std::is_same<S, SpecializationConstant>::value,
            {push.data(), push.size(), sizeof(StoredP), Memory::numberType<StoredP>()}, options);
    }

    /// Binds other memory to the same shader. Takes a new descriptor set but never a new pipeline.
    /// Work group counts do not change. Sequences keep the old recording until Sequence::rerecord.
    /// @throws ShaderError or InvalidArgument if the memory does not match the shader;
    ///         InvalidArgument if there is no shader. The algorithm is then unchanged
    void setMemObjects(const MemoryObjects& memObjects);

    /// Names the algorithm's dispatches in captures, profiles and messages, such as errors of
    /// DeviceLost and CheckFailed, and its pipeline in captures and validation messages. An empty
    /// name takes it away. What a sequence has recorded keeps the earlier name.
    /// @throws InvalidArgument after destroy()
    void setName(std::string_view name);

    bool isInit() const; ///< true once a shader is set, until destroy()
    /// Releases the shader and the memory. Recordings and running work keep their resources.
    void destroy();

    /// Sets the work group counts of later dispatches; {minSize, 1, 1} if the x given is 0.
    /// @throws InvalidArgument if counts given exceed the device's limits
    void setWorkgroup(const Workgroup& workgroup, uint32_t minSize = 1);
    const Workgroup& getWorkgroup() const;

    /// Sets the work group counts to cover at least this many invocations in x, y and z: each count
    /// is divided by the shader's local size and rounded up. The shader must check its bounds. If
    /// the device does not support that many work groups in x, and the shader uses kp_index() of
    /// <kompute/index.glsl>, they are spread over y and z.
    /// @throws InvalidArgument if a count is 0, the work group counts exceed the device's limits,
    ///         or the algorithm has no shader
    void setThreadCount(uint64_t x, uint64_t y = 1, uint64_t z = 1);
    Workgroup getLocalSize() const; ///< with specialization constants applied

    /// Sets the default push constants of later dispatches: numbers of the type that the shader
    /// declares, or a struct of several types.
    /// @throws InvalidArgument if the size in bytes differs from the constructor's or rebuild()'s,
    ///         or the type from the shader's
    template <typename T>
    void setPushConstants(const std::vector<T>& pushConstants) {
        using Stored = detail::StoredConstant<T>;
        const auto& stored = detail::storedConstants(pushConstants);
        setPushConstants(stored.data(), stored.size(), sizeof(Stored),
                         Memory::numberType<Stored>());
    }
    /// @param type  of the elements, which are compared with the shader's; eCustom: only the size
    ///              is
    void setPushConstants(const void* data, size_t count, size_t elementSize,
                          Memory::DataTypes type = Memory::DataTypes::eCustom);

    /// Returns a copy of the constants as values of type T.
    /// @throws InvalidArgument if their size is not a multiple of sizeof(T), or T differs from the
    ///         type that was given
    template <typename T>
    std::vector<T> getSpecializationConstants() const {
        return toVector<T>(specializationBytes(Memory::numberType<detail::StoredConstant<T>>()));
    }
    template <typename T>
    std::vector<T> getPushConstants() const {
        return toVector<T>(pushConstantBytes(Memory::numberType<detail::StoredConstant<T>>()));
    }

    const AlgorithmOptions& getOptions() const;
    const std::vector<std::shared_ptr<Memory>>& getMemObjects() const;
    /// Returns the memory objects that are tensors.
    std::vector<std::shared_ptr<Tensor>> getTensors() const;

    /// Record the dispatch with getWorkgroup(), the commands that bind the pipeline and the memory,
    /// and the default push constants, if there are any.
    /// @throws InvalidArgument if the algorithm has no shader
    void recordDispatch(const vk::CommandBuffer& commandBuffer);
    void recordBindCore(const vk::CommandBuffer& commandBuffer);
    void recordBindPush(const vk::CommandBuffer& commandBuffer);

    /// Returns a handle, which stays the algorithm's; null before a shader is set.
    VkPipeline nativePipeline() const;
    VkPipelineLayout nativePipelineLayout() const;
    VkDescriptorSet nativeDescriptorSet() const;

    struct Impl;

private:
    friend class Manager;
    friend struct Internals;
    struct Bytes {
        const void* data;
        size_t count;
        size_t elementSize;
        Memory::DataTypes type;
    };

    /// Makes an algorithm without a shader.
    explicit Algorithm(std::shared_ptr<vulkan::Device> device);
    static std::shared_ptr<vulkan::Device> fromNative(const std::shared_ptr<vk::Device>& device);
    void rebuildBytes(const MemoryObjects& memObjects, ArrayView<uint32_t> spirv,
                      const Workgroup& workgroup, const Bytes& specializationConstants,
                      bool specializationById, const Bytes& pushConstants,
                      const std::optional<AlgorithmOptions>& options);
    /// @throws InvalidArgument if constants were given with a type other than @p type
    const std::vector<unsigned char>& specializationBytes(Memory::DataTypes type) const;
    const std::vector<unsigned char>& pushConstantBytes(Memory::DataTypes type) const;
    [[noreturn]] static void throwWrongSize(size_t bytes, size_t elementSize);

    template <typename T>
    static std::vector<T> toVector(const std::vector<unsigned char>& bytes) {
        using Stored = detail::StoredConstant<T>;
        if (bytes.size() % sizeof(Stored) != 0)
            throwWrongSize(bytes.size(), sizeof(Stored));
        const auto* first = reinterpret_cast<const Stored*>(bytes.data());
        return std::vector<T>(first, first + bytes.size() / sizeof(Stored));
    }

    std::unique_ptr<Impl> mImpl;
};

} // namespace kp
