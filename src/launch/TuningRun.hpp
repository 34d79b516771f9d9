// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <map>
#include <memory>
#include <vector>

#include <kompute/Error.hpp>
#include <kompute/Manager.hpp>
#include <kompute/launch/Autotuner.hpp>

#include "launch/TuningBench.hpp"
#include "launch/TuningBuild.hpp"
#include "launch/TuningCache.hpp"
#include "launch/TuningSpace.hpp"

namespace kp::launch {

/// True for what says that one configuration does not work, as opposed to the device.
bool isOnlyThisConfiguration(const Error& error);

/// One call of Autotuner::tune: from the draw to the result.
class TuningRun {
public:
    TuningRun(Manager& manager, const AutotunerOptions& options, TuningCache& cache,
              const TuningKey& key, const TuningLimits& limits, const TunableKernel& kernel,
              const TuningArguments& arguments);
    /// Writes times that are not in the cache yet, for when something is thrown.
    ~TuningRun();

    TuningResult run();

private:
    /// A configuration on its way through the rounds.
    struct Candidate {
        TuningRecord record;
        std::string shader; ///< for the cache; "" until known
        std::vector<uint32_t> spirv;
        std::shared_ptr<Algorithm> algorithm; ///< null until it runs, and when it is out
        bool prepared = false;                ///< compiled, run once and verified in this call
        bool verified = false;
        bool complete = false; ///< through all its rounds, now or in an earlier call
        bool pruned = false;   ///< over a limit that only the compiled shader tells
        bool unsaved = false;
    };
    enum class Step { eGoOn, eStop };

    size_t drawSize() const;
    void draw();
    void addNearest();
    void lookUp();
    const CachedTime* cached(const Candidate& candidate) const;
    void takeFromCache(Candidate& candidate, const CachedTime& time);
    bool identify(Candidate& candidate);
    void fail(Candidate& candidate, const std::string& reason);

    void measureAll();
    Step measure(Candidate& candidate, uint32_t runs);
    bool prepare(Candidate& candidate);
    void addTimes(Candidate& candidate, const std::vector<double>& times);
    void warmUp(Candidate& candidate);
    std::vector<Candidate*> knockOut(std::vector<Candidate*> active);
    Step report(const Candidate& candidate, uint32_t round, uint32_t rounds, size_t done,
                size_t total);

    const Candidate* best() const;
    bool rivalInCache() const;
    bool isMeasured(const Candidate& candidate) const;
    bool budgetSpent() const;
    double elapsed() const;
    void save(bool now);

    TuningResult finish();
    TuningResult estimate();
    /// Makes the algorithm; throws what that throws.
    void apply(TuningResult& result, const TuningConfiguration& configuration,
               std::vector<uint32_t> spirv) const;
    void addCounts(TuningResult& result) const;
    [[noreturn]] void throwNothingWorks() const;

    Manager& mManager;
    const AutotunerOptions& mOptions;
    TuningCache& mCache;
    const TuningKey& mKey;
    const TuningLimits& mLimits;
    const TunableKernel& mKernel;
    const TuningArguments& mArguments;

    std::chrono::steady_clock::time_point mStart;
    std::chrono::steady_clock::time_point mLastSave;
    std::vector<CachedTime> mKnown; ///< of this kernel, all problem sizes
    TuningDraw mDraw;
    std::vector<Candidate> mCandidates;
    std::map<const Candidate*, std::vector<double>> mSamples; ///< for medians
    TuningBench mBench;
    bool mVerifies;
    bool mWarm = false;
    bool mStopped = false;
};

} // namespace kp::launch
