// SPDX-License-Identifier: Apache-2.0
//
// Checks the hazard tracker, and the order by levels, against an oracle, which does not share their
// algorithms: it compares all pairs of accesses in a program of operations.
#include "vulkan/queue/HazardTracker.hpp"
#include "vulkan/queue/LevelOrder.hpp"

#include <algorithm>
#include <functional>
#include <iostream>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace kp::vulkan::test {
namespace {

constexpr WorkKinds kAllKinds = (1u << kWorkKinds) - 1;

struct Operation {
    bool unknown = false;
    std::vector<HazardAccess> accesses;

    bool touchesSomething() const { return unknown || !accesses.empty(); }
};

using Program = std::vector<Operation>;
using Barriers = std::vector<HazardBarrier>; ///< the barrier before each operation

/// Two operations that must run one after the other.
struct Conflict {
    size_t first;
    size_t second;
    bool unknown; ///< only a full barrier orders them
    WorkKind firstKind = WorkKind::eCompute;
    WorkKind secondKind = WorkKind::eCompute;
};

std::vector<Conflict> conflictsBetween(const Program& program, size_t first, size_t second) {
    const Operation& one = program[first];
    const Operation& other = program[second];
    if (!one.touchesSomething() || !other.touchesSomething())
        return {};
    if (one.unknown || other.unknown)
        return {{first, second, true}};
    std::vector<Conflict> conflicts;
    for (const HazardAccess& x : one.accesses)
        for (const HazardAccess& y : other.accesses)
            if (x.memory == y.memory && (x.writes || y.writes))
                conflicts.push_back({first, second, false, x.kind, y.kind});
    return conflicts;
}

bool orders(const HazardBarrier& barrier, const Conflict& conflict) {
    if (barrier.everything)
        return true;
    return !conflict.unknown && (barrier.before & bit(conflict.firstKind)) &&
           (barrier.after & bit(conflict.secondKind));
}

bool ordered(const Barriers& barriers, const Conflict& conflict, size_t end) {
    for (size_t at = conflict.first + 1; at < end; ++at)
        if (orders(barriers[at], conflict))
            return true;
    return false;
}

/// Describes a fault of @p barriers. Empty if they are correct and none could be removed or
/// narrowed.
std::string faultOf(const Program& program, const Barriers& barriers) {
    for (size_t second = 0; second < program.size(); ++second) {
        const HazardBarrier& barrier = barriers[second];
        HazardBarrier needed;
        for (size_t first = 0; first < second; ++first)
            for (const Conflict& conflict : conflictsBetween(program, first, second)) {
                if (ordered(barriers, conflict, second))
                    continue;
                if (!orders(barrier, conflict))
                    return "operations " + std::to_string(first) + " and " +
                           std::to_string(second) + " are not ordered";
                if (conflict.unknown) {
                    needed.everything = true;
                } else {
                    needed.before |= bit(conflict.firstKind);
                    needed.after |= bit(conflict.secondKind);
                }
            }
        const std::string place = " before operation " + std::to_string(second);
        if (barrier.needed() && !needed.needed())
            return "an unneeded barrier" + place;
        if (barrier.everything && !needed.everything)
            return "a full barrier" + place + " although a narrower one suffices";
        if (!barrier.everything &&
            (barrier.before != needed.before || barrier.after != needed.after))
            return "unneeded kinds of work in the barrier" + place;
    }
    return {};
}

/// Passes one operation to a tracker, correctly or with a planted fault.
using TrackStep = std::function<HazardBarrier(HazardTracker&, const Operation&)>;

HazardBarrier track(HazardTracker& tracker, const Operation& operation) {
    return operation.unknown ? tracker.nextUnknown() : tracker.next(operation.accesses);
}

Barriers run(HazardTracker& tracker, const Program& program, const TrackStep& step = track) {
    tracker.reset();
    Barriers barriers;
    for (const Operation& operation : program)
        barriers.push_back(step(tracker, operation));
    return barriers;
}

std::string describe(const Program& program, const Barriers& barriers) {
    std::string text;
    for (size_t i = 0; i < program.size(); ++i) {
        const HazardBarrier& barrier = barriers[i];
        if (barrier.everything)
            text += "barrier everything\n";
        else if (barrier.needed())
            text += "barrier " + std::to_string(barrier.before) + " -> " +
                    std::to_string(barrier.after) + "\n";
        text += std::to_string(i) + (program[i].unknown ? ": unknown" : ":");
        for (const HazardAccess& access : program[i].accesses)
            text += " " + std::to_string(access.memory) + "/" +
                    "cti"[static_cast<size_t>(access.kind)] + (access.reads ? "r" : "") +
                    (access.writes ? "w" : "");
        text += "\n";
    }
    return text;
}

/// Returns one of the ways to access one of @p memories memories. They differ in the memory, the
/// kind of work, and whether it reads, writes or both.
HazardAccess accessNumber(size_t number, size_t memories) {
    const size_t use = number / memories % 3;
    return {static_cast<uint32_t>(number % memories), static_cast<WorkKind>(number / memories / 3),
            use != 1, use != 0};
}

class RandomPrograms {
public:
    explicit RandomPrograms(uint32_t seed) : mRandom(seed) {}

