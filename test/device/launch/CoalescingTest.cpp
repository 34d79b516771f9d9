// SPDX-License-Identifier: Apache-2.0
//
// Launches and evaluations that find their queue busy.
#include "device/CallCounter.hpp"
#include "device/FaultyDriver.hpp"
#include "device/launch/LaunchSupport.hpp"
#include "vulkan/device/Device.hpp"

namespace kp::test {
namespace {

using Values = std::vector<uint32_t>;
using Often = FaultyDriver::Often;

bool coalescing() {
    const char* const value = std::getenv("KOMPUTE_COALESCE");
    return !value || std::string(value) != "0";
}

/// Keeps the first queue of a manager busy with two submissions of some hundred milliseconds.
class Busy {
public:
    explicit Busy(kp::Manager& manager) {
        for (auto& sequence : mSequences) {
            sequence = manager.sequence();
            recordSlowWork(manager, *sequence, manager.tensorT<uint32_t>(Values{0}));
            sequence->end();
        }
        for (const auto& sequence : mSequences)
            sequence->evalAsync();
    }
    void wait() const {
        for (const auto& sequence : mSequences)
            sequence->evalAwait();
    }

private:
    std::shared_ptr<kp::Sequence> mSequences[2];
};

/// A launcher that adds 1 to every element of a tensor. Its kernel is compiled already.
struct Increment {
    Increment(kp::Manager& manager, std::shared_ptr<kp::TensorT<uint32_t>> target)
        : tensor(std::move(target)),
          launcher(std::make_shared<kp::KernelLauncher>(
              "increment", kp::Kernel(manager, addShader(1)), kp::Arguments{tensor},
              kp::KernelOptions{.globalSize = kp::WorkSize(tensor->size())})) {}
    Increment(kp::Manager& manager, Values values)
        : Increment(manager, manager.tensorT<uint32_t>(values, kp::Memory::MemoryTypes::eStorage)) {
        launcher->launch(manager.queue()).wait();
        tensor->upload(values);
    }

    kp::Event operator()(const std::shared_ptr<kp::Queue>& queue,
                         const std::vector<kp::Event>& waitFor = {}) const {
        return launcher->launch(queue, {}, waitFor);
    }

