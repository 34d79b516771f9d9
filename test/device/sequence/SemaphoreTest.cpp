// SPDX-License-Identifier: Apache-2.0
//
// Semaphores and fences of a host application as events.
#include <chrono>
#include <thread>

#include "../HostVulkan.hpp"
#include "../TestSupport.hpp"

#include "vulkan/device/Device.hpp"

#if defined(__unix__)
#include <fcntl.h>
#include <unistd.h>
#endif

namespace kp::test {
namespace {

using namespace std::chrono_literals;

class SemaphoreTest : public DeviceTest {
protected:
    void SetUp() override {
        if (!deviceOf(wrapped)->plan().timelineSemaphores)
            GTEST_SKIP() << "no timeline semaphores";
    }

    const VolkDeviceTable& vk() const { return deviceOf(wrapped)->vk(); }

    /// A timeline semaphore of the host application.
    VkSemaphore hostSemaphore() {
        VkSemaphoreTypeCreateInfo type{VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO};
        type.semaphoreType = VK_SEMAPHORE_TYPE_TIMELINE;
        const VkSemaphoreCreateInfo info{VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO, &type};
        VkSemaphore semaphore = VK_NULL_HANDLE;
        EXPECT_EQ(vk().vkCreateSemaphore(host.device(), &info, nullptr, &semaphore), VK_SUCCESS);
        return semaphore;
    }
    void destroy(VkSemaphore semaphore) {
        vk().vkDeviceWaitIdle(host.device());
        vk().vkDestroySemaphore(host.device(), semaphore, nullptr);
    }
    void signal(VkSemaphore semaphore, uint64_t value) {
        VkSemaphoreSignalInfo info{VK_STRUCTURE_TYPE_SEMAPHORE_SIGNAL_INFO};
        info.semaphore = semaphore;
        info.value = value;
        EXPECT_EQ(vk().vkSignalSemaphore(host.device(), &info), VK_SUCCESS);
    }
    uint64_t valueOf(VkSemaphore semaphore) {
        uint64_t value = 0;
        vk().vkGetSemaphoreCounterValue(host.device(), semaphore, &value);
        return value;
    }
    /// Polls instead of vkWaitSemaphores(); see SKIP_IF_SIGNALS_ARE_LOST.
    bool waitFor(VkSemaphore semaphore, uint64_t value) {
        const auto end = std::chrono::steady_clock::now() + 10s;
        while (valueOf(semaphore) < value && std::chrono::steady_clock::now() < end)
            std::this_thread::sleep_for(1ms);
        return valueOf(semaphore) >= value;
    }

