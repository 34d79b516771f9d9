// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <kompute/Algorithm.hpp>
#include <kompute/Core.hpp>
#include <kompute/HostImport.hpp>
#include <kompute/Image.hpp>
#include <kompute/ManagerOptions.hpp>
#include <kompute/PinnedArray.hpp>
#include <kompute/Sequence.hpp>
#include <kompute/Shader.hpp>
#include <kompute/Tensor.hpp>

#define KP_DEFAULT_SESSION "DEFAULT"

namespace kp {

class Queue;

/// Owns a device and makes the objects that live on it. Managers that ask for the same device share
/// one VkInstance and one VkDevice, so that their objects work together. Holds weak pointers to
/// what it makes: objects die when their last owner lets go, or with destroy().
///
/// All member functions but destroy() may be called from any thread at any time.
class KOMPUTE_API Manager {
public:
    /// The best device; see ManagerOptions.
    /// @throws Unsupported where no Vulkan loader, driver or usable device is found (says what was
    ///         looked for); InvalidArgument where an option names something that does not exist
    Manager();
    /// @param physicalDeviceIndex  place in listDevices()
    /// @param familyQueueIndices   one queue per entry, of the family with that index
    /// @param desiredExtensions    device extensions, left out with a warning where missing
    Manager(uint32_t physicalDeviceIndex, const std::vector<uint32_t>& familyQueueIndices = {},
            const std::vector<std::string>& desiredExtensions = {});
    explicit Manager(const ManagerOptions& options);
    /// A host application's device, as Kompute spells it. It was made with nothing but Vulkan 1.1
    /// and with queue 0 of the first family that has compute; that queue is used. Applications that
    /// can say more use the constructor below.
    Manager(std::shared_ptr<vk::Instance> instance,
            std::shared_ptr<vk::PhysicalDevice> physicalDevice, std::shared_ptr<vk::Device> device);
    /// A host application's device.
    explicit Manager(const HostDevice& host);
    ~Manager();
    Manager(const Manager&) = delete;
    Manager(Manager&&) = delete;
    Manager& operator=(const Manager&) = delete;
    Manager& operator=(Manager&&) = delete;

    /// @param queueIndex       which of the manager's queues
    /// @param totalTimestamps  operations to take device times of; 0: none
    /// @throws InvalidArgument for a queue that does not exist, Unsupported where the queue has no
    ///         timestamps
    std::shared_ptr<Sequence> sequence(uint32_t queueIndex = 0, uint32_t totalTimestamps = 0);

    // Tensors. Errors: see Tensor's constructor.

    template <typename T>
    std::shared_ptr<TensorT<T>>
    tensorT(const std::vector<T>& data,
            Memory::MemoryTypes tensorType = Memory::MemoryTypes::eDevice) {
        return manage(std::make_shared<TensorT<T>>(device(), data, tensorType));
    }
    /// @param size  number of elements. Any integer type, but not braces: tensorT<int>({3}) is a
    ///              tensor of one element
    template <typename T, typename Size, typename = std::enable_if_t<std::is_integral<Size>::value>>
    std::shared_ptr<TensorT<T>>
    tensorT(Size size, Memory::MemoryTypes tensorType = Memory::MemoryTypes::eDevice) {
        return manage(
            std::make_shared<TensorT<T>>(device(), static_cast<size_t>(size), tensorType));
    }
    std::shared_ptr<TensorT<float>>
    tensor(const std::vector<float>& data,
           Memory::MemoryTypes tensorType = Memory::MemoryTypes::eDevice) {
        return tensorT<float>(data, tensorType);
    }
    std::shared_ptr<Tensor> tensor(void* data, uint64_t elementTotalCount,
                                   uint64_t elementMemorySize, const Memory::DataTypes& dataType,
                                   Memory::MemoryTypes tensorType = Memory::MemoryTypes::eDevice);
    std::shared_ptr<Tensor> tensor(uint64_t elementTotalCount, uint64_t elementMemorySize,
                                   const Memory::DataTypes& dataType,
                                   Memory::MemoryTypes tensorType = Memory::MemoryTypes::eDevice);
    /// A tensor over a host application's VkBuffer, which has storage-buffer and both transfer
    /// usages and stays the application's. @param offset bytes into it
    std::shared_ptr<Tensor>
    wrapBuffer(VkBuffer buffer, uint64_t elementTotalCount, uint64_t elementMemorySize,
               Memory::DataTypes dataType, uint64_t offset = 0,
               Memory::MemoryTypes tensorType = Memory::MemoryTypes::eDevice);

