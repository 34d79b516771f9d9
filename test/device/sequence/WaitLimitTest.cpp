// SPDX-License-Identifier: Apache-2.0
//
// Transfers that do not wait for long.
#include <kompute/queue/WaitLimit.hpp>

#include "../TestSupport.hpp"

namespace kp::test {
namespace {

class WaitLimitTest : public DeviceTest {};

TEST_F(WaitLimitTest, EndsTransfersThatWouldWaitForLong) {
    const auto counter = manager.tensorT<uint32_t>({0});
    const auto storage = manager.tensorT<uint32_t>({0}, kp::Memory::MemoryTypes::eStorage);
    const auto sq = manager.sequence();
    sq->eval<kp::OpSyncDevice>({counter});
    sq->eval<kp::OpFill>({storage}, 3u);
    sq->clear();
    const uint32_t steps = recordSlowWork(manager, *sq, counter);
    sq->record<kp::OpCopy>({counter, storage});
    sq->evalAsync();
    const auto givesUp = [](auto&& call, uint64_t nanoseconds = 1000) {
        const kp::WaitLimit limit(nanoseconds);
        try {
            call();
        } catch (const kp::Error& error) {
            return kp::WaitLimit::caused(error);
        }
        return false;
    };
    uint32_t value = 0;
    EXPECT_TRUE(givesUp([&] { counter->download(&value, 4); }));
    EXPECT_TRUE(givesUp([&] { storage->download(&value, 4); }));
    EXPECT_TRUE(givesUp([&] { counter->rawData(); }));
    EXPECT_TRUE(givesUp([&] { counter->vector(); }));
    EXPECT_FALSE(sq->event().done()) << "the work was too fast for this test";
    EXPECT_EQ(kp::WaitLimit::current(), UINT64_MAX);
    EXPECT_EQ(value, 0u);
    storage->download(&value, 4);
    EXPECT_EQ(value, steps);
    EXPECT_EQ(counter->vector(), std::vector<uint32_t>{steps});
    constexpr uint64_t kSecond = 1'000'000'000;
    EXPECT_FALSE(givesUp([&] { storage->download(&value, 4); }, kSecond)); // no earlier work
    sq->evalAwait();
}

} // namespace
} // namespace kp::test
