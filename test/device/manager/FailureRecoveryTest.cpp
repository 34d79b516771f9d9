// SPDX-License-Identifier: Apache-2.0
//
// Single failures that the program of FailureInjectionTest does not reach.
#include "../FaultyDriver.hpp"
#include "../TestSupport.hpp"

#include "vulkan/device/Device.hpp"
#include "vulkan/memory/Buffer.hpp"
#include "vulkan/queue/DeletionQueue.hpp"
#include "vulkan/queue/Pools.hpp"
#include "vulkan/queue/Queue.hpp"
#include "vulkan/queue/Submission.hpp"

namespace kp::test {
namespace {

using Often = FaultyDriver::Often;
using Values = std::vector<uint32_t>;

class FailureRecovery : public ::testing::Test {
protected:
    std::unique_ptr<kp::Manager> makeManager(bool timelineSemaphores = true) {
        kp::ManagerOptions options;
        options.waitPolicy = kp::WaitPolicy::eBlock;
        options.cacheFolder = "off";
        options.timelineSemaphores = timelineSemaphores;
        return mDriver.manager(options);
    }

    /// The Vulkan function that waits for a queue.
    static const char* waitFunction(const kp::Manager& manager) {
        return deviceOf(manager)->plan().timelineSemaphores ? "vkWaitSemaphores"
                                                            : "vkWaitForFences";
    }

    void TearDown() override {
        mDriver.works();
        EXPECT_TRUE(mDriver.alive().empty());
        EXPECT_EQ(mDriver.misuses(), 0u);
    }

