// SPDX-License-Identifier: Apache-2.0
#include "vulkan/queue/Timeline.hpp"

#include <cstddef>
#include <deque>
#include <mutex>
#include <vector>

#if defined(__unix__)
#include <unistd.h>
#endif

#include <kompute/Error.hpp>

#include "base/Text.hpp"
#include "vulkan/device/DeviceHandle.hpp"
#include "vulkan/device/Result.hpp"

namespace kp::vulkan {
namespace {

VkSemaphore newTimelineSemaphore(const DeviceHandle& device, const void* next) {
    VkSemaphoreTypeCreateInfo type{VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO, next};
    type.semaphoreType = VK_SEMAPHORE_TYPE_TIMELINE;
    VkSemaphoreCreateInfo info{VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO};
    info.pNext = &type;
    VkSemaphore semaphore = VK_NULL_HANDLE;
    check(device.vk().vkCreateSemaphore(device.handle(), &info, nullptr, &semaphore),
          "vkCreateSemaphore (timeline)");
    return semaphore;
}

VkResult waitForSemaphore(const DeviceHandle& device, VkSemaphore semaphore, uint64_t value,
                          uint64_t timeout) {
    VkSemaphoreWaitInfo info{VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO};
    info.semaphoreCount = 1;
    info.pSemaphores = &semaphore;
    info.pValues = &value;
    return device.vk().vkWaitSemaphores(device.handle(), &info, timeout);
}

class SemaphoreTimeline final : public Timeline {
public:
    explicit SemaphoreTimeline(const DeviceHandle& device)
        : mDevice(device), mSemaphore(newTimelineSemaphore(device, nullptr)) {}
    /// Follows a semaphore, which stays the caller's.
    SemaphoreTimeline(const DeviceHandle& device, VkSemaphore semaphore)
        : mDevice(device), mSemaphore(semaphore), mOwned(false) {}

    ~SemaphoreTimeline() override {
        if (mOwned)
            mDevice.vk().vkDestroySemaphore(mDevice.handle(), mSemaphore, nullptr);
    }

    VkResult submit(VkQueue queue, std::span<const VkCommandBuffer> commandBuffers,
                    std::span<const VkSemaphore> waitSemaphores,
                    std::span<const uint64_t> waitValues, uint64_t value) override {
        thread_local std::vector<VkPipelineStageFlags> stages;
        if (stages.size() < waitSemaphores.size())
            stages.resize(waitSemaphores.size(), VK_PIPELINE_STAGE_ALL_COMMANDS_BIT);
        VkTimelineSemaphoreSubmitInfo timeline{VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO};
        timeline.waitSemaphoreValueCount = static_cast<uint32_t>(waitValues.size());
        timeline.pWaitSemaphoreValues = waitValues.data();
        timeline.signalSemaphoreValueCount = 1;
        timeline.pSignalSemaphoreValues = &value;
        VkSubmitInfo submit{VK_STRUCTURE_TYPE_SUBMIT_INFO};
        submit.pNext = &timeline;
        submit.waitSemaphoreCount = static_cast<uint32_t>(waitSemaphores.size());
        submit.pWaitSemaphores = waitSemaphores.empty() ? nullptr : waitSemaphores.data();
        submit.pWaitDstStageMask = stages.data();
        submit.commandBufferCount = static_cast<uint32_t>(commandBuffers.size());
        submit.pCommandBuffers = commandBuffers.data();
        submit.signalSemaphoreCount = 1;
        submit.pSignalSemaphores = &mSemaphore;
        return mDevice.vk().vkQueueSubmit(queue, 1, &submit, VK_NULL_HANDLE);
    }

    VkResult poll(uint64_t& reached) override {
        return mDevice.vk().vkGetSemaphoreCounterValue(mDevice.handle(), mSemaphore, &reached);
    }

    VkResult wait(uint64_t value, uint64_t timeout) override {
        return waitForSemaphore(mDevice, mSemaphore, value, timeout);
    }

