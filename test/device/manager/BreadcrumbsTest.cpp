// SPDX-License-Identifier: Apache-2.0
//
// Reports about the work of a device that is lost, or seems to hang.
#include <kompute/Launch.hpp>
#include <kompute/Primitives.hpp>

#include "../FaultyDriver.hpp"
#include "../TestSupport.hpp"
#include "unit/ScopedEnvironment.hpp"
#include "unit/TestText.hpp"

#include <chrono>
#include <functional>

#include "base/Process.hpp"
#include "vulkan/device/Device.hpp"

namespace kp::test {
namespace {

using Reasons = std::vector<std::string>;

constexpr const char* kExtensions[] = {"VK_AMD_buffer_marker",
                                       "VK_NV_device_diagnostic_checkpoints"};

/// How the device leaves breadcrumbs, by the extension that it needs; "" for fills.
class Breadcrumbs : public ::testing::TestWithParam<const char*> {
protected:
    void SetUp() override {
        for (const char* extension : kExtensions) // so that no device has another one
            mDriver.hide(extension);
        if (*GetParam())
            mDriver.offer(GetParam());
    }

    std::unique_ptr<kp::Manager> makeManager(bool breadcrumbs = true) {
        kp::ManagerOptions options;
        options.cacheFolder = "off";
        options.breadcrumbs = breadcrumbs;
        options.waitPolicy = kp::WaitPolicy::eBlock;
        return mDriver.manager(options);
    }

    /// Lets the device stop in a dispatch of @p submit, and be lost in @p wait.
    /// @return the reasons of the error
    Reasons lose(kp::Manager& manager, uint64_t dispatch, const std::function<void()>& submit,
                 const std::function<void()>& wait) {
        mDriver.stopAt(dispatch);
        submit();
        mDriver.fail(deviceOf(manager)->plan().timelineSemaphores ? "vkGetSemaphoreCounterValue"
                                                                  : "vkGetFenceStatus",
                     1, VK_ERROR_DEVICE_LOST, FaultyDriver::Often::eFromThenOn);
        try {
            wait();
        } catch (const kp::DeviceLost& error) {
            return error.reasons();
        }
        ADD_FAILURE() << "the device was not lost";
        return {};
    }
    /// Fills let one operation run at a time; of others, the later ones have begun as well.
    bool serial() const { return !*GetParam(); }

