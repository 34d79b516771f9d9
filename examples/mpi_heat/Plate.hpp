// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

/// A plate that is warm in places. Temperatures are from 0 to 1, row by row.
struct Plate {
    uint32_t width = 250;
    uint32_t height = 203;
    uint32_t steps = 400;
    float rate = 0.2f; ///< heat that a step moves per degree of difference; stable up to 0.25

    /// Rows from @p first on as they are at the start.
    std::vector<float> start(uint32_t first, uint32_t count) const;
};

/// Rows of the plate that one rank computes.
struct Rows {
    uint32_t first = 0;
    uint32_t count = 0;
};

/// Shares out the rows as evenly as can be: the first ranks have one more where it does not come
/// out even.
Rows rowsOf(const Plate& plate, int rank, int ranks);

/// The whole plate after all steps, computed by one CPU core with the shader's arithmetic.
std::vector<float> solveOnCpu(const Plate& plate);

/// Sum of all temperatures, which no step changes.
double heatIn(const std::vector<float>& temperatures);
