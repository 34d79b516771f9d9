// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include <kompute/launch/Autotuner.hpp>

namespace kp {

/// A kernel that tunes itself at its first use, once per size of the problem: what a launcher asks
/// for an algorithm. Results are remembered by problem size and key, so that later uses with other
/// memory only bind it.
///
/// Thread-safe.
class KOMPUTE_API TunedAlgorithm {
public:
    /// @param tuner  shared with others; outlived by its manager
    /// @throws InvalidArgument for null
    TunedAlgorithm(std::shared_ptr<Autotuner> tuner, TunableKernel kernel);
    ~TunedAlgorithm();
    TunedAlgorithm(const TunedAlgorithm&) = delete;
    TunedAlgorithm& operator=(const TunedAlgorithm&) = delete;

    /// A new algorithm of the best configuration, bound to the memory of the arguments, with their
    /// push constants and its work groups (Algorithm::getWorkgroup()). Tunes first where problem
    /// size and key are new; then the memory holds what a real run finds.
    /// @throws as Autotuner::tune
    std::shared_ptr<Algorithm> algorithm(const TuningArguments& arguments);

    /// The result for these arguments, tuning first where it is new; without its algorithm, so
    /// that it keeps no memory alive.
    TuningResult result(const TuningArguments& arguments);
    /// True where algorithm() would not tune.
    bool isTuned(const TuningArguments& arguments) const;
    /// Forgets all results; the cache on disk stays.
    void forget();

    const TunableKernel& kernel() const;

private:
    struct Impl;
    std::unique_ptr<Impl> mImpl;
};

} // namespace kp
