// SPDX-License-Identifier: Apache-2.0
#include "vulkan/Timeline.hpp"

#include <array>
#include <deque>
#include <mutex>
#include <vector>

#include "vulkan/Device.hpp"
#include "vulkan/Result.hpp"

namespace kp::vulkan {
namespace {

class SemaphoreTimeline final : public Timeline {
public:
    explicit SemaphoreTimeline(const Device& device) : mDevice(device) {
        VkSemaphoreTypeCreateInfo type{VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO};
        type.semaphoreType = VK_SEMAPHORE_TYPE_TIMELINE;
        VkSemaphoreCreateInfo info{VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO};
        info.pNext = &type;
        check(device.vk().vkCreateSemaphore(device.handle(), &info, nullptr, &mSemaphore),
              "vkCreateSemaphore (timeline)");
        const VolkDeviceTable& vk = device.vk();
        mCounterValue = vk.vkGetSemaphoreCounterValue ? vk.vkGetSemaphoreCounterValue
                                                      : vk.vkGetSemaphoreCounterValueKHR;
        mWait = vk.vkWaitSemaphores ? vk.vkWaitSemaphores : vk.vkWaitSemaphoresKHR;
    }

    ~SemaphoreTimeline() override {
        mDevice.vk().vkDestroySemaphore(mDevice.handle(), mSemaphore, nullptr);
    }

    VkResult submit(VkQueue queue, std::span<const VkCommandBuffer> commandBuffers,
                    std::span<const VkSemaphore> waitSemaphores,
                    std::span<const uint64_t> waitValues, uint64_t value) override {
        static constexpr size_t kMaxWaits = 16;
        static constexpr auto kStages = [] {
            std::array<VkPipelineStageFlags, kMaxWaits> stages{};
            stages.fill(VK_PIPELINE_STAGE_ALL_COMMANDS_BIT);
            return stages;
        }();
        std::vector<VkPipelineStageFlags> manyStages;
        if (waitSemaphores.size() > kMaxWaits)
            manyStages.assign(waitSemaphores.size(), VK_PIPELINE_STAGE_ALL_COMMANDS_BIT);

        VkTimelineSemaphoreSubmitInfo timeline{VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO};
        timeline.waitSemaphoreValueCount = static_cast<uint32_t>(waitValues.size());
        timeline.pWaitSemaphoreValues = waitValues.empty() ? nullptr : waitValues.data();
        timeline.signalSemaphoreValueCount = 1;
        timeline.pSignalSemaphoreValues = &value;
        VkSubmitInfo submit{VK_STRUCTURE_TYPE_SUBMIT_INFO};
        submit.pNext = &timeline;
        submit.waitSemaphoreCount = static_cast<uint32_t>(waitSemaphores.size());
        if (!waitSemaphores.empty()) {
            submit.pWaitSemaphores = waitSemaphores.data();
            submit.pWaitDstStageMask = manyStages.empty() ? kStages.data() : manyStages.data();
        }
        submit.commandBufferCount = static_cast<uint32_t>(commandBuffers.size());
        submit.pCommandBuffers = commandBuffers.data();
        submit.signalSemaphoreCount = 1;
        submit.pSignalSemaphores = &mSemaphore;
        return mDevice.vk().vkQueueSubmit(queue, 1, &submit, VK_NULL_HANDLE);
    }

    VkResult poll(uint64_t& reached) override {
        return mCounterValue(mDevice.handle(), mSemaphore, &reached);
    }

    VkResult wait(uint64_t value, uint64_t timeout) override {
        VkSemaphoreWaitInfo info{VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO};
        info.semaphoreCount = 1;
        info.pSemaphores = &mSemaphore;
        info.pValues = &value;
        return mWait(mDevice.handle(), &info, timeout);
    }

    VkSemaphore semaphore() const override { return mSemaphore; }

private:
    const Device& mDevice;
    VkSemaphore mSemaphore = VK_NULL_HANDLE;
    PFN_vkGetSemaphoreCounterValue mCounterValue;
    PFN_vkWaitSemaphores mWait;
};

class FenceTimeline final : public Timeline {
public:
    explicit FenceTimeline(const Device& device) : mDevice(device) {}