    /// A tensor whose memory is the caller's: the device reads and writes it in place, and so does
    /// the host, at memory of the host's speed (eHost). It must stay until the tensor and its work
    /// are gone.
    /// @param memory  at a multiple of the device's minStorageBufferOffsetAlignment
    /// @param owner   let go of when the device needs the memory no more; may be null
    /// @throws Unsupported where the device or its driver does not take this memory;
    ///         InvalidArgument
    std::shared_ptr<Tensor> wrapHostMemory(void* memory, uint64_t elementTotalCount,
                                           uint64_t elementMemorySize, Memory::DataTypes dataType,
                                           std::shared_ptr<void> owner = nullptr);
    /// A tensor that other Vulkan devices of the same GPU can open: see Tensor::exportMemory.
    /// eDevice or eStorage. For few and large tensors: each is an allocation of the driver's.
    /// @throws Unsupported where the device exports no memory (so far all but Linux)
    std::shared_ptr<Tensor>
    exportableTensor(uint64_t elementTotalCount, uint64_t elementMemorySize,
                     Memory::DataTypes dataType,
                     Memory::MemoryTypes tensorType = Memory::MemoryTypes::eStorage);
    /// A tensor in memory that another device of the same GPU exported. The file descriptor stays
    /// the caller's and may be closed afterwards; the memory lives as long as one of the two.
    /// @throws Unsupported; InvalidArgument where it is not such memory or too small
    std::shared_ptr<Tensor>
    importMemory(const ExternalMemory& memory, uint64_t elementTotalCount,
                 uint64_t elementMemorySize, Memory::DataTypes dataType,
                 Memory::MemoryTypes tensorType = Memory::MemoryTypes::eStorage);

    // Images. Errors: see Image's constructor.

