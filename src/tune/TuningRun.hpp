// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <kompute/Manager.hpp>
#include <kompute/launch/Autotuner.hpp>

#include "tune/TuningCache.hpp"
#include "tune/TuningSpace.hpp"

namespace kp::tune {

/// The input of one call of Autotuner::tune. Everything must outlive the call.
struct TuningTask {
    Manager& manager;
    const AutotunerOptions& options;
    const TunableKernel& kernel;
    const TuningArguments& arguments;
    TuningLimits limits;
    const TuningKey& key;
    TuningCache& cache;
};

/// Implements Autotuner::tune: measures the candidates in rounds and returns the fastest.
TuningResult runTuning(const TuningTask& task);

} // namespace kp::tune
