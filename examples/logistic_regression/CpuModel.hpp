// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "Table.hpp"

/// Hyperparameters, the same for device and CPU.
struct Training {
    float learningRate = 0.5f;
    float decay = 0.001f; ///< weight of the L2 penalty
    unsigned stepsPerRound = 50;
    unsigned rounds = 20;
};

/// Trains by gradient descent on the CPU, with the same steps as the shaders but in double
/// precision.
/// @return one weight per feature, followed by the bias
std::vector<double> trainOnCpu(const Table& table, const Training& training);

/// Returns the fraction of the rows that the model classifies correctly.
double accuracy(const Table& table, const std::vector<float>& weights);
