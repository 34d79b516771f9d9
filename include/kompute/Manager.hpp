// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <new>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <kompute/Algorithm.hpp>
#include <kompute/Core.hpp>
#include <kompute/Error.hpp>
#include <kompute/Image.hpp>
#include <kompute/Sequence.hpp>
#include <kompute/Shader.hpp>
#include <kompute/Tensor.hpp>
#include <kompute/device/ManagerOptions.hpp>
#include <kompute/image/Sampler.hpp>
#include <kompute/memory/ArrayView.hpp>
#include <kompute/memory/HostImport.hpp>
#include <kompute/memory/PinnedArray.hpp>
#include <kompute/queue/Semaphore.hpp>

#define KP_DEFAULT_SESSION "DEFAULT"

namespace kp {

class Queue;

/// Activity of a device. See Manager::activity().
struct Activity {
    uint64_t launches = 0;    ///< of launchers, sequences and Queue::launch()
    uint64_t submissions = 0; ///< calls of vkQueueSubmit; one may have many launches
    uint64_t waits = 0;       ///< how often a thread waited for submitted work, finished or not
};

/// Owns a Vulkan device and creates the objects that live on it. Start here:
///
///     kp::Manager manager; // the best device
///     auto a = manager.tensor({1, 2, 3});
///     auto b = manager.tensor({0, 0, 0});
///     auto doubled = manager.algorithm({a, b}, kp::compile(R"(#version 450
///         layout(local_size_x = 1) in;
///         layout(binding = 0) readonly buffer A { float a[]; };
///         layout(binding = 1) writeonly buffer B { float b[]; };
///         void main() { b[gl_GlobalInvocationID.x] = 2 * a[gl_GlobalInvocationID.x]; })"));
///     manager.sequence()
///         ->record<kp::OpSyncDevice>({a})
///         ->record<kp::OpAlgoDispatch>(doubled)
///         ->record<kp::OpSyncLocal>({b})
///         ->eval();
///     b->vector(); // {2, 4, 6}
///
/// Managers of one device share one VkInstance and one VkDevice, regardless of their queue
/// families, so their objects work together (for the exceptions, see ManagerOptions::shareDevice).
/// A manager holds only weak pointers to the objects it creates: an object dies with its last
/// owner, or in destroy().
///
/// Thread safety: every member function may be called from any thread at any time. destroy() throws
/// while other threads use the manager or its objects.
/// Unless noted otherwise, functions throw InvalidArgument after destroy().
class KOMPUTE_API Manager {
public:
    /// Opens the best device; see ManagerOptions.
    /// @throws Unsupported if no Vulkan loader, driver or usable device is found (the message lists
    ///         the candidates); InvalidArgument if an option names something that does not exist
    Manager();
    /// Opens the device with this index in listDevices(). Throws as above.
    /// @param familyQueueIndices  see ManagerOptions::queueFamilies
    /// @param desiredExtensions   device extensions; missing ones are skipped with a warning
    explicit Manager(uint32_t physicalDeviceIndex,
                     const std::vector<uint32_t>& familyQueueIndices = {},
                     const std::vector<std::string>& desiredExtensions = {});
    /// Opens the device that @p options selects. Throws as above.
    explicit Manager(const ManagerOptions& options);
    /// Wraps the device of a host application; Kompute 0.9.0's signature. Assumes that the device
    /// was created with Vulkan 1.1 and no further features, and uses queue 0 of the first queue
    /// family with compute. Prefer HostDevice, which carries more information.
    /// @throws InvalidArgument if a pointer is null; Unsupported
    Manager(std::shared_ptr<vk::Instance> instance,
            std::shared_ptr<vk::PhysicalDevice> physicalDevice, std::shared_ptr<vk::Device> device);
    /// Wraps the device of a host application; see HostDevice.
    /// @throws InvalidArgument if @p host lists no queue; Unsupported
    explicit Manager(const HostDevice& host);
    ~Manager();
    Manager(const Manager&) = delete;
    Manager(Manager&&) = delete;
    Manager& operator=(const Manager&) = delete;
    Manager& operator=(Manager&&) = delete;

