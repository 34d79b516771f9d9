// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <kompute/Error.hpp>
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
    TuningRecord record;
    std::string shader; ///< shader key of the cache; "" until known
    std::vector<uint32_t> spirv;
    std::shared_ptr<Algorithm> algorithm; ///< null before the first run and after elimination
    std::vector<double> samples;          ///< times of this call, in nanoseconds
    bool prepared = false;                ///< compiled, run once and verified in this call
    bool verified = false;
    bool complete = false; ///< finished all its rounds, in this call or an earlier one
    bool pruned = false;   ///< exceeds a limit that only the compiled shader shows
    bool unsaved = false;

    bool measured() const { return record.status == TuningRecord::Status::eMeasured; }
};

/// Returns true if an error concerns one configuration only, as opposed to the device.
bool concernsOneConfiguration(const Error& error);

/// The configurations that a call considers, and what the cache knows about them.
class TuningCandidates {
public:
    TuningCandidates(const TuningTask& task, TuningCache& cache);
    /// Saves unsaved times, in case an exception is thrown.
    ~TuningCandidates();
    TuningCandidates(const TuningCandidates&) = delete;
    TuningCandidates& operator=(const TuningCandidates&) = delete;

    /// Loads the cached times and samples configurations.
    void draw();
    /// Adds the best known configurations for this problem size or the nearest one.
    void addNearest();
    /// Takes times of this problem size from the cache.
    void lookUp();

    /// Determines the shader key of a candidate. Rejects it if its shader cannot be built.
    /// @return false if it was rejected
    bool identify(Candidate& candidate);
    /// Excludes a candidate that cannot run.
    void reject(Candidate& candidate, const std::string& reason);
    /// Stores unsaved times in the cache.
    /// @param now  false: only if the last save was some time ago
    void save(bool now);

    std::vector<Candidate>& all() { return mCandidates; }
    /// Returns the fastest candidate so far; null if none is measured.
    const Candidate* best() const;
    /// Returns true if a candidate's time is from the cache. A single other candidate must then
    /// finish all its rounds to compete with it.
    bool anyFromCache() const;
    /// Returns the cached times that this kernel can use, nearest problem size first, then fastest
    /// first.
    std::vector<const CachedTime*> knownByDistance() const;
    /// Returns the drawn configurations in the order of rankByRule().
    std::vector<TuningConfiguration> rankedByRule() const;
    /// Returns the candidate with this configuration; null if there is none.
    Candidate* find(const TuningConfiguration& configuration);

    /// Adds the records and the counts of configurations to a result.
    void addRecords(TuningResult& result) const;
    /// @throws ShaderError with the reasons
    [[noreturn]] void throwNoneWorks() const;

private:
    bool isUsable(const CachedTime& time) const;
    double distanceOf(const CachedTime& time) const;
    const CachedTime* bestKnown(double maxDistance) const;
    void addConfiguration(const TuningConfiguration& configuration);
    const CachedTime* cached(const Candidate& candidate) const;

    const TuningTask& mTask;
    TuningCache& mCache;
    std::vector<CachedTime> mKnown; ///< of this kernel, all problem sizes
    TuningDraw mDraw;
    std::vector<Candidate> mCandidates;
    std::chrono::steady_clock::time_point mLastSave;
};

} // namespace kp::tune
