// SPDX-License-Identifier: Apache-2.0
#include "core/queue/HostWorkers.hpp"

#include <future>
#include <thread>

#include <gtest/gtest.h>

namespace kp::test {
namespace {

using namespace std::chrono_literals;

/// Longer than anything here takes.
constexpr auto kForever = 60s;

TEST(HostWorkers, ReleaseAnObjectOnceTheTaskThatKeepsItHasEnded) {
    auto object = std::make_shared<int>(1);
    const std::weak_ptr<int> seen = object;
    std::promise<void> begun;
    HostWorkers::instance().post([object, &begun] {
        begun.set_value();
        std::this_thread::sleep_for(50ms);
    });
    begun.get_future().wait();
    EXPECT_TRUE(HostWorkers::instance().release(std::move(object), kForever));
    EXPECT_TRUE(seen.expired());
}

TEST(HostWorkers, DoNotWaitForOwnersWhoHaveNoTask) {
    const auto object = std::make_shared<int>(1);
    EXPECT_FALSE(HostWorkers::instance().release(object, kForever));
}

TEST(HostWorkers, WaitForATaskNoLongerThanToTheLimit) {
    const auto object = std::make_shared<int>(1);
    std::promise<void> released;
    HostWorkers::instance().post([future = released.get_future().share()] { future.wait(); });
    EXPECT_FALSE(HostWorkers::instance().release(object, 20ms));
    released.set_value();
}

TEST(HostWorkers, DoNotWaitForThemselves) {
    const auto object = std::make_shared<int>(1);
    std::promise<bool> found;
    HostWorkers::instance().post(
        [&] { found.set_value(HostWorkers::instance().release(object, kForever)); });
    EXPECT_FALSE(found.get_future().get());
}

} // namespace
} // namespace kp::test
