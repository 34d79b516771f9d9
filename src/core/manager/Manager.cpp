// SPDX-License-Identifier: Apache-2.0
#include <kompute/Manager.hpp>

#include <chrono>
#include <cstring>
#include <utility>

#include <kompute/Error.hpp>
#include <kompute/logger/Logger.hpp>
#include <kompute/queue/Queue.hpp>
#include <kompute/shader/Check.hpp>

#include "base/Environment.hpp"
#include "base/Process.hpp"
#include "base/Text.hpp"
#include "core/Capture.hpp"
#include "core/Native.hpp"
#include "core/algorithm/AlgorithmImpl.hpp"
#include "core/manager/DeviceChoice.hpp"
#include "core/manager/ManagerImpl.hpp"
#include "core/manager/WrapHostDevice.hpp"
#include "core/memory/MemoryImpl.hpp"
#include "core/queue/HostWorkers.hpp"
#include "core/queue/QueueImpl.hpp"
#include "core/sequence/SequenceImpl.hpp"
#include "shader/check/CheckMode.hpp"
#include "vulkan/device/Device.hpp"
#include "vulkan/device/DeviceRegistry.hpp"
#include "vulkan/device/Instance.hpp"
#include "vulkan/memory/Allocator.hpp"
#include "vulkan/memory/Buffer.hpp"
#include "vulkan/pipeline/PipelineCache.hpp"
#include "vulkan/queue/Breadcrumbs.hpp"
#include "vulkan/queue/DeletionQueue.hpp"
#include "vulkan/queue/Submission.hpp"
#include "vulkan/transfer/Transfer.hpp"

