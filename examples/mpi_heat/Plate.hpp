// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

/// A plate with some warm regions. Temperatures range from 0 to 1 and are stored row by row.
struct Plate {
    uint32_t width = 250;
    uint32_t height = 203;
    uint32_t steps = 400;
    float rate = 0.2f; ///< heat moved by a step per degree of difference; stable up to 0.25

    /// Returns the initial temperatures of @p count rows, starting at row @p first.
    std::vector<float> start(uint32_t first, uint32_t count) const;
};

/// The rows of the plate that one rank computes.
struct Rows {
    uint32_t first = 0;
    uint32_t count = 0;
};

/// Distributes the rows evenly. If they do not divide evenly, the first ranks get one more.
Rows rowsOf(const Plate& plate, int rank, int ranks);

/// Computes the whole plate after all steps on one CPU core, with the shader's arithmetic.
std::vector<float> solveOnCpu(const Plate& plate);

/// Returns the sum of all temperatures, which the steps preserve.
double heatIn(const std::vector<float>& temperatures);
