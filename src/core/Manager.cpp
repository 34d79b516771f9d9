// SPDX-License-Identifier: Apache-2.0
#include <kompute/Manager.hpp>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <utility>

#include <kompute/Error.hpp>
#include <kompute/Queue.hpp>

#include "core/DeviceChoice.hpp"
#include "core/HostDeviceWrap.hpp"
#include "core/MemoryImpl.hpp"
#include "core/Native.hpp"
#include "core/QueueImpl.hpp"
#include "core/SequenceImpl.hpp"
#include "shader/CacheFolder.hpp"
#include "vulkan/CommandBufferPool.hpp"
#include "vulkan/Commands.hpp"
#include "vulkan/Device.hpp"
#include "vulkan/Instance.hpp"
#include "vulkan/PipelineCache.hpp"
#include "vulkan/Retirement.hpp"
#include "vulkan/Submission.hpp"
#include "vulkan/Transfer.hpp"

namespace kp {
namespace {

/// Weak pointers to what a manager made. Forgets the dead ones when there are many, so that it does
/// not grow in a program that makes objects all the time.
template <typename T>
class WeakList {
public:
    void add(const std::shared_ptr<T>& object) {
        if (mObjects.size() >= mPruneAt) {
            prune();
            mPruneAt = std::max<size_t>(64, 2 * mObjects.size());
        }
        mObjects.push_back(object);
    }
    void prune() {
        std::erase_if(mObjects, [](const std::weak_ptr<T>& object) { return object.expired(); });
    }
    size_t alive() const {
        return static_cast<size_t>(
            std::count_if(mObjects.begin(), mObjects.end(),
                          [](const std::weak_ptr<T>& object) { return !object.expired(); }));
    }
    std::vector<std::weak_ptr<T>> take() { return std::exchange(mObjects, {}); }

private:
    std::vector<std::weak_ptr<T>> mObjects;
    size_t mPruneAt = 64;
};

template <typename T>
void destroyAll(const std::vector<std::weak_ptr<T>>& objects) {
    for (const std::weak_ptr<T>& object : objects)
        if (const std::shared_ptr<T> alive = object.lock())
            alive->destroy();
}

vulkan::WaitMode waitModeOf(WaitPolicy policy, const vulkan::Device& device) {
    switch (policy) {
    case WaitPolicy::eAuto:
        return device.defaultWaitMode();
    case WaitPolicy::eSpin:
        return vulkan::WaitMode::eSpin;
    case WaitPolicy::eHybrid:
        return vulkan::WaitMode::eHybrid;
    case WaitPolicy::eBlock:
        return vulkan::WaitMode::eBlock;
    }
    return device.defaultWaitMode();
}

/// A submission of nothing but a barrier that stands for work of the host application: after all
/// earlier work of other queues and this one, before all later work that conflicts with anything.
void orderAgainstEverything(vulkan::Queue& queue) {
    vulkan::Device& device = queue.device();
    auto commands =
        std::make_shared<vulkan::CommandBuffer>(device.commandBuffers().acquire(queue.family()));
    commands->begin(true);
    vulkan::recordFullBarrier(device, commands->handle());
    commands->end();
    vulkan::AccessList anything;
    anything.addUnknown();
    const VkCommandBuffer handle = commands->handle();
    const vulkan::TimelinePoint done = vulkan::submitOrdered(queue, {&handle, 1}, anything);
    device.retirement().retire({done}, [commands] {});
}

ManagerOptions optionsFor(uint32_t index, const std::vector<uint32_t>& families,
                          const std::vector<std::string>& extensions) {
    ManagerOptions options;
    options.deviceIndex = index;
    options.queueFamilies = families;
    options.desiredExtensions = extensions;
    return options;
}

} // namespace

struct Manager::Impl {
    std::shared_ptr<vulkan::Device> device; ///< null after destroy()
    vulkan::WaitMode waitMode = vulkan::WaitMode::eBlock;
    std::string cacheFolder; ///< as the options say
    /// Places in the device's list of queues; entry i is what sequence(i) gets.
    std::vector<size_t> queues;
    std::mutex mutex; ///< guards the lists
    WeakList<Sequence> sequences;
    WeakList<Algorithm> algorithms;
    WeakList<Memory> memory;