    /// Creates a sequence on one of the manager's queues.
    /// @param totalTimestamps  number of operations to take device timestamps of; 0 for none
    /// @throws InvalidArgument if the queue does not exist; Unsupported if timestamps are requested
    ///         but the queue has none
    std::shared_ptr<Sequence> sequence(uint32_t queueIndex = 0, uint32_t totalTimestamps = 0);

    // Tensors. For errors, see Tensor's constructor.

    /// Creates a tensor with the elements of @p data.
    template <typename T>
    std::shared_ptr<TensorT<T>>
    tensorT(const std::vector<T>& data,
            Memory::MemoryTypes tensorType = Memory::MemoryTypes::eDevice) {
        return manage(make<TensorT<T>>(data, tensorType));
    }
    /// Creates a tensor of @p size elements with undefined contents. Braces select the overload
    /// above: tensorT<int>({3}) has one element, 3.
    template <typename T, typename Size, typename = std::enable_if_t<std::is_integral<Size>::value>>
    std::shared_ptr<TensorT<T>>
    tensorT(Size size, Memory::MemoryTypes tensorType = Memory::MemoryTypes::eDevice) {
        return manage(make<TensorT<T>>(static_cast<size_t>(size), tensorType));
    }
    /// Creates a tensor with the elements of a std::array, std::span or anything else with data()
    /// and size().
    template <typename Array, typename T = std::remove_cv_t<std::remove_pointer_t<
                                  decltype(std::declval<const Array&>().data())>>>
    std::shared_ptr<TensorT<T>>
    tensorT(const Array& data, Memory::MemoryTypes tensorType = Memory::MemoryTypes::eDevice) {
        return manage(make<TensorT<T>>(ArrayView<T>(data), tensorType));
    }
    std::shared_ptr<TensorT<float>>
    tensor(const std::vector<float>& data,
           Memory::MemoryTypes tensorType = Memory::MemoryTypes::eDevice);
    /// Creates a tensor of any element type, with @p data (may be null) as contents.
    std::shared_ptr<Tensor> tensor(void* data, uint64_t elementTotalCount,
                                   uint64_t elementMemorySize, const Memory::DataTypes& dataType,
                                   Memory::MemoryTypes tensorType = Memory::MemoryTypes::eDevice);
    std::shared_ptr<Tensor> tensor(uint64_t elementTotalCount, uint64_t elementMemorySize,
                                   const Memory::DataTypes& dataType,
                                   Memory::MemoryTypes tensorType = Memory::MemoryTypes::eDevice) {
        return tensor(nullptr, elementTotalCount, elementMemorySize, dataType, tensorType);
    }
    /// Wraps a host application's VkBuffer with the usages storage buffer, transfer source and
    /// transfer destination, which must outlive the tensor and its work; or another tensor's, from
    /// its nativeOffset() on. Tensors of one VkBuffer are ordered against each other.
    /// @param offset      bytes from the start of the buffer
    /// @param tensorType  eDevice or eStorage
    /// @throws InvalidArgument for other memory types, for an offset that is not a multiple of the
    ///         device's minStorageBufferOffsetAlignment, and if the range ends behind the buffer's
    ///         memory
    std::shared_ptr<Tensor>
    wrapBuffer(VkBuffer buffer, uint64_t elementTotalCount, uint64_t elementMemorySize,
               Memory::DataTypes dataType, uint64_t offset = 0,
               Memory::MemoryTypes tensorType = Memory::MemoryTypes::eDevice);

