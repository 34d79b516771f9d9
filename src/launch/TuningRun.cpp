// SPDX-License-Identifier: Apache-2.0
#include "launch/TuningRun.hpp"

#include <algorithm>
#include <limits>

#include <kompute/Error.hpp>
#include <kompute/logger/Logger.hpp>

#include "launch/TuningVerify.hpp"

namespace kp::launch {
namespace {

using Status = TuningRecord::Status;

constexpr uint32_t kFirstRuns = 3; ///< of every configuration, in the first round
/// What is slower than the fastest by this factor does not get into the next round.
constexpr double kHopeless = 1.5;
/// Clocks of a GPU rise with work; without this the first configurations would look slow.
constexpr double kWarmUpNs = 30e6;
constexpr uint32_t kMaxWarmUpRuns = 200;

/// Runs that a configuration has had after each round.
std::vector<uint32_t> runsByRound(uint32_t most) {
    std::vector<uint32_t> runs;
    for (uint32_t count = kFirstRuns; count < most; count *= 2)
        runs.push_back(count);
    runs.push_back(most);
    return runs;
}

double medianOf(std::vector<double> times) {
    std::sort(times.begin(), times.end());
    const size_t half = times.size() / 2;
    return times.size() % 2 ? times[half] : (times[half - 1] + times[half]) / 2;
}

} // namespace

bool isOnlyThisConfiguration(const Error& error) {
    return error.code() == ErrorCode::eShader || error.code() == ErrorCode::eUnsupported;
}

TuningRun::TuningRun(Manager& manager, const AutotunerOptions& options, TuningCache& cache,
                     const TuningKey& key, const TuningLimits& limits, const TunableKernel& kernel,
                     const TuningArguments& arguments)
    : mManager(manager), mOptions(options), mCache(cache), mKey(key), mLimits(limits),
      mKernel(kernel), mArguments(arguments), mStart(std::chrono::steady_clock::now()),
      mLastSave(mStart), mBench(manager, arguments, options.time),
      mVerifies(verifiesResults(arguments)) {}

TuningRun::~TuningRun() {
    try {
        save(true);
    } catch (const std::exception& error) {
        KP_LOG_WARN("times of kernel {} could not be kept: {}", mKernel.name(), error.what());
    }
}

TuningResult TuningRun::run() {
    mKnown = mCache.load(mKey);
    draw();
    if (mOptions.effort == TuningEffort::eEstimate)
        return estimate();
    addNearest();
    lookUp();
    measureAll();
    return finish();
}

/// True where a time of an earlier call competes: against it, a single one has to do all its runs.
bool TuningRun::rivalInCache() const {
    return std::any_of(mCandidates.begin(), mCandidates.end(), [&](const Candidate& candidate) {
        return candidate.record.fromCache && isMeasured(candidate);
    });
}

bool TuningRun::isMeasured(const Candidate& candidate) const {
    return candidate.record.status == Status::eMeasured;
}

const TuningRun::Candidate* TuningRun::best() const {
    const Candidate* found = nullptr;
    for (const Candidate& candidate : mCandidates)
        if (isMeasured(candidate) &&
            (!found || candidate.record.nanoseconds < found->record.nanoseconds))
            found = &candidate;
    return found;
}

double TuningRun::elapsed() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - mStart).count();
}

bool TuningRun::budgetSpent() const {
    return mOptions.budgetSeconds > 0 && elapsed() >= mOptions.budgetSeconds && best();
}

void TuningRun::measureAll() {
    std::vector<Candidate*> active;
    for (Candidate& candidate : mCandidates)
        if (!candidate.complete)
            active.push_back(&candidate);
    const std::vector<uint32_t> runs = runsByRound(mOptions.runs);
    const auto rounds = static_cast<uint32_t>(runs.size());
    for (uint32_t round = 1; round <= rounds && !active.empty(); ++round) {
        size_t done = 0;
        for (Candidate* candidate : active) {
            Step step = budgetSpent() ? Step::eStop : measure(*candidate, runs[round - 1]);
            if (step == Step::eGoOn)
                step = report(*candidate, round, rounds, ++done, active.size());
            if (step == Step::eStop) {
                mStopped = true;
                return;
            }
            save(false);
        }
        active = knockOut(std::move(active));
        const bool undecided = active.size() > 1 || (active.size() == 1 && rivalInCache());
        if (!undecided || round == rounds)
            for (Candidate* candidate : active) {
                candidate->complete = true;
                candidate->unsaved = true;
            }
        if (!undecided)
            break;
    }
}