    std::shared_ptr<kp::TensorT<uint32_t>> tensor;
    std::shared_ptr<kp::KernelLauncher> launcher;
};

/// Submits gathered work, and work that stands for a host application's.
void submitAll(kp::Manager& manager) {
    manager.lockQueue();
    manager.unlockQueue();
}

class CoalescingTest : public LaunchTest {
protected:
    void SetUp() override {
        LaunchTest::SetUp();
        if (!coalescing())
            GTEST_SKIP() << "KOMPUTE_COALESCE=0";
    }
};

TEST_F(CoalescingTest, LaunchesOfABusyQueueAreOneSubmission) {
    if (checking())
        GTEST_SKIP() << "checked mode submits each launch by itself";
    const Increment add(manager, Values{6, 7});
    const Busy busy(manager);
    CallCounter calls(manager);
    kp::Event last;
    for (int i = 0; i < 20; ++i)
        last = add(queue);
    EXPECT_EQ(calls.submits(), 0u);
    EXPECT_FALSE(last.done());
    EXPECT_EQ(last.status(), kp::EventStatus::eSubmitted);
    last.wait();
    EXPECT_EQ(calls.submits(), 1u);
    EXPECT_EQ(calls.of("vkBeginCommandBuffer"), 1u);
    EXPECT_EQ(onDevice<uint32_t>(*add.tensor), (Values{26, 27}));
    busy.wait();
}

TEST_F(CoalescingTest, ASubmissionHas64LaunchesAtMost) {
    if (checking())
        GTEST_SKIP() << "checked mode submits each launch by itself";
    const Increment add(manager, Values{5});
    const Busy busy(manager);
    CallCounter calls(manager);
    for (int i = 0; i < 200; ++i)
        add(queue);
    queue->finish();
    EXPECT_EQ(calls.submits(), 4u);
    EXPECT_EQ(calls.of("vkBeginCommandBuffer"), 4u);
    EXPECT_EQ(onDevice<uint32_t>(*add.tensor), Values{205});
    busy.wait();
}

TEST_F(CoalescingTest, ShortSequencesAndLaunchesShareACommandBuffer) {
    const Increment add(manager, Values{1});
    const auto doubling = manager.sequence();
    const std::string body = shader(buffer(0, "", "uint", "v"), "v[i] *= 2u;");
    doubling->record<kp::OpAlgoDispatch>(manager.algorithm({add.tensor}, spirv(body)))->end();
    const Busy busy(manager);
    CallCounter calls(manager);
    add(queue);            // 2
    doubling->evalAsync(); // 4
    add(queue).wait();     // 5
    EXPECT_EQ(calls.submits(), 1u);
    EXPECT_EQ(calls.of("vkBeginCommandBuffer"), 1u);
    doubling->evalAwait();
    doubling->eval(); // 10, by its own command buffer
    EXPECT_EQ(onDevice<uint32_t>(*add.tensor), Values{10});
    busy.wait();
}

TEST_F(CoalescingTest, IndependentLaunchesShareBarriers) {
    if (checking())
        GTEST_SKIP() << "checked mode submits each launch by itself";
    for (const bool reorder : {true, false}) {
        SCOPED_TRACE(reorder);
        kp::ManagerOptions options;
        options.reorder = reorder;
        kp::Manager own(options);
        std::vector<Increment> adds;
        for (uint32_t i = 0; i < 4; ++i)
            adds.emplace_back(own, Values{i});
        const auto itsQueue = own.queue();
        const Busy busy(own);
        CallCounter calls(own);
        for (const Increment& add : adds)
            for (int i = 0; i < 5; ++i)
                add(itsQueue);
        itsQueue->finish();
        const char* const off = std::getenv("KOMPUTE_REORDER");
        if (reorder && !(off && std::string(off) == "0"))
            EXPECT_LE(calls.of("vkCmdPipelineBarrier"), 4u + 2);
        else
            EXPECT_GE(calls.of("vkCmdPipelineBarrier"), 16u);
        for (uint32_t i = 0; i < 4; ++i)
            EXPECT_EQ(onDevice<uint32_t>(*adds[i].tensor), Values{i + 5});
        busy.wait();
    }
}

TEST_F(CoalescingTest, AnIdleQueueSubmitsAtOnce) {
    const Increment add(manager, Values{2});
    CallCounter calls(manager);
    const kp::Event event = add(queue);
    EXPECT_EQ(calls.submits(), 1u);
    event.wait();
    EXPECT_EQ(onDevice<uint32_t>(*add.tensor), Values{3});
}

/// Returns true once all work of a queue is done, false after some seconds. Only the driver is
/// asked.
bool finishesByItself(vulkan::Queue& queue) {
    for (int i = 0; i < 20000 && !queue.reached(queue.lastValue()); ++i)
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    return queue.reached(queue.lastValue());
}

TEST_F(CoalescingTest, WorkIsSubmittedIfNobodyWaitsOrAsks) {
    const Increment add(manager, Values{1});
    const Busy busy(manager);
    add(queue);
    EXPECT_TRUE(finishesByItself(deviceOf(manager)->queue(0)));
    busy.wait();
    EXPECT_EQ(onDevice<uint32_t>(*add.tensor), Values{2});
}

TEST_F(CoalescingTest, WorkIsSubmittedAlthoughWhatCameBeforeItWasSubmittedByAnother) {
    const Increment add(manager, Values{1});
    vulkan::Queue& used = deviceOf(manager)->queue(0);
    const Busy busy(manager);
    // The thread that submits gathered work wakes, and finds that there is none.
    for (int i = 0; i < 20; ++i) {
        add(queue);
        used.submit({}, {});
        std::this_thread::sleep_for(std::chrono::microseconds(200));
    }
    add(queue);
    EXPECT_TRUE(finishesByItself(used));
    busy.wait();
    EXPECT_EQ(onDevice<uint32_t>(*add.tensor), Values{22});
}

/// Lets submissions to a device return once it is idle.
class SlowSubmissions {
public:
    explicit SlowSubmissions(vulkan::Device& device) : mDevice(device) {
        sSubmit = device.vk().vkQueueSubmit;
        sWaitIdle = device.vk().vkQueueWaitIdle;
        device.mutableTable().vkQueueSubmit = [](VkQueue queue, uint32_t count,
                                                 const VkSubmitInfo* infos, VkFence fence) {
            const VkResult result = sSubmit(queue, count, infos, fence);
            sWaitIdle(queue);
            return result;
        };
    }
    ~SlowSubmissions() { mDevice.mutableTable().vkQueueSubmit = sSubmit; }
    SlowSubmissions(const SlowSubmissions&) = delete;
    SlowSubmissions& operator=(const SlowSubmissions&) = delete;

private:
    static inline PFN_vkQueueSubmit sSubmit;
    static inline PFN_vkQueueWaitIdle sWaitIdle;
    vulkan::Device& mDevice;
};

TEST_F(CoalescingTest, ALaunchThatIsOverAtOnceMayBeTheLastToKeepItsMemory) {
    auto add = std::make_unique<Increment>(manager, Values{1});
    const Busy busy(manager);
    const kp::Event event = (*add)(queue);
    add.reset();
    {
        const SlowSubmissions slow(*deviceOf(manager));
        submitAll(manager);
    }
    event.wait();
    busy.wait();
}

TEST_F(CoalescingTest, EvaluationsOfABusyQueueAreOneSubmission) {
    std::vector<std::shared_ptr<kp::Sequence>> sequences;
    const auto tensor = manager.tensorT<uint32_t>(Values{1});
    manager.sequence(0)->eval<kp::OpSyncDevice>({tensor});
    for (uint32_t i = 0; i < 5; ++i) {
        sequences.push_back(manager.sequence());
        sequences.back()
            ->record<kp::OpAlgoDispatch>(manager.algorithm({tensor}, addShader(i)))
            ->record<kp::OpSyncLocal>({tensor})
            ->end();
    }
    const Busy busy(manager);
    CallCounter calls(manager);
    for (const auto& sequence : sequences)
        sequence->evalAsync();
    EXPECT_EQ(calls.submits(), 0u);
    for (const auto& sequence : sequences)
        sequence->evalAwait();
    EXPECT_EQ(calls.submits(), 1u);
    EXPECT_EQ(tensor->vector(), Values{11});
    busy.wait();
}

TEST_F(CoalescingTest, MixedWorkKeepsItsOrder) {
    const Increment add(manager, Values{1});
    const auto doubling = manager.sequence();
    const std::string body = shader(buffer(0, "", "uint", "v"), "v[i] *= 2u;");
    doubling->record<kp::OpAlgoDispatch>(manager.algorithm({add.tensor}, spirv(body)))->end();
    const auto other = manager.tensorT<uint32_t>(Values{0});
    const Busy busy(manager);
    add(queue);                                               // 2
    add(queue);                                               // 3
    doubling->evalAsync();                                    // 6
    add(queue);                                               // 7
    kp::CopyLauncher("copy", {add.tensor}, {other})({queue}); // of 7
    const kp::Event last = add(queue);                        // 8
    last.wait();
    EXPECT_EQ(onDevice<uint32_t>(*add.tensor), Values{8});
    EXPECT_EQ(onDevice<uint32_t>(*other), Values{7});
    doubling->evalAwait();
    busy.wait();
}

TEST_F(CoalescingTest, HostAccessAndDestructionSubmitWhatTheyWaitFor) {
    Increment add(manager, Values{1});
    const Busy busy(manager);
    add(queue);
    EXPECT_EQ(onDevice<uint32_t>(*add.tensor), Values{2});
    const Busy again(manager);
    add(queue);
    add.tensor->destroy(); // the launch keeps the memory that it needs
    busy.wait();
    again.wait();
    manager.waitIdle();
}

TEST_F(CoalescingTest, EndsWithItsManager) {
    auto temporary = std::make_unique<kp::Manager>();
    auto add = std::make_unique<Increment>(*temporary, Values{1});
    const auto itsQueue = temporary->queue();
    const Busy busy(*temporary);
    const kp::Event last = (*add)(itsQueue);
    add.reset();
    temporary.reset();
    last.wait();
    EXPECT_TRUE(last.done());
}

TEST_F(CoalescingTest, AWorkThatNeedsAnotherQueueSubmitsWhatThatGathered) {
    if (manager.queueCount() < 1 || deviceOf(manager)->physical().queueFamilies[0].queueCount < 2)
        GTEST_SKIP() << "the device has one queue";
    kp::ManagerOptions options;
    options.queueFamilies = {0, 0};
    kp::Manager two(options);
    const Increment add(two, Values{1});
    const auto first = two.queue(0);
    const auto second = two.queue(1);
    const Busy busy(two);
    const kp::Event onFirst = add(first);
    const kp::Event onSecond = add(second); // the same memory
    onSecond.wait();
    EXPECT_TRUE(onFirst.done());
    EXPECT_EQ(onDevice<uint32_t>(*add.tensor), Values{3});
    busy.wait();
}

TEST_F(CoalescingTest, ALaunchThatIsRefusedEntersNoGathering) {
    const Increment add(manager, Values{1});
    const Increment destroyed(manager, Values{1});
    const Busy busy(manager);
    add(queue);
    destroyed.tensor->destroy();
    EXPECT_THROW(destroyed(queue), kp::InvalidArgument);
    EXPECT_THROW(add.launcher->launch(queue, {{"unknown", 1.0f}}), kp::InvalidArgument);
    add(queue).wait();
    EXPECT_EQ(onDevice<uint32_t>(*add.tensor), Values{3});
    busy.wait();
}

TEST_F(CoalescingTest, ManyLaunchesOnManyTensorsAreRight) {
    std::vector<Increment> adds;
    for (uint32_t i = 0; i < 10; ++i)
        adds.emplace_back(manager, Values{i, 2 * i});
    const Busy busy(manager);
    for (int round = 0; round < 100; ++round)
        for (const Increment& add : adds)
            add(queue);
    queue->finish();
    for (uint32_t i = 0; i < 10; ++i)
        EXPECT_EQ(onDevice<uint32_t>(*adds[i].tensor), (Values{i + 100, 2 * i + 100}));
    busy.wait();
}

TEST_F(CoalescingTest, TheOptionSubmitsEachLaunchAtOnce) {
    kp::ManagerOptions options;
    options.coalesce = false;
    kp::Manager single(options);
    const auto itsQueue = single.queue();
    const Increment add(single, Values{1});
    const Busy busy(single);
    CallCounter calls(single);
    for (uint64_t i = 1; i <= 3; ++i) {
        add(itsQueue);
        EXPECT_EQ(calls.submits(), i);
    }
    itsQueue->finish();
    EXPECT_EQ(onDevice<uint32_t>(*add.tensor), Values{4});
    busy.wait();
}

/// With a driver whose calls fail.
class CoalescingFailure : public ::testing::Test {
protected:
    void SetUp() override {
        if (!coalescing())
            GTEST_SKIP() << "KOMPUTE_COALESCE=0";
        kp::ManagerOptions options;
        options.waitPolicy = kp::WaitPolicy::eBlock;
        manager = driver.manager(options);
        queue = manager->queue();
        add = std::make_unique<Increment>(*manager, Values{1});
    }
    void TearDown() override {
        add.reset();
        queue.reset();
        manager.reset();
        driver.works();
        EXPECT_TRUE(driver.alive().empty());
        EXPECT_EQ(driver.misuses(), 0u);
    }