    ~FenceTimeline() override {
        mPending.clear();
        for (const VkFence fence : mFree)
            mDevice.vk().vkDestroyFence(mDevice.handle(), fence, nullptr);
    }

    VkResult submit(VkQueue queue, std::span<const VkCommandBuffer> commandBuffers,
                    std::span<const VkSemaphore>, std::span<const uint64_t>,
                    uint64_t value) override {
        std::shared_ptr<const VkFence> fence;
        const VkResult acquired = acquire(fence);
        if (acquired != VK_SUCCESS)
            return acquired;
        VkSubmitInfo submit{VK_STRUCTURE_TYPE_SUBMIT_INFO};
        submit.commandBufferCount = static_cast<uint32_t>(commandBuffers.size());
        submit.pCommandBuffers = commandBuffers.data();
        const VkResult result = mDevice.vk().vkQueueSubmit(queue, 1, &submit, *fence);
        if (result == VK_SUCCESS) {
            const std::lock_guard lock(mMutex);
            mPending.push_back({value, std::move(fence)});
        }
        return result;
    }

    VkResult poll(uint64_t& reached) override {
        std::vector<std::shared_ptr<const VkFence>> done;
        const std::lock_guard lock(mMutex);
        VkResult result = VK_SUCCESS;
        while (!mPending.empty()) {
            result = mDevice.vk().vkGetFenceStatus(mDevice.handle(), *mPending.front().fence);
            if (result != VK_SUCCESS)
                break;
            mReached = mPending.front().value;
            done.push_back(std::move(mPending.front().fence));
            mPending.pop_front();
        }
        reached = mReached;
        return result == VK_NOT_READY ? VK_SUCCESS : result;
    }

    VkResult wait(uint64_t value, uint64_t timeout) override {
        std::shared_ptr<const VkFence> fence;
        {
            const std::lock_guard lock(mMutex);
            for (const Pending& pending : mPending)
                if (pending.value >= value) {
                    fence = pending.fence;
                    break;
                }
        }
        if (!fence)
            return VK_SUCCESS;
        return mDevice.vk().vkWaitForFences(mDevice.handle(), 1, fence.get(), VK_TRUE, timeout);
    }

    VkSemaphore semaphore() const override { return VK_NULL_HANDLE; }

private:
    struct Pending {
        uint64_t value;
        std::shared_ptr<const VkFence> fence; ///< shared with whoever waits on it right now
    };

    VkResult acquire(std::shared_ptr<const VkFence>& fence) {
        VkFence handle = VK_NULL_HANDLE;
        {
            const std::lock_guard lock(mFreeMutex);
            if (!mFree.empty()) {
                handle = mFree.back();
                mFree.pop_back();
            }
        }
        if (handle) {
            const VkResult result = mDevice.vk().vkResetFences(mDevice.handle(), 1, &handle);
            if (result != VK_SUCCESS) {
                const std::lock_guard lock(mFreeMutex);
                mFree.push_back(handle);
                return result;
            }
        } else {
            VkFenceCreateInfo info{VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};
            const VkResult result =
                mDevice.vk().vkCreateFence(mDevice.handle(), &info, nullptr, &handle);
            if (result != VK_SUCCESS)
                return result;
        }
        fence = std::shared_ptr<const VkFence>(new VkFence(handle), [this](const VkFence* used) {
            const std::lock_guard lock(mFreeMutex);
            mFree.push_back(*used);
            delete used;
        });
        return VK_SUCCESS;
    }

    const Device& mDevice;
    std::mutex mMutex;
    std::mutex mFreeMutex;
    std::vector<VkFence> mFree;
    std::deque<Pending> mPending;
    uint64_t mReached = 0;
};

} // namespace

std::unique_ptr<Timeline> Timeline::create(const Device& device, bool timelineSemaphores) {
    if (timelineSemaphores)
        return std::make_unique<SemaphoreTimeline>(device);
    return std::make_unique<FenceTimeline>(device);
}

Timeline::~Timeline() = default;

} // namespace kp::vulkan
