// SPDX-License-Identifier: Apache-2.0
#include "tune/TuningRun.hpp"

#include <algorithm>
#include <chrono>
#include <functional>
#include <limits>
#include <utility>

#include <kompute/Error.hpp>
#include <kompute/logger/Logger.hpp>

#include "base/Text.hpp"
#include "tune/TuningBench.hpp"
#include "tune/TuningBuild.hpp"

namespace kp::tune {
namespace {

using Clock = std::chrono::steady_clock;
using Outcome = TuningRecord::Outcome;

constexpr std::chrono::milliseconds kSaveInterval{500};
constexpr size_t kMaxReasons = 16;
/// Runs of every configuration in the first round.
constexpr uint32_t kFirstRuns = 3;
/// Configurations slower than the fastest by this factor do not enter the next round.
constexpr double kMaxSlowdown = 1.5;
/// Clocks of a GPU rise under load. Without a warm-up the first configurations would seem slow.
constexpr std::chrono::milliseconds kWarmUp{30};
constexpr uint32_t kMaxWarmUpRuns = 200;
constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// A configuration and its progress through the rounds.
struct Candidate {
    CachedTime time; ///< its shader key is "" until known
    Outcome status = Outcome::eSkipped;
    bool fromCache = false;
    std::vector<uint32_t> spirv;
    /// Compiled, run once and verified in this call; null before and after elimination.
    std::shared_ptr<Algorithm> algorithm;
    std::vector<double> samples; ///< times of this call, in nanoseconds
    bool pruned = false;         ///< exceeds a limit that only the compiled shader shows
    bool unsaved = false;

    bool measured() const { return status == Outcome::eMeasured; }

    void addTimes(const std::vector<double>& times) {
        samples.insert(samples.end(), times.begin(), times.end());
        const double shortest = *std::min_element(times.begin(), times.end());
        time.nanoseconds = measured() ? std::min(time.nanoseconds, shortest) : shortest;
        std::vector<double> sorted = samples;
        std::sort(sorted.begin(), sorted.end());
        const size_t half = sorted.size() / 2;
        time.medianNs = sorted.size() % 2 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2;
        time.runs += static_cast<uint32_t>(times.size());
        status = Outcome::eMeasured;
        fromCache = false;
        unsaved = true;
    }

    /// Takes the candidate out of the rounds.
    void complete() {
        time.complete = unsaved = true;
        algorithm.reset();
        samples.clear();
    }
};

size_t maxCandidates(TuningEffort effort) {
    switch (effort) {
    case TuningEffort::eMeasure:
        return 32;
    case TuningEffort::ePatient:
        return 256;
    default:
        return std::numeric_limits<size_t>::max();
    }
}

/// Returns the total number of runs of a configuration after each round.
std::vector<uint32_t> runsByRound(uint32_t maxRuns) {
    std::vector<uint32_t> runs;
    for (uint32_t count = kFirstRuns; count < maxRuns; count *= 2)
        runs.push_back(count);
    runs.push_back(maxRuns);
    return runs;
}

/// One call of Autotuner::tune.
class TuningRun {
public:
    /// Loads the cached times and samples configurations.
    explicit TuningRun(const TuningTask& task)
        : mTask(task), mKnown(task.cache.load(task.key)),
          mDraw(drawConfigurations(task.kernel, task.limits, maxCandidates(task.options.effort),
                                   task.options.seed, task.options.subgroupMultiple)),
          mBench(task.manager, task.arguments, task.options.time) {
        for (const TuningConfiguration& configuration : mDraw.configurations)
            addCandidate(configuration);
    }

    /// Saves unsaved times, in case an exception is thrown.
    ~TuningRun() {
        try {
            save();
        } catch (const std::exception& error) {
            KP_LOG_WARN("times of kernel {} could not be saved: {}", mTask.kernel.name(),
                        error.what());
        }
    }
    TuningRun(const TuningRun&) = delete;
    TuningRun& operator=(const TuningRun&) = delete;

    TuningResult run() {
        if (mTask.options.effort == TuningEffort::eEstimate)
            return estimate();
        addNearest();
        lookUp();
        measureAll();
        mBench.restore();
        save();
        Candidate* const fastest = best();
        if (!fastest)
            throwNoneWorks();
        TuningResult result;
        result.source = mBench.benchmarks() > 0 ? TuningResult::Source::eMeasured
                                                : TuningResult::Source::eCache;
        result.nanoseconds = fastest->time.nanoseconds;
        apply(result, *fastest);
        return result;
    }

private:
    void addCandidate(const TuningConfiguration& configuration) {
        mCandidates.emplace_back().time = {.problem = mTask.arguments.problemSize(),
                                           .configuration = configuration};
    }