    /// Wraps the caller's host memory: device and host both access it in place, so the device reads
    /// it at the speed of host memory (eHost). The memory must outlive the tensor and its work.
    /// @param memory  aligned to the device's minStorageBufferOffsetAlignment
    /// @param owner   released when the device no longer needs the memory; may be null
    /// @throws Unsupported if the device or driver cannot import this memory; InvalidArgument if
    ///         @p memory is null or misaligned
    std::shared_ptr<Tensor> wrapHostMemory(void* memory, uint64_t elementTotalCount,
                                           uint64_t elementMemorySize, Memory::DataTypes dataType,
                                           std::shared_ptr<void> owner = nullptr);
    /// Creates a tensor that other Vulkan devices on the same GPU can open; see
    /// Tensor::exportMemory. The memory type is eDevice or eStorage. Each such tensor takes a
    /// driver allocation of its own: use few, large ones.
    /// @throws Unsupported if the device cannot export memory (currently everywhere but on Linux)
    std::shared_ptr<Tensor>
    exportableTensor(uint64_t elementTotalCount, uint64_t elementMemorySize,
                     Memory::DataTypes dataType,
                     Memory::MemoryTypes tensorType = Memory::MemoryTypes::eStorage);
    /// Creates a tensor in memory that another device on the same GPU exported. The caller keeps
    /// the file descriptor and may close it afterwards. The memory lives as long as the exporter or
    /// the importer.
    /// @throws Unsupported if the device cannot import memory; InvalidArgument if @p memory is not
    ///         such memory, or is too small
    std::shared_ptr<Tensor>
    importMemory(const ExternalMemory& memory, uint64_t elementTotalCount,
                 uint64_t elementMemorySize, Memory::DataTypes dataType,
                 Memory::MemoryTypes tensorType = Memory::MemoryTypes::eStorage);

    // Memory that CUDA uses in place, and order with CUDA's streams; see docs/guides/interop.md.
    // CUDA's driver library is opened at the first of these calls. A stream is a CUstream or
    // cudaStream_t of the GPU's primary context, which CUDA's runtime, torch, CuPy and JAX use;
    // null is the default stream. No call waits on the host.

    /// Creates a tensor in memory that CUDA allocates and Vulkan imports: both use it in place, at
    /// full speed. See Tensor::cudaMemory. The memory type is eDevice or eStorage. Small tensors
    /// share allocations, so many are fine.
    /// @throws Unsupported unless the device is an NVIDIA GPU with a driver of CUDA 11.2 or newer
    ///         (Linux only), with the reason; OutOfMemory
    std::shared_ptr<Tensor>
    sharedTensor(uint64_t elementTotalCount, uint64_t elementMemorySize, Memory::DataTypes dataType,
                 Memory::MemoryTypes tensorType = Memory::MemoryTypes::eStorage);
    /// Creates a tensor at an address in the memory of a shared tensor, or in memory that torch
    /// allocated in kp.torch_pool.
    /// @param owner  released once the device has finished with the tensor; may be null
    /// @return null if the address is in neither
    /// @throws InvalidArgument if the device cannot bind the address, or the memory ends too early;
    ///         Unsupported as sharedTensor()
    std::shared_ptr<Tensor> tensorAtCuda(uint64_t address, uint64_t elementTotalCount,
                                         uint64_t elementMemorySize, Memory::DataTypes dataType,
                                         std::shared_ptr<void> owner = nullptr);
    /// Copies CUDA memory of any kind to the whole of a shared tensor, on the device. Later work
    /// that uses the tensor waits for the copy.
    /// @param address  valid and written once the current work of cudaStream() is done
    /// @param owner    released once the copy is done; may be null
    /// @throws InvalidArgument for memory of another device, and unless the tensor is shared
    void copyFromCuda(const std::shared_ptr<Tensor>& tensor, uint64_t address,
                      std::shared_ptr<void> owner = nullptr);
    /// Returns an event that is done when the current work of a stream is done.
    /// @throws InvalidArgument for a stream of another device; Unsupported as sharedTensor()
    Event cudaEvent(void* stream);
    /// Returns the library's own stream, a CUstream.
    void* cudaStream();
    /// Returns CUDA's number of the manager's GPU. @throws Unsupported as sharedTensor()
    int cudaDevice() const;