    Program next() {
        const size_t memories = 1 + below(6);
        const size_t maxAccesses = 1 + below(4);
        const size_t unknownOneIn = below(3) == 0 ? 8 : 0;
        const bool oneKind = below(3) == 0;
        Program program(1 + below(24));
        for (Operation& operation : program) {
            if (unknownOneIn != 0 && below(unknownOneIn) == 0) {
                operation.unknown = true;
                continue;
            }
            for (size_t count = below(maxAccesses + 1); count > 0; --count)
                operation.accesses.push_back(
                    accessNumber(below(memories * 3 * (oneKind ? 1 : kWorkKinds)), memories));
        }
        return program;
    }

    size_t below(size_t limit) {
        return std::uniform_int_distribution<size_t>(0, limit - 1)(mRandom);
    }

private:
    std::mt19937 mRandom;
};

TEST(HazardOracle, AcceptsTheTrackerOnEveryShortProgram) {
    constexpr size_t kMemories = 2;
    constexpr size_t kAccesses = kMemories * 3 * kWorkKinds;
    std::vector<Operation> choices(kAccesses + 2);
    for (size_t i = 0; i < kAccesses; ++i)
        choices[i].accesses = {accessNumber(i, kMemories)};
    choices[kAccesses].unknown = true;

    HazardTracker tracker;
    for (const Operation& first : choices)
        for (const Operation& second : choices)
            for (const Operation& third : choices)
                for (const Operation& fourth : choices) {
                    const Program program{first, second, third, fourth};
                    const Barriers barriers = run(tracker, program);
                    const std::string fault = faultOf(program, barriers);
                    ASSERT_EQ(fault, "") << describe(program, barriers);
                }
}

TEST(HazardOracle, AcceptsTheTrackerOnRandomPrograms) {
    RandomPrograms programs(1);
    HazardTracker tracker;
    size_t withBarrier = 0;
    size_t withoutBarrier = 0;
    for (int i = 0; i < 20000; ++i) {
        const Program program = programs.next();
        const Barriers barriers = run(tracker, program);
        const std::string fault = faultOf(program, barriers);
        ASSERT_EQ(fault, "") << describe(program, barriers);
        for (const HazardBarrier& barrier : barriers)
            ++(barrier.needed() ? withBarrier : withoutBarrier);
    }
    EXPECT_GT(withBarrier, 20000u);
    EXPECT_GT(withoutBarrier, 20000u);
}

/// Returns the least number of barriers if each orders all work before it against all work after
/// it, or all of
/// @p kinds: one is then best placed as late as possible.
size_t wideBarriers(const Program& program, WorkKinds kinds) {
    Barriers barriers(program.size());
    for (size_t second = 0; second < program.size(); ++second)
        for (size_t first = 0; first < second; ++first)
            for (const Conflict& conflict : conflictsBetween(program, first, second)) {
                if (ordered(barriers, conflict, second + 1))
                    continue;
                HazardBarrier& barrier = barriers[second];
                const WorkKinds needed = bit(conflict.firstKind) | bit(conflict.secondKind);
                barrier.everything |= conflict.unknown;
                barrier.before |= kinds | (conflict.unknown ? 0 : needed);
                barrier.after = barrier.before;
            }
    return static_cast<size_t>(
        std::ranges::count_if(barriers, [](const HazardBarrier& each) { return each.needed(); }));
}

bool onlyDispatches(const Operation& operation) {
    return !operation.unknown &&
           std::ranges::all_of(operation.accesses, [](const HazardAccess& access) {
               return access.kind == WorkKind::eCompute;
           });
}

/// What the tracker gives up because its barriers name no kind of work without a conflict:
/// docs/contributing/architecture.md quotes the figures.
TEST(HazardOracle, WiderBarriersWouldBeFewer) {
    RandomPrograms programs(1);
    HazardTracker tracker;
    size_t narrow = 0;
    size_t withoutIndirect = 0;
    size_t wide = 0;
    for (int i = 0; i < 20000; ++i) {
        const Program program = programs.next();
        const Barriers barriers = run(tracker, program);
        const auto ofTracker = static_cast<size_t>(std::ranges::count_if(
            barriers, [](const HazardBarrier& each) { return each.needed(); }));
        const size_t least = wideBarriers(program, kAllKinds);
        if (std::ranges::all_of(program, onlyDispatches)) {
            ASSERT_EQ(ofTracker, least) << describe(program, barriers);
        }
        narrow += ofTracker;
        withoutIndirect += wideBarriers(program, kClosedKinds);
        wide += least;
    }
    std::cout << narrow << " barriers of the tracker, " << withoutIndirect
              << " against dispatches and transfers, " << wide << " against all work\n";
    EXPECT_LT(wide, withoutIndirect);
    EXPECT_LT(withoutIndirect, narrow);
}

/// Applies every single change of one kind to the barriers of random programs. The oracle must
/// detect each of them.
void expectEveryChangeDetected(
    const std::function<std::vector<HazardBarrier>(HazardBarrier)>& change) {
    RandomPrograms programs(2);
    HazardTracker tracker;
    size_t changes = 0;
    for (int i = 0; i < 1000; ++i) {
        const Program program = programs.next();
        const Barriers right = run(tracker, program);
        for (size_t at = 0; at < right.size(); ++at)
            for (const HazardBarrier& changed : change(right[at])) {
                Barriers wrong = right;
                wrong[at] = changed;
                ASSERT_NE(faultOf(program, wrong), "") << "at " << at << "\n"
                                                       << describe(program, wrong);
                ++changes;
            }
    }
    EXPECT_GT(changes, 1000u);
}

TEST(HazardOracle, DetectsAMissingBarrier) {
    expectEveryChangeDetected([](HazardBarrier barrier) {
        return barrier.needed() ? std::vector<HazardBarrier>{{}} : std::vector<HazardBarrier>{};
    });
}

TEST(HazardOracle, DetectsAnUnneededBarrier) {
    expectEveryChangeDetected([](HazardBarrier barrier) {
        if (barrier.needed())
            return std::vector<HazardBarrier>{};
        return std::vector<HazardBarrier>{
            {1, 1, false}, {kAllKinds, kAllKinds, false}, {0, 0, true}};
    });
}

TEST(HazardOracle, DetectsANarrowedBarrier) {
    expectEveryChangeDetected([](HazardBarrier barrier) {
        std::vector<HazardBarrier> narrowed;
        if (barrier.everything)
            return std::vector<HazardBarrier>{{kAllKinds, kAllKinds, false}};
        for (size_t kind = 0; kind < kWorkKinds; ++kind) {
            const WorkKinds mask = static_cast<WorkKinds>(1u << kind);
            if (barrier.before & mask)
                narrowed.push_back({WorkKinds(barrier.before & ~mask), barrier.after, false});
            if (barrier.after & mask)
                narrowed.push_back({barrier.before, WorkKinds(barrier.after & ~mask), false});
        }
        return narrowed;
    });
}

TEST(HazardOracle, DetectsAWidenedBarrier) {
    expectEveryChangeDetected([](HazardBarrier barrier) {
        std::vector<HazardBarrier> widened;
        if (!barrier.needed() || barrier.everything)
            return widened;
        widened.push_back({barrier.before, barrier.after, true});
        for (size_t kind = 0; kind < kWorkKinds; ++kind) {
            const WorkKinds mask = static_cast<WorkKinds>(1u << kind);
            if (!(barrier.before & mask))
                widened.push_back({WorkKinds(barrier.before | mask), barrier.after, false});
            if (!(barrier.after & mask))
                widened.push_back({barrier.before, WorkKinds(barrier.after | mask), false});
        }
        return widened;
    });
}

std::vector<uint32_t> levelOrder(const Program& program) {
    LevelOrder order;
    for (const Operation& operation : program)
        order.add(operation.accesses);
    return order.sorted();
}

size_t barriersOf(const Program& program) {
    HazardTracker tracker;
    const Barriers barriers = run(tracker, program);
    EXPECT_EQ(faultOf(program, barriers), "");
    return static_cast<size_t>(
        std::ranges::count_if(barriers, [](const HazardBarrier& each) { return each.needed(); }));
}

Program inOrder(const Program& program, const std::vector<uint32_t>& order) {
    Program ordered;
    for (const uint32_t number : order)
        ordered.push_back(program[number]);
    return ordered;
}

/// Returns true if operations that conflict are in @p order as they are in the program.
bool keepsConflicts(const Program& program, const std::vector<uint32_t>& order) {
    std::vector<size_t> place(program.size());
    for (size_t i = 0; i < order.size(); ++i)
        place[order[i]] = i;
    for (size_t second = 0; second < program.size(); ++second)
        for (size_t first = 0; first < second; ++first)
            if (!conflictsBetween(program, first, second).empty() && place[first] > place[second])
                return false;
    return true;
}

TEST(LevelOrder, KeepsConflictsAndNeedsNoMoreBarriersOnRandomPrograms) {
    RandomPrograms programs(4);
    size_t saved = 0;
    size_t changed = 0;
    for (int i = 0; i < 20000; ++i) {
        Program program = programs.next();
        for (Operation& operation : program) {
            operation.unknown = false;
            for (HazardAccess& access : operation.accesses)
                access.kind = WorkKind::eCompute;
        }
        const std::vector<uint32_t> order = levelOrder(program);
        ASSERT_EQ(order.size(), program.size());
        ASSERT_TRUE(keepsConflicts(program, order)) << describe(program, Barriers(program.size()));
        const size_t before = barriersOf(program);
        const size_t after = barriersOf(inOrder(program, order));
        ASSERT_LE(after, before);
        if (!std::ranges::is_sorted(order)) {
            ++changed;
            ASSERT_LT(after, before) << "an order that saves nothing";
        }
        saved += before - after;
    }
    EXPECT_GT(changed, 1000u);
    EXPECT_GT(saved, 1000u);
}

TEST(LevelOrder, ChainsGivenOneAfterTheOtherShareTheirBarriers) {
    Program program;
    for (uint32_t chain = 0; chain < 8; ++chain)
        for (int link = 0; link < 125; ++link)
            program.push_back({false, {{chain, WorkKind::eCompute, true, true}}});
    EXPECT_EQ(barriersOf(program), 8u * 124u);
    EXPECT_EQ(barriersOf(inOrder(program, levelOrder(program))), 124u);
}

/// Returns whether the oracle finds a fault in random programs.
bool detects(const TrackStep& step) {
    RandomPrograms programs(3);
    HazardTracker tracker;
    for (int i = 0; i < 1000; ++i) {
        const Program program = programs.next();
        if (!faultOf(program, run(tracker, program, step)).empty())
            return true;
    }
    return false;
}

/// Changes or removes accesses before the tracker gets them.
TrackStep
withChangedAccesses(const std::function<std::optional<HazardAccess>(HazardAccess)>& change) {
    return [change](HazardTracker& tracker, const Operation& operation) {
        Operation tracked;
        tracked.unknown = operation.unknown;
        for (const HazardAccess& access : operation.accesses)
            if (const auto changed = change(access))
                tracked.accesses.push_back(*changed);
        return track(tracker, tracked);
    };
}

TEST(HazardOracle, DetectsEveryPlantedFault) {
    EXPECT_FALSE(detects(track));
    EXPECT_TRUE(detects(withChangedAccesses([](HazardAccess access) -> std::optional<HazardAccess> {
        if (!access.writes)
            return std::nullopt; // drops reads, and with them write-after-read hazards
        return access;
    })));
    EXPECT_TRUE(detects(withChangedAccesses([](HazardAccess access) -> std::optional<HazardAccess> {
        access.kind = WorkKind::eCompute;
        return access;
    })));
    EXPECT_TRUE(detects(withChangedAccesses([](HazardAccess access) -> std::optional<HazardAccess> {
        access.writes = true; // treats every read as a write
        return access;
    })));
    EXPECT_TRUE(detects(withChangedAccesses([](HazardAccess access) -> std::optional<HazardAccess> {
        access.memory = 0; // treats all memory as one
        return access;
    })));
    EXPECT_TRUE(detects([](HazardTracker& tracker, const Operation& operation) {
        return tracker.next(operation.accesses); // treats unknown operations as known
    }));
    EXPECT_TRUE(detects([](HazardTracker& tracker, const Operation& operation) {
        HazardBarrier barrier = track(tracker, operation);
        if (barrier.needed())
            barrier.everything = true;
        return barrier;
    }));
    EXPECT_TRUE(detects([](HazardTracker& tracker, const Operation& operation) {
        const HazardBarrier barrier = track(tracker, operation);
        tracker.reset(); // remembers only the last operation
        track(tracker, operation);
        return barrier;
    }));
}

} // namespace
} // namespace kp::vulkan::test
