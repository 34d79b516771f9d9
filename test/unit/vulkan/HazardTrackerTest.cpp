// SPDX-License-Identifier: Apache-2.0
#include "vulkan/queue/HazardTracker.hpp"

#include <vector>

#include <gtest/gtest.h>

namespace kp::vulkan::test {
namespace {

constexpr WorkKinds kDispatches = bit(WorkKind::eCompute);
constexpr WorkKinds kTransfer = bit(WorkKind::eTransfer);
constexpr WorkKinds kIndirect = bit(WorkKind::eIndirect);

constexpr uint32_t a = 0;
constexpr uint32_t b = 1;
constexpr uint32_t c = 2;

HazardAccess reads(uint32_t memory, WorkKind kind = WorkKind::eCompute) {
    return {memory, kind, true, false};
}
HazardAccess writes(uint32_t memory, WorkKind kind = WorkKind::eCompute) {
    return {memory, kind, false, true};
}
HazardAccess updates(uint32_t memory, WorkKind kind = WorkKind::eCompute) {
    return {memory, kind, true, true};
}

class HazardTrackerTest : public ::testing::Test {
protected:
    HazardBarrier next(std::initializer_list<HazardAccess> accesses) {
        return mTracker.next(std::span(accesses.begin(), accesses.size()));
    }

    void expectBarrier(const HazardBarrier& barrier, WorkKinds before, WorkKinds after) {
        EXPECT_TRUE(barrier.needed());
        EXPECT_FALSE(barrier.everything);
        EXPECT_EQ(barrier.before, before);
        EXPECT_EQ(barrier.after, after);
    }