    template <typename T>
    std::shared_ptr<ImageT<T>>
    imageT(const std::vector<T>& data, uint32_t width, uint32_t height, uint32_t numChannels,
           vk::ImageTiling tiling, Memory::MemoryTypes imageType = Memory::MemoryTypes::eDevice) {
        return manage(std::make_shared<ImageT<T>>(device(), data.data(), data.size(), width, height,
                                                  numChannels, tiling, imageType));
    }
    template <typename T>
    std::shared_ptr<ImageT<T>>
    imageT(const std::vector<T>& data, uint32_t width, uint32_t height, uint32_t numChannels,
           Memory::MemoryTypes imageType = Memory::MemoryTypes::eDevice) {
        return manage(std::make_shared<ImageT<T>>(device(), data.data(), data.size(), width, height,
                                                  numChannels, std::nullopt, imageType));
    }
    template <typename T>
    std::shared_ptr<ImageT<T>>
    imageT(uint32_t width, uint32_t height, uint32_t numChannels, vk::ImageTiling tiling,
           Memory::MemoryTypes imageType = Memory::MemoryTypes::eDevice) {
        return manage(std::make_shared<ImageT<T>>(device(), nullptr, 0, width, height, numChannels,
                                                  tiling, imageType));
    }
    template <typename T>
    std::shared_ptr<ImageT<T>>
    imageT(uint32_t width, uint32_t height, uint32_t numChannels,
           Memory::MemoryTypes imageType = Memory::MemoryTypes::eDevice) {
        return manage(std::make_shared<ImageT<T>>(device(), nullptr, 0, width, height, numChannels,
                                                  std::nullopt, imageType));
    }
    std::shared_ptr<ImageT<float>>
    image(const std::vector<float>& data, uint32_t width, uint32_t height, uint32_t numChannels,
          vk::ImageTiling tiling, Memory::MemoryTypes imageType = Memory::MemoryTypes::eDevice) {
        return imageT<float>(data, width, height, numChannels, tiling, imageType);
    }
    std::shared_ptr<ImageT<float>>
    image(const std::vector<float>& data, uint32_t width, uint32_t height, uint32_t numChannels,
          Memory::MemoryTypes imageType = Memory::MemoryTypes::eDevice) {
        return imageT<float>(data, width, height, numChannels, imageType);
    }
    std::shared_ptr<ImageT<float>>
    image(uint32_t width, uint32_t height, uint32_t numChannels, vk::ImageTiling tiling,
          Memory::MemoryTypes imageType = Memory::MemoryTypes::eDevice) {
        return imageT<float>(width, height, numChannels, tiling, imageType);
    }
    std::shared_ptr<ImageT<float>>
    image(uint32_t width, uint32_t height, uint32_t numChannels,
          Memory::MemoryTypes imageType = Memory::MemoryTypes::eDevice) {
        return imageT<float>(width, height, numChannels, imageType);
    }
    std::shared_ptr<Image> image(void* data, size_t dataSize, uint32_t width, uint32_t height,
                                 uint32_t numChannels, const Memory::DataTypes& dataType,
                                 vk::ImageTiling tiling,
                                 Memory::MemoryTypes imageType = Memory::MemoryTypes::eDevice);
    std::shared_ptr<Image> image(void* data, size_t dataSize, uint32_t width, uint32_t height,
                                 uint32_t numChannels, const Memory::DataTypes& dataType,
                                 Memory::MemoryTypes imageType = Memory::MemoryTypes::eDevice);
    std::shared_ptr<Image> image(uint32_t width, uint32_t height, uint32_t numChannels,
                                 const Memory::DataTypes& dataType, vk::ImageTiling tiling,
                                 Memory::MemoryTypes imageType = Memory::MemoryTypes::eDevice);
    std::shared_ptr<Image> image(uint32_t width, uint32_t height, uint32_t numChannels,
                                 const Memory::DataTypes& dataType,
                                 Memory::MemoryTypes imageType = Memory::MemoryTypes::eDevice);

    // Algorithms. Errors and arguments: see Algorithm's constructor.

    std::shared_ptr<Algorithm>
    algorithm(const std::vector<std::shared_ptr<Memory>>& memObjects = {},
              const std::vector<uint32_t>& spirv = {}, const Workgroup& workgroup = {},
              const std::vector<float>& specializationConstants = {},
              const std::vector<float>& pushConstants = {}) {
        return algorithm<float, float>(memObjects, spirv, workgroup, specializationConstants,
                                       pushConstants);
    }
    template <typename S = float, typename P = float>
    std::shared_ptr<Algorithm>
    algorithm(const std::vector<std::shared_ptr<Memory>>& memObjects,
              const std::vector<uint32_t>& spirv, const Workgroup& workgroup,
              const std::vector<S>& specializationConstants, const std::vector<P>& pushConstants) {
        auto made = std::make_shared<Algorithm>(device());
        made->rebuild(memObjects, spirv, workgroup, specializationConstants, pushConstants);
        return manage(std::move(made));
    }
    template <typename M, typename S = float, typename P = float,
              typename = detail::EnableForDerived<M>>
    std::shared_ptr<Algorithm>
    algorithm(const std::vector<std::shared_ptr<M>>& memObjects, const std::vector<uint32_t>& spirv,
              const Workgroup& workgroup = {}, const std::vector<S>& specializationConstants = {},
              const std::vector<P>& pushConstants = {}) {
        return algorithm<S, P>(detail::toMemory(memObjects), spirv, workgroup,
                               specializationConstants, pushConstants);
    }