    // Semaphores and fences of other users of Vulkan, as events; see Semaphore and
    // docs/guides/embedding.md. The caller owns these objects: destroy() does not affect them.

    /// Wraps a timeline semaphore of the host application, created on this device, which must
    /// outlive the result, its events, and the work that waits for them.
    /// @throws InvalidArgument if it is null; Unsupported if timeline semaphores are not enabled
    [[nodiscard]] std::shared_ptr<Semaphore> wrapSemaphore(VkSemaphore semaphore) const;
    /// Creates a timeline semaphore with the value 0 that other devices of the GPU, other processes
    /// and CUDA can open; see Semaphore::exportHandle.
    /// @throws Unsupported if the device cannot export semaphores
    [[nodiscard]] std::shared_ptr<Semaphore> exportableSemaphore() const;
    /// Opens an exported timeline semaphore. The caller keeps the file descriptor and may close it
    /// afterwards.
    /// @throws Unsupported if the device cannot; InvalidArgument if @p fd is not a semaphore
    [[nodiscard]] std::shared_ptr<Semaphore> importSemaphore(int fd) const;
    /// Returns an event that is done when a fence of the host application is signalled. A thread of
    /// the library waits for it: the fence must belong to this device, be submitted already, and
    /// stay as it is (no reset, no destruction) until the event is done.
    /// @throws InvalidArgument if it is null
    [[nodiscard]] Event wrapFence(VkFence fence) const;

    // Images. For arguments and errors, see Image's constructor.

    /// Each creates an image with the elements of @p data or, without it, with undefined contents.
    template <typename T>
    std::shared_ptr<ImageT<T>>
    imageT(const std::vector<T>& data, uint32_t width, uint32_t height, uint32_t numChannels,
           vk::ImageTiling tiling, Memory::MemoryTypes imageType = Memory::MemoryTypes::eDevice) {
        return manage(make<ImageT<T>>(data.data(), data.size(), width, height, numChannels, tiling,
                                      imageType));
    }
    template <typename T>
    std::shared_ptr<ImageT<T>>
    imageT(const std::vector<T>& data, uint32_t width, uint32_t height, uint32_t numChannels,
           Memory::MemoryTypes imageType = Memory::MemoryTypes::eDevice) {
        return manage(make<ImageT<T>>(data.data(), data.size(), width, height, numChannels,
                                      std::nullopt, imageType));
    }
    template <typename T>
    std::shared_ptr<ImageT<T>>
    imageT(uint32_t width, uint32_t height, uint32_t numChannels, vk::ImageTiling tiling,
           Memory::MemoryTypes imageType = Memory::MemoryTypes::eDevice) {
        return manage(
            make<ImageT<T>>(nullptr, size_t{0}, width, height, numChannels, tiling, imageType));
    }
    template <typename T>
    std::shared_ptr<ImageT<T>>
    imageT(uint32_t width, uint32_t height, uint32_t numChannels,
           Memory::MemoryTypes imageType = Memory::MemoryTypes::eDevice) {
        return manage(make<ImageT<T>>(nullptr, size_t{0}, width, height, numChannels, std::nullopt,
                                      imageType));
    }
    std::shared_ptr<ImageT<float>>
    image(const std::vector<float>& data, uint32_t width, uint32_t height, uint32_t numChannels,
          vk::ImageTiling tiling, Memory::MemoryTypes imageType = Memory::MemoryTypes::eDevice);
    std::shared_ptr<ImageT<float>>
    image(const std::vector<float>& data, uint32_t width, uint32_t height, uint32_t numChannels,
          Memory::MemoryTypes imageType = Memory::MemoryTypes::eDevice);
    std::shared_ptr<ImageT<float>>
    image(uint32_t width, uint32_t height, uint32_t numChannels, vk::ImageTiling tiling,
          Memory::MemoryTypes imageType = Memory::MemoryTypes::eDevice);
    std::shared_ptr<ImageT<float>>
    image(uint32_t width, uint32_t height, uint32_t numChannels,
          Memory::MemoryTypes imageType = Memory::MemoryTypes::eDevice);
    std::shared_ptr<Image> image(void* data, size_t dataSize, uint32_t width, uint32_t height,
                                 uint32_t numChannels, const Memory::DataTypes& dataType,
                                 vk::ImageTiling tiling,
                                 Memory::MemoryTypes imageType = Memory::MemoryTypes::eDevice);
    std::shared_ptr<Image> image(void* data, size_t dataSize, uint32_t width, uint32_t height,
                                 uint32_t numChannels, const Memory::DataTypes& dataType,
                                 Memory::MemoryTypes imageType = Memory::MemoryTypes::eDevice);
    std::shared_ptr<Image> image(uint32_t width, uint32_t height, uint32_t numChannels,
                                 const Memory::DataTypes& dataType, vk::ImageTiling tiling,
                                 Memory::MemoryTypes imageType = Memory::MemoryTypes::eDevice) {
        return image(nullptr, 0, width, height, numChannels, dataType, tiling, imageType);
    }
    std::shared_ptr<Image> image(uint32_t width, uint32_t height, uint32_t numChannels,
                                 const Memory::DataTypes& dataType,
                                 Memory::MemoryTypes imageType = Memory::MemoryTypes::eDevice) {
        return image(nullptr, 0, width, height, numChannels, dataType, imageType);
    }

