// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include <kompute/launch/Autotuner.hpp>

namespace kp {

/// A kernel that tunes itself at first use, once per problem size. Results are remembered by
/// problem size and key, so later uses with other memory only bind it. TunedKernelLauncher builds
/// on it. Thread-safe.
class KOMPUTE_API TunedAlgorithm {
public:
    /// @param tuner  may be shared; its manager must outlive it
    /// @throws InvalidArgument if the tuner is null
    TunedAlgorithm(std::shared_ptr<Autotuner> tuner, TunableKernel kernel);
    ~TunedAlgorithm();
    TunedAlgorithm(const TunedAlgorithm&) = delete;
    TunedAlgorithm& operator=(const TunedAlgorithm&) = delete;

    /// Returns a new algorithm with the best configuration, bound to the memory and push constants
    /// of the arguments, with work group counts set (Algorithm::getWorkgroup()). Tunes first if
    /// problem size and key are new; the memory then has the contents that a real run would find.
    /// @throws as Autotuner::tune
    std::shared_ptr<Algorithm> algorithm(const TuningArguments& arguments);

    /// Returns the result for these arguments and tunes first if they are new. The result has no
    /// algorithm, so it keeps no memory alive.
    /// @throws as Autotuner::tune
    TuningResult result(const TuningArguments& arguments);
    /// Returns true if algorithm() would not tune.
    bool isTuned(const TuningArguments& arguments) const;
    /// Forgets all results. The cache on disk is kept.
    void forget();

    const TunableKernel& kernel() const;
    Manager& manager() const; ///< the tuner's

private:
    struct Impl;
    std::unique_ptr<Impl> mImpl;
};

} // namespace kp
