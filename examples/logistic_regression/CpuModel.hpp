// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "Table.hpp"

/// Numbers of the training, the same for device and CPU.
struct Training {
    float learningRate = 0.5f;
    float decay = 0.001f; ///< weight of the L2 penalty
    unsigned stepsPerRound = 50;
    unsigned rounds = 20;
};

/// Gradient descent on the CPU with the same steps as the shaders, in double precision. Returns
/// one weight per feature and, as the last element, the bias.
std::vector<double> trainOnCpu(const Table& table, const Training& training);

/// Share of the rows whose class the model tells right.
double accuracy(const Table& table, const std::vector<float>& weights);
