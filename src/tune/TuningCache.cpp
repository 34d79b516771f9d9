// SPDX-License-Identifier: Apache-2.0
#include "tune/TuningCache.hpp"

#include <cmath>
#include <filesystem>
#include <limits>
#include <system_error>
#include <tuple>
#include <utility>

#include <kompute/Error.hpp>
#include <kompute/logger/Logger.hpp>

#include "base/FileLock.hpp"
#include "base/Files.hpp"
#include "base/Text.hpp"

namespace kp::tune {
namespace {

namespace fs = std::filesystem;

/// Far above the size of a kernel's times: a larger file is not a tuning cache.
constexpr uint64_t kMaxFileBytes = uint64_t{256} << 20;

/// Returns nothing and logs a warning if the file is damaged; returns nothing if it is missing.
std::optional<CachedKernel> readKernel(const std::string& path) {
    const std::optional<std::string> text = readFile(path, kMaxFileBytes);
    if (!text)
        return std::nullopt;
    try {
        return kernelFromJson(*text);
    } catch (const InvalidArgument& error) {
        KP_LOG_WARN("the tuning cache {} is damaged and is not used: {}", path, error.what());
        return std::nullopt;
    }
}

} // namespace

size_t mergeTimes(std::vector<CachedTime>& into, const std::vector<CachedTime>& from,
                  bool keepBetter) {
    const auto subjectOf = [](const CachedTime& time) {
        return std::tuple(time.shader, time.problem, time.configuration.items());
    };
    std::map<decltype(subjectOf(CachedTime())), size_t> places;
    for (size_t i = 0; i < into.size(); ++i)
        places.emplace(subjectOf(into[i]), i);
    size_t changed = 0;
    for (const CachedTime& time : from) {
        const auto [place, isNew] = places.emplace(subjectOf(time), into.size());
        if (isNew)
            into.push_back(time);
        else if (keepBetter && time.runs <= into[place->second].runs)
            continue;
        else
            into[place->second] = time;
        ++changed;
    }
    return changed;
}

double problemDistance(const std::vector<int64_t>& a, const std::vector<int64_t>& b) {
    if (a.size() != b.size())
        return std::numeric_limits<double>::infinity();
    double distance = 0;
    for (size_t i = 0; i < a.size(); ++i) {
        const auto x = static_cast<double>(a[i]);
        const auto y = static_cast<double>(b[i]);
        // Sizes below 1 have no meaningful ratio.
        distance += x >= 1 && y >= 1 ? std::abs(std::log2(x / y)) : std::abs(x - y);
    }
    return distance;
}

TuningCache::TuningCache(const std::string& folder, double lockSeconds)
    : mFolder(folder.empty() ? std::string() : (fs::path(folder) / "tuning").string()),
      mLockSeconds(lockSeconds) {}

std::string TuningCache::file(const TuningKey& key) const {
    return mFolder.empty() ? std::string() : (fs::path(mFolder) / key.fileName()).string();
}

std::vector<CachedTime> TuningCache::read(const TuningKey& key) const {
    const std::string path = file(key);
    std::optional<CachedKernel> kernel = readKernel(path);
    if (!kernel)
        return {};
    if (kernel->key.fileName() != key.fileName()) {
        KP_LOG_WARN("the tuning cache {} is not used: it belongs to another kernel or device",
                    path);
        return {};
    }
    return std::move(kernel->times);
}

std::vector<CachedTime> TuningCache::load(const TuningKey& key) {
    // Files are replaced as a whole, so reading needs no lock.
    std::vector<CachedTime> times = read(key);
    if (const auto pending = mPending.find(key.fileName()); pending != mPending.end())
        mergeTimes(times, pending->second.times, false);
    return times;
}

std::optional<size_t> TuningCache::write(const TuningKey& key, const std::vector<CachedTime>& times,
                                         bool keepBetter) const {
    if (mFolder.empty())
        return std::nullopt;
    std::error_code error;
    fs::create_directories(mFolder, error);
    const std::string path = file(key);
    const FileLock lock(path + ".lock", mLockSeconds);
    if (!lock) {
        KP_LOG_WARN("the tuning cache {} is locked by another process or cannot be written; its "
                    "times are kept in memory",
                    path);
        return std::nullopt;
    }
    // Another process may have added times since the file was read.
    CachedKernel kernel{key, read(key)};
    const size_t changed = mergeTimes(kernel.times, times, keepBetter);
    if (replaceFile(path, {toJson(kernel)}))
        return changed;
    KP_LOG_WARN("the tuning cache {} cannot be written; its times are kept in memory", path);
    return std::nullopt;
}

bool TuningCache::store(const TuningKey& key, const std::vector<CachedTime>& times) {
    CachedKernel& pending = mPending[key.fileName()];
    pending.key = key;
    mergeTimes(pending.times, times, false);
    if (!write(key, pending.times, false))
        return false;
    mPending.erase(key.fileName());
    return true;
}

size_t TuningCache::exportTo(const std::string& path, const TuningKey& device) const {
    std::map<std::string, CachedKernel> kernels;
    std::error_code error; // also set if there is no folder
    for (fs::directory_iterator at(mFolder, error); !error && at != fs::directory_iterator();
         at.increment(error)) {
        if (at->path().extension() != ".json")
            continue;
        if (std::optional<CachedKernel> kernel = readKernel(at->path().string()))
            kernels[kernel->key.fileName()] = std::move(*kernel);
    }
    for (const auto& [name, pending] : mPending) {
        kernels[name].key = pending.key;
        mergeTimes(kernels[name].times, pending.times, false);
    }
    std::vector<CachedKernel> exported;
    size_t count = 0;
    for (auto& [name, kernel] : kernels) {
        if (kernel.key.deviceUuid != device.deviceUuid ||
            kernel.key.driverVersion != device.driverVersion)
            continue;
        count += kernel.times.size();
        exported.push_back(std::move(kernel));
    }
    if (!replaceFile(path, {toJson(exported)})) {
        fail<InvalidArgument>("the tuning records cannot be written to {}; the folder must exist "
                              "and be writable",
                              path);
    }
    return count;
}

size_t TuningCache::importFrom(const std::string& path) {
    const std::optional<std::string> text = readFile(path, kMaxFileBytes);
    if (!text) {
        fail<InvalidArgument>("the tuning records cannot be read from {}: the file does not exist "
                              "or is not readable",
                              path);
    }
    std::vector<CachedKernel> kernels;
    try {
        kernels = kernelsFromJson(*text);
    } catch (const InvalidArgument& error) {
        fail<InvalidArgument>("{} is not an export of tuning records: {}", path, error.what());
    }
    size_t count = 0;
    for (const CachedKernel& kernel : kernels) {
        std::optional<size_t> changed = write(kernel.key, kernel.times, true);
        if (!changed) {
            CachedKernel& pending = mPending[kernel.key.fileName()];
            pending.key = kernel.key;
            changed = mergeTimes(pending.times, kernel.times, true);
        }
        count += *changed;
    }
    return count;
}

} // namespace kp::tune
