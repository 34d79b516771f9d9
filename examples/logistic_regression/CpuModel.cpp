// SPDX-License-Identifier: Apache-2.0
#include "CpuModel.hpp"

#include <cmath>

namespace {

template <typename T>
double score(const Table& table, size_t row, const std::vector<T>& weights) {
    double z = weights[table.features];
    for (size_t i = 0; i < table.features; ++i)
        z += weights[i] * static_cast<double>(table.samples[row * table.features + i]);
    return z;
}

} // namespace

std::vector<double> trainOnCpu(const Table& table, const Training& training) {
    std::vector<double> weights(table.features + 1);
    std::vector<double> gradient(weights.size());
    for (unsigned step = 0; step < training.rounds * training.stepsPerRound; ++step) {
        gradient.assign(gradient.size(), 0.0);
        for (size_t row = 0; row < table.rows(); ++row) {
            const double residual =
                1.0 / (1.0 + std::exp(-score(table, row, weights))) - table.labels[row];
            for (size_t i = 0; i < table.features; ++i)
                gradient[i] += residual * table.samples[row * table.features + i];
            gradient[table.features] += residual;
        }
        for (size_t i = 0; i < weights.size(); ++i) {
            const double decay = i < table.features ? training.decay * weights[i] : 0.0;
            weights[i] -=
                training.learningRate * (gradient[i] / static_cast<double>(table.rows()) + decay);
        }
    }
    return weights;
}

double accuracy(const Table& table, const std::vector<float>& weights) {
    size_t right = 0;
    for (size_t row = 0; row < table.rows(); ++row)
        right += (score(table, row, weights) > 0.0) == (table.labels[row] > 0.5f);
    return static_cast<double>(right) / static_cast<double>(table.rows());
}