    VkSemaphore semaphore() const override { return mSemaphore; }

private:
    const DeviceHandle& mDevice;
    VkSemaphore mSemaphore = VK_NULL_HANDLE;
    bool mOwned = true;
};

/// Fences in order of submission. A fence is recycled once the device has finished with it and no
/// thread waits on it, so a steady state allocates nothing.
class FenceTimeline final : public Timeline {
public:
    explicit FenceTimeline(const DeviceHandle& device) : mDevice(device) {}

    ~FenceTimeline() override {
        for (const Slot& slot : mSlots)
            mDevice.vk().vkDestroyFence(mDevice.handle(), slot.fence, nullptr);
    }

    VkResult submit(VkQueue queue, std::span<const VkCommandBuffer> commandBuffers,
                    std::span<const VkSemaphore>, std::span<const uint64_t>,
                    uint64_t value) override {
        const std::lock_guard lock(mMutex);
        Slot* slot = nullptr;
        VkResult result = acquire(slot);
        if (result != VK_SUCCESS)
            return result;
        VkSubmitInfo submit{VK_STRUCTURE_TYPE_SUBMIT_INFO};
        submit.commandBufferCount = static_cast<uint32_t>(commandBuffers.size());
        submit.pCommandBuffers = commandBuffers.data();
        result = mDevice.vk().vkQueueSubmit(queue, 1, &submit, slot->fence);
        if (result == VK_SUCCESS) {
            slot->value = value;
            mPending.push_back(slot);
        } else {
            mIdle.push_back(slot);
        }
        return result;
    }

    VkResult poll(uint64_t& reached) override {
        const std::lock_guard lock(mMutex);
        const VkResult result = collect();
        reached = mReached;
        return result;
    }

    VkResult wait(uint64_t value, uint64_t timeout) override {
        Slot* slot = nullptr;
        {
            const std::lock_guard lock(mMutex);
            for (Slot* pending : mPending)
                if (pending->value >= value) {
                    slot = pending;
                    ++slot->waiters;
                    break;
                }
        }
        if (!slot)
            return VK_SUCCESS;
        const VkResult result =
            mDevice.vk().vkWaitForFences(mDevice.handle(), 1, &slot->fence, VK_TRUE, timeout);
        const std::lock_guard lock(mMutex);
        if (--slot->waiters == 0 && slot->value == 0)
            mIdle.push_back(slot);
        return result;
    }

    VkSemaphore semaphore() const override { return VK_NULL_HANDLE; }

private:
    struct Slot {
        VkFence fence = VK_NULL_HANDLE;
        uint64_t value = 0; ///< 0 once the device has finished with it
        uint32_t waiters = 0;
    };

    /// Recycles the fences that the device has finished with.
    VkResult collect() {
        VkResult result = VK_SUCCESS;
        size_t done = 0;
        for (; done < mPending.size(); ++done) {
            Slot& slot = *mPending[done];
            result = mDevice.vk().vkGetFenceStatus(mDevice.handle(), slot.fence);
            if (result != VK_SUCCESS)
                break;
            mReached = slot.value;
            slot.value = 0;
            if (slot.waiters == 0)
                mIdle.push_back(&slot);
        }
        mPending.erase(mPending.begin(), mPending.begin() + static_cast<std::ptrdiff_t>(done));
        return result == VK_NOT_READY ? VK_SUCCESS : result;
    }

    VkResult acquire(Slot*& slot) {
        // Otherwise a program that submits and never polls would create a fence per submission,
        // which takes some drivers longer than the work, and longer the more there are.
        if (mIdle.empty() && collect() == VK_ERROR_DEVICE_LOST)
            return VK_ERROR_DEVICE_LOST; // the next poll reports any other error
        if (!mIdle.empty()) {
            slot = mIdle.back();
            const VkResult result = mDevice.vk().vkResetFences(mDevice.handle(), 1, &slot->fence);
            if (result == VK_SUCCESS)
                mIdle.pop_back();
            return result;
        }
        Slot made;
        const VkFenceCreateInfo info{VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};
        const VkResult result =
            mDevice.vk().vkCreateFence(mDevice.handle(), &info, nullptr, &made.fence);
        if (result == VK_SUCCESS)
            slot = &mSlots.emplace_back(made);
        return result;
    }