    FaultyDriver mDriver;
};

TEST_F(FailureRecovery, RetriesASequenceThatCouldNotBeRecordedOrSubmitted) {
    for (const char* function : {"vkResetCommandPool", "vkBeginCommandBuffer", "vkEndCommandBuffer",
                                 "vkQueueSubmit", "vkAllocateDescriptorSets"}) {
        SCOPED_TRACE(function);
        const auto manager = makeManager();
        const auto tensor = manager->tensorT<uint32_t>(Values{1});
        const auto sequence = manager->sequence();
        sequence->record<kp::OpSyncDevice>({tensor})
            ->record<kp::OpAlgoDispatch>(manager->algorithm({tensor}, addShader(1)))
            ->eval();

        mDriver.fail(function, 1, VK_ERROR_OUT_OF_DEVICE_MEMORY, Often::eOnce);
        const auto add = [&] {
            sequence->record<kp::OpAlgoDispatch>(manager->algorithm({tensor}, addShader(10)));
        };
        try {
            add();
        } catch (const kp::OutOfMemory&) {
            add();
        }
        try {
            sequence->eval();
        } catch (const kp::OutOfMemory&) {
            sequence->eval();
        }
        EXPECT_TRUE(mDriver.failed());
        EXPECT_EQ(onDevice<uint32_t>(*tensor), Values{12});
        sequence->eval();
        EXPECT_EQ(onDevice<uint32_t>(*tensor), Values{22});
    }
}

TEST_F(FailureRecovery, DoesNotRunAnOlderRecordingAfterAFailedOne) {
    const auto manager = makeManager();
    const auto tensor = manager->tensorT<uint32_t>(Values{0});
    const auto sequence = manager->sequence();
    sequence->record<kp::OpAlgoDispatch>(manager->algorithm({tensor}, addShader(1)))->eval();
    for (const char* function : {"vkBeginCommandBuffer", "vkEndCommandBuffer"}) {
        SCOPED_TRACE(function);
        manager->sequence()->eval<kp::OpSyncDevice>({tensor});
        mDriver.fail(function, 1, VK_ERROR_OUT_OF_HOST_MEMORY, Often::eFromThenOn);
        EXPECT_THROW(
            sequence->record<kp::OpAlgoDispatch>(manager->algorithm({tensor}, addShader(10)))
                ->eval(),
            kp::OutOfMemory);
        mDriver.works();
        sequence->eval();
        EXPECT_NE(onDevice<uint32_t>(*tensor), Values{1});
    }
}

TEST_F(FailureRecovery, AllowsDestructionAfterATimeout) {
    for (const bool timeline : {true, false}) {
        const auto manager = makeManager(timeline);
        const auto counter = manager->tensorT<uint32_t>(Values{0});
        const auto sequence = manager->sequence();
        recordSlowWork(*manager, *sequence, counter);
        sequence->evalAsync();
        sequence->evalAwait(1000);
        EXPECT_TRUE(sequence->timedOut());
        EXPECT_FALSE(sequence->isRunning());
        sequence->record<kp::OpAlgoDispatch>(manager->algorithm({counter}, addShader(1)));
    }
}

TEST_F(FailureRecovery, KeepsTheEventOfWorkThatTimedOut) {
    const auto manager = makeManager();
    const auto counter = manager->tensorT<uint32_t>(Values{0});
    const auto sequence = manager->sequence();
    recordSlowWork(*manager, *sequence, counter);
    sequence->evalAsync();
    const uint64_t value = sequence->event().value();
    sequence->evalAwait(1000);
    sequence->record<kp::OpAlgoDispatch>(manager->algorithm({counter}, addShader(1)));
    EXPECT_EQ(sequence->event().value(), value);
}

TEST_F(FailureRecovery, KeepsMemoryUntilTheDeviceIsKnownToBeDone) {
    for (const bool timeline : {true, false})
        for (const bool unknown : {true, false}) {
            SCOPED_TRACE(timeline ? "timeline semaphore" : "fences");
            SCOPED_TRACE(unknown ? "unknown accesses" : "known accesses");
            const auto manager = makeManager(timeline);
            vulkan::Device& device = *deviceOf(*manager);
            vulkan::Queue& queue = device.queue(0);

            auto memory = vulkan::Buffer::create(device, 128 << 10, vulkan::MemoryPlace::eDevice);
            vulkan::CommandBuffer commands = device.commandBuffers().acquire(queue.family());
            commands.begin(true);
            device.vk().vkCmdFillBuffer(commands.handle(), memory->handle(), 0, VK_WHOLE_SIZE, 1);
            commands.end();
            const VkCommandBuffer handle = commands.handle();
            const int64_t buffers = mDriver.alive()["Buffer"];
            mDriver.fail(device.plan().timelineSemaphores ? "vkGetSemaphoreCounterValue"
                                                          : "vkGetFenceStatus",
                         1, VK_ERROR_OUT_OF_HOST_MEMORY, Often::eFromThenOn);
            vulkan::AccessList accesses;
            if (unknown)
                accesses.addUnknown();
            else
                accesses.add(memory, true);
            const auto done = vulkan::submitOrdered(queue, {&handle, 1}, accesses);
            accesses = {};
            memory.reset();
            device.deletionQueue().collect();
            EXPECT_EQ(mDriver.alive()["Buffer"], buffers)
                << "freed while the device may still write it";

            mDriver.works();
            EXPECT_TRUE(queue.wait(done.value, UINT64_MAX, vulkan::WaitMode::eBlock));
            device.deletionQueue().collect();
            EXPECT_EQ(mDriver.alive()["Buffer"], buffers - 1);
        }
}

TEST_F(FailureRecovery, AllowsAFailedWaitToBeRepeated) {
    const auto manager = makeManager();
    const auto counter = manager->tensorT<uint32_t>(Values{0});
    const auto sequence = manager->sequence();
    sequence->record<kp::OpSyncDevice>({counter});
    const uint32_t count = recordSlowWork(*manager, *sequence, counter);
    sequence->record<kp::OpSyncLocal>({counter});
    sequence->evalAsync();
    mDriver.fail(waitFunction(*manager), 1, VK_ERROR_OUT_OF_HOST_MEMORY, Often::eOnce);
    EXPECT_THROW(sequence->evalAwait(), kp::OutOfMemory);
    mDriver.works();
    EXPECT_TRUE(sequence->isRunning());
    sequence->evalAwait();
    EXPECT_FALSE(sequence->isRunning());
    EXPECT_EQ(counter->vector(), Values{count});
    counter->data()[0] = 0;
    sequence->eval();
    EXPECT_EQ(counter->vector(), Values{count});
}

TEST_F(FailureRecovery, CanEvaluateAgainIfTheWaitOfAnEvaluationFails) {
    const auto manager = makeManager();
    const auto counter = manager->tensorT<uint32_t>(Values{0});
    const auto sequence = manager->sequence();
    const uint32_t count = recordSlowWork(*manager, *sequence, counter);
    const auto other = manager->sequence();
    other->record<kp::OpAlgoDispatch>(manager->algorithm({counter}, addShader(1)));
    const auto fill =
        std::make_shared<kp::OpFill>(std::vector<std::shared_ptr<kp::Memory>>{counter}, 0u);
    const std::function<void()> evaluations[] = {[&] { sequence->eval(); },
                                                 [&] {
                                                     kp::evalAll({sequence, other});
                                                 },
                                                 [&] { sequence->eval(fill); }};
    for (const auto& evaluate : evaluations) {
        sequence->clear();
        recordSlowWork(*manager, *sequence, counter);
        // What eval() replaces still runs then, so that it has to wait.
        sequence->evalAsync()->evalAwait(0);
        mDriver.fail(waitFunction(*manager), 1, VK_ERROR_OUT_OF_HOST_MEMORY, Often::eOnce);
        EXPECT_THROW(evaluate(), kp::OutOfMemory);
        mDriver.works();
        EXPECT_FALSE(sequence->isRunning());
        EXPECT_FALSE(other->isRunning());
        manager->waitIdle();
        counter->setData(Values{0});
        sequence->clear();
        recordSlowWork(*manager, *sequence, counter);
        sequence->eval();
        EXPECT_EQ(counter->vector(), Values{count});
    }
}

TEST_F(FailureRecovery, ThrowsDeviceLostFromEventsOfALostDevice) {
    const auto manager = makeManager();
    const auto counter = manager->tensorT<uint32_t>(Values{0});
    const auto sequence = manager->sequence();
    recordSlowWork(*manager, *sequence, counter);
    sequence->evalAsync();
    const kp::Event event = sequence->event();
    mDriver.fail(waitFunction(*manager), 1, VK_ERROR_DEVICE_LOST, Often::eOnce);
    EXPECT_THROW(event.wait(), kp::DeviceLost);
    mDriver.works();
    EXPECT_THROW(event.wait(), kp::DeviceLost);
    EXPECT_THROW(sequence->evalAwait(), kp::DeviceLost);
}

TEST_F(FailureRecovery, KeepsATensorWhoseMirrorCannotBeCreated) {
    const auto manager = makeManager();
    const auto tensor = manager->tensorT<uint32_t>(4);
    tensor->upload(Values{1, 2, 3, 4});
    mDriver.fail("vkCreateBuffer", 1, VK_ERROR_OUT_OF_HOST_MEMORY, Often::eOnce);
    EXPECT_THROW(tensor->setData(Values{5, 6, 7, 8}), kp::OutOfMemory);
    EXPECT_TRUE(mDriver.failed());
    EXPECT_EQ(tensor->vector(), (Values{1, 2, 3, 4}));
    tensor->setData(Values{5, 6, 7, 8});
    EXPECT_EQ(tensor->vector(), (Values{5, 6, 7, 8}));
}

TEST_F(FailureRecovery, KeepsATensorThatCannotBeRebuilt) {
    const auto manager = makeManager();
    const auto tensor = manager->tensorT<uint32_t>(Values{1, 2, 3, 4});
    const Values more = ascending<uint32_t>(8);
    for (const uint64_t call : {1, 2}) {
        mDriver.fail("vkCreateBuffer", call, VK_ERROR_OUT_OF_HOST_MEMORY, Often::eOnce);
        EXPECT_THROW(tensor->rebuild(more.data(), more.size(), sizeof(uint32_t)), kp::OutOfMemory);
        EXPECT_EQ(tensor->vector(), (Values{1, 2, 3, 4}));
    }
    mDriver.works();
    tensor->rebuild(more.data(), more.size(), sizeof(uint32_t));
    EXPECT_EQ(tensor->vector(), more);
}

TEST_F(FailureRecovery, KeepsAnAlgorithmThatCannotBeRebuilt) {
    for (const char* function :
         {"vkCreateShaderModule", "vkCreateComputePipelines", "vkAllocateDescriptorSets"}) {
        SCOPED_TRACE(function);
        const auto manager = makeManager();
        const auto tensor = manager->tensorT<uint32_t>(Values{0});
        const auto algorithm = manager->algorithm({tensor}, addShader(1));
        mDriver.fail(function, 1, VK_ERROR_OUT_OF_DEVICE_MEMORY, Often::eOnce);
        EXPECT_THROW(algorithm->rebuild(algorithm->getMemObjects(), addShader(10)),
                     kp::OutOfMemory);
        EXPECT_TRUE(algorithm->isInit());
        const auto sequence = manager->sequence();
        sequence->eval<kp::OpSyncDevice>({tensor})->eval<kp::OpAlgoDispatch>(algorithm);
        sequence->eval<kp::OpSyncLocal>({tensor});
        EXPECT_EQ(tensor->vector(), Values{1});
        algorithm->rebuild(algorithm->getMemObjects(), addShader(10));
        sequence->eval<kp::OpAlgoDispatch>(algorithm)->eval<kp::OpSyncLocal>({tensor});
        EXPECT_EQ(tensor->vector(), Values{11});
    }
}

TEST_F(FailureRecovery, RecordsNothingOfAnOperationThatThrows) {
    const auto manager = makeManager();
    const auto source = manager->tensorT<uint32_t>(Values{1, 1});
    const auto same = manager->tensorT<uint32_t>(Values{2, 2});
    const auto larger = manager->tensorT<uint32_t>(Values{3, 3, 3});
    manager->sequence()->eval<kp::OpSyncDevice>({source, same, larger});
    const auto sequence = manager->sequence();
    sequence->begin();
    EXPECT_THROW(sequence->record<kp::OpCopy>({source, same, larger}), kp::InvalidArgument);
    sequence->eval();
    EXPECT_EQ(onDevice<uint32_t>(*same), (Values{2, 2}));
}

TEST_F(FailureRecovery, DestroysObjectsInAnyOrderAfterALoss) {
    for (int order = 0; order < 4; ++order) {
        SCOPED_TRACE(order);
        {
            auto manager = makeManager();
            auto tensor = manager->tensorT<uint32_t>(Values{0});
            auto algorithm = manager->algorithm({tensor}, addShader(1));
            auto sequence = manager->sequence();
            sequence->record<kp::OpAlgoDispatch>(algorithm)->eval();
            mDriver.fail("vkQueueSubmit", 1, VK_ERROR_DEVICE_LOST, Often::eFromThenOn);
            EXPECT_THROW(sequence->evalAsync(), kp::DeviceLost);
            switch (order) {
            case 0:
                manager->destroy();
                break;
            case 1:
                manager.reset();
                break;
            case 2:
                tensor->destroy();
                algorithm->destroy();
                sequence->destroy();
                break;
            default:
                sequence.reset();
                tensor.reset();
            }
        }
        mDriver.works();
    }
    EXPECT_EQ(logText().find("E "), std::string::npos) << logText();
}

class UnmappedMemory : public ::testing::TestWithParam<uintptr_t> {
protected:
    static inline uintptr_t sAddress = 0;

