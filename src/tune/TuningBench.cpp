// SPDX-License-Identifier: Apache-2.0
#include "tune/TuningBench.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstring>
#include <type_traits>

#include <kompute/Error.hpp>
#include <kompute/logger/Logger.hpp>
#include <kompute/operations/OpAlgoDispatch.hpp>
#include <kompute/operations/OpBase.hpp>

#include "base/Text.hpp"
#include "core/memory/MemoryImpl.hpp"

namespace kp::tune {
namespace {

/// Approximate time of the runs of one submission. Longer ones would disturb a display on the same
/// device and exceed the budget.
constexpr double kMaxSubmissionNs = 20e6;
constexpr uint32_t kMaxRunsPerSubmission = 16;

/// Copies device memory like OpCopy but leaves the host mirror of the destination unchanged: in the
/// end the memory has its original content.
class OpRestore : public OpBase {
public:
    OpRestore(std::shared_ptr<Memory> to, std::shared_ptr<Memory> from)
        : mTo(std::move(to)), mFrom(std::move(from)) {}

    Accesses accesses() override {
        return Accesses().read(mFrom, Accesses::By::eTransfer).write(mTo, Accesses::By::eTransfer);
    }
    void record(const vk::CommandBuffer& commandBuffer) override {
        mTo->recordCopyFrom(commandBuffer, mFrom);
    }
    void preEval(const vk::CommandBuffer&) override {}
    void postEval(const vk::CommandBuffer&) override {}

private:
    std::shared_ptr<Memory> mTo;
    std::shared_ptr<Memory> mFrom;
};

bool contains(const std::vector<std::shared_ptr<Memory>>& list,
              const std::shared_ptr<Memory>& memory) {
    return std::find(list.begin(), list.end(), memory) != list.end();
}

template <typename T>
double toDouble(T value) {
    if constexpr (std::is_floating_point_v<T>)
        return value;
    else
        return static_cast<float>(value);
}

template <typename T>
std::string compareNumbers(const unsigned char* actual, const unsigned char* expected, size_t bytes,
                           double relative, double absolute) {
    for (size_t i = 0; i < bytes / sizeof(T); ++i) {
        T a;
        T b;
        std::memcpy(&a, actual + i * sizeof(T), sizeof(T));
        std::memcpy(&b, expected + i * sizeof(T), sizeof(T));
        if (std::memcmp(&a, &b, sizeof(T)) == 0)
            continue;
        const double got = toDouble(a);
        const double wanted = toDouble(b);
        if (std::isnan(got) && std::isnan(wanted))
            continue;
        // False if one is NaN, or if exactly one is infinite.
        if (got == wanted || (std::isfinite(wanted) &&
                              std::abs(got - wanted) <= absolute + relative * std::abs(wanted)))
            continue;
        return formatted("element {} is {} instead of {}", i, got, wanted);
    }
    return "";
}

} // namespace

std::string compareValues(Memory::DataTypes type, uint32_t elementSize, const unsigned char* actual,
                          const unsigned char* expected, size_t bytes, double relative,
                          double absolute) {
    using Type = Memory::DataTypes;
    switch (type) {
    case Type::eFloat:
        return compareNumbers<float>(actual, expected, bytes, relative, absolute);
    case Type::eDouble:
        return compareNumbers<double>(actual, expected, bytes, relative, absolute);
    case Type::eHalf:
        return compareNumbers<Half>(actual, expected, bytes, relative, absolute);
    case Type::eBFloat16:
        return compareNumbers<BFloat16>(actual, expected, bytes, relative, absolute);
    default:
        break;
    }
    for (size_t i = 0; i < bytes; ++i) {
        if (actual[i] != expected[i])
            return formatted("element {} differs", i / std::max(elementSize, 1u));
    }
    return "";
}

TuningBench::TuningBench(Manager& manager, const TuningArguments& arguments, TuningTime time)
    : mManager(manager), mArguments(arguments), mSequence(manager.sequence()),
      mDeviceTime(time != TuningTime::eHost && manager.deviceInfo().timestamps) {
    if (time == TuningTime::eDevice && !mDeviceTime) {
        fail<Unsupported>("TuningTime::eDevice was requested, but {} has no timestamps; "
                          "TuningTime::eAuto uses host time on such devices",
                          manager.deviceInfo().name);
    }
}

TuningBench::~TuningBench() {
    try {
        restore();
    } catch (const std::exception& error) {
        KP_LOG_ERROR("the memory of a tuned kernel could not be restored: {}", error.what());
    }
}

std::shared_ptr<Memory> TuningBench::emptyCopyOf(const std::shared_ptr<Memory>& memory) const {
    const Memory::Impl& impl = implOf(*memory);
    if (memory->type() == Memory::Type::eImage) {
        ImageOptions options = *impl.imageOptions;
        options.memoryType = Memory::MemoryTypes::eStorage;
        options.tiling.reset();
        return mManager.image(options);
    }
    return mManager.tensor(impl.count, impl.elementSize, impl.dataType,
                           Memory::MemoryTypes::eStorage);
}

void TuningBench::protect(const std::vector<uint32_t>& bindings) {
    std::vector<Protected> all = mProtected;
    const auto copy = mManager.sequence();
    bool any = false;
    for (const uint32_t binding : bindings) {
        if (binding >= mArguments.memObjects().size())
            continue; // making the algorithm throws
        const std::shared_ptr<Memory>& memory = mArguments.memObjects()[binding];
        if (std::ranges::find(all, memory, &Protected::memory) != all.end())
            continue;
        implOf(*memory).requireAlive();
        Protected made;
        made.memory = memory;
        if (!contains(mArguments.left(), memory)) {
            made.original = made.start = emptyCopyOf(memory);
            copy->record(std::make_shared<OpRestore>(made.original, memory));
            any = true;
        }
        if (contains(mArguments.zeroed(), memory)) {
            made.start = emptyCopyOf(memory);
            made.start->upload(std::vector<unsigned char>(memory->memorySize()).data(),
                               memory->memorySize());
        }
        all.push_back(std::move(made));
    }
    if (any)
        copy->eval();
    mProtected = std::move(all);
}

size_t TuningBench::startCount() const {
    return mProtected.size() - std::ranges::count(mProtected, nullptr, &Protected::start);
}

void TuningBench::recordStart(Sequence& sequence) const {
    for (const Protected& each : mProtected) {
        if (each.start)
            sequence.record(std::make_shared<OpRestore>(each.memory, each.start));
    }
}

void TuningBench::run(const std::shared_ptr<Algorithm>& algorithm) {
    mSequence->clear();
    recordStart(*mSequence);
    mSequence->record<OpAlgoDispatch>(algorithm);
    mDirty = true;
    mSequence->eval();
}

std::vector<double> TuningBench::timeOnDevice(const std::shared_ptr<Algorithm>& algorithm,
                                              uint32_t runs) {
    const size_t perRun = startCount() + 1;
    const size_t operations = perRun * runs;
    if (!mTimed || mTimedOperations < operations) {
        mTimedOperations = perRun * std::max(runs, kMaxRunsPerSubmission);
        mTimed = mManager.sequence(0, static_cast<uint32_t>(mTimedOperations));
    }
    mTimed->clear();
    for (uint32_t run = 0; run < runs; ++run) {
        recordStart(*mTimed);
        mTimed->record<OpAlgoDispatch>(algorithm);
    }
    mDirty = true;
    mTimed->eval();
    const std::vector<uint64_t> at = mTimed->getTimestampsNs();
    std::vector<double> times;
    for (uint32_t run = 0; run < runs; ++run) {
        const size_t dispatch = perRun * run + perRun; // index of the timestamp after it
        times.push_back(static_cast<double>(at[dispatch] - at[dispatch - 1]));
    }
    return times;
}

double TuningBench::timeOnHost(const std::shared_ptr<Algorithm>& algorithm) {
    if (startCount() > 0) {
        mSequence->clear();
        recordStart(*mSequence);
        mSequence->eval();
    }
    mSequence->clear();
    mSequence->record<OpAlgoDispatch>(algorithm);
    mDirty = true;
    const auto start = std::chrono::steady_clock::now();
    mSequence->eval();
    return std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - start)
        .count();
}

