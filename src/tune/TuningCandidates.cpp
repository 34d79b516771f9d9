// SPDX-License-Identifier: Apache-2.0
#include "tune/TuningCandidates.hpp"

#include <algorithm>
#include <limits>
#include <tuple>

#include <kompute/logger/Logger.hpp>

#include "base/Text.hpp"
#include "tune/TuningBuild.hpp"
#include "tune/TuningVerify.hpp"

namespace kp::tune {
namespace {

using Status = TuningRecord::Status;

constexpr std::chrono::milliseconds kSaveInterval{500};
constexpr size_t kMaxReasons = 16;

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

} // namespace

bool concernsOneConfiguration(const Error& error) {
    return error.code() == ErrorCode::eShader || error.code() == ErrorCode::eUnsupported;
}

TuningCandidates::TuningCandidates(const TuningTask& task, TuningCache& cache)
    : mTask(task), mCache(cache), mLastSave(std::chrono::steady_clock::now()) {}

TuningCandidates::~TuningCandidates() {
    try {
        save(true);
    } catch (const std::exception& error) {
        KP_LOG_WARN("times of kernel {} could not be saved: {}", mTask.kernel.name(), error.what());
    }
}

void TuningCandidates::draw() {
    mKnown = mCache.load(mTask.key);
    mDraw = drawConfigurations(mTask.kernel, mTask.limits, maxCandidates(mTask.options.effort),
                               mTask.options.seed, mTask.options.subgroupMultiple);
    for (const TuningConfiguration& configuration : mDraw.configurations)
        addConfiguration(configuration);
}

void TuningCandidates::addConfiguration(const TuningConfiguration& configuration) {
    mCandidates.emplace_back().record.configuration = configuration;
}

double TuningCandidates::distanceOf(const CachedTime& time) const {
    return problemDistance(time.problem, mTask.arguments.problemSize());
}

bool TuningCandidates::isUsable(const CachedTime& time) const {
    return !time.wrong && belongsTo(mTask.kernel, time.configuration) &&
           isAllowed(mTask.kernel, mTask.limits, time.configuration);
}

const CachedTime* TuningCandidates::bestKnown(double maxDistance) const {
    const CachedTime* best = nullptr;
    for (const CachedTime& time : mKnown) {
        const double distance = distanceOf(time);
        if (distance > maxDistance || !isUsable(time))
            continue;
        if (!best ||
            std::pair(distance, time.nanoseconds) < std::pair(distanceOf(*best), best->nanoseconds))
            best = &time;
    }
    return best;
}

void TuningCandidates::addNearest() {
    const auto addBest = [&](double maxDistance) {
        const CachedTime* best = bestKnown(maxDistance);
        if (best && !find(best->configuration))
            addConfiguration(best->configuration);
    };
    addBest(0);
    const bool knownHere = std::any_of(mKnown.begin(), mKnown.end(), [&](const CachedTime& time) {
        return !time.wrong && time.problem == mTask.arguments.problemSize();
    });
    if (!knownHere)
        addBest(std::numeric_limits<double>::max());
}

bool TuningCandidates::identify(Candidate& candidate) {
    if (!candidate.shader.empty())
        return true;
    try {
        if (mTask.kernel.factoryKey().empty())
            candidate.spirv = spirvOf(mTask.kernel, candidate.record.configuration, mTask.manager);
        candidate.shader = shaderKeyOf(mTask.kernel, candidate.spirv);
        return true;
    } catch (const Error& error) {
        if (!concernsOneConfiguration(error))
            throw;
        reject(candidate, error.what());
        return false;
    }
}

const CachedTime* TuningCandidates::cached(const Candidate& candidate) const {
    const bool verifies = verifiesResults(mTask.arguments);
    const auto found = std::find_if(mKnown.begin(), mKnown.end(), [&](const CachedTime& time) {
        return time.configuration == candidate.record.configuration &&
               time.problem == mTask.arguments.problemSize() && time.shader == candidate.shader &&
               (time.verified || !verifies);
    });
    return found == mKnown.end() ? nullptr : &*found;
}

void TuningCandidates::lookUp() {
    if (mTask.options.remeasure)
        return;
    // Without times of this problem size, no shader is compiled before its turn.
    const bool knownHere = std::any_of(mKnown.begin(), mKnown.end(), [&](const CachedTime& time) {
        return time.problem == mTask.arguments.problemSize();
    });
    if (!knownHere)
        return;
    for (Candidate& candidate : mCandidates) {
        const CachedTime* const time = identify(candidate) ? cached(candidate) : nullptr;
        if (!time)
            continue;
        candidate.record.fromCache = true;
        candidate.record.status = time->wrong ? Status::eWrong : Status::eMeasured;
        candidate.record.reason = time->reason;
        candidate.record.nanoseconds = time->nanoseconds;
        candidate.record.medianNs = time->medianNs;
        candidate.record.runs = time->runs;
        candidate.complete = time->complete;
        candidate.verified = time->verified;
    }
}

void TuningCandidates::reject(Candidate& candidate, const std::string& reason) {
    candidate.record.status = Status::eFailed;
    candidate.record.reason = reason;
    candidate.complete = true;
    candidate.algorithm.reset();
    KP_LOG_INFO("kernel {}, configuration {} is excluded: {}", mTask.kernel.name(),
                candidate.record.configuration.toString(), reason);
}

void TuningCandidates::save(bool now) {
    const auto time = std::chrono::steady_clock::now();
    if (!now && time - mLastSave < kSaveInterval)
        return;
    std::vector<CachedTime> changed;
    for (Candidate& candidate : mCandidates) {
        if (!candidate.unsaved)
            continue;
        const TuningRecord& record = candidate.record;
        changed.push_back({.problem = mTask.arguments.problemSize(),
                           .shader = candidate.shader,
                           .configuration = record.configuration,
                           .wrong = record.status == Status::eWrong,
                           .verified = candidate.verified,
                           .complete = candidate.complete,
                           .nanoseconds = record.nanoseconds,
                           .medianNs = record.medianNs,
                           .runs = record.runs,
                           .reason = record.reason});
        candidate.unsaved = false;
    }
    if (!changed.empty())
        mCache.store(mTask.key, changed);
    mLastSave = std::chrono::steady_clock::now();
}

const Candidate* TuningCandidates::best() const {
    const Candidate* found = nullptr;
    for (const Candidate& candidate : mCandidates) {
        if (candidate.measured() &&
            (!found || candidate.record.nanoseconds < found->record.nanoseconds))
            found = &candidate;
    }
    return found;
}

bool TuningCandidates::anyFromCache() const {
    return std::any_of(mCandidates.begin(), mCandidates.end(), [](const Candidate& candidate) {
        return candidate.record.fromCache && candidate.measured();
    });
}

std::vector<const CachedTime*> TuningCandidates::knownByDistance() const {
    std::vector<const CachedTime*> known;
    for (const CachedTime& time : mKnown) {
        if (isUsable(time) && distanceOf(time) < std::numeric_limits<double>::infinity())
            known.push_back(&time);
    }
    std::stable_sort(known.begin(), known.end(), [&](const CachedTime* a, const CachedTime* b) {
        return std::pair(distanceOf(*a), a->nanoseconds) <
               std::pair(distanceOf(*b), b->nanoseconds);
    });
    return known;
}

std::vector<TuningConfiguration> TuningCandidates::rankedByRule() const {
    return rankByRule(mTask.kernel, mTask.limits, mDraw.configurations);
}

Candidate* TuningCandidates::find(const TuningConfiguration& configuration) {
    const auto found = std::ranges::find(mCandidates, configuration,
                                         [](const Candidate& each) -> const TuningConfiguration& {
                                             return each.record.configuration;
                                         });
    return found == mCandidates.end() ? nullptr : &*found;
}

void TuningCandidates::addRecords(TuningResult& result) const {
    result.configurations = mTask.kernel.configurationCount();
    result.constrained = mDraw.constrained;
    result.pruned = mDraw.pruned;
    for (const Candidate& candidate : mCandidates) {
        result.pruned += candidate.pruned ? 1 : 0;
        result.records.push_back(candidate.record);
    }
    const auto rank = [](const TuningRecord& record) {
        return record.status == Status::eMeasured ? record.nanoseconds
                                                  : std::numeric_limits<double>::infinity();
    };
    std::ranges::stable_sort(result.records, {}, rank);
}

void TuningCandidates::throwNoneWorks() const {
    std::string reasons;
    size_t count = 0;
    for (const Candidate& candidate : mCandidates) {
        if (!candidate.record.reason.empty() && count++ < kMaxReasons) {
            reasons += formatted("\n  {}: {}", candidate.record.configuration.toString(),
                                 candidate.record.reason);
        }
    }
    if (count > kMaxReasons)
        reasons += formatted("\n  and {} more", count - kMaxReasons);
    fail<ShaderError>("no configuration of kernel '{}' works:{}", mTask.kernel.name(), reasons);
}

} // namespace kp::tune