    /// A line of work for launchers; see Queue. Each call makes one of its own, also for an index
    /// that was asked for before. Belongs to its owner alone; destroy() leaves it be.
    /// @param index      the manager's VkQueue with this index; past the last one a virtual queue
    /// on
    ///                   VkQueue 0
    /// @param inOrder    each launch comes after those before it
    /// @param profiling  launches are timed; without effect (and with a warning) on a device
    /// without
    ///                   timestamps
    std::shared_ptr<Queue> queue(uint32_t index = 0, bool inOrder = true, bool profiling = false);

    // Host memory for transfers. These belong to their owners alone: destroy() leaves them be.

    /// An array in host memory that the device reaches without staging. @throws OutOfMemory
    template <typename T>
    std::shared_ptr<PinnedArray<T>> pinnedArray(size_t count) {
        return std::make_shared<PinnedArray<T>>(device(), count);
    }
    /// Memory of the caller's that is sent or fetched many times.
    /// @throws InvalidArgument for null or no bytes, OutOfMemory
    std::shared_ptr<HostImport> importHost(void* memory, uint64_t bytes);
    template <typename T>
    std::shared_ptr<HostImport> importHost(std::vector<T>& memory) {
        return importHost(memory.data(), memory.size() * sizeof(T));
    }

    /// kp::compile for the Vulkan version of this manager's device.
    std::vector<uint32_t> compile(const std::string& source, CompileOptions options = {}) const;

    /// Destroys everything this manager made that is still alive, after the work that uses it, and
    /// lets go of the device. A second call does nothing.
    void destroy();
    /// Waits until the device has done everything that was submitted to it, through this manager or
    /// another one of the device. @throws DeviceLost
    void waitIdle() const;
    /// Forgets the objects that are gone, and frees staging memory that is not in use. Both happen
    /// by themselves now and then.
    void clear();

    /// False after destroy().
    bool isInit() const;
    /// What the device is and can do.
    DeviceInfo deviceInfo() const;
    /// Number of queues that sequence() can be asked for.
    uint32_t queueCount() const;
    /// Number of managed objects that are alive.
    size_t objectCount() const;
    /// Bytes of device and host memory that the driver gave to this device's allocator, shared with
    /// the other managers of the device.
    uint64_t allocatedBytes() const;

    /// Folder that is used for what is kept between runs (ManagerOptions::cacheFolder, else the
    /// environment's or the user's); "" where nothing is kept.
    std::string cacheFolder() const;

    vk::PhysicalDeviceProperties getDeviceProperties() const;
    std::vector<vk::PhysicalDevice> listDevices() const;
    std::shared_ptr<vk::Instance> getVkInstance() const;

    /// Handles, which stay the library's (or the host application's).
    VkInstance nativeInstance() const;
    VkPhysicalDevice nativePhysicalDevice() const;
    VkDevice nativeDevice() const;
    VkQueue nativeQueue(uint32_t queueIndex = 0) const;
    uint32_t queueFamily(uint32_t queueIndex = 0) const;
    /// Keeps the library from using a queue while the caller submits to it. What the caller submits
    /// between the two calls runs after all earlier and before all later work of the library, on
    /// every queue. Always in pairs, from one thread.
    void lockQueue(uint32_t queueIndex = 0) const;
    void unlockQueue(uint32_t queueIndex = 0) const;

    struct Impl;

private:
    std::shared_ptr<vulkan::Device> device() const;
    template <typename T>
    std::shared_ptr<T> manage(std::shared_ptr<T> object) {
        add(object);
        return object;
    }
    void add(const std::shared_ptr<Memory>& memory);
    void add(const std::shared_ptr<Algorithm>& algorithm);
    void copyDeviceProperties(void* vkPhysicalDeviceProperties) const;
    std::vector<VkPhysicalDevice> nativePhysicalDevices() const;

    std::unique_ptr<Impl> mImpl;
};

} // namespace kp