    /// As software drivers without memory: reports success, and an address without memory.
    static VKAPI_ATTR VkResult VKAPI_CALL map(VkDevice, VkDeviceMemory, VkDeviceSize, VkDeviceSize,
                                              VkMemoryMapFlags, void** data) {
        *data = reinterpret_cast<void*>(sAddress);
        return VK_SUCCESS;
    }
};

// Null, and MAP_FAILED.
INSTANTIATE_TEST_SUITE_P(Addresses, UnmappedMemory, ::testing::Values(0, ~uintptr_t{0}));

TEST_P(UnmappedMemory, CountsAsOutOfMemory) {
    FaultyDriver driver;
    {
        const auto manager = driver.manager();
        VolkDeviceTable& table = deviceOf(*manager)->mutableTable();
        const PFN_vkMapMemory works = table.vkMapMemory;
        sAddress = GetParam();
        table.vkMapMemory = map;
        constexpr size_t kLarge = size_t{16} << 20; // a block of its own, in any allocator
        EXPECT_THROW(manager->tensorT<uint32_t>(std::vector<uint32_t>(kLarge),
                                                kp::Memory::MemoryTypes::eHost),
                     kp::OutOfMemory);
        table.vkMapMemory = works;
        const auto tensor = manager->tensorT<uint32_t>(std::vector<uint32_t>(kLarge, 5),
                                                       kp::Memory::MemoryTypes::eHost);
        EXPECT_EQ(tensor->vector().back(), 5u);
    }
    EXPECT_TRUE(driver.alive().empty());
}

} // namespace
} // namespace kp::test
