// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "primitives/plan/DeviceTraits.hpp"

namespace kp::primitives {

/// How the work of scans is divided. One table, with the reason of each number.
struct ScanRules {
    /// Enough subgroups to hide latencies, and few enough for several groups per core.
    uint32_t groupSize = 256;
    /// Of neighbouring elements. Large, so that few tiles look back: on an H200, 2^28 floats take
    /// 0.97 of the time of 256 and 0.72 of the time of 128.
    uint32_t tileGroupSize = 512;
    /// Bytes of an invocation's terms. As many as registers hold: each tile waits some microseconds
    /// for the tiles before it, and only bytes in flight hide that. On an H200, 2^28 floats take
    /// 0.90 of the time of 256 bytes. Other GPUs may have fewer registers. A CPU driver compiles
    /// less.
    uint32_t bytesPerInvocation = 384;
    /// With segments, or without the device's own scans over lanes, which take registers besides:
    /// on an H200, prefix maxima of 2^28 floats took 6 times as long as sums with 384 bytes.
    uint32_t bytesOfOthers = 128;
    /// Up to here, smaller tiles occupy more cores, and all of them until the end: 2^16 elements
    /// take 0.91 of the time, and 2^20 0.79; 2^24 with bytesOfMany take 0.71.
    uint64_t fewBytes = uint64_t{1} << 22;
    uint32_t bytesOfFew = 64;
    uint64_t manyBytes = uint64_t{1} << 27;
    uint32_t bytesOfMany = 128;
    /// Up to here, each group adds up the tiles before its own: there are no states to clear and to
    /// wait for. 2^16 floats take 0.88 of the time.
    uint32_t readTiles = 16;
    /// Rows that this many invocations fill have tiles of their own. Shorter ones share tiles, as
    /// segments. On an H200, rows of 8,192 floats take 0.43 of the time of segments; rows of 128
    /// are as fast as shorter ones.
    uint32_t minRowLanes = 32;
    /// Longer rows of elements of 4 bytes and more have smaller tiles than other arrays, so that
    /// more of them run at the same time: on an H200, rows of 65,536 floats take 0.80 of the time,
    /// and of as many integers of 64 bits 0.64. Bytes would take 1.3 times as long.
    uint32_t rowGroupSize = 256;
    uint32_t rowBytes = 192;         ///< per invocation
    uint32_t wideRowGroupSize = 512; ///< of terms of 8 bytes
    uint32_t wideRowBytes = 128;
    /// Loads of an invocation: rows of 1,000 integers of 64 bits take 0.89 of the time with one.
    uint32_t minRowsOfTile = 2;
    /// Reads of a tile's state before the waiting group computes its total: some 100 us on a GPU,
    /// where a tile takes 10. A CPU driver runs a group per core, and a tile takes it as long as
    /// many looks.
    uint32_t spins = 500;
    /// Invocations that keep the device busy along columns: as many as the largest GPUs run at a
    /// time. A CPU driver needs a few groups.
    uint64_t invocations = 132 * 2048;
    /// Bytes that an invocation reads at a time along columns, of up to batchRows rows.
    uint32_t batchBytes = 32;
    uint32_t batchRows = 16;
    /// Rows are scanned like columns, in chunks of one invocation each, which may read elements
    /// twice: a CPU driver takes longer for barriers, and for a tile that waits for others.
    bool rowsAsColumns = false;

    static ScanRules of(const DeviceTraits& traits);
};

} // namespace kp::primitives