    /// Creates an image from @p options, as needed for sampled, normalised, and one- or
    /// three-dimensional images. If the format is left open, the type of the elements and
    /// ImageOptions::channels choose it.
    /// @throws InvalidArgument also if the extents do not belong to the type of the image, or the
    ///         format does not hold the elements; Unsupported if the device lacks the format or a
    ///         usage of it
    template <typename T>
    std::shared_ptr<ImageT<T>> imageT(const std::vector<T>& data, const ImageOptions& options) {
        return manage(make<ImageT<T>>(data.data(), data.size(), options));
    }
    template <typename T>
    std::shared_ptr<ImageT<T>> imageT(const ImageOptions& options) {
        return manage(make<ImageT<T>>(nullptr, size_t{0}, options));
    }
    /// The same for elements of the format's type. @p data may be null.
    /// @param dataSize  number of elements at @p data
    std::shared_ptr<Image> image(const ImageOptions& options, const void* data = nullptr,
                                 size_t dataSize = 0);

    /// Creates a sampler. The caller owns it: destroy() does not affect it.
    /// @throws InvalidArgument if options contradict each other
    [[nodiscard]] std::shared_ptr<Sampler> sampler(const SamplerOptions& options = {}) const;

    // Algorithms. For arguments and errors, see Algorithm's constructor.

    /// Creates an algorithm. The constants are vectors of any trivially copyable type, or of
    /// SpecializationConstant. Each bool of a std::vector<bool> becomes a word, as in shaders.
    template <typename S = float, typename P = float>
    std::shared_ptr<Algorithm>
    algorithm(const MemoryObjects& memObjects = {}, ArrayView<uint32_t> spirv = {},
              const Workgroup& workgroup = {}, const std::vector<S>& specializationConstants = {},
              const std::vector<P>& pushConstants = {}, const AlgorithmOptions& options = {}) {
        auto made = manage(make<Algorithm>()); // it looks at the manager's options
        made->rebuild(memObjects, spirv, workgroup, specializationConstants, pushConstants,
                      options);
        return made;
    }

