// SPDX-License-Identifier: Apache-2.0
#include "vulkan/device/Device.hpp"

#include <algorithm>
#include <exception>
#include <map>

#include <kompute/Error.hpp>
#include <kompute/logger/Logger.hpp>

#include "base/Deadline.hpp"
#include "base/Process.hpp"
#include "base/Text.hpp"
#include "vulkan/device/Instance.hpp"
#include "vulkan/device/Result.hpp"
#include "vulkan/device/Tools.hpp"
#include "vulkan/memory/Allocator.hpp"
#include "vulkan/memory/BufferCache.hpp"
#include "vulkan/memory/BufferPool.hpp"
#include "vulkan/memory/SharedScratch.hpp"
#include "vulkan/pipeline/DescriptorAllocator.hpp"
#include "vulkan/pipeline/PipelineCache.hpp"
#include "vulkan/queue/Breadcrumbs.hpp"
#include "vulkan/queue/DeletionQueue.hpp"
#include "vulkan/queue/Pools.hpp"
#include "vulkan/transfer/Transfer.hpp"

namespace kp::vulkan {
namespace {

VkResult tryToCreate(const Instance& instance, const PhysicalDevice& physical,
                     const DevicePlan& plan, const void* featureChain, VkDevice& handle) {
    std::map<uint32_t, uint32_t> counts;
    for (const auto* queuePlans : {&plan.queues, &plan.copyQueues})
        for (const QueuePlan& queue : *queuePlans)
            counts[queue.family] = std::max(counts[queue.family], queue.index + 1);
    const std::vector<float> priorities(plan.queues.size() + plan.copyQueues.size(), 1.0F);
    std::vector<VkDeviceQueueCreateInfo> queues;
    for (const auto& [family, count] : counts) {
        VkDeviceQueueCreateInfo queue{VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO};
        queue.queueFamilyIndex = family;
        queue.queueCount = count;
        queue.pQueuePriorities = priorities.data();
        queues.push_back(queue);
    }
    std::vector<const char*> extensions;
    for (const std::string& extension : plan.extensions)
        extensions.push_back(extension.c_str());
    FeatureChain chain(plan.apiVersion, plan.extensions);
    chain.write(plan.features);
    if (featureChain)
        chain.append(featureChain);
    chain.removeEmpty();

    VkDeviceCreateInfo info{VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO};
    info.pNext = chain.link();
    info.queueCreateInfoCount = static_cast<uint32_t>(queues.size());
    info.pQueueCreateInfos = queues.data();
    info.enabledExtensionCount = static_cast<uint32_t>(extensions.size());
    info.ppEnabledExtensionNames = extensions.data();
    return instance.table().vkCreateDevice(physical.handle, &info, nullptr, &handle);
}

/// @param plan  loses buffer addresses if the device can only be had without
VkDevice createHandle(const Instance& instance, const PhysicalDevice& physical, DevicePlan& plan,
                      const void* featureChain) {
    VkDevice handle = VK_NULL_HANDLE;
    VkResult result = tryToCreate(instance, physical, plan, featureChain, handle);
    // RenderDoc offers the feature, and refuses it where addresses cannot be replayed.
    constexpr Feature kAddresses = Feature::eBufferDeviceAddress;
    if (result == VK_ERROR_FEATURE_NOT_PRESENT && plan.has(kAddresses) &&
        !readFeatures(featureChain).test(static_cast<size_t>(kAddresses))) {
        enable(plan.features, kAddresses, false);
        result = tryToCreate(instance, physical, plan, featureChain, handle);
        if (result >= 0)
            KP_LOG_INFO("{} is used without buffer addresses, which it offered and refused",
                        physical.name());
    }
    if (result < 0)
        throwResult(result, formatted("vkCreateDevice for '{}'", physical.name()));
    return handle;
}

} // namespace

std::shared_ptr<Device> Device::allocate() {
    return {new Device, [](Device* device) {
                if (!driverGone() && device->closeQueues())
                    delete device;
                else
                    keepHandle(device);
            }};
}

std::shared_ptr<Device> Device::create(const std::shared_ptr<Instance>& instance,
                                       const PhysicalDevice& physical, const DevicePlan& plan,
                                       const void* featureChain) {
    const std::shared_ptr<Device> device = allocate();
    device->mInstance = instance;
    device->mPhysical = physical;
    device->mPlan = plan;
    device->mRequestedPlan = plan;
    std::vector<HostQueue> queues;
    for (const auto* queuePlans : {&plan.queues, &plan.copyQueues})
        for (const QueuePlan& queue : *queuePlans)
            queues.push_back({VK_NULL_HANDLE, queue.family, queue.index});
    device->init(createHandle(*instance, physical, device->mPlan, featureChain), queues, nullptr);
    return device;
}

std::shared_ptr<Device> Device::wrap(const HostDevice& host, const PhysicalDevice& physical) {
    const std::shared_ptr<Device> device = allocate();
    device->mWrapped = true;
    device->mInstance = host.instance;
    device->mPhysical = physical;
    device->mPlan = planHostDevice(physical, host);
    device->init(host.device, host.queues, &host);
    return device;
}

void Device::init(VkDevice handle, const std::vector<HostQueue>& queues, const HostDevice* host) {
    const PFN_vkGetDeviceProcAddr getDeviceProcAddr = mInstance->table().vkGetDeviceProcAddr;
    // Messages name the profile, because the device itself would accept the refused request.
    open(handle,
         mPhysical.profile.empty() ? mPhysical.name()
                                   : formatted("{} as {}", mPhysical.name(), mPhysical.profile),
         getDeviceProcAddr);
    if (mInstance->debugUtils())
        loadDebugFunctions(getDeviceProcAddr);
    mLabels = debugUtils() && toolShowsLabels(*mInstance, mPhysical);
    if (has(Feature::eDeviceFault))
        enableFaultReports();
    mPlan.timelineSemaphores =
        mPlan.timelineSemaphores && vk().vkGetSemaphoreCounterValue && vk().vkWaitSemaphores;

    for (const HostQueue& queue : queues) {
        VkQueue queueHandle = queue.handle;
        if (!queueHandle)
            vk().vkGetDeviceQueue(handle, queue.family, queue.index, &queueHandle);
        mQueues.push_back(std::make_unique<Queue>(
            *this, queueHandle, queue.family, queue.index, mPlan.timelineSemaphores,
            host ? host->lockQueue : Queue::Lock{}, host ? host->unlockQueue : Queue::Lock{}));
        if (!host)
            setName(VK_OBJECT_TYPE_QUEUE, queueHandle, mQueues.back()->name());
    }
    mRecentQueue = mQueues.front().get();
    for (size_t i = 0; i < mQueues.size(); ++i) {
        const uint32_t family = mQueues[i]->family();
        if (std::find(mFamilies.begin(), mFamilies.end(), family) == mFamilies.end())
            mFamilies.push_back(family);
        if (i + 1 == userQueueCount())
            mUserFamilies = mFamilies;
    }
    mDeletionQueue = std::make_unique<DeletionQueue>();
    mAllocator = std::make_unique<Allocator>(*this);
    mBufferPool = std::make_unique<BufferPool>(*this, BufferPool::kSmallTensors);
    mScratchPool = std::make_unique<BufferPool>(
        *this, BufferPool::scratch(mAllocator->heapSize(MemoryPlace::eDevice)));
    mConstants = std::make_unique<BufferCache>();
    mSharedScratch = std::make_unique<SharedScratch>(*this);
    mCommandBuffers = std::make_unique<CommandBufferPool>(*this);
    mQueryPools =
        std::make_unique<QueryPools>(*this, has(Feature::eHostQueryReset) && vk().vkResetQueryPool);
    const bool validated = mInstance->validation().any();
    mDescriptors = std::make_unique<DescriptorAllocator>(*this, !validated);
    mPipelines = std::make_unique<PipelineCache>(*this, mPhysical, *mDescriptors);
    mTransfer = std::make_unique<Transfer>(*this);
    if (mPlan.breadcrumbs != BreadcrumbKind::eNone) {
        mBreadcrumbs = std::make_unique<Breadcrumbs>(*this, mPlan.breadcrumbs);
        reportLossWith([this] { return mBreadcrumbs->underWay(); });
    }
}

CachedBytes Device::cachedBytes() const {
    return {mBufferPool->deviceBytes(), mScratchPool->bytes() + mSharedScratch->bytes(),
            mConstants->bytes()};
}

bool Device::clearBufferPools() const {
    // First the ones that return their buffers to the pools.
    bool any = freeCompanions();
    any |= mSharedScratch->clear();
    any |= mConstants->clear();
    any |= mBufferPool->clear();
    any |= mScratchPool->clear();
    return any;
}

bool Device::freeCompanions() const {
    const std::lock_guard lock(mCompanionMutex);
    bool any = false;
    for (const auto& [type, companion] : mCompanions)
        any |= companion && companion->freeMemory();
    return any;
}

void Device::finish() noexcept {
    closeQueues();
    if (mPipelines)
        mPipelines->finish();
}

bool Device::closeQueues() noexcept {
    for (const auto& queue : mQueues)
        queue->close();
    return settle();
}

bool Device::settle() noexcept {
    const std::chrono::nanoseconds limit = mUnfinished ? std::chrono::nanoseconds(0) : endLimit();
    try {
        if (waitIdle(mWrapped ? UINT64_MAX : static_cast<uint64_t>(limit.count())))
            return true;
    } catch (...) { // a failed queue runs nothing more
        return true;
    }
    if (mUnfinished.exchange(true))
        return false;
    try {
        const std::vector<std::string> underWay =
            mBreadcrumbs ? mBreadcrumbs->underWay() : std::vector<std::string>{};
        KP_LOG_WARN("device {} still works after {} ms, and nothing waits for it; the memory that "
                    "it uses is "
                    "kept until the process ends{}{}",
                    name(), endLimit().count(), underWay.empty() ? "" : ": ", join(underWay, "; "));
    } catch (...) { // a log sink that throws
    }
    return false;
}

Device::~Device() {
    const bool owned = !mWrapped && handle();
    if (owned && vk().vkDeviceWaitIdle)
        vk().vkDeviceWaitIdle(handle());
    for (const auto& queue : mQueues)
        queue->drop();
    if (mDeletionQueue)
        mDeletionQueue->drain();
    freeCompanions();
    mSharedScratch.reset();
    mConstants.reset();
    mTransfer.reset();
    mDeletionQueue.reset();
    mPipelines.reset();
    mDescriptors.reset();
    mQueryPools.reset();
    mCommandBuffers.reset();
    mScratchPool.reset();
    mBufferPool.reset();
    mCompanions.clear();
    mAllocator.reset();
    mQueues.clear();
    if (owned && vk().vkDestroyDevice)
        vk().vkDestroyDevice(handle(), nullptr);
}

Queue* Device::findQueue(const HostQueue& wanted) const {
    for (const auto& queue : mQueues)
        if (queue->family() == wanted.family && queue->index() == wanted.index &&
            (!wanted.handle || queue->handle() == wanted.handle))
            return queue.get();
    return nullptr;
}

bool Device::waitIdle(uint64_t timeout) const {
    const Deadline deadline(timeout);
    std::exception_ptr failure;
    for (const auto& queue : mQueues) {
        try {
            if (const uint64_t last = queue->lastValue())
                if (!queue->wait(last, deadline.left(), WaitMode::eBlock))
                    return false;
        } catch (const DeviceLost&) { // a lost device runs nothing more
        } catch (...) {
            failure = std::current_exception();
        }
    }
    if (failure)
        std::rethrow_exception(failure);
    return true;
}

} // namespace kp::vulkan
