// SPDX-License-Identifier: Apache-2.0
#include "tune/TuningRun.hpp"

#include <algorithm>
#include <limits>

#include <kompute/Error.hpp>
#include <kompute/logger/Logger.hpp>

#include "base/Text.hpp"
#include "tune/TuningBuild.hpp"
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
    TuningRecord& record = candidate.record;
    candidate.samples.insert(candidate.samples.end(), times.begin(), times.end());
    const double shortest = *std::min_element(times.begin(), times.end());
    record.nanoseconds = candidate.measured() ? std::min(record.nanoseconds, shortest) : shortest;
    record.medianNs = medianOf(candidate.samples);
    record.runs += static_cast<uint32_t>(times.size());
    record.status = Status::eMeasured;
    record.fromCache = false;
    candidate.unsaved = true;
}

} // namespace

TuningRun::TuningRun(const TuningTask& task, TuningCache& cache)
    : mTask(task), mStart(std::chrono::steady_clock::now()), mCandidates(task, cache),
      mBench(task.manager, task.arguments, task.options.time) {}

TuningResult TuningRun::run() {
    mCandidates.draw();
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

bool TuningRun::budgetSpent() const {
    const double budget = mTask.options.budgetSeconds;
    return budget > 0 && elapsedSeconds() >= budget && mCandidates.best();
}

void TuningRun::measureAll() {
    std::vector<Candidate*> active;
    for (Candidate& candidate : mCandidates.all()) {
        if (!candidate.complete)
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
                mStopped = report(*candidate, round, rounds, ++done, active.size()) == Step::eStop;
            }
            if (mStopped)
                return;
            mCandidates.save(false);
        }
        active = eliminate(std::move(active));
        const bool undecided =
            active.size() > 1 || (active.size() == 1 && mCandidates.anyFromCache());
        if (!undecided || round == rounds) {
            for (Candidate* candidate : active)
                candidate->complete = candidate->unsaved = true;
        }
        if (!undecided)
            break;
    }
}

/// Returns the candidates of the next round: at most half, all close enough to the fastest one.
std::vector<Candidate*> TuningRun::eliminate(std::vector<Candidate*> active) {
    std::erase_if(active, [](const Candidate* candidate) { return !candidate->measured(); });
    std::stable_sort(active.begin(), active.end(), [](const Candidate* a, const Candidate* b) {
        return a->record.nanoseconds < b->record.nanoseconds;
    });
    const Candidate* const best = mCandidates.best();
    const double slowest =
        best ? best->record.nanoseconds * kMaxSlowdown : std::numeric_limits<double>::infinity();
    size_t remaining = (active.size() + 1) / 2;
    while (remaining > 0 && active[remaining - 1]->record.nanoseconds > slowest)
        --remaining;
    for (size_t i = remaining; i < active.size(); ++i) {
        active[i]->complete = active[i]->unsaved = true;
        active[i]->algorithm.reset();
        active[i]->samples.clear();
    }
    active.resize(remaining);
    return active;
}

/// Compiles a candidate, runs it once untimed, and verifies its results.
/// @return false if it was rejected
bool TuningRun::prepare(Candidate& candidate) {
    try {
        if (!mCandidates.identify(candidate))
            return false;
        if (candidate.spirv.empty())
            candidate.spirv = spirvOf(mTask.kernel, candidate.record.configuration, mTask.manager);
        const TuningBuild build =
            buildConfiguration(mTask.kernel, mTask.arguments, candidate.record.configuration,
                               candidate.spirv, mTask.limits);
        if (!build.exceededLimit.empty()) {
            candidate.pruned = true;
            mCandidates.reject(candidate, exceedsLimit(build));
            return false;
        }
        candidate.algorithm = makeAlgorithm(mTask.manager, mTask.arguments, build);
        mBench.protect(build.writtenBindings);
    } catch (const Error& error) {
        if (!concernsOneConfiguration(error))
            throw;
        mCandidates.reject(candidate, error.what());
        return false;
    }
    warmUp(candidate);
    mBench.run(candidate.algorithm);
    candidate.prepared = true;
    if (verifiesResults(mTask.arguments))
        verify(candidate);
    return candidate.record.status != Status::eWrong;
}