namespace kp {
namespace {

template <typename T>
void destroyAll(WeakList<T>& list, std::mutex& mutex) {
    std::unique_lock lock(mutex);
    const std::vector<std::weak_ptr<T>> objects = list.take();
    lock.unlock();
    for (const std::weak_ptr<T>& object : objects)
        if (const std::shared_ptr<T> alive = object.lock())
            alive->destroy();
}

vulkan::WaitMode waitModeOf(WaitPolicy policy, const vulkan::Device& device) {
    switch (policy) {
    case WaitPolicy::eSpin:
        return vulkan::WaitMode::eSpin;
    case WaitPolicy::eHybrid:
        return vulkan::WaitMode::eHybrid;
    case WaitPolicy::eBlock:
        return vulkan::WaitMode::eBlock;
    default:
        return device.defaultWaitMode();
    }
}

/// @param makeBuffer  called with the device and the size in bytes
template <typename MakeBuffer>
std::shared_ptr<Tensor> tensorIn(const std::shared_ptr<vulkan::Device>& device, uint64_t count,
                                 uint64_t elementSize, Memory::DataTypes dataType,
                                 Memory::MemoryTypes memoryType, MakeBuffer&& makeBuffer) {
    return Internals::make<Tensor>(device,
                                   makeBuffer(*device, checkedBytes(count, elementSize, "tensor")),
                                   count, elementSize, dataType, memoryType);
}

} // namespace

void Manager::Impl::requireInit() const {
    requireDriver();
    if (!device)
        throw InvalidArgument("this manager was destroyed");
}

vulkan::Queue& Manager::Impl::queue(uint32_t index) const {
    requireInit();
    if (index >= queues.size())
        fail<InvalidArgument>("queue {} was asked for, but the manager has {}; name more queue "
                              "families when you create the manager",
                              index, queues.size());
    return *queues[index];
}

std::shared_ptr<Queue> Manager::Impl::newQueue(uint32_t index, bool inOrder) const {
    requireInit();
    const bool isVirtual = index >= queues.size();
    std::string name = formatted("queue {}{}", index, isVirtual ? " (virtual, on queue 0)" : "");
    auto impl = std::make_shared<Queue::Impl>(device, queue(isVirtual ? 0 : index), rules, inOrder,
                                              std::move(name), index, isVirtual);
    impl->gate = gate;
    return Internals::make<Queue>(std::move(impl));
}

void Manager::Impl::use(std::shared_ptr<vulkan::Device> chosen,
                        std::vector<vulkan::Queue*> chosenQueues, const ManagerOptions& options) {
    device = std::move(chosen);
    queues = std::move(chosenQueues);
    cacheFolders = CacheFolders::of(options);
    device->pipelines().setFolders(cacheFolders);
    rules.waitMode = waitModeOf(options.waitPolicy, *device);
    rules.coalesce = options.coalesce && environment("KOMPUTE_COALESCE") != "0";
    rules.reorder = options.reorder && environment("KOMPUTE_REORDER") != "0";
    rules.readTimesLater = !device->physical().isCpu();
    checks = options.check;
    if (!checks.empty())
        rules.checks = shader::parseChecks(checks);
    defaultQueue = newQueue(0, true);
    const std::string changes = transferRulesOf(options);
    if (!changes.empty())
        device->transfer().changeRules(changes);
}

Manager::Manager() : Manager(ManagerOptions{}) {}

Manager::Manager(uint32_t physicalDeviceIndex, const std::vector<uint32_t>& familyQueueIndices,
                 const std::vector<std::string>& desiredExtensions)
    : Manager(ManagerOptions{.deviceIndex = physicalDeviceIndex,
                             .queueFamilies = familyQueueIndices,
                             .desiredExtensions = desiredExtensions}) {}

Manager::Manager(const ManagerOptions& options) : mImpl(std::make_unique<Impl>()) {
    static_cast<void>(logger::getLogLevel()); // reports an unknown KOMPUTE_LOG_LEVEL
    const std::string validation =
        options.validation.empty() ? environment("KOMPUTE_VALIDATION") : options.validation;
    const vulkan::DeviceRequest request = requestOf(options);
    const std::shared_ptr<vulkan::Instance> instance =
        vulkan::Instance::acquire(vulkan::ValidationRequest::parse(validation));
    std::shared_ptr<vulkan::Device> device = vulkan::acquireDevice(instance, request);
    std::vector<vulkan::Queue*> queues;
    for (const vulkan::QueuePlan& queue : vulkan::requestedQueues(device->physical(), request))
        queues.push_back(device->findQueue({VK_NULL_HANDLE, queue.family, queue.index}));
    mImpl->use(std::move(device), std::move(queues), options);
}

Manager::Manager(std::shared_ptr<vk::Instance> instance,
                 std::shared_ptr<vk::PhysicalDevice> physicalDevice,
                 std::shared_ptr<vk::Device> device)
    : mImpl(std::make_unique<Impl>()) {
    if (!instance || !physicalDevice || !device)
        throw InvalidArgument("the instance, physical device and device of a host application must "
                              "not be null");
    WrappedDevice wrapped = wrapHostDevice({.instance = native::handleOf(*instance),
                                            .physicalDevice = native::handleOf(*physicalDevice),
                                            .device = native::handleOf(*device)});
    mImpl->use(std::move(wrapped.device), std::move(wrapped.queues), {.coalesce = false});
}

Manager::Manager(const HostDevice& host) : mImpl(std::make_unique<Impl>()) {
    if (host.queues.empty())
        throw InvalidArgument("a host application's device needs at least one queue in "
                              "HostDevice::queues");
    WrappedDevice wrapped = wrapHostDevice(host);
    mImpl->use(std::move(wrapped.device), std::move(wrapped.queues), {.coalesce = host.coalesce});
}

Manager::~Manager() {
    try {
        destroy();
    } catch (const std::exception& error) {
        KP_LOG_ERROR("destroying a manager: {}", error.what());
    }
}

std::shared_ptr<vulkan::Device> Manager::device() const {
    const CallGate::Call call(mImpl->gate);
    return implOf(*this).device;
}

void Manager::add(const std::shared_ptr<Memory>& memory) {
    const CallGate::Call call(mImpl->gate);
    implOf(*memory).managerQueue = mImpl->defaultQueue;
    implOf(*memory).gate = mImpl->gate;
    implOf(*memory).enter(mImpl->account);
    const std::lock_guard lock(mImpl->mutex);
    mImpl->memory.add(memory);
}

void Manager::add(const std::shared_ptr<Algorithm>& algorithm) {
    const CallGate::Call call(mImpl->gate);
    implOf(*algorithm).managerQueue = mImpl->defaultQueue;
    implOf(*algorithm).gate = mImpl->gate;
    const std::lock_guard lock(mImpl->mutex);
    mImpl->algorithms.add(algorithm);
}

std::shared_ptr<Sequence> Manager::sequence(uint32_t queueIndex, uint32_t totalTimestamps) {
    const CallGate::Call call(mImpl->gate);
    vulkan::Queue& queue = mImpl->queue(queueIndex);
    auto sequence = Internals::make<Sequence>(mImpl->device, queue, mImpl->rules, totalTimestamps);
    implOf(*sequence).gate = mImpl->gate;
    implOf(*sequence).managerQueue = mImpl->defaultQueue;
    const std::lock_guard lock(mImpl->mutex);
    mImpl->sequences.add(sequence);
    return sequence;
}

std::shared_ptr<Queue> Manager::queue(uint32_t index, bool inOrder, bool profiling) {
    const CallGate::Call call(mImpl->gate);
    std::shared_ptr<Queue> queue = mImpl->newQueue(index, inOrder);
    queue->setProfiling(profiling);
    return queue;
}

const std::shared_ptr<Queue>& Manager::defaultQueue() const {
    return implOf(*this).defaultQueue;
}

Activity Manager::activity() const {
    const CallGate::Call call(mImpl->gate);
    const vulkan::DeviceActivity& counted = implOf(*this).device->activity();
    return {counted.launches.load(), counted.submissions.load(), counted.waits.load()};
}

// The overloads for floats are here, so that programs that do not call them do not compile them.
std::shared_ptr<TensorT<float>> Manager::tensor(const std::vector<float>& data,
                                                Memory::MemoryTypes tensorType) {
    return tensorT<float>(data, tensorType);
}

std::shared_ptr<Tensor> Manager::tensor(void* data, uint64_t elementTotalCount,
                                        uint64_t elementMemorySize,
                                        const Memory::DataTypes& dataType,
                                        Memory::MemoryTypes tensorType) {
    return manage(make<Tensor>(data, elementTotalCount, elementMemorySize, dataType, tensorType));
}

std::shared_ptr<Tensor> Manager::wrapBuffer(VkBuffer buffer, uint64_t elementTotalCount,
                                            uint64_t elementMemorySize, Memory::DataTypes dataType,
                                            uint64_t offset, Memory::MemoryTypes tensorType) {
    return manage(
        make<Tensor>(buffer, offset, elementTotalCount, elementMemorySize, dataType, tensorType));
}

std::shared_ptr<Tensor> Manager::wrapHostMemory(void* memory, uint64_t elementTotalCount,
                                                uint64_t elementMemorySize,
                                                Memory::DataTypes dataType,
                                                std::shared_ptr<void> owner) {
    if (!memory)
        throw InvalidArgument("the host memory for a tensor is null");
    return manage(tensorIn(device(), elementTotalCount, elementMemorySize, dataType,
                           Memory::MemoryTypes::eHost, [&](vulkan::Device& owning, uint64_t bytes) {
                               return vulkan::Buffer::importHostView(owning, memory, bytes,
                                                                     std::move(owner));
                           }));
}

std::shared_ptr<Tensor> Manager::exportableTensor(uint64_t elementTotalCount,
                                                  uint64_t elementMemorySize,
                                                  Memory::DataTypes dataType,
                                                  Memory::MemoryTypes tensorType) {
    requireDeviceMemory(tensorType, "an exportable tensor");
    return manage(tensorIn(device(), elementTotalCount, elementMemorySize, dataType, tensorType,
                           vulkan::Buffer::createExportable));
}

std::shared_ptr<Tensor> Manager::importMemory(const ExternalMemory& memory,
                                              uint64_t elementTotalCount,
                                              uint64_t elementMemorySize,
                                              Memory::DataTypes dataType,
                                              Memory::MemoryTypes tensorType) {
    requireDeviceMemory(tensorType, "a tensor in external memory");
    return manage(tensorIn(device(), elementTotalCount, elementMemorySize, dataType, tensorType,
                           [&](vulkan::Device& owning, uint64_t bytes) {
                               return vulkan::Buffer::importMemory(owning, memory, bytes);
                           }));
}

std::shared_ptr<ImageT<float>> Manager::image(const std::vector<float>& data, uint32_t width,
                                              uint32_t height, uint32_t numChannels,
                                              vk::ImageTiling tiling,
                                              Memory::MemoryTypes imageType) {
    return imageT<float>(data, width, height, numChannels, tiling, imageType);
}

std::shared_ptr<ImageT<float>> Manager::image(const std::vector<float>& data, uint32_t width,
                                              uint32_t height, uint32_t numChannels,
                                              Memory::MemoryTypes imageType) {
    return imageT<float>(data, width, height, numChannels, imageType);
}

std::shared_ptr<ImageT<float>> Manager::image(uint32_t width, uint32_t height, uint32_t numChannels,
                                              vk::ImageTiling tiling,
                                              Memory::MemoryTypes imageType) {
    return imageT<float>(width, height, numChannels, tiling, imageType);
}

std::shared_ptr<ImageT<float>> Manager::image(uint32_t width, uint32_t height, uint32_t numChannels,
                                              Memory::MemoryTypes imageType) {
    return imageT<float>(width, height, numChannels, imageType);
}

std::shared_ptr<Image> Manager::image(void* data, size_t dataSize, uint32_t width, uint32_t height,
                                      uint32_t numChannels, const Memory::DataTypes& dataType,
                                      vk::ImageTiling tiling, Memory::MemoryTypes imageType) {
    return manage(
        make<Image>(data, dataSize, width, height, numChannels, dataType, tiling, imageType));
}

std::shared_ptr<Image> Manager::image(void* data, size_t dataSize, uint32_t width, uint32_t height,
                                      uint32_t numChannels, const Memory::DataTypes& dataType,
                                      Memory::MemoryTypes imageType) {
    return manage(
        make<Image>(data, dataSize, width, height, numChannels, dataType, std::nullopt, imageType));
}

std::shared_ptr<Image> Manager::image(const ImageOptions& options, const void* data,
                                      size_t dataSize) {
    return manage(make<Image>(data, dataSize, options));
}

std::shared_ptr<Sampler> Manager::sampler(const SamplerOptions& options) const {
    return make<Sampler>(options);
}

std::shared_ptr<HostImport> Manager::importHost(void* memory, uint64_t bytes) {
    return make<HostImport>(memory, bytes);
}

CompileOptions Manager::compileOptions() const {
    CompileOptions options;
    options.vulkanVersion = device()->plan().apiVersion;
    mImpl->cacheFolders.complete(options);
    return options;
}

std::vector<uint32_t> Manager::compile(std::string_view source, CompileOptions options) const {
    if (options.vulkanVersion == 0)
        options.vulkanVersion = device()->plan().apiVersion;
    mImpl->cacheFolders.complete(options);
    std::optional<CheckScope> scope;
    if (!mImpl->checks.empty())
        scope.emplace(mImpl->checks);
    return kp::compile(source, options);
}

void Manager::destroy() {
    if (!mImpl->device || driverGone())
        return;
    if (Sequence::Impl::Calling::here(mImpl->gate))
        failInCallback("Manager::destroy()");
    const CallGate::Closed closed(*mImpl->gate);
    if (!mImpl->device)
        return;
    if (mImpl->attachment)
        mImpl->attachment->detach();
    destroyAll(mImpl->sequences, mImpl->mutex);
    destroyAll(mImpl->algorithms, mImpl->mutex);
    destroyAll(mImpl->memory, mImpl->mutex);
    mImpl->defaultQueue.reset();
    std::shared_ptr<vulkan::Device> device = std::move(mImpl->device);
    // A host application may destroy its device now.
    if (device->wrapped())
        HostWorkers::instance().release(std::move(device), std::chrono::seconds(1));
}

void Manager::waitIdle() const {
    const std::shared_ptr<vulkan::Device> waited = device();
    waited->waitIdle();
    waited->requireAlive();
    throwFaults(*waited);
}

bool Manager::finish() const noexcept {
    const std::shared_ptr<vulkan::Device> waited = mImpl->device;
    return !waited || driverGone() || waited->settle();
}

std::vector<Event> Manager::submittedWork() const {
    const std::shared_ptr<vulkan::Device> owner = device();
    std::vector<Event> events;
    for (size_t i = 0; i < owner->queueCount(); ++i)
        if (const uint64_t last = owner->queue(i).lastValue())
            events.push_back(
                Internals::event<Event>(owner, &owner->queue(i), last, owner->defaultWaitMode()));
    return events;
}

std::vector<Event> Manager::cancelWaiting() {
    const CallGate::Call call(mImpl->gate);
    std::unique_lock lock(mImpl->mutex);
    const std::vector<std::weak_ptr<Sequence>> sequences = mImpl->sequences.objects();
    lock.unlock();
    std::vector<Event> events;
    for (const std::weak_ptr<Sequence>& sequence : sequences)
        if (const std::shared_ptr<Sequence> alive = sequence.lock())
            if (!implOf(*alive).tryCancel() ||
                implOf(*alive).state == Sequence::Impl::State::eRunning)
                events.push_back(implOf(*alive).event);
    return events;
}

void Manager::clear() {
    const CallGate::Call call(mImpl->gate);
    if (mImpl->attachment)
        mImpl->attachment->clear();
    if (mImpl->device) {
        mImpl->device->deletionQueue().collect();
        mImpl->device->transfer().trim();
        mImpl->device->clearBufferPools();
        mImpl->device->allocator().trim();
    }
    const std::lock_guard lock(mImpl->mutex);
    mImpl->sequences.prune();
    mImpl->algorithms.prune();
    mImpl->memory.prune();
}

std::vector<std::string> Manager::underWay() const {
    const std::shared_ptr<vulkan::Device> owner = device();
    if (!owner->breadcrumbs())
        throw InvalidArgument("underWay() needs ManagerOptions::breadcrumbs, or the environment "
                              "variable KOMPUTE_BREADCRUMBS=1");
    return owner->breadcrumbs()->underWay();
}

void Manager::startCapture() const {
    waitIdle(); // earlier work does not belong to it
    kp::startCapture(device()->instance()->handle());
}

void Manager::endCapture() const {
    waitIdle();
    kp::endCapture(device()->instance()->handle());
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

std::string Manager::check() const {
    return mImpl->checks;
}

std::string Manager::cacheFolder() const {
    return mImpl->cacheFolders.folder;
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
    vulkan::submitFullBarrier(queue);
    queue.lock();
}

void Manager::unlockQueue(uint32_t queueIndex) const {
    vulkan::Queue& queue = mImpl->queue(queueIndex);
    queue.unlock();
    vulkan::submitFullBarrier(queue);
}

} // namespace kp
