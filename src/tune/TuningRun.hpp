// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <vector>

#include <kompute/launch/Autotuner.hpp>

#include "tune/TuningBench.hpp"
#include "tune/TuningCandidates.hpp"

namespace kp::tune {

/// One call of Autotuner::tune: measures the candidates in rounds and returns the fastest.
class TuningRun {
public:
    /// @throws Unsupported as TuningBench
    TuningRun(const TuningTask& task, TuningCache& cache);

    TuningResult run();

private:
    enum class Step { eContinue, eStop };

    void measureAll();
    void measure(Candidate& candidate, uint32_t runs);
    bool prepare(Candidate& candidate);
    void verify(Candidate& candidate);
    void warmUp(Candidate& candidate);
    std::vector<Candidate*> eliminate(std::vector<Candidate*> active);
    Step report(const Candidate& candidate, uint32_t round, uint32_t rounds, size_t done,
                size_t total) const;

    bool budgetSpent() const;
    double elapsedSeconds() const;

    TuningResult finish();
    TuningResult estimate();
    /// Makes the result's algorithm.
    void apply(TuningResult& result, const TuningConfiguration& configuration,
               std::vector<uint32_t> spirv) const;
    bool tryApply(TuningResult& result, Candidate& candidate);
    void addCounts(TuningResult& result) const;

    const TuningTask& mTask;
    std::chrono::steady_clock::time_point mStart;
    TuningCandidates mCandidates;
    TuningBench mBench;
    bool mWarm = false;
    bool mStopped = false;
};

} // namespace kp::tune
