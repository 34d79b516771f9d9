// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include <kompute/Memory.hpp>
#include <kompute/primitives/Operator.hpp>

#include "primitives/plan/Axis.hpp"
#include "primitives/plan/DeviceTraits.hpp"
#include "primitives/plan/Plan.hpp"

namespace kp::primitives {

/// The problem of OpScan: outer x length x inner elements in C order, along the second axis, or
/// `length` elements that start again at offsets.
struct ScanProblem {
    Memory::DataTypes in = Memory::DataTypes::eFloat;
    Memory::DataTypes out = Memory::DataTypes::eFloat;
    Operator combine = ReduceOperation::eSum;
    bool exclusive = false;
    bool inPlace = false; ///< the output is the input
    uint32_t inUnit = 1;  ///< startUnit() of the input
    uint64_t outer = 1;
    uint64_t length = 0;
    uint64_t inner = 1;
    std::optional<Segments> segments;
    uint32_t silentGroups = 0; ///< for tests: see shaders/primitives/scan/ScanTiles.glsl
    bool operator==(const ScanProblem&) const = default;
};

/// Arguments: 0 is the input, 1 the output, 2 the offsets of the segments.
Plan planScan(const ScanProblem& problem, const DeviceTraits& traits);

} // namespace kp::primitives
