// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>

#include <kompute/Memory.hpp>
#include <kompute/primitives/OpRandom.hpp>

#include "primitives/DeviceTraits.hpp"
#include "primitives/Plan.hpp"

namespace kp::primitives {

struct RandomProblem {
    Memory::DataTypes out = Memory::DataTypes::eFloat;
    Distribution distribution;
    RandomState state;
    uint64_t count = 0;
};

/// Returns the keys of Philox's rounds, two words each.
std::array<uint32_t, 20> philoxKeys(uint64_t seed);

/// Argument 0 is the output.
/// @throws InvalidArgument as OpRandom
Plan planRandom(const RandomProblem& problem, const DeviceTraits& traits);

} // namespace kp::primitives