    FaultyDriver mDriver;
};

std::shared_ptr<kp::Algorithm> named(kp::Manager& manager,
                                     const std::shared_ptr<kp::Memory>& memory, const char* name) {
    const auto algorithm = manager.algorithm({memory}, addShader(1));
    algorithm->setName(name);
    return algorithm;
}

TEST_P(Breadcrumbs, NameTheSequenceTheOperationAndTheShaderOfALostDevice) {
    const auto manager = makeManager();
    const auto x = manager->tensorT<uint32_t>({1, 2, 3, 4});
    const auto sequence = manager->sequence();
    sequence->setName("frame");
    const auto submit = [&] {
        sequence->record<kp::OpSyncDevice>({x})
            ->record<kp::OpAlgoDispatch>(named(*manager, x, "blur"))
            ->record<kp::OpAlgoDispatch>(named(*manager, x, "sharpen"))
            ->record<kp::OpAlgoDispatch>(named(*manager, x, "store"))
            ->evalAsync();
    };
    const Reasons reasons = lose(*manager, 2, submit, [&] { sequence->evalAwait(); });
    const std::string sharpen = "operation 3 of 4 of sequence 'frame' was under way: dispatch of "
                                "'sharpen', a shader with 'Block0', with 4 x 1 x 1 work groups";
    const std::string store = "operation 4 of 4 of sequence 'frame' was under way: dispatch of "
                              "'store', a shader with 'Block0', with 4 x 1 x 1 work groups";
    EXPECT_EQ(reasons, serial() ? Reasons{sharpen} : (Reasons{sharpen, store}));
    // Later errors say it, too: the first one may have reached a thread that could not tell.
    try {
        sequence->eval();
        FAIL() << "nothing was thrown";
    } catch (const kp::DeviceLost& error) {
        EXPECT_EQ(error.reasons(), reasons);
    }
}

TEST_P(Breadcrumbs, NameNothingThatHasFinished) {
    const auto manager = makeManager();
    const auto x = manager->tensorT<uint32_t>({1, 2, 3, 4});
    const auto finished = manager->sequence();
    for (int i = 0; i < 3; ++i) {
        finished->record<kp::OpAlgoDispatch>(named(*manager, x, "earlier"))->eval();
        finished->eval(); // the recording again
    }
    const auto sequence = manager->sequence();
    const Reasons reasons = lose(
        *manager, 1, [&] { sequence->evalAsync<kp::OpAlgoDispatch>(named(*manager, x, "last")); },
        [&] { sequence->evalAwait(); });
    ASSERT_EQ(reasons.size(), 1u);
    EXPECT_TRUE(
        contains(reasons[0], "operation 1 of 1 of a sequence was under way: dispatch of 'last'"));
}

TEST_P(Breadcrumbs, NameLaunchersAndTheirQueue) {
    const auto manager = makeManager();
    const auto x = manager->tensorT<uint32_t>({1, 2, 3, 4});
    kp::KernelOptions options;
    options.globalSize = kp::WorkSize(4);
    kp::KernelLauncher launcher("decay", kp::Kernel(*manager, addShader(1)), {x}, options);
    std::vector<kp::Event> events;
    const auto submit = [&] {
        for (int i = 0; i < 8; ++i) // gathered, if the queue is busy
            events.push_back(launcher().value());
    };
    const Reasons reasons = lose(*manager, 1, submit, [&] { kp::Event::waitAll(events); });
    ASSERT_FALSE(reasons.empty());
    for (const std::string& reason : reasons) {
        EXPECT_TRUE(contains(reason, " of launches on queue 0"));
        EXPECT_TRUE(contains(reason, "dispatch of 'decay'"));
    }
}

TEST_P(Breadcrumbs, NameTheOperationThatADispatchIsAPartOf) {
    const auto manager = makeManager();
    const auto x = manager->tensorT<float>(std::vector<float>(5000, 1));
    const auto sum = manager->tensorT<float>({0});
    const auto sequence = manager->sequence();
    const auto submit = [&] {
        sequence->evalAsync<kp::OpReduce>(x, sum, kp::ReduceOperation::eSum);
    };
    const Reasons reasons = lose(*manager, 1, submit, [&] { sequence->evalAwait(); });
    ASSERT_FALSE(reasons.empty());
    EXPECT_TRUE(contains(reasons[0], "under way: kp::OpReduce, part 1"));
}

TEST_P(Breadcrumbs, AreFollowedByWorkInItsOrder) {
    const auto manager = makeManager();
    const auto x = manager->tensorT<uint32_t>({1, 2});
    const auto sequence = manager->sequence();
    for (uint32_t i = 0; i < 20; ++i)
        sequence->record<kp::OpAlgoDispatch>(manager->algorithm({x}, addShader(i)));
    sequence->eval();
    sequence->eval();
    EXPECT_EQ(onDevice<uint32_t>(*x), (std::vector<uint32_t>{381, 382}));
    EXPECT_EQ(manager->underWay(), Reasons{});
}

TEST_P(Breadcrumbs, AreLeftOutUnlessAskedFor) {
    const auto manager = makeManager(false);
    const auto x = manager->tensorT<uint32_t>({1, 2, 3, 4});
    EXPECT_ERROR(kp::InvalidArgument, "KOMPUTE_BREADCRUMBS=1", manager->underWay());
    mDriver.stopAt(1);
    mDriver.fail("vkQueueSubmit", 1, VK_ERROR_DEVICE_LOST, FaultyDriver::Often::eFromThenOn);
    try {
        manager->sequence()->eval<kp::OpAlgoDispatch>(named(*manager, x, "last"));
        FAIL() << "nothing was thrown";
    } catch (const kp::DeviceLost& error) {
        EXPECT_TRUE(error.reasons().empty());
        EXPECT_TRUE(
            contains(std::string(error.what()), "KOMPUTE_BREADCRUMBS=1 names the operation"));
    }
}

INSTANTIATE_TEST_SUITE_P(Device, Breadcrumbs, ::testing::Values("", kExtensions[0], kExtensions[1]),
                         [](const auto& parameter) {
                             const std::string name = parameter.param;
                             return name.empty() ? "Fills" : name.substr(3);
                         });

/// With the device's own breadcrumbs.
class UnderWay : public ::testing::Test {
protected:
    static std::unique_ptr<kp::Manager> makeManager() {
        kp::ManagerOptions options;
        options.breadcrumbs = true;
        options.shareDevice = false;
        return std::make_unique<kp::Manager>(options);
    }
};

TEST_F(UnderWay, TellsWhatTheDeviceWorksOnAfterATimeout) {
    const auto manager = makeManager();
    const auto x = manager->tensorT<uint32_t>({0});
    const auto sequence = manager->sequence();
    sequence->setName("endless");
    sequence->record<kp::OpSyncDevice>({x});
    recordSlowWork(*manager, *sequence, x);
    sequence->evalAsync()->evalAwait(20'000'000);
    ASSERT_TRUE(sequence->timedOut()) << "the work was too fast for this test";
    const Reasons texts = manager->underWay();
    ASSERT_FALSE(texts.empty());
    EXPECT_TRUE(
        contains(texts[0], "of sequence 'endless' was under way: dispatch of a shader with "));
    sequence->setName("renamed");
    EXPECT_TRUE(contains(manager->underWay().at(0), "of sequence 'renamed'"));
    manager->waitIdle();
    EXPECT_EQ(manager->underWay(), Reasons{});
}

TEST_F(UnderWay, IsPartOfTheWarningAboutWorkThatNobodyWaitsFor) {
    setEndLimit(std::chrono::milliseconds(20));
    {
        auto manager = makeManager();
        const auto x = manager->tensorT<uint32_t>({0});
        auto sequence = manager->sequence();
        sequence->setName("endless");
        recordSlowWork(*manager, *sequence, x);
        sequence->evalAsync()->evalAwait(1000);
        EXPECT_FALSE(manager->finish());
        EXPECT_TRUE(contains(logText(), "still works after 20 ms"));
        EXPECT_TRUE(contains(logText(), "of sequence 'endless' was under way: dispatch of "));
        manager->waitIdle();
    }
    setEndLimit(std::chrono::seconds(10));
}

TEST_F(UnderWay, IsKnownWithTheEnvironmentVariable) {
    const ScopedEnvironment variable("KOMPUTE_BREADCRUMBS", "1");
    kp::Manager manager;
    EXPECT_EQ(manager.underWay(), Reasons{});
}

} // namespace
} // namespace kp::test