    FaultyDriver driver;
    std::unique_ptr<kp::Manager> manager;
    std::shared_ptr<kp::Queue> queue;
    std::unique_ptr<Increment> add;
};

TEST_F(CoalescingFailure, EveryLaunchOfAFailedSubmissionFails) {
    if (checking())
        GTEST_SKIP() << "checked mode submits each launch by itself";
    for (const char* function : {"vkQueueSubmit", "vkEndCommandBuffer"}) {
        SCOPED_TRACE(function);
        const Busy busy(*manager);
        const std::vector<kp::Event> events{(*add)(queue), (*add)(queue), (*add)(queue)};
        driver.fail(function, 1, VK_ERROR_OUT_OF_HOST_MEMORY, Often::eOnce);
        for (const kp::Event& event : events) {
            EXPECT_THROW(event.wait(), kp::OutOfMemory);
            EXPECT_EQ(event.status(), kp::EventStatus::eError);
        }
        EXPECT_TRUE(driver.failed());
        driver.works();
        EXPECT_THROW((*add)(queue, {events[1]}).wait(), kp::OutOfMemory);
        busy.wait();
        EXPECT_EQ(onDevice<uint32_t>(*add->tensor), Values{1});
    }
    (*add)(queue);
    (*add)(queue).wait();
    EXPECT_EQ(onDevice<uint32_t>(*add->tensor), Values{3});
}

TEST_F(CoalescingFailure, ARefusedLaunchMayBeTheLastToKeepItsMemory) {
    const Busy busy(*manager);
    const kp::Event event = (*add)(queue);
    add.reset();
    driver.fail("vkQueueSubmit", 1, VK_ERROR_OUT_OF_HOST_MEMORY, Often::eOnce);
    submitAll(*manager);
    EXPECT_TRUE(driver.failed());
    EXPECT_THROW(event.wait(), kp::OutOfMemory);
    busy.wait();
}

TEST_F(CoalescingFailure, AProfiledLaunchOfAFailedSubmissionHasNoTimes) {
    const auto timed = manager->queue(0, true, true);
    if (!timed->profiling())
        GTEST_SKIP() << "the device has no timestamps";
    for (int i = 0; i < 3; ++i)
        (*add)(timed).wait();
    EXPECT_EQ(add->launcher->statistics().count(), 3u);
    const Busy busy(*manager);
    const kp::Event event = (*add)(timed);
    driver.fail("vkQueueSubmit", 1, VK_ERROR_OUT_OF_HOST_MEMORY, Often::eOnce);
    EXPECT_THROW(event.wait(), kp::OutOfMemory);
    driver.works();
    EXPECT_THROW(event.profile(), kp::OutOfMemory);
    EXPECT_EQ(add->launcher->statistics().count(), 3u);
    EXPECT_TRUE(add->launcher->events().empty());
    busy.wait();
    for (int i = 0; i < 3; ++i) {
        const kp::Event next = (*add)(timed);
        next.wait();
        EXPECT_TRUE(next.profile());
    }
    EXPECT_EQ(add->launcher->statistics().count(), 6u);
}

TEST_F(CoalescingFailure, ALostDeviceFailsEveryLaunchAndIsDestroyedCleanly) {
    const Busy busy(*manager);
    const std::vector<kp::Event> events{(*add)(queue), (*add)(queue)};
    driver.fail("vkQueueSubmit", 1, VK_ERROR_DEVICE_LOST, Often::eFromThenOn);
    for (const kp::Event& event : events) {
        EXPECT_THROW(event.wait(), kp::DeviceLost);
        EXPECT_EQ(event.status(), kp::EventStatus::eError);
    }
    EXPECT_THROW((*add)(queue), kp::DeviceLost);
}

TEST_F(CoalescingFailure, ALaunchThatCannotBeRecordedLeavesTheEarlierOnesWhole) {
    if (checking())
        GTEST_SKIP() << "checked mode submits each launch by itself";
    const auto between = manager->sequence();
    const auto ten = manager->algorithm({add->tensor}, addShader(10));
    for (int i = 0; i < 5; ++i)
        between->record<kp::OpAlgoDispatch>(ten);
    between->end();
    const Busy busy(*manager);
    const kp::Event first = (*add)(queue);
    // So long a sequence keeps its command buffer, and the next launch needs another one.
    between->evalAsync();
    const kp::Event refused = (*add)(queue);
    driver.fail("vkBeginCommandBuffer", 2, VK_ERROR_OUT_OF_DEVICE_MEMORY, Often::eFromThenOn);
    EXPECT_THROW(refused.wait(), kp::OutOfMemory);
    EXPECT_TRUE(driver.failed());
    driver.works();
    first.wait();
    between->evalAwait();
    EXPECT_EQ(onDevice<uint32_t>(*add->tensor), Values{52});
    (*add)(queue).wait();
    EXPECT_EQ(onDevice<uint32_t>(*add->tensor), Values{53});
    busy.wait();
}

} // namespace
} // namespace kp::test
