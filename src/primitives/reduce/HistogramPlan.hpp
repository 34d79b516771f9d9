// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <kompute/Memory.hpp>
#include <kompute/primitives/Determinism.hpp>
#include <kompute/primitives/reduce/Bins.hpp>

#include "primitives/plan/DeviceTraits.hpp"
#include "primitives/plan/Plan.hpp"
#include "primitives/source/ExactNumber.hpp"

namespace kp::primitives {

/// What OpHistogram counts.
struct HistogramProblem {
    Memory::DataTypes type = Memory::DataTypes::eFloat;
    uint64_t count = 0;
    Bins::Kind kind = Bins::Kind::eIntegers;
    ExactNumber low = 0; ///< of even bins
    ExactNumber high = 0;
    uint64_t bins = 0;
    Memory::DataTypes out = Memory::DataTypes::eUnsignedInt;
    bool weighted = false; ///< by weights of the output's type
    Determinism determinism = Determinism::eRunToRun;

    /// Arguments, in this order, without absent ones: input, edges, weights, output.
    struct Memories {
        uint32_t edges = 0;
        uint32_t weights = 0;
        uint32_t out = 0;
        uint32_t count = 0;
    };
    Memories memories() const;
    /// True if elements are sorted by bin, so that their weights are added up in a fixed order.
    bool sorts() const;
    bool operator==(const HistogramProblem&) const = default;
};

Plan planHistogram(const HistogramProblem& problem, const DeviceTraits& traits);

} // namespace kp::primitives
