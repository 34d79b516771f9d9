// SPDX-License-Identifier: Apache-2.0
#include "device/launch/LaunchSupport.hpp"

namespace kp::test {
namespace {

using IterativeLauncherTest = LaunchTest;

TEST_F(IterativeLauncherTest, EqualsAListOfFixedLaunchers) {
    auto iterated = floats({1});
    auto listed = floats({1});
    int restarts = 0;
    auto offsets = std::make_shared<kp::ParameterYielder>([&]() -> kp::ParameterSequence {
        ++restarts;
        return [next = 0]() mutable -> std::optional<kp::ArgumentValue> {
            return next == 3 ? std::nullopt
                             : std::optional<kp::ArgumentValue>(static_cast<float>(++next));
        };
    });
    kp::IterativeKernelLauncher launcher(
        "loop", scale, {{"scale", 1}, {"offset", 2}}, {{0, iterated}},
        {{"scale", yielder({2.0f, 3.0f})}, {"offset", offsets}}, sized(1));
    EXPECT_EQ(launcher.iterParameters().size(), 6u);
    EXPECT_EQ(launcher.iterParameters()[1][0], kp::ArgumentValue(2.0f));
    EXPECT_EQ(launcher.iterParameters()[1][1], kp::ArgumentValue(2.0f));
    EXPECT_TRUE(launcher.parameters().empty());
    kp::KernelListLauncher list("list");
    for (const float scaleBy : {2.0f, 3.0f})
        for (const float add : {1.0f, 2.0f, 3.0f})
            list += fixed("one", listed, scaleBy, add);
    restarts = 0;
    for (int i = 0; i < 2; ++i) {
        launcher(on(queue))->wait();
        list(queue).wait();
        EXPECT_EQ(iterated->vector(), listed->vector());
    }
    EXPECT_EQ(restarts, 2);
    EXPECT_NE(listed->vector()[0], 1.0f);
}

TEST_F(IterativeLauncherTest, ZipsItsGenerators) {
    auto tensor = floats({1});
    const kp::ParametersMap map{{"scale", 1}, {"offset", 2}};
    kp::IterativeKernelLauncher zip(
        "zip", scale, map, {{0, tensor}},
        {{"scale", yielder({2.0f, 3.0f})}, {"offset", yielder({1.0f, 5.0f})}}, sized(1),
        kp::IterationMode::eZip);
    zip(on(queue))->wait();
    EXPECT_EQ(tensor->vector()[0], 14.0f);
    kp::IterativeKernelLauncher uneven(
        "uneven", scale, map, {{0, tensor}},
        {{"scale", yielder({2.0f, 3.0f})}, {"offset", yielder({1.0f})}}, sized(1),
        kp::IterationMode::eZip);
    EXPECT_ERROR(InvalidArgument, "the generator of 'offset' ends early: it gave 1",
                 uneven(on(queue)));
    kp::IterativeKernelLauncher none("none", scale, map, {{0, tensor}}, {{"scale", yielder({})}},
                                     sized(1));
    none(on(queue, {}, {{"offset", 1.0f}}))->wait();
    EXPECT_EQ(tensor->vector()[0], 14.0f);
    EXPECT_ERROR(
        InvalidArgument, "'dt' is not in the parameters map",
        kp::IterativeKernelLauncher("x", scale, map, {{0, tensor}}, {{"dt", yielder({})}}));
    EXPECT_ERROR(InvalidArgument, "has no generator",
                 kp::IterativeKernelLauncher("x", scale, map, {{0, tensor}}, {{"scale", nullptr}}));
    kp::IterativeKernelLauncher wrong("wrong", scale, map, {{0, tensor}},
                                      {{"scale", yielder({2.0f, 3})}}, sized(1));
    EXPECT_ERROR(InvalidArgument, "is a float, but was given int",
                 wrong(on(queue, {}, {{"offset", 1.0f}})));
    EXPECT_EQ(tensor->vector()[0], 14.0f);
}

TEST_F(IterativeLauncherTest, EndsWithABarrierOnRequest) {
    auto tensor = floats({1});
    kp::IterativeKernelLauncher launcher("loop", scale, {{"scale", 1}}, {{0, tensor}, {2, 0.0f}},
                                         {{"scale", yielder({2.0f, 3.0f})}}, sized(1));
    for (const bool inOrder : {true, false}) {
        const auto used = manager.queue(0, inOrder);
        kp::LaunchOptions call = on(used);
        call.enqueueBarrier = false;
        EXPECT_FALSE(launcher(call).has_value());
        kp::UserEvent gate;
        const kp::Event earlier = used->hostFunction([] {}, {gate});
        call.enqueueBarrier = true;
        const std::optional<kp::Event> event = launcher(call);
        ASSERT_TRUE(event.has_value());
        EXPECT_FALSE(event->wait(1'000'000));
        gate.set();
        event->wait();
        EXPECT_TRUE(earlier.done());
    }
    EXPECT_EQ(tensor->vector()[0], 6.0f * 6 * 6 * 6);
}

} // namespace
} // namespace kp::test
