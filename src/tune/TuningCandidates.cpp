// SPDX-License-Identifier: Apache-2.0
#include "tune/TuningCandidates.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include <kompute/Error.hpp>
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

TuningCandidates::TuningCandidates(const TuningTask& task, TuningCache& cache)
    : mTask(task), mCache(cache), mKnown(cache.load(task.key)),
      mDraw(drawConfigurations(task.kernel, task.limits, maxCandidates(task.options.effort),
                               task.options.seed, task.options.subgroupMultiple)),
      mLastSave(std::chrono::steady_clock::now()) {
    for (const TuningConfiguration& configuration : mDraw.configurations)
        addConfiguration(configuration);
}

TuningCandidates::~TuningCandidates() {
    try {
        save(true);
    } catch (const std::exception& error) {
        KP_LOG_WARN("times of kernel {} could not be saved: {}", mTask.kernel.name(), error.what());
    }
}

void TuningCandidates::addConfiguration(const TuningConfiguration& configuration) {
    mCandidates.emplace_back().time = {.problem = mTask.arguments.problemSize(),
                                       .configuration = configuration};
}

double TuningCandidates::distanceOf(const CachedTime& time) const {
    return problemDistance(time.problem, mTask.arguments.problemSize());
}

bool TuningCandidates::isUsable(const CachedTime& time) const {
    return !time.wrong && belongsTo(mTask.kernel, time.configuration) &&
           isAllowed(mTask.kernel, mTask.limits, time.configuration);
}

void TuningCandidates::addNearest() {
    const std::vector<const CachedTime*> known = knownByDistance();
    if (known.empty() || find(known[0]->configuration))
        return;
    // A time of another problem size counts only if there is none of this one.
    const bool knownHere = std::ranges::any_of(mKnown, [&](const CachedTime& time) {
        return !time.wrong && time.problem == mTask.arguments.problemSize();
    });
    if (!knownHere || distanceOf(*known[0]) == 0)
        addConfiguration(known[0]->configuration);
}

bool TuningCandidates::attempt(Candidate& candidate, const std::function<void()>& step) {
    try {
        step();
        return true;
    } catch (const Error& error) {
        if (error.code() != ErrorCode::eShader && error.code() != ErrorCode::eUnsupported)
            throw;
        reject(candidate, error.what());
        return false;
    }
}

void TuningCandidates::identify(Candidate& candidate) {
    if (!candidate.time.shader.empty())
        return;
    if (mTask.kernel.factoryKey().empty())
        candidate.spirv = spirvOf(mTask.kernel, candidate.time.configuration, mTask.manager);
    candidate.time.shader = shaderKeyOf(mTask.kernel, candidate.spirv);
}

const CachedTime* TuningCandidates::cached(const Candidate& candidate) const {
    const bool verifies = verifiesResults(mTask.arguments);
    const auto found = std::ranges::find_if(mKnown, [&](const CachedTime& time) {
        return time.sameSubject(candidate.time) && (time.verified || !verifies);
    });
    return found == mKnown.end() ? nullptr : &*found;
}

void TuningCandidates::lookUp() {
    if (mTask.options.remeasure)
        return;
    // Without times of this problem size, no shader is compiled before its turn.
    const auto& problem = mTask.arguments.problemSize();
    if (std::ranges::find(mKnown, problem, &CachedTime::problem) == mKnown.end())
        return;
    for (Candidate& candidate : mCandidates) {
        const bool identified = attempt(candidate, [&] { identify(candidate); });
        const CachedTime* const time = identified ? cached(candidate) : nullptr;
        if (!time)
            continue;
        candidate.time = *time;
        candidate.status = time->wrong ? Status::eWrong : Status::eMeasured;
        candidate.fromCache = true;
    }
}

void TuningCandidates::reject(Candidate& candidate, const std::string& reason) {
    candidate.status = Status::eFailed;
    candidate.time.reason = reason;
    candidate.time.complete = true;
    candidate.algorithm.reset();
    KP_LOG_INFO("kernel {}, configuration {} is excluded: {}", mTask.kernel.name(),
                candidate.time.configuration.toString(), reason);
}

void TuningCandidates::save(bool now) {
    const auto time = std::chrono::steady_clock::now();
    if (!now && time - mLastSave < kSaveInterval)
        return;
    std::vector<CachedTime> changed;
    for (Candidate& candidate : mCandidates) {
        if (std::exchange(candidate.unsaved, false))
            changed.push_back(candidate.time);
    }
    if (!changed.empty())
        mCache.store(mTask.key, changed);
    mLastSave = std::chrono::steady_clock::now();
}

Candidate* TuningCandidates::best() {
    Candidate* found = nullptr;
    for (Candidate& candidate : mCandidates) {
        if (candidate.measured() &&
            (!found || candidate.time.nanoseconds < found->time.nanoseconds))
            found = &candidate;
    }
    return found;
}

std::vector<const CachedTime*> TuningCandidates::knownByDistance() const {
    std::vector<const CachedTime*> known;
    for (const CachedTime& time : mKnown) {
        if (isUsable(time) && distanceOf(time) < std::numeric_limits<double>::infinity())
            known.push_back(&time);
    }
    std::ranges::stable_sort(known, {}, [&](const CachedTime* time) {
        return std::pair(distanceOf(*time), time->nanoseconds);
    });
    return known;
}

Candidate* TuningCandidates::find(const TuningConfiguration& configuration) {
    const auto found = std::ranges::find_if(mCandidates, [&](const Candidate& each) {
        return each.time.configuration == configuration;
    });
    return found == mCandidates.end() ? nullptr : &*found;
}

void TuningCandidates::addRecords(TuningResult& result) const {
    result.configurations = mTask.kernel.configurationCount();
    result.constrained = mDraw.constrained;
    result.pruned = mDraw.pruned;
    for (const Candidate& candidate : mCandidates) {
        result.pruned += candidate.pruned ? 1 : 0;
        const CachedTime& time = candidate.time;
        result.records.push_back({time.configuration, candidate.status, time.reason,
                                  time.nanoseconds, time.medianNs, time.runs, candidate.fromCache});
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
        if (!candidate.time.reason.empty() && count++ < kMaxReasons) {
            reasons += formatted("\n  {}: {}", candidate.time.configuration.toString(),
                                 candidate.time.reason);
        }
    }
    if (count > kMaxReasons)
        reasons += formatted("\n  and {} more", count - kMaxReasons);
    fail<ShaderError>("no configuration of kernel '{}' works:{}", mTask.kernel.name(), reasons);
}

} // namespace kp::tune
