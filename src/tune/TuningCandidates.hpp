// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

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
    const TuningLimits& limits;
    const TuningKey& key;
};

/// A configuration and its progress through the rounds.
struct Candidate {
    CachedTime time; ///< its shader key is "" until known
    TuningRecord::Status status = TuningRecord::Status::eSkipped;
    bool fromCache = false;
    std::vector<uint32_t> spirv;
    std::shared_ptr<Algorithm> algorithm; ///< null before the first run and after elimination
    std::vector<double> samples;          ///< times of this call, in nanoseconds
    bool prepared = false;                ///< compiled, run once and verified in this call
    bool pruned = false;                  ///< exceeds a limit that only the compiled shader shows
    bool unsaved = false;

    bool measured() const { return status == TuningRecord::Status::eMeasured; }
};

/// The configurations that a call considers, and what the cache knows about them.
class TuningCandidates {
public:
    /// Loads the cached times and samples configurations.
    TuningCandidates(const TuningTask& task, TuningCache& cache);
    /// Saves unsaved times, in case an exception is thrown.
    ~TuningCandidates();
    TuningCandidates(const TuningCandidates&) = delete;
    TuningCandidates& operator=(const TuningCandidates&) = delete;

    /// Adds the best known configurations for this problem size or the nearest one.
    void addNearest();
    /// Takes times of this problem size from the cache.
    void lookUp();

    /// Takes a step with a candidate. Rejects the candidate if the step throws an error that
    /// concerns this configuration only, as opposed to the device.
    /// @return false if it was rejected
    bool attempt(Candidate& candidate, const std::function<void()>& step);
    /// Determines the shader key of a candidate.
    /// @throws what spirvOf() throws
    void identify(Candidate& candidate);
    /// Stores unsaved times in the cache.
    /// @param now  false: only if the last save was some time ago
    void save(bool now);

    std::vector<Candidate>& all() { return mCandidates; }
    /// Returns the fastest candidate so far; null if none is measured.
    Candidate* best();
    /// Returns the cached times that this kernel can use, nearest problem size first, then fastest
    /// first.
    std::vector<const CachedTime*> knownByDistance() const;
    const std::vector<TuningConfiguration>& drawn() const { return mDraw.configurations; }
    /// Returns the candidate with this configuration; null if there is none.
    Candidate* find(const TuningConfiguration& configuration);

    /// Adds the records and the counts of configurations to a result.
    void addRecords(TuningResult& result) const;
    /// @throws ShaderError with the reasons
    [[noreturn]] void throwNoneWorks() const;

private:
    bool isUsable(const CachedTime& time) const;
    double distanceOf(const CachedTime& time) const;
    void addConfiguration(const TuningConfiguration& configuration);
    void reject(Candidate& candidate, const std::string& reason);
    const CachedTime* cached(const Candidate& candidate) const;

    const TuningTask& mTask;
    TuningCache& mCache;
    std::vector<CachedTime> mKnown; ///< of this kernel, all problem sizes
    TuningDraw mDraw;
    std::vector<Candidate> mCandidates;
    std::chrono::steady_clock::time_point mLastSave;
};

} // namespace kp::tune