    /// Returns the candidate with this configuration; null if there is none.
    Candidate* find(const TuningConfiguration& configuration) {
        const auto found = std::ranges::find_if(mCandidates, [&](const Candidate& each) {
            return each.time.configuration == configuration;
        });
        return found == mCandidates.end() ? nullptr : &*found;
    }

    /// Returns the fastest candidate so far; null if none is measured.
    Candidate* best() {
        Candidate* found = nullptr;
        for (Candidate& candidate : mCandidates) {
            if (candidate.measured() &&
                (!found || candidate.time.nanoseconds < found->time.nanoseconds))
                found = &candidate;
        }
        return found;
    }

    double elapsedSeconds() const {
        return std::chrono::duration<double>(Clock::now() - mStart).count();
    }

    double distanceOf(const CachedTime& time) const {
        return problemDistance(time.problem, mTask.arguments.problemSize());
    }

    /// Returns the cached times that this kernel can use, nearest problem size first, then fastest
    /// first.
    std::vector<const CachedTime*> knownByDistance() const {
        std::vector<const CachedTime*> known;
        for (const CachedTime& time : mKnown) {
            if (!time.wrong && belongsTo(mTask.kernel, time.configuration) &&
                isAllowed(mTask.kernel, mTask.limits, time.configuration) &&
                distanceOf(time) < kInfinity)
                known.push_back(&time);
        }
        std::ranges::stable_sort(known, {}, [&](const CachedTime* time) {
            return std::pair(distanceOf(*time), time->nanoseconds);
        });
        return known;
    }

    /// Adds the best known configuration for this problem size or the nearest one.
    void addNearest() {
        const std::vector<const CachedTime*> known = knownByDistance();
        if (known.empty() || find(known[0]->configuration))
            return;
        // A time of another problem size counts only if there is none of this one.
        const bool knownHere = std::ranges::any_of(mKnown, [&](const CachedTime& time) {
            return !time.wrong && time.problem == mTask.arguments.problemSize();
        });
        if (!knownHere || distanceOf(*known[0]) == 0)
            addCandidate(known[0]->configuration);
    }

    /// Takes times of this problem size from the cache.
    void lookUp() {
        if (mTask.options.remeasure)
            return;
        // Without times of this problem size, no shader is compiled before its turn.
        const auto& problem = mTask.arguments.problemSize();
        if (std::ranges::find(mKnown, problem, &CachedTime::problem) == mKnown.end())
            return;
        // Results were wrong by a caller's expectation. A caller with expectations checks again; if
        // all results were wrong, the mistake was the caller's.
        const bool believesWrong =
            !mBench.verifies() && std::ranges::any_of(mKnown, [&](const CachedTime& known) {
                return known.problem == problem && !known.wrong;
            });
        const auto holds = [&](const CachedTime& known) {
            return known.wrong ? believesWrong : known.verified || !mBench.verifies();
        };
        for (Candidate& candidate : mCandidates) {
            if (!attempt(candidate, [&] { identify(candidate); }))
                continue;
            const auto time = std::ranges::find_if(mKnown, [&](const CachedTime& known) {
                return known.sameSubject(candidate.time) && holds(known);
            });
            if (time == mKnown.end())
                continue;
            candidate.time = *time;
            candidate.status = time->wrong ? Outcome::eWrong : Outcome::eMeasured;
            candidate.fromCache = true;
        }
    }

    /// Stores unsaved times in the cache.
    void save() {
        std::vector<CachedTime> changed;
        for (Candidate& candidate : mCandidates) {
            if (std::exchange(candidate.unsaved, false))
                changed.push_back(candidate.time);
        }
        if (!changed.empty())
            mTask.cache.store(mTask.key, changed);
        mLastSave = Clock::now();
    }

    void measureAll() {
        std::vector<Candidate*> active;
        for (Candidate& candidate : mCandidates) {
            if (!candidate.time.complete)
                active.push_back(&candidate);
        }
        const std::vector<uint32_t> runs = runsByRound(mTask.options.runs);
        const auto rounds = static_cast<uint32_t>(runs.size());
        const double budget = mTask.options.budgetSeconds;
        for (uint32_t round = 1; round <= rounds && !active.empty(); ++round) {
            size_t done = 0;
            for (Candidate* candidate : active) {
                mStopped = budget > 0 && elapsedSeconds() >= budget && best();
                if (!mStopped) {
                    measure(*candidate, runs[round - 1]);
                    mStopped = !report(*candidate, round, rounds, ++done, active.size());
                }
                if (mStopped)
                    return;
                if (Clock::now() - mLastSave >= kSaveInterval)
                    save();
            }
            active = eliminate(std::move(active));
            // A single candidate must finish all its rounds to compete with times from the cache.
            const bool cached = std::ranges::any_of(mCandidates, [](const Candidate& each) {
                return each.fromCache && each.measured();
            });
            if (active.size() > (cached ? 0 : 1) && round < rounds)
                continue;
            for (Candidate* candidate : active)
                candidate->complete();
            return;
        }
    }

