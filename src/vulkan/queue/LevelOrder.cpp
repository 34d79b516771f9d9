// SPDX-License-Identifier: Apache-2.0
#include "vulkan/queue/LevelOrder.hpp"

#include <algorithm>
#include <numeric>

namespace kp::vulkan {

void LevelOrder::add(std::span<const HazardAccess> accesses) {
    const auto number = static_cast<uint32_t>(mLevels.size() + 1);
    uint32_t level = 0;
    bool barrier = false;
    for (const HazardAccess& access : accesses) {
        if (access.memory >= mMemory.size())
            mMemory.resize(access.memory + size_t{1});
        const MemoryLevels& memory = mMemory[access.memory];
        level = std::max(level, memory.afterWrites);
        barrier |= memory.lastWrite > 0 && memory.lastWrite >= mLastBarrier;
        if (access.writes) {
            level = std::max(level, memory.afterReads);
            barrier |= memory.lastRead > 0 && memory.lastRead >= mLastBarrier;
        }
    }
    if (barrier) {
        ++mBarriers;
        mLastBarrier = number;
    }
    for (const HazardAccess& access : accesses) {
        MemoryLevels& memory = mMemory[access.memory];
        if (access.writes) {
            memory.afterWrites = std::max(memory.afterWrites, level + 1);
            memory.lastWrite = number;
        }
        if (access.reads) {
            memory.afterReads = std::max(memory.afterReads, level + 1);
            memory.lastRead = number;
        }
    }
    mLevels.push_back(level);
    mLevelCount = std::max(mLevelCount, level + 1);
}

const std::vector<uint32_t>& LevelOrder::sorted() {
    if (mBarriers < mLevelCount) { // a barrier between any two levels is the least
        mSorted.resize(mLevels.size());
        std::iota(mSorted.begin(), mSorted.end(), 0u);
        return mSorted;
    }
    mStarts.assign(mLevelCount + size_t{1}, 0);
    for (const uint32_t level : mLevels)
        ++mStarts[level + size_t{1}];
    for (size_t level = 0; level < mLevelCount; ++level)
        mStarts[level + 1] += mStarts[level];
    mSorted.resize(mLevels.size());
    for (uint32_t operation = 0; operation < mLevels.size(); ++operation)
        mSorted[mStarts[mLevels[operation]]++] = operation;
    return mSorted;
}

void LevelOrder::clear() {
    mMemory.clear();
    mLevels.clear();
    mLevelCount = 0;
    mBarriers = 0;
    mLastBarrier = 0;
}

} // namespace kp::vulkan
