// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

namespace kp::proof {

/// Random numbers of a program, the same on every platform for the same seed.
class Random {
public:
    Random(uint64_t seed, uint64_t number) {
        std::seed_seq seeds{static_cast<uint32_t>(seed), static_cast<uint32_t>(seed >> 32),
                            static_cast<uint32_t>(number), static_cast<uint32_t>(number >> 32)};
        mEngine.seed(seeds);
    }

    uint32_t word() { return static_cast<uint32_t>(mEngine()); }
    /// Returns a number from 0 to @p limit - 1.
    uint32_t below(size_t limit) { return word() % static_cast<uint32_t>(limit); }
    bool chance(uint32_t in) { return below(in) == 0; }
    std::vector<uint32_t> words(size_t count) {
        std::vector<uint32_t> values(count);
        for (uint32_t& value : values)
            value = word();
        return values;
    }

private:
    std::mt19937 mEngine;
};

} // namespace kp::proof