void TuningRun::verify(Candidate& candidate) {
    const std::string problem = verifyResults(mTask.arguments, candidate.record.configuration);
    candidate.verified = true;
    if (problem.empty())
        return;
    candidate.record.status = Status::eWrong;
    candidate.record.reason = problem;
    candidate.complete = candidate.unsaved = true;
    candidate.algorithm.reset();
    KP_LOG_WARN("kernel {}, configuration {} produces wrong results and is excluded: {}",
                mTask.kernel.name(), candidate.record.configuration.toString(), problem);
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
    const TuningRecord& record = candidate.record;
    if (record.runs >= runs || (!candidate.prepared && !prepare(candidate)))
        return;
    addTimes(candidate, mBench.time(candidate.algorithm, runs - record.runs, record.nanoseconds));
}

TuningRun::Step TuningRun::report(const Candidate& candidate, uint32_t round, uint32_t rounds,
                                  size_t done, size_t total) const {
    if (!mTask.options.progress)
        return Step::eContinue;
    TuningProgress progress;
    progress.kernel = mTask.kernel.name();
    progress.round = round;
    progress.rounds = rounds;
    progress.done = done;
    progress.total = total;
    progress.configuration = candidate.record.configuration;
    progress.nanoseconds = candidate.measured() ? candidate.record.nanoseconds : 0.0;
    const Candidate* const best = mCandidates.best();
    if (best) {
        progress.best = best->record.configuration;
        progress.bestNanoseconds = best->record.nanoseconds;
    }
    progress.elapsedSeconds = elapsedSeconds();
    progress.budgetSeconds = mTask.options.budgetSeconds;
    // Without a measured candidate there would be no result.
    return mTask.options.progress(progress) || !best ? Step::eContinue : Step::eStop;
}

void TuningRun::apply(TuningResult& result, const TuningConfiguration& configuration,
                      std::vector<uint32_t> spirv) const {
    if (spirv.empty())
        spirv = spirvOf(mTask.kernel, configuration, mTask.manager);
    TuningBuild build = buildConfiguration(mTask.kernel, mTask.arguments, configuration,
                                           std::move(spirv), mTask.limits);
    if (!build.exceededLimit.empty())
        throw ShaderError(exceedsLimit(build));
    result.algorithm = makeAlgorithm(mTask.manager, mTask.arguments, build);
    result.configuration = configuration;
    result.workgroup = build.workgroup;
    result.spirv = std::move(build.spirv);
    result.specialization = std::move(build.specialization);
}

bool TuningRun::tryApply(TuningResult& result, Candidate& candidate) {
    try {
        if (!mCandidates.identify(candidate))
            return false;
        apply(result, candidate.record.configuration, candidate.spirv);
        return true;
    } catch (const Error& error) {
        if (!concernsOneConfiguration(error))
            throw;
        mCandidates.reject(candidate, error.what());
        return false;
    }
}

void TuningRun::addCounts(TuningResult& result) const {
    mCandidates.addRecords(result);
    result.benchmarks = mBench.benchmarks();
    result.stopped = mStopped;
    result.seconds = elapsedSeconds();
}

TuningResult TuningRun::finish() {
    mBench.restore();
    mCandidates.save(true);
    const Candidate* const best = mCandidates.best();
    if (!best)
        mCandidates.throwNoneWorks();
    TuningResult result;
    result.source =
        mBench.benchmarks() > 0 ? TuningResult::Source::eMeasured : TuningResult::Source::eCache;
    result.nanoseconds = best->record.nanoseconds;
    apply(result, best->record.configuration, best->spirv);
    addCounts(result);
    return result;
}

TuningResult TuningRun::estimate() {
    TuningResult result;
    for (const CachedTime* time : mCandidates.knownByDistance()) {
        Candidate candidate;
        candidate.record.configuration = time->configuration;
        if (!mCandidates.identify(candidate) || candidate.shader != time->shader ||
            !tryApply(result, candidate))
            continue;
        const bool exact = problemDistance(time->problem, mTask.arguments.problemSize()) == 0;
        result.source = exact ? TuningResult::Source::eCache : TuningResult::Source::eNearest;
        result.nanoseconds = exact ? time->nanoseconds : 0.0;
        addCounts(result);
        return result;
    }
    for (const TuningConfiguration& configuration : mCandidates.rankedByRule()) {
        if (!tryApply(result, *mCandidates.find(configuration)))
            continue;
        result.source = TuningResult::Source::eEstimate;
        addCounts(result);
        return result;
    }
    mCandidates.throwNoneWorks();
}

} // namespace kp::tune
