// SPDX-License-Identifier: Apache-2.0
//
// Which configurations a run tries, and what the cache knows of them before and after.
#include "launch/TuningRun.hpp"

#include <algorithm>
#include <limits>

#include <kompute/Error.hpp>
#include <kompute/logger/Logger.hpp>

namespace kp::launch {
namespace {

using Status = TuningRecord::Status;

constexpr std::chrono::milliseconds kBetweenSaves{500};

} // namespace

size_t TuningRun::drawSize() const {
    switch (mOptions.effort) {
    case TuningEffort::eMeasure:
        return 32;
    case TuningEffort::ePatient:
        return 256;
    default:
        return std::numeric_limits<size_t>::max();
    }
}

void TuningRun::draw() {
    mDraw =
        drawConfigurations(mKernel, mLimits, drawSize(), mOptions.seed, mOptions.subgroupMultiple);
    for (const TuningConfiguration& configuration : mDraw.configurations) {
        mCandidates.emplace_back();
        mCandidates.back().record.configuration = configuration;
    }
}

void TuningRun::addNearest() {
    // Configurations outside the draw that are known to be good here, or at the nearest size.
    const auto consider = [&](double maxDistance) {
        const CachedTime* best = nullptr;
        double nearest = std::numeric_limits<double>::infinity();
        for (const CachedTime& time : mKnown) {
            const double distance = problemDistance(time.problem, mArguments.problemSize());
            if (time.wrong || distance > maxDistance || !belongsTo(mKernel, time.configuration) ||
                !isAllowed(mKernel, mLimits, time.configuration))
                continue;
            if (!best || distance < nearest ||
                (distance == nearest && time.nanoseconds < best->nanoseconds)) {
                best = &time;
                nearest = distance;
            }
        }
        if (!best)
            return;
        for (const Candidate& candidate : mCandidates)
            if (candidate.record.configuration == best->configuration)
                return;
        mCandidates.emplace_back();
        mCandidates.back().record.configuration = best->configuration;
    };
    consider(0);
    const bool knownHere = std::any_of(mKnown.begin(), mKnown.end(), [&](const CachedTime& time) {
        return !time.wrong && time.problem == mArguments.problemSize();
    });
    if (!knownHere)
        consider(std::numeric_limits<double>::max());
}

/// Finds out what the cache calls the candidate's shader. @return false where it has none
bool TuningRun::identify(Candidate& candidate) {
    if (!candidate.shader.empty())
        return true;
    try {
        if (mKernel.factoryKey().empty())
            candidate.spirv = spirvOf(mKernel, candidate.record.configuration, mManager);
        candidate.shader = shaderKeyOf(mKernel, candidate.spirv);
        return true;
    } catch (const Error& error) {
        if (!isOnlyThisConfiguration(error))
            throw;
        fail(candidate, error.what());
        return false;
    }
}

const CachedTime* TuningRun::cached(const Candidate& candidate) const {
    for (const CachedTime& time : mKnown)
        if (time.configuration == candidate.record.configuration &&
            time.problem == mArguments.problemSize() && time.shader == candidate.shader &&
            (time.verified || !mVerifies))
            return &time;
    return nullptr;
}

void TuningRun::takeFromCache(Candidate& candidate, const CachedTime& time) {
    TuningRecord& record = candidate.record;
    record.fromCache = true;
    record.status = time.wrong ? Status::eWrong : Status::eMeasured;
    record.reason = time.reason;
    record.nanoseconds = time.nanoseconds;
    record.medianNs = time.medianNs;
    record.runs = time.runs;
    candidate.complete = time.complete;
    candidate.verified = time.verified;
}

void TuningRun::lookUp() {
    if (mOptions.remeasure)
        return;
    const bool anything = std::any_of(mKnown.begin(), mKnown.end(), [&](const CachedTime& time) {
        return time.problem == mArguments.problemSize();
    });
    if (!anything)
        return; // nothing is compiled before its turn
    for (Candidate& candidate : mCandidates)
        if (identify(candidate))
            if (const CachedTime* time = cached(candidate))
                takeFromCache(candidate, *time);
}

void TuningRun::fail(Candidate& candidate, const std::string& reason) {
    candidate.record.status = Status::eFailed;
    candidate.record.reason = reason;
    candidate.complete = true;
    candidate.algorithm.reset();
    KP_LOG_INFO("kernel {}, configuration {} is left out: {}", mKernel.name(),
                candidate.record.configuration.toString(), reason);
}

void TuningRun::save(bool now) {
    const auto time = std::chrono::steady_clock::now();
    if (!now && time - mLastSave < kBetweenSaves)
        return;
    std::vector<CachedTime> changed;
    for (Candidate& candidate : mCandidates) {
        if (!candidate.unsaved)
            continue;
        const TuningRecord& record = candidate.record;
        CachedTime entry;
        entry.problem = mArguments.problemSize();
        entry.shader = candidate.shader;
        entry.configuration = record.configuration;
        entry.wrong = record.status == Status::eWrong;
        entry.verified = candidate.verified;
        entry.complete = candidate.complete;
        entry.nanoseconds = record.nanoseconds;
        entry.medianNs = record.medianNs;
        entry.runs = record.runs;
        entry.reason = record.reason;
        changed.push_back(std::move(entry));
        candidate.unsaved = false;
    }
    if (!changed.empty())
        mCache.store(mKey, changed);
    mLastSave = std::chrono::steady_clock::now();
}

} // namespace kp::launch