    void requireInit() const {
        if (!device)
            throw InvalidArgument("this manager was destroyed");
    }
    vulkan::Queue& queue(uint32_t index) const {
        requireInit();
        if (index >= queues.size())
            throw InvalidArgument("queue " + std::to_string(index) +
                                  " was asked for, but the manager "
                                  "has " +
                                  std::to_string(queues.size()) +
                                  "; name more families when the manager is made");
        return device->queue(queues[index]);
    }
    void use(std::shared_ptr<vulkan::Device> chosen, const ManagerOptions& options) {
        device = std::move(chosen);
        cacheFolder = options.cacheFolder;
        device->pipelines().setFolder(shader::cacheFolder(cacheFolder));
        waitMode = waitModeOf(options.waitPolicy, *device);
        for (size_t i = 0; i < device->userQueueCount(); ++i)
            queues.push_back(i);
        const std::string changes = transferRulesOf(options);
        if (!changes.empty())
            device->transfer().changeRules(changes);
    }
};

Manager::Manager() : Manager(ManagerOptions{}) {}

Manager::Manager(uint32_t physicalDeviceIndex, const std::vector<uint32_t>& familyQueueIndices,
                 const std::vector<std::string>& desiredExtensions)
    : Manager(optionsFor(physicalDeviceIndex, familyQueueIndices, desiredExtensions)) {}

Manager::Manager(const ManagerOptions& options) : mImpl(std::make_unique<Impl>()) {
    std::string validation = options.validation;
    if (validation.empty())
        if (const char* variable = std::getenv("KOMPUTE_VALIDATION"))
            validation = variable;
    const vulkan::DeviceRequest request = requestOf(options);
    const std::shared_ptr<vulkan::Instance> instance =
        vulkan::Instance::acquire(vulkan::ValidationRequest::parse(validation));
    std::shared_ptr<vulkan::Device> device = vulkan::Device::acquire(instance, request);
    mImpl->use(std::move(device), options);
}

Manager::Manager(std::shared_ptr<vk::Instance> instance,
                 std::shared_ptr<vk::PhysicalDevice> physicalDevice,
                 std::shared_ptr<vk::Device> device)
    : mImpl(std::make_unique<Impl>()) {
    if (!instance || !physicalDevice || !device)
        throw InvalidArgument("the instance, physical device and device of a host application must "
                              "not be null");
    HostDevice host;
    host.instance = native::handleOf(*instance);
    host.physicalDevice = native::handleOf(*physicalDevice);
    host.device = native::handleOf(*device);
    mImpl->use(wrapHostDevice(host), {});
}

Manager::Manager(const HostDevice& host) : mImpl(std::make_unique<Impl>()) {
    if (host.queues.empty())
        throw InvalidArgument("a host application's device needs at least one queue in "
                              "HostDevice::queues");
    mImpl->use(wrapHostDevice(host), {});
}

Manager::~Manager() {
    try {
        destroy();
    } catch (const std::exception& error) {
        KP_LOG_ERROR("destroying a manager: {}", error.what());
    }
}

std::shared_ptr<vulkan::Device> Manager::device() const {
    mImpl->requireInit();
    return mImpl->device;
}

void Manager::add(const std::shared_ptr<Memory>& memory) {
    const std::lock_guard lock(mImpl->mutex);
    mImpl->memory.add(memory);
}

void Manager::add(const std::shared_ptr<Algorithm>& algorithm) {
    const std::lock_guard lock(mImpl->mutex);
    mImpl->algorithms.add(algorithm);
}

std::shared_ptr<Sequence> Manager::sequence(uint32_t queueIndex, uint32_t totalTimestamps) {
    vulkan::Queue& queue = mImpl->queue(queueIndex);
    auto sequence = std::make_shared<Sequence>(mImpl->device, queue, totalTimestamps);
    sequence->impl().waitMode = mImpl->waitMode;
    const std::lock_guard lock(mImpl->mutex);
    mImpl->sequences.add(sequence);
    return sequence;
}

std::shared_ptr<Queue> Manager::queue(uint32_t index, bool inOrder, bool profiling) {
    mImpl->requireInit();
    const bool isVirtual = index >= mImpl->queues.size();
    auto impl = std::make_shared<Queue::Impl>(mImpl->device, mImpl->queue(isVirtual ? 0 : index),
                                              mImpl->waitMode, index, isVirtual, inOrder, false);
    auto queue = std::make_shared<Queue>(std::move(impl));
    queue->setProfiling(profiling);
    return queue;
}

std::shared_ptr<Tensor> Manager::tensor(void* data, uint64_t elementTotalCount,
                                        uint64_t elementMemorySize,
                                        const Memory::DataTypes& dataType,
                                        Memory::MemoryTypes tensorType) {
    return manage(std::make_shared<Tensor>(device(), data, elementTotalCount, elementMemorySize,
                                           dataType, tensorType));
}

std::shared_ptr<Tensor> Manager::tensor(uint64_t elementTotalCount, uint64_t elementMemorySize,
                                        const Memory::DataTypes& dataType,
                                        Memory::MemoryTypes tensorType) {
    return tensor(nullptr, elementTotalCount, elementMemorySize, dataType, tensorType);
}

std::shared_ptr<Tensor> Manager::wrapBuffer(VkBuffer buffer, uint64_t elementTotalCount,
                                            uint64_t elementMemorySize, Memory::DataTypes dataType,
                                            uint64_t offset, Memory::MemoryTypes tensorType) {
    return manage(std::make_shared<Tensor>(device(), buffer, offset, elementTotalCount,
                                           elementMemorySize, dataType, tensorType));
}

namespace {

void requireDeviceMemory(Memory::MemoryTypes type, const char* what) {
    if (type != Memory::MemoryTypes::eDevice && type != Memory::MemoryTypes::eStorage)
        throw InvalidArgument(std::string(what) + " is eDevice or eStorage, not " +
                              Memory::toString(type));
}

} // namespace

std::shared_ptr<Tensor> Manager::wrapHostMemory(void* memory, uint64_t elementTotalCount,
                                                uint64_t elementMemorySize,
                                                Memory::DataTypes dataType,
                                                std::shared_ptr<void> owner) {
    if (!memory)
        throw InvalidArgument("the host memory for a tensor is null");
    const std::shared_ptr<vulkan::Device> used = device();
    auto buffer = vulkan::Buffer::overHost(
        *used, memory, checkedBytes(elementTotalCount, elementMemorySize, "tensor"),
        std::move(owner));
    return manage(std::make_shared<Tensor>(used, std::move(buffer), elementTotalCount,
                                           elementMemorySize, dataType,
                                           Memory::MemoryTypes::eHost));
}

std::shared_ptr<Tensor> Manager::exportableTensor(uint64_t elementTotalCount,
                                                  uint64_t elementMemorySize,
                                                  Memory::DataTypes dataType,
                                                  Memory::MemoryTypes tensorType) {
    requireDeviceMemory(tensorType, "an exportable tensor");
    const std::shared_ptr<vulkan::Device> used = device();
    auto buffer = vulkan::Buffer::createExportable(
        *used, checkedBytes(elementTotalCount, elementMemorySize, "tensor"));
    return manage(std::make_shared<Tensor>(used, std::move(buffer), elementTotalCount,
                                           elementMemorySize, dataType, tensorType));
}

std::shared_ptr<Tensor> Manager::importMemory(const ExternalMemory& memory,
                                              uint64_t elementTotalCount,
                                              uint64_t elementMemorySize,
                                              Memory::DataTypes dataType,
                                              Memory::MemoryTypes tensorType) {
    requireDeviceMemory(tensorType, "a tensor in external memory");
    const std::shared_ptr<vulkan::Device> used = device();
    auto buffer = vulkan::Buffer::importMemory(
        *used, memory, checkedBytes(elementTotalCount, elementMemorySize, "tensor"));
    return manage(std::make_shared<Tensor>(used, std::move(buffer), elementTotalCount,
                                           elementMemorySize, dataType, tensorType));
}

std::shared_ptr<Image> Manager::image(void* data, size_t dataSize, uint32_t width, uint32_t height,
                                      uint32_t numChannels, const Memory::DataTypes& dataType,
                                      vk::ImageTiling tiling, Memory::MemoryTypes imageType) {
    return manage(std::make_shared<Image>(device(), data, dataSize, width, height, numChannels,
                                          dataType, std::optional(tiling), imageType));
}

std::shared_ptr<Image> Manager::image(void* data, size_t dataSize, uint32_t width, uint32_t height,
                                      uint32_t numChannels, const Memory::DataTypes& dataType,
                                      Memory::MemoryTypes imageType) {
    return manage(std::make_shared<Image>(device(), data, dataSize, width, height, numChannels,
                                          dataType, std::nullopt, imageType));
}

std::shared_ptr<Image> Manager::image(uint32_t width, uint32_t height, uint32_t numChannels,
                                      const Memory::DataTypes& dataType, vk::ImageTiling tiling,
                                      Memory::MemoryTypes imageType) {
    return image(nullptr, 0, width, height, numChannels, dataType, tiling, imageType);
}

std::shared_ptr<Image> Manager::image(uint32_t width, uint32_t height, uint32_t numChannels,
                                      const Memory::DataTypes& dataType,
                                      Memory::MemoryTypes imageType) {
    return image(nullptr, 0, width, height, numChannels, dataType, imageType);
}

std::vector<uint32_t> Manager::compile(const std::string& source, CompileOptions options) const {
    if (options.vulkanVersion == 0)
        options.vulkanVersion = device()->plan().apiVersion;
    if (options.cacheFolder.empty())
        options.cacheFolder = mImpl->cacheFolder;
    return kp::compile(source, options);
}

void Manager::destroy() {
    if (!mImpl->device)
        return;
    std::vector<std::weak_ptr<Sequence>> sequences;
    std::vector<std::weak_ptr<Algorithm>> algorithms;
    std::vector<std::weak_ptr<Memory>> memory;
    {
        const std::lock_guard lock(mImpl->mutex);
        sequences = mImpl->sequences.take();
        algorithms = mImpl->algorithms.take();
        memory = mImpl->memory.take();
    }
    destroyAll(sequences);
    destroyAll(algorithms);
    destroyAll(memory);
    mImpl->device.reset();
}

void Manager::waitIdle() const {
    const std::shared_ptr<vulkan::Device> waited = device();
    waited->waitIdle();
    waited->requireAlive();
}

std::shared_ptr<HostImport> Manager::importHost(void* memory, uint64_t bytes) {
    return std::make_shared<HostImport>(device(), memory, bytes);
}

void Manager::clear() {
    if (mImpl->device)
        mImpl->device->transfer().trim();
    const std::lock_guard lock(mImpl->mutex);
    mImpl->sequences.prune();
    mImpl->algorithms.prune();
    mImpl->memory.prune();
}

bool Manager::isInit() const {
    return mImpl->device != nullptr;
}

DeviceInfo Manager::deviceInfo() const {
    return describe(device()->physical());
}

uint32_t Manager::queueCount() const {
    return static_cast<uint32_t>(mImpl->queues.size());
}

size_t Manager::objectCount() const {
    const std::lock_guard lock(mImpl->mutex);
    return mImpl->sequences.alive() + mImpl->algorithms.alive() + mImpl->memory.alive();
}

uint64_t Manager::allocatedBytes() const {
    return device()->allocator().usage().blockBytes;
}

std::string Manager::cacheFolder() const {
    return shader::cacheFolder(mImpl->cacheFolder);
}

void Manager::copyDeviceProperties(void* vkPhysicalDeviceProperties) const {
    std::memcpy(vkPhysicalDeviceProperties, &device()->physical().properties,
                sizeof(VkPhysicalDeviceProperties));
}

std::vector<VkPhysicalDevice> Manager::nativePhysicalDevices() const {
    std::vector<VkPhysicalDevice> handles;
    for (const vulkan::PhysicalDevice& physical : device()->instance()->physicalDevices())
        handles.push_back(physical.handle);
    return handles;
}

VkInstance Manager::nativeInstance() const {
    return device()->instance()->handle();
}
VkPhysicalDevice Manager::nativePhysicalDevice() const {
    return device()->physical().handle;
}
VkDevice Manager::nativeDevice() const {
    return device()->handle();
}
VkQueue Manager::nativeQueue(uint32_t queueIndex) const {
    return mImpl->queue(queueIndex).handle();
}
uint32_t Manager::queueFamily(uint32_t queueIndex) const {
    return mImpl->queue(queueIndex).family();
}

void Manager::lockQueue(uint32_t queueIndex) const {
    vulkan::Queue& queue = mImpl->queue(queueIndex);
    orderAgainstEverything(queue);
    queue.lock();
}

void Manager::unlockQueue(uint32_t queueIndex) const {
    vulkan::Queue& queue = mImpl->queue(queueIndex);
    queue.unlock();
    orderAgainstEverything(queue);
}

std::vector<DeviceInfo> listDevices() {
    std::vector<DeviceInfo> devices;
    const std::shared_ptr<vulkan::Instance> instance = vulkan::Instance::acquire({});
    for (const vulkan::PhysicalDevice& device : instance->physicalDevices())
        devices.push_back(describe(device));
    return devices;
}

} // namespace kp
