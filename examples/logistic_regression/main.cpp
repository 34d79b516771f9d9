// SPDX-License-Identifier: Apache-2.0
//
// Trains logistic regression on a table:
//
//   logistic_regression TABLE.csv
//
// The program records all steps of a round once and evaluates the recording for each round. Only
// the loss is copied back in between. The result is compared with the same training on the CPU.

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <exception>
#include <vector>

#include <kompute/Kompute.hpp>

#include "CpuModel.hpp"
#include "Table.hpp"
#include "descend.hpp"
#include "mean_loss.hpp"
#include "residuals.hpp"

namespace {

template <typename Array>
std::vector<uint32_t> words(const Array& spirv) {
    return std::vector<uint32_t>(spirv.begin(), spirv.end());
}

double millisecondsSince(std::chrono::steady_clock::time_point start) {
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start)
        .count();
}

std::vector<float> trainOnDevice(kp::Manager& manager, const Table& table,
                                 const Training& training) {
    auto samples = manager.tensor(table.samples);
    auto labels = manager.tensor(table.labels);
    auto weights = manager.tensor(std::vector<float>(table.features + 1));
    auto residuals = manager.tensorT<float>(table.rows(), kp::Memory::MemoryTypes::eStorage);
    auto losses = manager.tensorT<float>(table.rows(), kp::Memory::MemoryTypes::eStorage);
    auto loss = manager.tensorT<float>(1);

    const std::vector<uint32_t> features = {static_cast<uint32_t>(table.features)};
    const std::vector<float> parameters = {training.learningRate, training.decay};
    auto findResiduals =
        manager.algorithm<uint32_t, float>({samples, labels, weights, residuals, losses},
                                           words(shaders::RESIDUALS_COMP_SPV), {}, features, {});
    findResiduals->setThreadCount(table.rows());
    auto descend = manager.algorithm<uint32_t, float>(
        {samples, residuals, weights}, words(shaders::DESCEND_COMP_SPV),
        kp::Workgroup{features[0] + 1, 1, 1}, features, parameters);
    auto meanLoss = manager.algorithm({losses, loss}, words(shaders::MEAN_LOSS_COMP_SPV),
                                      kp::Workgroup{1, 1, 1});

    manager.sequence()->eval<kp::OpSyncDevice>({samples, labels, weights});
    auto round = manager.sequence();
    for (unsigned step = 0; step < training.stepsPerRound; ++step)
        round->record<kp::OpAlgoDispatch>(findResiduals)->record<kp::OpAlgoDispatch>(descend);
    round->record<kp::OpAlgoDispatch>(meanLoss)->record<kp::OpSyncLocal>({loss});

    for (unsigned i = 0; i < training.rounds; ++i) {
        round->eval();
        if (i % 4 == 0 || i + 1 == training.rounds)
            std::printf("  step %4u: loss %.4f\n", (i + 1) * training.stepsPerRound,
                        static_cast<double>(loss->data()[0]));
    }
    manager.sequence()->eval<kp::OpSyncLocal>({weights});
    return weights->vector();
}

int run(const char* path) {
    const Table all = readTable(path);
    Table training, heldOut;
    split(all, 0.8, 42, training, heldOut);
    standardise(training, heldOut);
    const Training numbers;

    kp::Manager manager;
    std::printf("device: %s\n", manager.deviceInfo().name.c_str());
    std::printf("table: %zu rows of %zu features (%s or %s), %zu held out\n", all.rows(),
                all.features, all.classNames[0].c_str(), all.classNames[1].c_str(), heldOut.rows());

    auto start = std::chrono::steady_clock::now();
    const std::vector<float> weights = trainOnDevice(manager, training, numbers);
    const double deviceTime = millisecondsSince(start);
    start = std::chrono::steady_clock::now();
    const std::vector<double> expected = trainOnCpu(training, numbers);
    const double cpuTime = millisecondsSince(start);

    double difference = 0.0;
    for (size_t i = 0; i < expected.size(); ++i)
        difference = std::max(difference, std::abs(expected[i] - static_cast<double>(weights[i])));
    const double heldOutAccuracy = accuracy(heldOut, weights);

    const unsigned steps = numbers.rounds * numbers.stepsPerRound;
    std::printf("accuracy: %.1f %% of the training rows, %.1f %% of the held-out rows\n",
                100.0 * accuracy(training, weights), 100.0 * heldOutAccuracy);
    std::printf(
        "time: %.1f ms on the device including setup (%.1f us per step), %.1f ms on one CPU core\n",
        deviceTime, 1000.0 * deviceTime / steps, cpuTime);
    std::printf("largest difference from the CPU's weights: %.2g\n", difference);

    if (!(heldOutAccuracy > 0.93) || !(difference < 1e-3)) {
        std::printf("WRONG: expected an accuracy above 93 %% and a difference below 0.001\n");
        return 1;
    }
    return 0;
}

} // namespace

int main(int argc, char** argv) try {
    if (argc != 2) {
        std::fprintf(stderr, "usage: logistic_regression TABLE.csv\n");
        return 2;
    }
    return run(argv[1]);
} catch (const std::exception& error) {
    std::fprintf(stderr, "logistic_regression: %s\n", error.what());
    return 1;
}