    /// Creates a queue for launchers; see Queue. Each call returns a new, independent queue, even
    /// for an index used before. The caller owns it: destroy() does not affect it.
    /// @param index      index of the manager's VkQueue; past the last one, a virtual queue on
    ///                   VkQueue 0
    /// @param inOrder    whether each launch starts after the previous one
    /// @param profiling  whether launches are timed; ignored with a warning if the device has no
    ///                   timestamps
    [[nodiscard]] std::shared_ptr<Queue> queue(uint32_t index = 0, bool inOrder = true,
                                               bool profiling = false);
    /// Returns the queue for launchers without one: an in-order queue on the first VkQueue, always
    /// the same, so all these launches are ordered.
    /// @throws InvalidArgument after destroy()
    [[nodiscard]] const std::shared_ptr<Queue>& defaultQueue() const;
    /// Returns the activity of the manager's device so far, for all managers that share it:
    /// subtract two results to see the activity in between.
    /// @throws InvalidArgument after destroy()
    [[nodiscard]] Activity activity() const;

    // Host memory for transfers. The caller owns these objects: destroy() does not affect them.

    /// Allocates an array in host memory that the device accesses without staging.
    /// @throws OutOfMemory
    template <typename T>
    [[nodiscard]] std::shared_ptr<PinnedArray<T>> pinnedArray(size_t count) {
        return make<PinnedArray<T>>(count);
    }
    /// Imports the caller's memory: repeated transfers from or to it skip staging; see HostImport.
    /// @throws InvalidArgument if @p memory is null or @p bytes is 0; OutOfMemory
    [[nodiscard]] std::shared_ptr<HostImport> importHost(void* memory, uint64_t bytes);
    template <typename T>
    [[nodiscard]] std::shared_ptr<HostImport> importHost(std::vector<T>& memory) {
        return importHost(memory.data(), memory.size() * sizeof(T));
    }

    /// Compiles a shader as kp::compile does, with the rest of the options from compileOptions().
    /// @throws as kp::compile
    [[nodiscard]] std::vector<uint32_t> compile(std::string_view source,
                                                CompileOptions options = {}) const;

    /// Destroys all living objects that this manager created, after running sequences have
    /// finished, and releases the device. Abandoned work, such as a sequence's whose wait timed
    /// out, keeps its resources. The last manager of a device waits up to ten seconds for it; then
    /// the library logs a warning and keeps the device until the process ends. If the device
    /// belongs to a host application, waits for all work, and for up to a second for threads of the
    /// library that still refer to it. Further calls have no effect.
    /// @throws InvalidArgument, and destroys nothing, if another thread is in a call that evaluates
    ///         or records a sequence, launches, transfers, or waits for memory of this manager
    void destroy();
    /// Waits until the device has finished all work submitted to it, also by its other managers.
    /// @throws DeviceLost
    void waitIdle() const;
    /// Returns texts about the operations that the device has begun and not finished.
    /// @throws InvalidArgument without ManagerOptions::breadcrumbs
    [[nodiscard]] std::vector<std::string> underWay() const;
    /// Starts a capture for RenderDoc, with all work submitted until endCapture().
    /// @throws Unsupported unless the program runs under RenderDoc; InvalidArgument if a capture
    ///         has begun
    void startCapture() const;
    /// Waits for the submitted work, and lets RenderDoc write the capture.
    /// @throws Unsupported as startCapture(), or if the capture could not be written;
    ///         InvalidArgument if none has begun
    void endCapture() const;
    /// Same for at most ten seconds, as at the end of the process; then the library logs a warning,
    /// once, and keeps the resources in use. Waits without limit for a host application's device.
    /// @return whether the device has finished
    bool finish() const noexcept;
    /// Returns events that are done once the device has finished all work submitted to it so far.
    std::vector<Event> submittedWork() const;
    /// Cancels the evaluations of sequences that wait for an event on the host, as destroy() does.
    /// @return events of the evaluations that destroy() waits for: they run, or another thread is
    ///         submitting them. Evaluations whose wait timed out are excluded
    std::vector<Event> cancelWaiting();
    /// Forgets objects that no longer exist, and gives back to the driver unused staging memory,
    /// the memory of freed small tensors, which is kept for new ones, and empty blocks of memory.
    /// The first two also happen automatically as needed.
    void clear();