    HazardTracker mTracker;
};

TEST_F(HazardTrackerTest, NeedsNoBarrierBeforeTheFirstOperation) {
    EXPECT_FALSE(next({updates(a), writes(b)}).needed());
}

TEST_F(HazardTrackerTest, OrdersAReadAfterAWrite) {
    next({writes(a)});
    expectBarrier(next({reads(a)}), kDispatches, kDispatches);
}

TEST_F(HazardTrackerTest, OrdersAWriteAfterARead) {
    next({reads(a)});
    expectBarrier(next({writes(a)}), kDispatches, kDispatches);
}

TEST_F(HazardTrackerTest, OrdersAWriteAfterAWrite) {
    next({writes(a)});
    expectBarrier(next({writes(a)}), kDispatches, kDispatches);
}

TEST_F(HazardTrackerTest, NeedsNoBarrierBetweenReads) {
    next({reads(a)});
    EXPECT_FALSE(next({reads(a)}).needed());
    EXPECT_FALSE(next({reads(a, WorkKind::eTransfer)}).needed());
}

TEST_F(HazardTrackerTest, NeedsNoBarrierBetweenOperationsOnDifferentMemory) {
    next({updates(a)});
    EXPECT_FALSE(next({updates(b)}).needed());
    EXPECT_FALSE(next({updates(c)}).needed());
}

TEST_F(HazardTrackerTest, AnOperationNeverConflictsWithItself) {
    EXPECT_FALSE(next({writes(a), reads(a), updates(a), reads(a, WorkKind::eIndirect)}).needed());
}

TEST_F(HazardTrackerTest, TheBarrierNamesTheKindsOfWorkOnBothSides) {
    next({writes(a, WorkKind::eTransfer)});
    expectBarrier(next({reads(a)}), kTransfer, kDispatches);
    expectBarrier(next({writes(a, WorkKind::eTransfer)}), kTransfer | kDispatches, kTransfer);
    expectBarrier(next({reads(a, WorkKind::eIndirect)}), kTransfer, kIndirect);
}

TEST_F(HazardTrackerTest, OrdersAnIndirectDispatchAfterItsCountsAreWritten) {
    next({writes(a)});
    expectBarrier(next({reads(a, WorkKind::eIndirect), writes(b)}), kDispatches, kIndirect);
}

TEST_F(HazardTrackerTest, OneBarrierCoversTheHazardsOfManyMemories) {
    next({writes(a)});
    next({writes(b)});
    next({writes(c)});
    expectBarrier(next({reads(a)}), kDispatches, kDispatches);
    EXPECT_FALSE(next({reads(b)}).needed());
    EXPECT_FALSE(next({writes(c)}).needed());
}

TEST_F(HazardTrackerTest, ABarrierDoesNotCoverLaterOperations) {
    next({writes(a)});
    next({reads(a), writes(b)});
    expectBarrier(next({reads(b)}), kDispatches, kDispatches);
}

TEST_F(HazardTrackerTest, ABarrierDoesNotCoverOtherKindsOfWork) {
    next({writes(a)});
    expectBarrier(next({reads(a)}), kDispatches, kDispatches);
    expectBarrier(next({reads(a, WorkKind::eTransfer)}), kDispatches, kTransfer);
    EXPECT_FALSE(next({reads(a, WorkKind::eTransfer)}).needed());
}

TEST_F(HazardTrackerTest, ManyReadersOfOneWriteShareOneBarrier) {
    next({writes(a)});
    EXPECT_TRUE(next({reads(a), writes(b)}).needed());
    EXPECT_FALSE(next({reads(a), writes(c)}).needed());
    EXPECT_FALSE(next({reads(a)}).needed());
    expectBarrier(next({writes(a)}), kDispatches, kDispatches);
}

TEST_F(HazardTrackerTest, RemembersAnEarlierReadOfAnotherKind) {
    next({reads(a, WorkKind::eTransfer)});
    next({reads(a)});
    expectBarrier(next({writes(a)}), kTransfer | kDispatches, kDispatches);
}

TEST_F(HazardTrackerTest, NeedsNoBarrierAmongIndependentOperations) {
    for (uint32_t memory = 0; memory < 1000; ++memory)
        EXPECT_FALSE(next({updates(memory)}).needed());
}

TEST_F(HazardTrackerTest, NeedsOneBarrierBetweenNeighbouringDependentOperations) {
    size_t barriers = 0;
    for (int i = 0; i < 1000; ++i)
        barriers += next({updates(a)}).needed();
    EXPECT_EQ(barriers, 999u);
}

TEST_F(HazardTrackerTest, NeedsNoBarrierBetweenOperationsThatShareOnlyInputs) {
    for (uint32_t output = c; output < c + 100; ++output)
        EXPECT_FALSE(next({reads(a), reads(b), writes(output)}).needed());
}

TEST_F(HazardTrackerTest, OrdersAnUnknownOperationAgainstEverything) {
    next({reads(a)});
    EXPECT_TRUE(mTracker.nextUnknown().everything);
    EXPECT_TRUE(next({reads(b)}).everything);
    EXPECT_FALSE(next({reads(a)}).needed());
}

TEST_F(HazardTrackerTest, OrdersUnknownOperationsAmongThemselves) {
    EXPECT_FALSE(mTracker.nextUnknown().needed());
    EXPECT_TRUE(mTracker.nextUnknown().everything);
    EXPECT_TRUE(mTracker.nextUnknown().everything);
}

TEST_F(HazardTrackerTest, AFullBarrierCoversEarlierHazards) {
    next({writes(a)});
    next({writes(b, WorkKind::eTransfer)});
    mTracker.nextUnknown();
    EXPECT_TRUE(next({reads(c)}).everything);
    EXPECT_FALSE(next({reads(a, WorkKind::eTransfer)}).needed());
    EXPECT_FALSE(next({updates(b)}).needed());
}

TEST_F(HazardTrackerTest, AnOperationWithoutAccessesNeedsNoBarrierAndCausesNone) {
    EXPECT_FALSE(next({}).needed());
    EXPECT_FALSE(mTracker.nextUnknown().needed());
    EXPECT_FALSE(next({}).needed());
    EXPECT_TRUE(next({reads(a)}).everything);
    EXPECT_FALSE(next({}).needed());
    EXPECT_FALSE(next({reads(a)}).needed());
}

TEST_F(HazardTrackerTest, ResetForgetsEarlierAccesses) {
    next({writes(a)});
    mTracker.nextUnknown();
    mTracker.reset();
    EXPECT_FALSE(next({updates(a)}).needed());
    mTracker.reset();
    EXPECT_FALSE(mTracker.nextUnknown().needed());
}

TEST_F(HazardTrackerTest, ResetForgetsEarlierBarriers) {
    next({writes(a)});
    next({writes(a)});
    next({writes(a)});
    mTracker.reset();
    next({writes(b)});
    expectBarrier(next({reads(b)}), kDispatches, kDispatches);
}

} // namespace
} // namespace kp::vulkan::test
