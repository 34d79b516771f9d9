// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <kompute/Memory.hpp>

#include "primitives/plan/Axis.hpp"
#include "primitives/plan/DeviceTraits.hpp"
#include "primitives/plan/Plan.hpp"

namespace kp::primitives {

/// What OpTopK finds.
struct TopKProblem {
    Memory::DataTypes type = Memory::DataTypes::eFloat;
    AxisExtents array;
    uint64_t k = 0; ///< at most array.length
    bool smallest = false;
    bool values = true;
    uint32_t indexBytes = 0; ///< 0, 4 or 8; values or indices are wanted
    uint32_t inUnit = 16;    ///< startUnit() of the arguments
    uint32_t valuesUnit = 16;
    uint32_t indicesUnit = 16;
    bool operator==(const TopKProblem&) const = default;
};

/// The choices of OpTopK. One table, with the reason of each number.
struct TopKRules {
    /// Invocations of a group that selects.
    uint32_t groupSize = 512;
    /// Keys of a chunk: 32 KiB of 4 bytes stay in a core's cache while they are looked at, once per
    /// digit.
    uint64_t chunk = 8192;
    /// Chunks of all rows together, if keys are gathered in shared memory: as many as the largest
    /// GPUs run at a time (an H200: 132 x 4 groups of 512), since the first keys of a chunk cost
    /// the most. A CPU driver runs a group per core.
    uint64_t groups = 528;
    /// Keys gathered in shared memory: 12 bytes each at most, so that 4 groups share a core of
    /// 2026's GPUs. With more than about half of them to be found, there is no room to gather.
    uint32_t capacity = 2048;
    /// Accesses in flight per invocation.
    uint32_t batch = 8;
    /// Chunks have at least so many times k keys, so that each round leaves a fraction.
    uint64_t keysPerTaken = 8;
    /// Up to so many keys of all rows are sorted instead. A CPU driver takes seconds to compile the
    /// selection, and sorts that many in the time of a few launches.
    uint64_t mostSorted = 0;

    static TopKRules of(const DeviceTraits& traits);
};

/// Arguments: the input, the values if wanted, the indices if wanted.
Plan planTopK(const TopKProblem& problem, const DeviceTraits& traits, const TopKRules& rules);
Plan planTopK(const TopKProblem& problem, const DeviceTraits& traits);

} // namespace kp::primitives