    /// Returns the candidates of the next round: at most half, all close enough to the fastest one.
    std::vector<Candidate*> eliminate(std::vector<Candidate*> active) {
        std::erase_if(active, [](const Candidate* candidate) { return !candidate->measured(); });
        const auto nanoseconds = [](const Candidate* each) { return each->time.nanoseconds; };
        std::ranges::stable_sort(active, {}, nanoseconds);
        const Candidate* const fastest = best();
        size_t remaining = (active.size() + 1) / 2;
        while (remaining > 0 &&
               nanoseconds(active[remaining - 1]) > nanoseconds(fastest) * kMaxSlowdown)
            --remaining;
        for (size_t i = remaining; i < active.size(); ++i)
            active[i]->complete();
        active.resize(remaining);
        return active;
    }

    /// Runs a candidate until it has @p runs runs, including runs of an interrupted earlier call.
    void measure(Candidate& candidate, uint32_t runs) {
        const CachedTime& time = candidate.time;
        if (time.runs >= runs || (!candidate.algorithm && !prepare(candidate)))
            return;
        candidate.addTimes(mBench.time(candidate.algorithm, runs - time.runs, time.nanoseconds));
    }

    /// Takes a step with a candidate. Rejects the candidate if the step throws an error that
    /// concerns this configuration only, as opposed to the device.
    /// @return false if it was rejected
    bool attempt(Candidate& candidate, const std::function<void()>& step) {
        try {
            step();
            return true;
        } catch (const Error& error) {
            if (error.code() != ErrorCode::eShader && error.code() != ErrorCode::eUnsupported)
                throw;
            candidate.status = Outcome::eFailed;
            candidate.time.reason = error.what();
            candidate.time.complete = true;
            candidate.algorithm.reset();
            KP_LOG_INFO("kernel {}, configuration {} is excluded: {}", mTask.kernel.name(),
                        candidate.time.configuration.toString(), candidate.time.reason);
            return false;
        }
    }

    /// Determines the shader key of a candidate.
    /// @throws as spirvOf()
    void identify(Candidate& candidate) {
        if (!candidate.time.shader.empty())
            return;
        if (mTask.kernel.factoryKey().empty())
            candidate.spirv = spirvOf(mTask.kernel, candidate.time.configuration, mTask.manager);
        candidate.time.shader = shaderKeyOf(mTask.kernel, candidate.spirv);
    }

    /// @throws ShaderError if the candidate exceeds a limit; also as buildConfiguration()
    TuningBuild build(Candidate& candidate) const {
        const TuningConfiguration& configuration = candidate.time.configuration;
        if (candidate.spirv.empty())
            candidate.spirv = spirvOf(mTask.kernel, configuration, mTask.manager);
        TuningBuild build = buildConfiguration(mTask.kernel, mTask.arguments, configuration,
                                               candidate.spirv, mTask.limits);
        candidate.pruned = !build.exceededLimit.empty();
        if (candidate.pruned)
            fail<ShaderError>("it exceeds the device's {}", build.exceededLimit);
        return build;
    }

    /// Compiles a candidate, runs it once untimed, and verifies its results.
    /// @return false if it was rejected
    bool prepare(Candidate& candidate) {
        const bool made = attempt(candidate, [&] {
            identify(candidate);
            const TuningBuild built = build(candidate);
            candidate.algorithm = makeAlgorithm(mTask.manager, mTask.arguments, built);
            mBench.protect(built.writtenObjects);
        });
        if (!made)
            return false;
        if (!std::exchange(mWarm, true) && !mTask.limits.isCpu) {
            const auto end = Clock::now() + kWarmUp;
            for (uint32_t run = 0; run < kMaxWarmUpRuns && Clock::now() < end; ++run)
                mBench.run(candidate.algorithm);
        }
        mBench.run(candidate.algorithm);
        if (!mBench.verifies())
            return true;
        CachedTime& time = candidate.time;
        const std::string problem = mBench.verify(time.configuration);
        time.verified = true;
        if (problem.empty())
            return true;
        time.wrong = true;
        time.reason = problem;
        candidate.status = Outcome::eWrong;
        candidate.complete();
        KP_LOG_WARN("kernel {}, configuration {} produces wrong results and is excluded: {}",
                    mTask.kernel.name(), time.configuration.toString(), problem);
        return false;
    }

