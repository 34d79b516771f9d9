// SPDX-License-Identifier: Apache-2.0
#include "tune/TuningRun.hpp"

#include <algorithm>

#include <kompute/Error.hpp>
#include <kompute/logger/Logger.hpp>

#include "base/Text.hpp"
#include "tune/TuningVerify.hpp"

namespace kp::tune {
namespace {

using Status = TuningRecord::Status;

/// Runs of every configuration in the first round.
constexpr uint32_t kFirstRuns = 3;
/// Configurations slower than the fastest by this factor do not enter the next round.
constexpr double kMaxSlowdown = 1.5;
/// Clocks of a GPU rise under load. Without a warm-up the first configurations would seem slow.
constexpr double kWarmUpNs = 30e6;
constexpr uint32_t kMaxWarmUpRuns = 200;

/// Returns the total number of runs of a configuration after each round.
std::vector<uint32_t> runsByRound(uint32_t maxRuns) {
    std::vector<uint32_t> runs;
    for (uint32_t count = kFirstRuns; count < maxRuns; count *= 2)
        runs.push_back(count);
    runs.push_back(maxRuns);
    return runs;
}

double medianOf(std::vector<double> times) {
    std::sort(times.begin(), times.end());
    const size_t half = times.size() / 2;
    return times.size() % 2 ? times[half] : (times[half - 1] + times[half]) / 2;
}

void addTimes(Candidate& candidate, const std::vector<double>& times) {
    CachedTime& time = candidate.time;
    candidate.samples.insert(candidate.samples.end(), times.begin(), times.end());
    const double shortest = *std::min_element(times.begin(), times.end());
    time.nanoseconds = candidate.measured() ? std::min(time.nanoseconds, shortest) : shortest;
    time.medianNs = medianOf(candidate.samples);
    time.runs += static_cast<uint32_t>(times.size());
    candidate.status = Status::eMeasured;
    candidate.fromCache = false;
    candidate.unsaved = true;
}

/// Takes a candidate out of the rounds.
void complete(Candidate& candidate) {
    candidate.time.complete = candidate.unsaved = true;
    candidate.algorithm.reset();
    candidate.samples.clear();
}

} // namespace

TuningRun::TuningRun(const TuningTask& task, TuningCache& cache)
    : mTask(task), mStart(std::chrono::steady_clock::now()), mCandidates(task, cache),
      mBench(task.manager, task.arguments, task.options.time) {}

TuningResult TuningRun::run() {
    if (mTask.options.effort == TuningEffort::eEstimate)
        return estimate();
    mCandidates.addNearest();
    mCandidates.lookUp();
    measureAll();
    return finish();
}

double TuningRun::elapsedSeconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - mStart).count();
}

bool TuningRun::budgetSpent() {
    const double budget = mTask.options.budgetSeconds;
    return budget > 0 && elapsedSeconds() >= budget && mCandidates.best();
}

void TuningRun::measureAll() {
    std::vector<Candidate*> active;
    for (Candidate& candidate : mCandidates.all()) {
        if (!candidate.time.complete)
            active.push_back(&candidate);
    }
    const std::vector<uint32_t> runs = runsByRound(mTask.options.runs);
    const auto rounds = static_cast<uint32_t>(runs.size());
    for (uint32_t round = 1; round <= rounds && !active.empty(); ++round) {
        size_t done = 0;
        for (Candidate* candidate : active) {
            mStopped = budgetSpent();
            if (!mStopped) {
                measure(*candidate, runs[round - 1]);
                mStopped = !report(*candidate, round, rounds, ++done, active.size());
            }
            if (mStopped)
                return;
            mCandidates.save(false);
        }
        active = eliminate(std::move(active));
        // A single candidate must finish all its rounds to compete with times from the cache.
        const bool cached = std::ranges::any_of(mCandidates.all(), [](const Candidate& each) {
            return each.fromCache && each.measured();
        });
        if (active.size() > (cached ? 0 : 1) && round < rounds)
            continue;
        for (Candidate* candidate : active)
            complete(*candidate);
        return;
    }
}

/// Returns the candidates of the next round: at most half, all close enough to the fastest one.
std::vector<Candidate*> TuningRun::eliminate(std::vector<Candidate*> active) {
    std::erase_if(active, [](const Candidate* candidate) { return !candidate->measured(); });
    const auto nanoseconds = [](const Candidate* each) { return each->time.nanoseconds; };
    std::ranges::stable_sort(active, {}, nanoseconds);
    const Candidate* const best = mCandidates.best();
    size_t remaining = (active.size() + 1) / 2;
    while (remaining > 0 && nanoseconds(active[remaining - 1]) > nanoseconds(best) * kMaxSlowdown)
        --remaining;
    for (size_t i = remaining; i < active.size(); ++i)
        complete(*active[i]);
    active.resize(remaining);
    return active;
}

