// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <kompute/Memory.hpp>

#include "primitives/plan/DeviceTraits.hpp"
#include "primitives/plan/Plan.hpp"

namespace kp::primitives {

struct SvdProblem {
    Memory::DataTypes type = Memory::DataTypes::eFloat;
    uint64_t rows = 0;
    uint64_t columns = 0;
    uint64_t batches = 1;
    bool vectors = true;
    bool full = false; ///< all of both bases
    bool operator==(const SvdProblem&) const = default;
};

/// Arguments: A, the singular values, U and V^T if any.
Plan planSvd(const SvdProblem& problem, const DeviceTraits& traits);

} // namespace kp::primitives
