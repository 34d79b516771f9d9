// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <random>
#include <vector>

// The work of every cold-start program: upload random numbers, run one small kernel, download the
// result and verify it.

namespace cold {

constexpr uint32_t kCount = 4096;

inline std::vector<uint32_t> input() {
    std::vector<uint32_t> values(kCount);
    std::mt19937 random(std::random_device{}());
    for (uint32_t& value : values)
        value = random();
    return values;
}

/// Verifies the result, and prints when it was there, on the clock of Python's time.monotonic_ns().
/// Returns the exit status of the program.
inline int finish(const std::vector<uint32_t>& before, const uint32_t* after) {
    const auto now = std::chrono::steady_clock::now().time_since_epoch();
    for (uint32_t i = 0; i < kCount; ++i)
        if (after[i] != before[i] * 2654435761u + i) {
            std::fprintf(stderr, "wrong result at %u\n", i);
            return 1;
        }
    std::printf("%lld\n", static_cast<long long>(
                              std::chrono::duration_cast<std::chrono::nanoseconds>(now).count()));
    return 0;
}

} // namespace cold