    const DeviceHandle& mDevice;
    std::mutex mMutex;
    std::deque<Slot> mSlots; ///< at addresses that stay
    std::vector<Slot*> mIdle;
    std::deque<Slot*> mPending; ///< in order of submission
    uint64_t mReached = 0;
};

} // namespace

std::unique_ptr<Timeline> Timeline::create(const DeviceHandle& device, bool timelineSemaphores) {
    if (timelineSemaphores)
        return std::make_unique<SemaphoreTimeline>(device);
    return std::make_unique<FenceTimeline>(device);
}

std::unique_ptr<Timeline> Timeline::follow(const DeviceHandle& device,
                                           const SharedSemaphore& semaphore) {
    return std::make_unique<SemaphoreTimeline>(device, semaphore.handle());
}

Timeline::~Timeline() = default;

SharedSemaphore::SharedSemaphore(const DeviceHandle& device, bool exported) : mDevice(device) {
    VkExportSemaphoreCreateInfo info{VK_STRUCTURE_TYPE_EXPORT_SEMAPHORE_CREATE_INFO};
    info.handleTypes = VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD_BIT;
    mHandle = newTimelineSemaphore(device, exported ? &info : nullptr);
}

SharedSemaphore::~SharedSemaphore() {
    if (mOwned)
        mDevice.vk().vkDestroySemaphore(mDevice.handle(), mHandle, nullptr);
}

std::unique_ptr<SharedSemaphore> SharedSemaphore::import(const DeviceHandle& device, int fd) {
    auto semaphore = std::make_unique<SharedSemaphore>(device, false);
    VkImportSemaphoreFdInfoKHR info{VK_STRUCTURE_TYPE_IMPORT_SEMAPHORE_FD_INFO_KHR};
    info.semaphore = semaphore->mHandle;
    info.handleType = VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD_BIT;
    // A successful import takes ownership of the descriptor, so it gets a duplicate.
    info.fd = -1;
#if defined(__unix__)
    info.fd = dup(fd);
#endif
    if (info.fd < 0)
        fail<InvalidArgument>("file descriptor {} of a semaphore is not open", fd);
    const VkResult result = device.vk().vkImportSemaphoreFdKHR(device.handle(), &info);
#if defined(__unix__)
    if (result < 0)
        close(info.fd);
#endif
    // NVIDIA's driver reports the latter for descriptors of other things.
    if (result == VK_ERROR_INVALID_EXTERNAL_HANDLE || result == VK_ERROR_INITIALIZATION_FAILED)
        fail<InvalidArgument>("file descriptor {} is not a semaphore that {} can open", fd,
                              device.name());
    device.check(result, "vkImportSemaphoreFdKHR");
    return semaphore;
}

int SharedSemaphore::exportHandle() const {
    VkSemaphoreGetFdInfoKHR info{VK_STRUCTURE_TYPE_SEMAPHORE_GET_FD_INFO_KHR};
    info.semaphore = mHandle;
    info.handleType = VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD_BIT;
    int fd = -1;
    mDevice.check(mDevice.vk().vkGetSemaphoreFdKHR(mDevice.handle(), &info, &fd),
                  "vkGetSemaphoreFdKHR");
    return fd;
}

uint64_t SharedSemaphore::value() const {
    uint64_t value = 0;
    mDevice.check(mDevice.vk().vkGetSemaphoreCounterValue(mDevice.handle(), mHandle, &value),
                  "vkGetSemaphoreCounterValue");
    return value;
}

void SharedSemaphore::signal(uint64_t value) const {
    VkSemaphoreSignalInfo info{VK_STRUCTURE_TYPE_SEMAPHORE_SIGNAL_INFO};
    info.semaphore = mHandle;
    info.value = value;
    mDevice.check(mDevice.vk().vkSignalSemaphore(mDevice.handle(), &info), "vkSignalSemaphore");
}

bool SharedSemaphore::wait(uint64_t value, uint64_t timeout) const {
    const VkResult result = waitForSemaphore(mDevice, mHandle, value, timeout);
    mDevice.check(result, "waiting for a shared semaphore");
    return result == VK_SUCCESS;
}

} // namespace kp::vulkan