/// Those that go on: at most half, none that is hopeless against the fastest of all.
std::vector<TuningRun::Candidate*> TuningRun::knockOut(std::vector<Candidate*> active) {
    std::erase_if(active, [&](const Candidate* candidate) { return !isMeasured(*candidate); });
    std::stable_sort(active.begin(), active.end(), [](const Candidate* a, const Candidate* b) {
        return a->record.nanoseconds < b->record.nanoseconds;
    });
    const Candidate* const leader = best();
    const double hopeless =
        leader ? leader->record.nanoseconds * kHopeless : std::numeric_limits<double>::infinity();
    size_t staying = (active.size() + 1) / 2;
    while (staying > 0 && active[staying - 1]->record.nanoseconds > hopeless)
        --staying;
    for (size_t i = staying; i < active.size(); ++i) {
        active[i]->complete = true;
        active[i]->unsaved = true;
        active[i]->algorithm.reset();
        mSamples.erase(active[i]);
    }
    active.resize(staying);
    return active;
}

/// Compiles, runs once without a time, and verifies. @return false where it is out
bool TuningRun::prepare(Candidate& candidate) {
    try {
        if (!identify(candidate))
            return false;
        if (candidate.spirv.empty())
            candidate.spirv = spirvOf(mKernel, candidate.record.configuration, mManager);
        const TuningBuild build = buildConfiguration(
            mKernel, mArguments, candidate.record.configuration, candidate.spirv, mLimits);
        if (!build.overLimit.empty()) {
            candidate.pruned = true;
            fail(candidate, "it is over the device's " + build.overLimit);
            return false;
        }
        candidate.algorithm = mManager.algorithm<SpecializationConstant, unsigned char>(
            mArguments.memObjects(), build.spirv, build.workgroup, build.specialization,
            mArguments.pushConstantBytes());
        mBench.protect(build.writtenBindings);
    } catch (const Error& error) {
        if (!isOnlyThisConfiguration(error))
            throw;
        fail(candidate, error.what());
        return false;
    }
    warmUp(candidate);
    mBench.run(candidate.algorithm);
    candidate.prepared = true;
    if (!mVerifies)
        return true;
    const std::string problem = verifyResults(mArguments, candidate.record.configuration);
    candidate.verified = true;
    if (problem.empty())
        return true;
    candidate.record.status = Status::eWrong;
    candidate.record.reason = problem;
    candidate.complete = candidate.unsaved = true;
    candidate.algorithm.reset();
    KP_LOG_WARN("kernel {}, configuration {} gives wrong results and is left out: {}",
                mKernel.name(), candidate.record.configuration.toString(), problem);
    return false;
}

void TuningRun::warmUp(Candidate& candidate) {
    if (mWarm || mLimits.isCpu)
        return;
    mWarm = true;
    const auto start = std::chrono::steady_clock::now();
    const auto spent = [&] {
        return std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - start)
            .count();
    };
    for (uint32_t run = 0; run < kMaxWarmUpRuns && spent() < kWarmUpNs; ++run)
        mBench.run(candidate.algorithm);
}

TuningRun::Step TuningRun::measure(Candidate& candidate, uint32_t runs) {
    TuningRecord& record = candidate.record;
    if (record.runs >= runs)
        return Step::eGoOn; // known from an interrupted call
    if (!candidate.prepared && !prepare(candidate))
        return Step::eGoOn;
    addTimes(candidate, mBench.time(candidate.algorithm, runs - record.runs, record.nanoseconds));
    return Step::eGoOn;
}

void TuningRun::addTimes(Candidate& candidate, const std::vector<double>& times) {
    TuningRecord& record = candidate.record;
    std::vector<double>& samples = mSamples[&candidate];
    samples.insert(samples.end(), times.begin(), times.end());
    const double shortest = *std::min_element(times.begin(), times.end());
    record.nanoseconds = isMeasured(candidate) ? std::min(record.nanoseconds, shortest) : shortest;
    record.medianNs = medianOf(samples);
    record.runs += static_cast<uint32_t>(times.size());
    record.status = Status::eMeasured;
    record.fromCache = false;
    candidate.unsaved = true;
}

TuningRun::Step TuningRun::report(const Candidate& candidate, uint32_t round, uint32_t rounds,
                                  size_t done, size_t total) {
    if (!mOptions.progress)
        return Step::eGoOn;
    TuningProgress progress;
    progress.kernel = mKernel.name();
    progress.round = round;
    progress.rounds = rounds;
    progress.done = done;
    progress.total = total;
    progress.configuration = candidate.record.configuration;
    progress.nanoseconds = isMeasured(candidate) ? candidate.record.nanoseconds : 0.0;
    if (const Candidate* leader = best()) {
        progress.best = leader->record.configuration;
        progress.bestNanoseconds = leader->record.nanoseconds;
    }
    progress.elapsedSeconds = elapsed();
    progress.budgetSeconds = mOptions.budgetSeconds;
    // Stopping with nothing would leave no result to give.
    return mOptions.progress(progress) || !best() ? Step::eGoOn : Step::eStop;
}

} // namespace kp::launch