    /// @return false to stop
    bool report(const Candidate& candidate, uint32_t round, uint32_t rounds, size_t done,
                size_t total) {
        if (!mTask.options.progress)
            return true;
        TuningProgress progress;
        progress.kernel = mTask.kernel.name();
        progress.round = round;
        progress.rounds = rounds;
        progress.done = done;
        progress.total = total;
        progress.configuration = candidate.time.configuration;
        progress.nanoseconds = candidate.measured() ? candidate.time.nanoseconds : 0.0;
        const Candidate* const fastest = best();
        if (fastest) {
            progress.best = fastest->time.configuration;
            progress.bestNanoseconds = fastest->time.nanoseconds;
        }
        progress.elapsedSeconds = elapsedSeconds();
        progress.budgetSeconds = mTask.options.budgetSeconds;
        // Without a measured candidate there would be no result.
        return mTask.options.progress(progress) || !fastest;
    }

    /// Makes the algorithm of the result and fills in everything but its source and time.
    void apply(TuningResult& result, Candidate& candidate) {
        TuningBuild made = build(candidate);
        result.algorithm = makeAlgorithm(mTask.manager, mTask.arguments, made);
        result.configuration = candidate.time.configuration;
        result.workgroup = made.workgroup;
        result.spirv = std::move(made.spirv);
        result.specialization = std::move(made.specialization);
        result.configurations = mTask.kernel.configurationCount();
        result.constrained = mDraw.constrained;
        result.pruned = mDraw.pruned;
        for (const Candidate& each : mCandidates) {
            result.pruned += each.pruned ? 1 : 0;
            const CachedTime& time = each.time;
            result.records.push_back({time.configuration, each.status, time.reason,
                                      time.nanoseconds, time.medianNs, time.runs, each.fromCache});
        }
        std::ranges::stable_sort(result.records, {}, [](const TuningRecord& record) {
            return record.status == Outcome::eMeasured ? record.nanoseconds : kInfinity;
        });
        result.benchmarks = mBench.benchmarks();
        result.stopped = mStopped;
        result.seconds = elapsedSeconds();
    }

    TuningResult estimate() {
        TuningResult result;
        for (const CachedTime* time : knownByDistance()) {
            Candidate candidate;
            candidate.time.configuration = time->configuration;
            const bool works = attempt(candidate, [&] {
                identify(candidate);
                if (candidate.time.shader == time->shader)
                    apply(result, candidate);
            });
            if (!works || !result.algorithm)
                continue;
            const bool exact = distanceOf(*time) == 0;
            result.source = exact ? TuningResult::Source::eCache : TuningResult::Source::eNearest;
            result.nanoseconds = exact ? time->nanoseconds : 0.0;
            return result;
        }
        for (const TuningConfiguration& configuration :
             rankByRule(mTask.kernel, mTask.limits, mDraw.configurations)) {
            Candidate& candidate = *find(configuration);
            if (attempt(candidate, [&] { apply(result, candidate); }))
                return result; // its source is eEstimate already
        }
        throwNoneWorks();
    }

    /// @throws ShaderError with the reasons
    [[noreturn]] void throwNoneWorks() const {
        std::string reasons;
        size_t count = 0;
        for (const Candidate& candidate : mCandidates) {
            if (!candidate.time.reason.empty() && count++ < kMaxReasons) {
                reasons += formatted("\n  {}: {}", candidate.time.configuration.toString(),
                                     candidate.time.reason);
            }
        }
        if (count > kMaxReasons)
            reasons += formatted("\n  and {} more", count - kMaxReasons);
        fail<ShaderError>("no configuration of kernel '{}' works:{}", mTask.kernel.name(), reasons);
    }

    const TuningTask& mTask;
    const Clock::time_point mStart = Clock::now();
    const std::vector<CachedTime> mKnown; ///< of this kernel, all problem sizes
    const TuningDraw mDraw;
    std::vector<Candidate> mCandidates;
    TuningBench mBench;
    Clock::time_point mLastSave = Clock::now();
    bool mWarm = false;
    bool mStopped = false;
};

} // namespace

TuningResult runTuning(const TuningTask& task) {
    return TuningRun(task).run();
}

} // namespace kp::tune
