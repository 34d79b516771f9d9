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

/// The problem of OpReduce: outer x length x inner elements in C order to outer x inner results, or
/// `length` elements to one result per segment.
struct ReduceProblem {
    Memory::DataTypes in = Memory::DataTypes::eFloat;
    Memory::DataTypes out = Memory::DataTypes::eFloat;
    Operator combine = ReduceOperation::eSum;
    uint64_t outer = 1;
    uint64_t length = 0;
    uint64_t inner = 1;
    std::optional<Segments> segments;
    bool ignoreNans = false; ///< of eArgMinimum and eArgMaximum: -1 if there are only NaNs

    uint64_t results() const { return segments ? segments->count : outer * inner; }
    bool operator==(const ReduceProblem&) const = default;
};

/// Returns the type that elements are combined in.
/// @throws InvalidArgument if the types do not go together
Memory::DataTypes reduceType(const ReduceProblem& problem);

/// Arguments: 0 is the input, 1 the output, 2 the offsets of the segments.
Plan planReduce(const ReduceProblem& problem, const DeviceTraits& traits);

} // namespace kp::primitives
