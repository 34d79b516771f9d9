// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "vulkan/queue/HazardTracker.hpp"

namespace kp::vulkan {

/// Orders operations so that they need few barriers. An operation has level 0 if it conflicts with
/// none before it, and otherwise one more than the highest level among those. Sorted by level, all
/// operations of a level run side by side and share one barrier: k independent chains of n
/// operations, given one chain after the other, need n - 1 barriers instead of k * (n - 1). This is
/// list scheduling by ASAP levels (De Micheli, Synthesis and Optimization of Digital Circuits,
/// 5.2). Calls no Vulkan. Not thread-safe.
class LevelOrder {
public:
    /// Adds the next operation.
    void add(std::span<const HazardAccess> accesses);
    /// Returns the operations, numbered from 0 as they were added, by level. Operations of one
    /// level keep their order, and all do if another order would need as many barriers.
    const std::vector<uint32_t>& sorted();
    void clear();

private:
    struct MemoryLevels {
        uint32_t afterWrites = 0; ///< lowest level of an operation that follows the last write
        uint32_t afterReads = 0;  ///< the same for the reads since then
        uint32_t lastWrite = 0;   ///< number of the operation, from 1; 0: none
        uint32_t lastRead = 0;
    };

    std::vector<MemoryLevels> mMemory; ///< by number; beyond its end: not used yet
    std::vector<uint32_t> mLevels;     ///< of each operation
    uint32_t mLevelCount = 0;
    // In the order in which they were added:
    uint32_t mBarriers = 0;
    uint32_t mLastBarrier = 0; ///< number of the operation after the last one, from 1
    std::vector<uint32_t> mStarts;
    std::vector<uint32_t> mSorted;
};

} // namespace kp::vulkan
