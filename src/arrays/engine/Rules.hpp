// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace kp::arrays {

/// How kernels of arrays divide their work: one rule per kind of device.
struct Rules {
    /// Elements that an invocation computes one after the other; 0: see elementsEach().
    uint32_t strip = 0;
    /// Up to this many elements are reduced by one invocation.
    int64_t serial = 32;
    /// Parts that one invocation reduces have less than twice as many elements.
    int64_t longest = int64_t{1} << 31;
    /// Whether work groups combine what their invocations have reduced.
    bool trees = true;
    /// Invocations of which reductions have at least as many, if they are long enough.
    int64_t invocations = 1 << 17;
    /// Whether rows are moved by commands instead of kernels.
    bool copies = false;
    /// Whether the device has doubles. Others compute them by functions, which drivers write out at
    /// each use.
    bool doubles = true;
};

/// Invocations are free, and a work group's memory is fast.
inline constexpr Rules kGpuRules{};

/// A driver that computes on the processor spends 20 ns on the start of 8 invocations and 1 us on a
/// barrier of a work group, and goes through each access lane by lane. So an invocation does the
/// work of many, with wide accesses, and none waits for others. Longer serial sums would lose more
/// digits than NumPy's.
inline constexpr Rules kCpuRules{64, 1024, 4096, false, 1 << 10, true};

/// Instructions of a small kernel, and the elements that an invocation of one computes.
inline constexpr size_t kSmallProgram = 10;
inline constexpr uint32_t kEach = 4;

} // namespace kp::arrays