    HostVulkan host{manager};
    kp::Manager wrapped{host.description()};
};

TEST_F(SemaphoreTest, LetsWorkWaitForTheHostApplication) {
    const VkSemaphore native = hostSemaphore();
    {
        const auto semaphore = wrapped.wrapSemaphore(native);
        EXPECT_EQ(semaphore->nativeSemaphore(), native);
        EXPECT_TRUE(semaphore->at(0).done());
        auto t = wrapped.tensorT<uint32_t>({1});
        auto sequence = wrapped.sequence();
        sequence->record<kp::OpAlgoDispatch>(wrapped.algorithm({t}, addShader(1)));
        const kp::Event three = semaphore->at(3);
        sequence->evalAsync({three});
        EXPECT_FALSE(three.done());
        EXPECT_EQ(three.status(), kp::EventStatus::eSubmitted);
        EXPECT_FALSE(three.wait(1ms));
        std::this_thread::sleep_for(20ms);
        EXPECT_FALSE(sequence->event().done());
        signal(native, 2);
        EXPECT_FALSE(three.done());
        signal(native, 5);
        EXPECT_EQ(semaphore->value(), 5u);
        sequence->evalAwait();
        EXPECT_TRUE(three.done());
        EXPECT_TRUE(semaphore->at(4).done());
        EXPECT_EQ(t->vector()[0], 2u);
    }
    destroy(native);
}

TEST_F(SemaphoreTest, SignalsTheHostApplicationAfterWork) {
    const VkSemaphore native = hostSemaphore();
    {
        const auto semaphore = wrapped.wrapSemaphore(native);
        auto counter = wrapped.tensorT<uint32_t>({0});
        auto sequence = wrapped.sequence();
        const uint32_t steps = recordSlowWork(wrapped, *sequence, counter);
        sequence->evalAsync();
        semaphore->signalAfter(sequence->event(), 7);
        EXPECT_TRUE(waitFor(native, 7));
        EXPECT_TRUE(sequence->event().done());
        sequence->evalAwait();
        EXPECT_EQ(onDevice<uint32_t>(*counter)[0], steps);
        // Of events that are done, and of those that wait for the host.
        semaphore->signalAfter(kp::Event(), 8);
        EXPECT_TRUE(waitFor(native, 8));
        kp::UserEvent promise;
        semaphore->signalAfter(promise, 9);
        EXPECT_EQ(valueOf(native), 8u);
        promise.set();
        EXPECT_TRUE(waitFor(native, 9));
        semaphore->signal(12);
        EXPECT_EQ(valueOf(native), 12u);
        EXPECT_ERROR(kp::InvalidArgument, "has the value 12 and only grows, but 12",
                     semaphore->signal(12));
    }
    destroy(native);
}

TEST_F(SemaphoreTest, KeepsTheOrderOfAWholeFrame) {
    // The host application fills, the library adds, the host application reads: by values alone.
    const VkSemaphore native = hostSemaphore();
    {
        const auto semaphore = wrapped.wrapSemaphore(native);
        const VkBuffer buffer = host.makeBuffer(64);
        auto t = wrapped.wrapBuffer(buffer, 16, 4, kp::Memory::DataTypes::eUnsignedInt, 0,
                                    kp::Memory::MemoryTypes::eStorage);
        auto sequence = wrapped.sequence();
        sequence->record<kp::OpAlgoDispatch>(wrapped.algorithm({t}, addShader(1), {16}));
        for (uint32_t frame = 0; frame < 5; ++frame) {
            const VkCommandBuffer commands = host.begin();
            host.recordFill(commands, buffer, 100 * frame);
            EXPECT_EQ(vk().vkEndCommandBuffer(commands), VK_SUCCESS);
            const uint64_t filled = 2 * frame + 1;
            VkTimelineSemaphoreSubmitInfo values{VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO};
            values.signalSemaphoreValueCount = 1;
            values.pSignalSemaphoreValues = &filled;
            VkSubmitInfo submit{VK_STRUCTURE_TYPE_SUBMIT_INFO, &values};
            submit.commandBufferCount = 1;
            submit.pCommandBuffers = &commands;
            submit.signalSemaphoreCount = 1;
            submit.pSignalSemaphores = &native;
            wrapped.lockQueue();
            EXPECT_EQ(vk().vkQueueSubmit(host.queue(), 1, &submit, VK_NULL_HANDLE), VK_SUCCESS);
            wrapped.unlockQueue();
            sequence->evalAsync({semaphore->at(filled)});
            semaphore->signalAfter(sequence->event(), filled + 1);
            ASSERT_TRUE(waitFor(native, filled + 1));
            sequence->evalAwait();
            EXPECT_EQ(onDevice<uint32_t>(*t)[15], 100 * frame + 1);
        }
    }
    destroy(native);
}

TEST_F(SemaphoreTest, LivesOnInWorkThatWaitsForIt) {
    const VkSemaphore native = hostSemaphore();
    {
        auto sequence = wrapped.sequence();
        auto t = wrapped.tensorT<uint32_t>({1});
        sequence->record<kp::OpAlgoDispatch>(wrapped.algorithm({t}, addShader(1)));
        kp::UserEvent promise;
        {
            const auto semaphore = wrapped.wrapSemaphore(native);
            sequence->evalAsync({semaphore->at(2), promise});
        }
        promise.set();
        signal(native, 1);
        EXPECT_FALSE(sequence->event().wait(std::chrono::milliseconds(5)));
        signal(native, 2);
        sequence->evalAwait();
        EXPECT_EQ(t->vector()[0], 2u);
    }
    destroy(native);
}

TEST_F(SemaphoreTest, OrdersWorkThatWaitsBeforeTheSignal) {
    const VkSemaphore native = hostSemaphore();
    {
        const auto semaphore = wrapped.wrapSemaphore(native);
        auto t = wrapped.tensorT<uint32_t>({1});
        auto sequence = wrapped.sequence();
        sequence->record<kp::OpAlgoDispatch>(wrapped.algorithm({t}, addShader(1)));
        sequence->evalAsync({semaphore->at(2)});
        semaphore->signalAfter(sequence->event(), 3);
        EXPECT_EQ(semaphore->value(), 0u);
        semaphore->signal(2);
        EXPECT_TRUE(waitFor(native, 3));
        sequence->evalAwait();
        EXPECT_EQ(t->vector()[0], 2u);
        EXPECT_ERROR(kp::InvalidArgument, "only grows", semaphore->signal(1));
    }
    destroy(native);
}

TEST_F(SemaphoreTest, TakesFencesAsEvents) {
    VkFence fence = VK_NULL_HANDLE;
    const VkFenceCreateInfo info{VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};
    ASSERT_EQ(vk().vkCreateFence(host.device(), &info, nullptr, &fence), VK_SUCCESS);
    const VkSemaphore gate = hostSemaphore();
    {
        // The fence is signalled once the gate opens. Nothing else may use the queue until then.
        const uint64_t one = 1;
        VkTimelineSemaphoreSubmitInfo values{VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO};
        values.waitSemaphoreValueCount = 1;
        values.pWaitSemaphoreValues = &one;
        const VkPipelineStageFlags stage = VK_PIPELINE_STAGE_ALL_COMMANDS_BIT;
        VkSubmitInfo submit{VK_STRUCTURE_TYPE_SUBMIT_INFO, &values};
        submit.waitSemaphoreCount = 1;
        submit.pWaitSemaphores = &gate;
        submit.pWaitDstStageMask = &stage;
        ASSERT_EQ(vk().vkQueueSubmit(host.queue(), 1, &submit, fence), VK_SUCCESS);
        // Older validation layers take a fence that waits for the host for a defect of their own.
        if (validating())
            signal(gate, 1);
        const kp::Event event = wrapped.wrapFence(fence);
        auto t = wrapped.tensorT<uint32_t>({1});
        auto sequence = wrapped.sequence();
        sequence->record<kp::OpAlgoDispatch>(wrapped.algorithm({t}, addShader(1)));
        sequence->evalAsync({event});
        if (!validating()) {
            EXPECT_FALSE(event.done());
            EXPECT_EQ(event.status(), kp::EventStatus::eQueued);
            signal(gate, 1);
        }
        EXPECT_TRUE(event.wait(std::chrono::seconds(10)));
        sequence->evalAwait();
        EXPECT_EQ(t->vector()[0], 2u);
        EXPECT_TRUE(wrapped.wrapFence(fence).wait(std::chrono::seconds(10)));
    }
    vk().vkDeviceWaitIdle(host.device());
    vk().vkDestroyFence(host.device(), fence, nullptr);
    destroy(gate);
}

TEST_F(SemaphoreTest, RefusesToSignalValuesThatItHasReached) {
    const VkSemaphore native = hostSemaphore();
    {
        const auto semaphore = wrapped.wrapSemaphore(native);
        semaphore->signal(5);
        kp::UserEvent later;
        for (const kp::Event& event : {kp::Event(), static_cast<const kp::Event&>(later)})
            for (const uint64_t value : {3, 5})
                EXPECT_ERROR(kp::InvalidArgument, "only grows",
                             semaphore->signalAfter(event, value));
        EXPECT_EQ(semaphore->value(), 5u);
        later.set();
        wrapped.waitIdle();
    }
    destroy(native);
}

TEST_F(SemaphoreTest, RefusesWhatIsNone) {
    EXPECT_ERROR(kp::InvalidArgument, "null", wrapped.wrapSemaphore(VK_NULL_HANDLE));
    EXPECT_ERROR(kp::InvalidArgument, "null", wrapped.wrapFence(VK_NULL_HANDLE));
    const VkSemaphore native = hostSemaphore();
    EXPECT_ERROR(kp::InvalidArgument, "exportableSemaphore",
                 wrapped.wrapSemaphore(native)->exportHandle());
    destroy(native);
    HostVulkan bare(manager, HostVulkan::Kind::eBare);
    kp::Manager old(bare.description());
    EXPECT_ERROR(kp::Unsupported, "timeline semaphores", old.wrapSemaphore(native));
    // The host application's device has no extensions.
    EXPECT_ERROR(kp::Unsupported, "VK_KHR_external_semaphore_fd", wrapped.exportableSemaphore());
}

#if defined(__unix__)
TEST_F(SemaphoreTest, IsExportedAndImported) {
    std::shared_ptr<kp::Semaphore> semaphore;
    try {
        semaphore = manager.exportableSemaphore();
    } catch (const kp::Unsupported& error) {
        GTEST_SKIP() << error.what();
    }
    kp::ManagerOptions options;
    options.shareDevice = false;
    kp::Manager other(options);
    const int fd = semaphore->exportHandle();
    const auto opened = other.importSemaphore(fd);
    close(fd);
    EXPECT_ERROR(kp::InvalidArgument, "is not open", other.importSemaphore(1 << 20));
    const int file = open("/dev/null", O_RDONLY);
    EXPECT_ERROR(kp::InvalidArgument, "is not a semaphore", other.importSemaphore(file));
    close(file);
    auto t = other.tensorT<uint32_t>({1});
    auto sequence = other.sequence();
    sequence->record<kp::OpAlgoDispatch>(other.algorithm({t}, addShader(1)));
    sequence->evalAsync({opened->at(4)});
    std::this_thread::sleep_for(20ms);
    EXPECT_FALSE(sequence->event().done());
    auto counter = manager.tensorT<uint32_t>({0});
    auto slow = manager.sequence();
    recordSlowWork(manager, *slow, counter);
    slow->evalAsync();
    semaphore->signalAfter(slow->event(), 4);
    sequence->evalAwait();
    EXPECT_TRUE(slow->event().done());
    slow->evalAwait();
    EXPECT_EQ(opened->value(), 4u);
    EXPECT_EQ(t->vector()[0], 2u);
}
#endif

} // namespace
} // namespace kp::test
