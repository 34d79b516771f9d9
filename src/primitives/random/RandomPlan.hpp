// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>

#include <kompute/Memory.hpp>
#include <kompute/primitives/random/OpRandom.hpp>

#include "primitives/plan/DeviceTraits.hpp"
#include "primitives/plan/Plan.hpp"

namespace kp::primitives {

struct RandomProblem {
    Memory::DataTypes out = Memory::DataTypes::eFloat;
    Distribution distribution;
    RandomState state;
    uint64_t count = 0;
};

/// The inputs of the kernel and dispatches of random numbers; the rest is in push constants.
struct RandomShape {
    Memory::DataTypes out = Memory::DataTypes::eFloat;
    Distribution::Kind kind = Distribution::Kind::eBits;
    bool isStandard = false; ///< uniform from 0 to 1, normal with mean 0 and deviation 1, ...
    uint64_t count = 0;

    explicit RandomShape(const RandomProblem& problem);
    bool operator==(const RandomShape&) const = default;
};

/// Returns the push constants of each dispatch of planRandom().
/// @throws InvalidArgument as OpRandom
std::vector<std::vector<uint32_t>> randomPushes(const RandomProblem& problem,
                                                const DeviceTraits& traits);

/// Returns the keys of Philox's rounds, two words each.
std::array<uint32_t, 20> philoxKeys(uint64_t seed);

/// Argument 0 is the output.
/// @throws InvalidArgument as OpRandom
Plan planRandom(const RandomProblem& problem, const DeviceTraits& traits);

} // namespace kp::primitives