std::vector<double> TuningBench::time(const std::shared_ptr<Algorithm>& algorithm, uint32_t runs,
                                      double expectedNs) {
    std::vector<double> times;
    while (times.size() < runs) {
        if (!mDeviceTime) {
            times.push_back(timeOnHost(algorithm));
            ++mBenchmarks;
            continue;
        }
        const double fitting = expectedNs > 0 ? kMaxSubmissionNs / expectedNs : 1.0;
        const auto maxRuns = static_cast<uint32_t>(
            std::clamp(fitting, 1.0, static_cast<double>(kMaxRunsPerSubmission)));
        const auto now = std::min(maxRuns, runs - static_cast<uint32_t>(times.size()));
        const std::vector<double> some = timeOnDevice(algorithm, now);
        times.insert(times.end(), some.begin(), some.end());
        mBenchmarks += now;
        expectedNs = *std::min_element(times.begin(), times.end());
    }
    return times;
}

bool TuningBench::verifies() const {
    return mArguments.verifier() || !mArguments.expectations().empty();
}

std::string TuningBench::verify(const TuningConfiguration& configuration) const {
    for (const TuningArguments::Expected& expected : mArguments.expectations()) {
        std::vector<unsigned char> actual(expected.bytes.size());
        expected.memory->download(actual.data(), actual.size());
        const std::string problem = compareValues(
            expected.memory->dataType(), expected.memory->dataTypeMemorySize(), actual.data(),
            expected.bytes.data(), actual.size(), expected.relative, expected.absolute);
        if (problem.empty())
            continue;
        const auto& all = mArguments.memObjects();
        return formatted("memory object {}: {}",
                         std::find(all.begin(), all.end(), expected.memory) - all.begin(), problem);
    }
    return mArguments.verifier() ? mArguments.verifier()(configuration) : "";
}

void TuningBench::restore() {
    if (!mDirty)
        return;
    const auto sequence = mManager.sequence();
    bool any = false;
    for (const Protected& each : mProtected) {
        if (each.original && each.memory->isInit()) {
            sequence->record(std::make_shared<OpRestore>(each.memory, each.original));
            any = true;
        }
    }
    mDirty = false;
    if (any)
        sequence->eval();
}

} // namespace kp::tune
