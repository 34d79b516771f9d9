// SPDX-License-Identifier: Apache-2.0
//
// What a tuning run ends with: the winner's algorithm and the records, an estimate, or an error.
#include "launch/TuningRun.hpp"

#include <algorithm>
#include <limits>

#include <kompute/Error.hpp>

namespace kp::launch {
namespace {

using Status = TuningRecord::Status;

constexpr size_t kMaxReasons = 16;

} // namespace

void TuningRun::apply(TuningResult& result, const TuningConfiguration& configuration,
                      std::vector<uint32_t> spirv) const {
    if (spirv.empty())
        spirv = spirvOf(mKernel, configuration, mManager);
    TuningBuild build =
        buildConfiguration(mKernel, mArguments, configuration, std::move(spirv), mLimits);
    if (!build.overLimit.empty())
        throw ShaderError("it is over the device's " + build.overLimit);
    result.algorithm = mManager.algorithm<SpecializationConstant, unsigned char>(
        mArguments.memObjects(), build.spirv, build.workgroup, build.specialization,
        mArguments.pushConstantBytes());
    result.configuration = configuration;
    result.workgroup = build.workgroup;
    result.spirv = std::move(build.spirv);
    result.specialization = std::move(build.specialization);
}

void TuningRun::addCounts(TuningResult& result) const {
    result.configurations = mKernel.configurationCount();
    result.constrained = mDraw.constrained;
    result.pruned = mDraw.pruned;
    for (const Candidate& candidate : mCandidates) {
        result.pruned += candidate.pruned ? 1 : 0;
        result.records.push_back(candidate.record);
    }
    std::stable_sort(result.records.begin(), result.records.end(),
                     [](const TuningRecord& a, const TuningRecord& b) {
                         const auto rank = [](const TuningRecord& record) {
                             return record.status == Status::eMeasured
                                        ? record.nanoseconds
                                        : std::numeric_limits<double>::infinity();
                         };
                         return rank(a) < rank(b);
                     });
    result.benchmarks = mBench.benchmarks();
    result.stopped = mStopped;
    result.seconds = elapsed();
}

void TuningRun::throwNothingWorks() const {
    std::string reasons;
    size_t count = 0;
    for (const Candidate& candidate : mCandidates) {
        if (candidate.record.reason.empty() || count++ >= kMaxReasons)
            continue;
        reasons +=
            "\n  " + candidate.record.configuration.toString() + ": " + candidate.record.reason;
    }
    if (count > kMaxReasons)
        reasons += "\n  and " + std::to_string(count - kMaxReasons) + " more";
    throw ShaderError("no configuration of kernel '" + mKernel.name() + "' works:" + reasons);
}

TuningResult TuningRun::finish() {
    mBench.restore();
    save(true);
    const Candidate* winner = best();
    if (!winner)
        throwNothingWorks();
    TuningResult result;
    result.source =
        mBench.benchmarks() > 0 ? TuningResult::Source::eMeasured : TuningResult::Source::eCache;
    result.nanoseconds = winner->record.nanoseconds;
    apply(result, winner->record.configuration, winner->spirv);
    addCounts(result);
    return result;
}

TuningResult TuningRun::estimate() {
    TuningResult result;
    const auto tryOne = [&](Candidate& candidate) {
        try {
            if (!identify(candidate))
                return false;
            apply(result, candidate.record.configuration, candidate.spirv);
            return true;
        } catch (const Error& error) {
            if (!isOnlyThisConfiguration(error))
                throw;
            fail(candidate, error.what());
            return false;
        }
    };
    // What is known, nearest first, and the fastest of each size first.
    std::vector<const CachedTime*> known;
    const auto distance = [&](const CachedTime* time) {
        return problemDistance(time->problem, mArguments.problemSize());
    };
    for (const CachedTime& time : mKnown)
        if (!time.wrong && distance(&time) < std::numeric_limits<double>::infinity() &&
            belongsTo(mKernel, time.configuration) &&
            isAllowed(mKernel, mLimits, time.configuration))
            known.push_back(&time);
    std::stable_sort(known.begin(), known.end(), [&](const CachedTime* a, const CachedTime* b) {
        return std::pair(distance(a), a->nanoseconds) < std::pair(distance(b), b->nanoseconds);
    });
    for (const CachedTime* time : known) {
        Candidate candidate;
        candidate.record.configuration = time->configuration;
        if (!identify(candidate) || candidate.shader != time->shader || !tryOne(candidate))
            continue;
        const bool exact = distance(time) == 0;
        result.source = exact ? TuningResult::Source::eCache : TuningResult::Source::eNearest;
        result.nanoseconds = exact ? time->nanoseconds : 0.0;
        addCounts(result);
        return result;
    }
    for (const TuningConfiguration& configuration :
         rankByRule(mKernel, mLimits, mDraw.configurations))
        for (Candidate& candidate : mCandidates)
            if (candidate.record.configuration == configuration && tryOne(candidate)) {
                result.source = TuningResult::Source::eEstimate;
                addCounts(result);
                return result;
            }
    throwNothingWorks();
}

} // namespace kp::launch
