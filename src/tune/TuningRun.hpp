// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <vector>

#include <kompute/launch/Autotuner.hpp>

#include "tune/TuningBench.hpp"
#include "tune/TuningBuild.hpp"
#include "tune/TuningCandidates.hpp"

namespace kp::tune {

/// One call of Autotuner::tune: measures the candidates in rounds and returns the fastest.
class TuningRun {
public:
    /// @throws Unsupported as TuningBench
    TuningRun(const TuningTask& task, TuningCache& cache);

    TuningResult run();

private:
    void measureAll();
    void measure(Candidate& candidate, uint32_t runs);
    TuningBuild build(Candidate& candidate) const;
    bool prepare(Candidate& candidate);
    void verify(Candidate& candidate);
    void warmUp(Candidate& candidate);
    std::vector<Candidate*> eliminate(std::vector<Candidate*> active);
    bool report(const Candidate& candidate, uint32_t round, uint32_t rounds, size_t done,
                size_t total);
    bool budgetSpent();
    double elapsedSeconds() const;

    TuningResult finish();
    TuningResult estimate();
    void apply(TuningResult& result, Candidate& candidate);

    const TuningTask& mTask;
    std::chrono::steady_clock::time_point mStart;
    TuningCandidates mCandidates;
    TuningBench mBench;
    bool mWarm = false;
    bool mStopped = false;
};

} // namespace kp::tune
