// SPDX-License-Identifier: Apache-2.0
#include <kompute/launch/Autotuner.hpp>

#include <algorithm>
#include <mutex>
#include <string>
#include <utility>

#include <kompute/Error.hpp>
#include <kompute/Manager.hpp>

#include "base/Environment.hpp"
#include "base/Text.hpp"
#include "core/manager/ManagerImpl.hpp"
#include "tune/TuningRun.hpp"
#include "vulkan/device/Device.hpp"

namespace kp {
namespace {

constexpr uint32_t kMaxRuns = 100'000;
constexpr size_t kBarWidth = 24;
constexpr size_t kLineWidth = 110;

void requireValid(const AutotunerOptions& options) {
    if (!(options.budgetSeconds >= 0)) {
        fail<InvalidArgument>("AutotunerOptions::budgetSeconds is {}; it must be 0 (no limit) or "
                              "more",
                              options.budgetSeconds);
    }
    if (!(options.lockSeconds >= 0)) {
        fail<InvalidArgument>("AutotunerOptions::lockSeconds is {}; it must be 0 or more",
                              options.lockSeconds);
    }
    if (options.runs == 0 || options.runs > kMaxRuns) {
        fail<InvalidArgument>("AutotunerOptions::runs is {}; it must be between 1 and {}",
                              options.runs, kMaxRuns);
    }
}

tune::TuningKey deviceKey(const vulkan::Device& device) {
    tune::TuningKey key;
    key.deviceUuid = vulkan::uuidToString(device.physical().deviceUuid);
    key.driverVersion = device.physical().properties.driverVersion;
    key.deviceName = device.name();
    return key;
}

void requireMember(const std::vector<std::shared_ptr<Memory>>& memObjects,
                   const std::shared_ptr<Memory>& memory, const char* what) {
    if (std::find(memObjects.begin(), memObjects.end(), memory) == memObjects.end()) {
        fail<InvalidArgument>("{} was given memory that is not one of the kernel's {} arguments",
                              what, memObjects.size());
    }
}

std::vector<int64_t> toProblem(const std::array<uint64_t, 3>& threads) {
    return {threads.begin(), threads.end()};
}

std::string lineOf(const TuningProgress& progress) {
    const size_t filled = progress.total ? kBarWidth * progress.done / progress.total : 0;
    std::string line =
        formatted("{} round {}/{} [{}{}] {}/{}", progress.kernel, progress.round, progress.rounds,
                  std::string(filled, '='), std::string(kBarWidth - filled, ' '), progress.done,
                  progress.total);
    if (progress.budgetSeconds > 0)
        line += formatted(" {:.1f}/{:.1f} s", progress.elapsedSeconds, progress.budgetSeconds);
    if (progress.bestNanoseconds > 0) {
        line += formatted(" best {:.2f} us: {}", progress.bestNanoseconds / 1e3,
                          progress.best.toString());
    }
    return line;
}

} // namespace

TuningCallback consoleProgress(std::FILE* stream) {
    std::FILE* const out = stream ? stream : stderr;
    const bool terminal = isTerminal(out);
    return [out, terminal](const TuningProgress& progress) {
        const bool roundEnds = progress.done == progress.total;
        if (!terminal && !roundEnds)
            return true;
        std::string line = lineOf(progress);
        if (terminal) {
            // Overwrites the previous line.
            line.resize(std::min(line.size(), kLineWidth));
            line.resize(kLineWidth, ' ');
            line.insert(line.begin(), '\r');
        }
        if (!terminal || roundEnds)
            line += '\n';
        std::fputs(line.c_str(), out);
        std::fflush(out);
        return true;
    };
}

TuningArguments::TuningArguments(std::vector<std::shared_ptr<Memory>> memObjects,
                                 const std::array<uint64_t, 3>& threads)
    : mMemObjects(std::move(memObjects)), mThreads(threads), mProblem(toProblem(threads)) {
    for (size_t i = 0; i < mMemObjects.size(); ++i) {
        if (!mMemObjects[i])
            fail<InvalidArgument>("memory object {} of the tuning arguments is null", i);
    }
}

TuningArguments& TuningArguments::threads(const std::array<uint64_t, 3>& threads) {
    if (mProblem == toProblem(mThreads))
        mProblem = toProblem(threads);
    mThreads = threads;
    return *this;
}

TuningArguments& TuningArguments::pushConstants(const void* data, size_t bytes,
                                                Memory::DataTypes type) {
    const auto* first = static_cast<const unsigned char*>(data);
    mPushConstants.assign(first, first + bytes);
    mPushType = type;
    return *this;
}

TuningArguments& TuningArguments::problem(std::vector<int64_t> size) {
    mProblem = std::move(size);
    return *this;
}

TuningArguments& TuningArguments::key(std::string key) {
    mKey = std::move(key);
    return *this;
}

TuningArguments& TuningArguments::resetToZero(std::shared_ptr<Memory> memory) {
    requireMember(mMemObjects, memory, "TuningArguments::resetToZero");
    mZeroed.push_back(std::move(memory));
    return *this;
}

TuningArguments& TuningArguments::leave(std::shared_ptr<Memory> memory) {
    requireMember(mMemObjects, memory, "TuningArguments::leave");
    mLeft.push_back(std::move(memory));
    return *this;
}

TuningArguments& TuningArguments::expect(std::shared_ptr<Memory> memory, const void* expected,
                                         size_t bytes, double relative, double absolute) {
    requireMember(mMemObjects, memory, "TuningArguments::expect");
    if (bytes != memory->memorySize()) {
        fail<InvalidArgument>("TuningArguments::expect was given {} bytes for memory of {} bytes",
                              bytes, memory->memorySize());
    }
    if (!(relative >= 0) || !(absolute >= 0)) {
        fail<InvalidArgument>("TuningArguments::expect was given the tolerances {} and {}; both "
                              "must be 0 or more",
                              relative, absolute);
    }
    const auto* first = static_cast<const unsigned char*>(expected);
    mExpected.push_back({std::move(memory), {first, first + bytes}, relative, absolute});
    return *this;
}

TuningArguments& TuningArguments::verify(Verifier verifier) {
    mVerifier = std::move(verifier);
    return *this;
}

struct Autotuner::Impl {
    Manager& manager;
    AutotunerOptions options;
    mutable std::mutex mutex;
    mutable tune::TuningCache cache;
};

Autotuner::Autotuner(Manager& manager, AutotunerOptions options) {
    requireValid(options);
    implOf(manager);
    const std::string folder =
        options.cacheFolder.empty() ? manager.cacheFolder() : kp::cacheFolder(options.cacheFolder);
    const double lockSeconds = options.lockSeconds;
    mImpl.reset(new Impl{manager, std::move(options), {}, tune::TuningCache(folder, lockSeconds)});
}

Autotuner::~Autotuner() = default;

TuningResult Autotuner::tune(const TunableKernel& kernel, const TuningArguments& arguments) {
    const std::lock_guard lock(mImpl->mutex);
    const std::shared_ptr<vulkan::Device> device = implOf(mImpl->manager).device;
    tune::TuningKey key = deviceKey(*device);
    key.kernel = kernel.name();
    key.key = arguments.tuningKey();
    return tune::runTuning({mImpl->manager, mImpl->options, kernel, arguments,
                            tune::limitsOf(*device), key, mImpl->cache});
}

size_t Autotuner::exportRecords(const std::string& path) const {
    const std::lock_guard lock(mImpl->mutex);
    return mImpl->cache.exportTo(path, deviceKey(*implOf(mImpl->manager).device));
}

size_t Autotuner::importRecords(const std::string& path) {
    const std::lock_guard lock(mImpl->mutex);
    return mImpl->cache.importFrom(path);
}

std::string Autotuner::cacheFolder() const {
    return mImpl->cache.folder();
}

Manager& Autotuner::manager() const {
    return mImpl->manager;
}

const AutotunerOptions& Autotuner::options() const {
    return mImpl->options;
}

} // namespace kp
