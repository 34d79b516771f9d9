// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "TestSupport.hpp"

namespace kp::test {
namespace {

class TimestampTest : public DeviceTest {
protected:
    std::shared_ptr<kp::TensorT<uint32_t>> t = manager.tensorT<uint32_t>({0, 0, 0});

    void SetUp() override {
        if (!manager.deviceInfo().timestamps) {
            EXPECT_THROW(manager.sequence(0, 5), kp::Unsupported);
            GTEST_SKIP() << "the device has no timestamps";
        }
    }
};

TEST_F(TimestampTest, OneAtTheStartAndOneAfterEachOperation) {
    auto algorithm = manager.algorithm({t}, addShader(1));
    auto sq = manager.sequence(0, 100);
    sq->record<kp::OpSyncDevice>({t});
    for (int i = 0; i < 3; ++i)
        sq->record<kp::OpAlgoDispatch>(algorithm);
    sq->record<kp::OpSyncLocal>({t})->eval();
    EXPECT_EQ(sq->getTimestamps().size(), 6u);
    const auto ns = sq->getTimestampsNs();
    EXPECT_EQ(ns.size(), 6u);
    EXPECT_TRUE(std::is_sorted(ns.begin(), ns.end()));
    EXPECT_EQ(t->vector()[0], 3u);
}

TEST_F(TimestampTest, ResetAtEachEvaluation) {
    auto sq = manager.sequence(0, 2);
    sq->record<kp::OpSyncDevice>({t});
    sq->record<kp::OpAlgoDispatch>(manager.algorithm({t}, addShader(1)));
    uint64_t last = 0;
    for (int round = 0; round < 5; ++round) {
        sq->eval();
        const auto ticks = sq->getTimestamps();
        ASSERT_EQ(ticks.size(), 3u);
        EXPECT_TRUE(std::is_sorted(ticks.begin(), ticks.end()));
        EXPECT_GT(ticks.front(), last) << "the times of an earlier evaluation";
        last = ticks.back();
    }
}

TEST_F(TimestampTest, MeasureTheWork) {
    auto counter = manager.tensorT<uint32_t>({0});
    auto sq = manager.sequence(0, 5000);
    sq->record<kp::OpSyncDevice>({counter});
    const uint32_t steps = recordSlowWork(manager, *sq, counter);
    sq->eval();
    const auto ns = sq->getTimestampsNs();
    EXPECT_EQ(ns.size(), steps + 2u);
    EXPECT_GT(ns.back() - ns.front(), 1'000'000u);
    EXPECT_LT(ns.back() - ns.front(), 60'000'000'000u);
}

TEST_F(TimestampTest, AfterANewRecordingOnlyItsOwn) {
    auto algorithm = manager.algorithm({t}, addShader(1));
    auto sq = manager.sequence(0, 4);
    sq->record<kp::OpAlgoDispatch>(algorithm)->record<kp::OpAlgoDispatch>(algorithm)->eval();
    EXPECT_EQ(sq->getTimestamps().size(), 3u);
    sq->record<kp::OpAlgoDispatch>(algorithm)->eval();
    EXPECT_EQ(sq->getTimestamps().size(), 2u);
}

TEST_F(TimestampTest, ANewRecordingThatDidNotRunHasNone) {
    auto algorithm = manager.algorithm({t}, addShader(1));
    auto sq = manager.sequence(0, 8);
    sq->record<kp::OpAlgoDispatch>(algorithm)->eval();
    sq->record<kp::OpAlgoDispatch>(algorithm);
    sq->record<kp::OpAlgoDispatch>(algorithm)->record<kp::OpAlgoDispatch>(algorithm);
    EXPECT_THROW(sq->getTimestamps(), kp::InvalidArgument);
    sq->eval();
    EXPECT_EQ(sq->getTimestamps().size(), 4u);
}

TEST_F(TimestampTest, NotAskedForThrows) {
    auto sq = manager.sequence();
    sq->eval<kp::OpSyncDevice>({t});
    EXPECT_ERROR(kp::InvalidArgument, "timestamp", sq->getTimestamps());
    EXPECT_THROW(sq->getTimestampsNs(), std::runtime_error);
}

TEST_F(TimestampTest, MoreOperationsThanAskedFor) {
    auto algorithm = manager.algorithm({t}, addShader(1));
    auto sq = manager.sequence(0, 1);
    sq->record<kp::OpSyncDevice>({t});
    sq->record<kp::OpAlgoDispatch>(algorithm)->record<kp::OpAlgoDispatch>(algorithm);
    sq->eval(); // the work itself is not disturbed
    EXPECT_EQ(onDevice<uint32_t>(*t)[0], 2u);
    EXPECT_THROW(sq->getTimestamps(), kp::InvalidArgument);
}

TEST_F(TimestampTest, BeforeAnEvaluationAndAfterATimeout) {
    auto sq = manager.sequence(0, 5000);
    // Nothing was waited for: an error or no times, but never a hang.
    try {
        EXPECT_TRUE(sq->getTimestamps().empty());
    } catch (const kp::InvalidArgument&) {
    }
    auto counter = manager.tensorT<uint32_t>({0});
    recordSlowWork(manager, *sq, counter);
    sq->evalAsync();
    sq->evalAwait(1000);
    try {
        EXPECT_TRUE(sq->getTimestamps().empty());
    } catch (const kp::InvalidArgument&) {
    }
}

} // namespace
} // namespace kp::test
