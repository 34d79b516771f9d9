// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <kompute/Memory.hpp>

#include "primitives/plan/DeviceTraits.hpp"
#include "primitives/plan/Plan.hpp"

namespace kp::primitives {

struct QrProblem {
    Memory::DataTypes type = Memory::DataTypes::eFloat;
    uint64_t rows = 0;
    uint64_t columns = 0;
    uint64_t batches = 1;
    uint64_t triangleRows = 0; ///< of R: the smaller extent, or `rows`
    uint64_t basisColumns = 0; ///< of Q: as many, or 0 for none
    uint32_t alignment = 8;    ///< of Q: see DenseBlock
    bool operator==(const QrProblem&) const = default;
};

/// Arguments: A, R, and Q if any.
Plan planQr(const QrProblem& problem, const DeviceTraits& traits);

} // namespace kp::primitives
