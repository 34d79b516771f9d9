// SPDX-License-Identifier: Apache-2.0
#include "vulkan/queue/HazardTracker.hpp"

namespace kp::vulkan {

void HazardTracker::reset() {
    mOperation = 0;
    mUnknownPending = false;
    mFullBarrier = 0;
    mBarriers = {};
    mMemory.clear();
}

void HazardTracker::noteBarrier(const HazardBarrier& barrier) {
    if (barrier.everything) {
        mFullBarrier = mOperation;
        mUnknownPending = false;
        return;
    }
    for (size_t i = 0; i < kWorkKinds; ++i) {
        if (!(barrier.before & (1u << i)))
            continue;
        for (size_t j = 0; j < kWorkKinds; ++j)
            if (barrier.after & (1u << j))
                mBarriers[i][j] = mOperation;
    }
}

HazardBarrier HazardTracker::next(std::span<const HazardAccess> accesses) {
    HazardBarrier barrier;
    if (accesses.empty())
        return barrier;
    ++mOperation;
    barrier.everything = mUnknownPending;

    for (const HazardAccess& access : accesses) {
        if (access.memory >= mMemory.size()) {
            while (access.memory >= mMemory.size())
                mMemory.emplace_back();
            continue;
        }
        const MemoryState& state = mMemory[access.memory];
        for (size_t before = 0; before < kWorkKinds; ++before) {
            uint32_t last = state.lastWrite[before];
            if (access.writes)
                last = std::max(last, state.lastRead[before]);
            if (last != 0 && !covered(before, access.kind, last)) {
                barrier.before |= bit(static_cast<WorkKind>(before));
                barrier.after |= bit(access.kind);
            }
        }
    }

    if (barrier.needed())
        noteBarrier(barrier);

    for (const HazardAccess& access : accesses) {
        MemoryState& state = mMemory[access.memory];
        const size_t kind = static_cast<size_t>(access.kind);
        if (access.writes)
            state.lastWrite[kind] = mOperation;
        if (access.reads)
            state.lastRead[kind] = mOperation;
    }
    return barrier;
}

HazardBarrier HazardTracker::nextUnknown() {
    ++mOperation;
    HazardBarrier barrier;
    // The recorder orders earlier work against the first operation of the command buffer.
    barrier.everything = mOperation > 1;
    if (barrier.everything)
        mFullBarrier = mOperation;
    mUnknownPending = true;
    return barrier;
}

} // namespace kp::vulkan