/// @throws ShaderError if the candidate exceeds a limit; whatever buildConfiguration() throws
TuningBuild TuningRun::build(Candidate& candidate) const {
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
bool TuningRun::prepare(Candidate& candidate) {
    const bool made = mCandidates.attempt(candidate, [&] {
        mCandidates.identify(candidate);
        const TuningBuild made = build(candidate);
        candidate.algorithm = makeAlgorithm(mTask.manager, mTask.arguments, made);
        mBench.protect(made.writtenBindings);
    });
    if (!made)
        return false;
    warmUp(candidate);
    mBench.run(candidate.algorithm);
    candidate.prepared = true;
    if (verifiesResults(mTask.arguments))
        verify(candidate);
    return candidate.status != Status::eWrong;
}

void TuningRun::verify(Candidate& candidate) {
    const std::string problem = verifyResults(mTask.arguments, candidate.time.configuration);
    candidate.time.verified = true;
    if (problem.empty())
        return;
    candidate.status = Status::eWrong;
    candidate.time.wrong = true;
    candidate.time.reason = problem;
    candidate.time.complete = candidate.unsaved = true;
    candidate.algorithm.reset();
    KP_LOG_WARN("kernel {}, configuration {} produces wrong results and is excluded: {}",
                mTask.kernel.name(), candidate.time.configuration.toString(), problem);
}

void TuningRun::warmUp(Candidate& candidate) {
    if (mWarm || mTask.limits.isCpu)
        return;
    mWarm = true;
    const auto start = std::chrono::steady_clock::now();
    const auto spentNs = [&] {
        return std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - start)
            .count();
    };
    for (uint32_t run = 0; run < kMaxWarmUpRuns && spentNs() < kWarmUpNs; ++run)
        mBench.run(candidate.algorithm);
}

/// Runs a candidate until it has @p runs runs, including those of an interrupted earlier call.
void TuningRun::measure(Candidate& candidate, uint32_t runs) {
    const CachedTime& time = candidate.time;
    if (time.runs >= runs || (!candidate.prepared && !prepare(candidate)))
        return;
    addTimes(candidate, mBench.time(candidate.algorithm, runs - time.runs, time.nanoseconds));
}

/// @return false to stop
bool TuningRun::report(const Candidate& candidate, uint32_t round, uint32_t rounds, size_t done,
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
    const Candidate* const best = mCandidates.best();
    if (best) {
        progress.best = best->time.configuration;
        progress.bestNanoseconds = best->time.nanoseconds;
    }
    progress.elapsedSeconds = elapsedSeconds();
    progress.budgetSeconds = mTask.options.budgetSeconds;
    // Without a measured candidate there would be no result.
    return mTask.options.progress(progress) || !best;
}

/// Makes the algorithm of the result and fills in everything but its source and time.
void TuningRun::apply(TuningResult& result, Candidate& candidate) {
    TuningBuild made = build(candidate);
    result.algorithm = makeAlgorithm(mTask.manager, mTask.arguments, made);
    result.configuration = candidate.time.configuration;
    result.workgroup = made.workgroup;
    result.spirv = std::move(made.spirv);
    result.specialization = std::move(made.specialization);
    mCandidates.addRecords(result);
    result.benchmarks = mBench.benchmarks();
    result.stopped = mStopped;
    result.seconds = elapsedSeconds();
}

TuningResult TuningRun::finish() {
    mBench.restore();
    mCandidates.save(true);
    Candidate* const best = mCandidates.best();
    if (!best)
        mCandidates.throwNoneWorks();
    TuningResult result;
    result.source =
        mBench.benchmarks() > 0 ? TuningResult::Source::eMeasured : TuningResult::Source::eCache;
    result.nanoseconds = best->time.nanoseconds;
    apply(result, *best);
    return result;
}

TuningResult TuningRun::estimate() {
    TuningResult result;
    for (const CachedTime* time : mCandidates.knownByDistance()) {
        Candidate candidate;
        candidate.time.configuration = time->configuration;
        const bool works = mCandidates.attempt(candidate, [&] {
            mCandidates.identify(candidate);
            if (candidate.time.shader == time->shader)
                apply(result, candidate);
        });
        if (!works || !result.algorithm)
            continue;
        const bool exact = problemDistance(time->problem, mTask.arguments.problemSize()) == 0;
        result.source = exact ? TuningResult::Source::eCache : TuningResult::Source::eNearest;
        result.nanoseconds = exact ? time->nanoseconds : 0.0;
        return result;
    }
    for (const TuningConfiguration& configuration :
         rankByRule(mTask.kernel, mTask.limits, mCandidates.drawn())) {
        Candidate& candidate = *mCandidates.find(configuration);
        if (mCandidates.attempt(candidate, [&] { apply(result, candidate); }))
            return result; // its source is eEstimate already
    }
    mCandidates.throwNoneWorks();
}

} // namespace kp::tune
