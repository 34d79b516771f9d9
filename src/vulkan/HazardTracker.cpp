// SPDX-License-Identifier: Apache-2.0
#include "vulkan/HazardTracker.hpp"

#include <algorithm>

namespace kp::vulkan {

void HazardTracker::reset() {
    mOperation = 0;
    mUnknownPending = false;
    mFullBarrier = 0;
    mBarriers = {};
    mMemory.clear();
}

bool HazardTracker::covered(WorkKind before, WorkKind after, uint64_t operation) const {
    const uint64_t barrier =
        std::max(mFullBarrier, mBarriers[static_cast<size_t>(before)][static_cast<size_t>(after)]);
    return barrier > operation;
}

HazardBarrier HazardTracker::next(std::span<const HazardAccess> accesses) {
    HazardBarrier barrier;
    if (accesses.empty())
        return barrier;
    ++mOperation;
    barrier.everything = mUnknownPending;

    mMemory.reserve(accesses.size());
    mStates.clear();
    for (const HazardAccess& access : accesses) {
        bool isNew = false;
        MemoryState& state = mMemory.at(access.key, isNew);
        mStates.push_back(&state);
        if (isNew)
            continue;
        for (size_t i = 0; i < kWorkKinds; ++i) {
            const WorkKind before = static_cast<WorkKind>(i);
            uint64_t last = state.lastWrite[i];
            if (access.writes)
                last = std::max(last, state.lastRead[i]);
            if (last != 0 && !covered(before, access.kind, last)) {
                barrier.before |= bit(before);
                barrier.after |= bit(access.kind);
            }
        }
    }

    if (barrier.everything) {
        mFullBarrier = mOperation;
        mUnknownPending = false;
    } else if (barrier.needed()) {
        for (size_t i = 0; i < kWorkKinds; ++i)
            for (size_t j = 0; j < kWorkKinds; ++j)
                if ((barrier.before & (1u << i)) && (barrier.after & (1u << j)))
                    mBarriers[i][j] = mOperation;
    }

    for (size_t i = 0; i < accesses.size(); ++i) {
        const HazardAccess& access = accesses[i];
        MemoryState& state = *mStates[i];
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
    // The recorder orders what came before the command buffer's first operation.
    barrier.everything = mOperation > 1;
    if (barrier.everything)
        mFullBarrier = mOperation;
    mUnknownPending = true;
    return barrier;
}

} // namespace kp::vulkan
