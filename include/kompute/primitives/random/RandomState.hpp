// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace kp {

/// Selects random numbers. Element i of the output of OpRandom is number `counter + i`
/// (modulo 2^64) of its sequence, and every pair of seed and stream has its own sequence.
struct RandomState {
    uint64_t seed = 0;
    uint64_t counter = 0; ///< add the number of elements for the numbers after them
    uint64_t stream = 0;  ///< for independent numbers of one seed
};

} // namespace kp