    bool isInit() const; ///< false after destroy()
    [[nodiscard]] DeviceInfo deviceInfo() const;
    uint32_t queueCount() const; ///< number of queues that sequence() accepts
    size_t objectCount() const;  ///< number of living objects that this manager created
    /// Returns the bytes of device and host memory that the driver has given to this device's
    /// allocator. Managers of the same device share the allocator.
    uint64_t allocatedBytes() const;
    /// Returns the device memory in use and kept for reuse, and the peaks.
    [[nodiscard]] MemoryUsage memory() const;
    /// Returns the objects whose memory MemoryUsage::allocated adds up, the largest first. Errors
    /// of OutOfMemory list the first of them.
    [[nodiscard]] std::vector<MemoryObject> memoryObjects() const;
    /// Returns what MemoryUsage::reserved consists of.
    [[nodiscard]] std::vector<MemoryKind> memoryKinds() const;
    /// Returns the heaps of the device, with what is left in them. Asks the driver.
    [[nodiscard]] std::vector<MemoryHeap> memoryHeaps() const;
    /// Resets the peaks of memory() to the current values.
    void resetPeakMemory();
    /// Returns the folder for files kept between runs: ManagerOptions::cacheFolder, else the
    /// environment's, else the user's. Returns "" if nothing is kept.
    std::string cacheFolder() const;
    /// Returns the options that compile() begins with: the Vulkan version and the cache folders.
    /// @throws InvalidArgument after destroy()
    [[nodiscard]] CompileOptions compileOptions() const;
    /// Returns ManagerOptions::check.
    std::string check() const;

    /// Kompute 0.9.0's calls, which need <vulkan/vulkan.hpp>. deviceInfo() and kp::listDevices() do
    /// not. The library (or the host application) keeps ownership of handles, here and below.
    vk::PhysicalDeviceProperties getDeviceProperties() const;
    std::vector<vk::PhysicalDevice> listDevices() const;
    std::shared_ptr<vk::Instance> getVkInstance() const;

    VkInstance nativeInstance() const;
    VkPhysicalDevice nativePhysicalDevice() const;
    VkDevice nativeDevice() const;
    VkQueue nativeQueue(uint32_t queueIndex = 0) const;
    uint32_t queueFamily(uint32_t queueIndex = 0) const;
    /// Stops the library from using a queue while the caller submits to it. Work that the caller
    /// submits between lockQueue() and unlockQueue() runs after all earlier and before all later
    /// work of the library, on every queue. Call the two in pairs, from the same thread.
    void lockQueue(uint32_t queueIndex = 0) const;
    void unlockQueue(uint32_t queueIndex = 0) const;

    struct Impl;

private:
    friend struct Internals;
    std::shared_ptr<vulkan::Device> device() const;
    /// Lets std::allocate_shared() call constructors that only this class may call, so that an
    /// object and its reference count share one allocation.
    template <typename T>
    struct Maker : std::allocator<T> {
        template <typename U>
        struct rebind {
            using other = Maker<U>;
        };
        Maker() = default;
        template <typename U>
        Maker(const Maker<U>&) {}
        template <typename U, typename... Args>
        void construct(U* place, Args&&... args) {
            ::new (static_cast<void*>(place)) U(std::forward<Args>(args)...);
        }
        template <typename U>
        void destroy(U* object) {
            object->~U();
        }
    };
    template <typename T, typename... Args>
    std::shared_ptr<T> make(Args&&... args) const {
        try {
            return std::allocate_shared<T>(Maker<T>(), device(), std::forward<Args>(args)...);
        } catch (const OutOfMemory& error) {
            failWithHolders(error);
        }
    }
    [[noreturn]] void failWithHolders(const OutOfMemory& error) const;
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
