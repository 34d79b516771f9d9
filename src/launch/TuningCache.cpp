// SPDX-License-Identifier: Apache-2.0
#include "launch/TuningCache.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>
#include <random>
#include <system_error>

#include <kompute/Error.hpp>
#include <kompute/logger/Logger.hpp>

#include "launch/FileLock.hpp"
#include "shader/Hash.hpp"

namespace kp::launch {
namespace {

namespace fs = std::filesystem;

constexpr const char* kExportFormat = "kompute-tuning-export";
constexpr int64_t kExportVersion = 1;
/// Far more than a kernel's times take; a larger file is not one of ours.
constexpr std::streamoff kMaxBytes = std::streamoff{256} << 20;

bool readFile(const std::string& path, std::string& text) {
    std::error_code error;
    if (!fs::is_regular_file(path, error))
        return false;
    std::ifstream in(path, std::ios::binary | std::ios::ate);
    if (!in || in.tellg() > kMaxBytes)
        return false;
    text.resize(static_cast<size_t>(in.tellg()));
    in.seekg(0);
    in.read(text.data(), static_cast<std::streamsize>(text.size()));
    return !in.fail();
}

/// Whole or not at all: readers never see a part, and a crash leaves the old file.
bool writeFile(const std::string& path, const std::string& text) {
    static std::atomic<uint64_t> count{0};
    const uint64_t unique[] = {std::random_device()(), std::random_device()(), ++count};
    const std::string temporary =
        path + "." + toString(shader::hashBytes(unique, sizeof unique)) + ".part";
    std::error_code error;
    bool good = false;
    {
        std::ofstream out(temporary, std::ios::binary | std::ios::trunc);
        out.write(text.data(), static_cast<std::streamsize>(text.size()));
        out.close();
        good = out.good();
    }
    if (good) {
        fs::rename(temporary, path, error);
        good = !error;
    }
    if (!good)
        fs::remove(temporary, error);
    return good;
}

} // namespace

std::string TuningKey::fileName() const {
    std::string all;
    for (const std::string& part : {deviceUuid, std::to_string(driverVersion), kernel, key})
        all += std::to_string(part.size()) + ":" + part;
    return toString(shader::hashBytes(all.data(), all.size())) + ".json";
}

size_t mergeTimes(std::vector<CachedTime>& into, const std::vector<CachedTime>& from,
                  bool keepBetter) {
    std::multimap<std::string, size_t> places;
    const auto label = [](const CachedTime& time) {
        return time.shader + " " + time.configuration.toString();
    };
    for (size_t i = 0; i < into.size(); ++i)
        places.emplace(label(into[i]), i);
    size_t changed = 0;
    for (const CachedTime& time : from) {
        const auto [first, last] = places.equal_range(label(time));
        const auto same = std::find_if(
            first, last, [&](const auto& place) { return into[place.second].sameSubject(time); });
        if (same == last) {
            places.emplace(label(time), into.size());
            into.push_back(time);
            ++changed;
        } else if (CachedTime& known = into[same->second];
                   !keepBetter || time.runs > known.runs) {
            known = time;
            ++changed;
        }
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
        // Sizes below 1 have no ratio to speak of.
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
    std::string text;
    const std::string path = file(key);
    if (path.empty() || !readFile(path, text))
        return {};
    std::string problem;
    const std::optional<Json> json = Json::parse(text, &problem);
    CachedKernel kernel;
    if (!json || !fromJson(*json, kernel, problem)) {
        KP_LOG_WARN("the tuning cache {} is damaged and is not used: {}", path, problem);
        return {};
    }
    if (kernel.key.fileName() != key.fileName()) {
        KP_LOG_WARN("the tuning cache {} is of another kernel or device and is not used", path);
        return {};
    }
    return kernel.times;
}

std::vector<CachedTime> TuningCache::load(const TuningKey& key) {
    // Files are replaced as a whole, so reading needs no lock.
    std::vector<CachedTime> times = read(key);
    if (const auto pending = mPending.find(key.fileName()); pending != mPending.end())
        mergeTimes(times, pending->second.times, false);
    return times;
}

bool TuningCache::write(const TuningKey& key, const std::vector<CachedTime>& times,
                        bool keepBetter, size_t* changed) {
    if (mFolder.empty())
        return false;
    std::error_code error;
    fs::create_directories(mFolder, error);
    const std::string path = file(key);
    const FileLock lock(path + ".lock", mLockSeconds);
    if (!lock) {
        KP_LOG_WARN("the tuning cache {} is locked by another process or cannot be written; its "
                    "times are kept in memory",
                    path);
        return false;
    }
    // Another process may have added something since it was read.
    CachedKernel kernel{key, read(key)};
    const size_t merged = mergeTimes(kernel.times, times, keepBetter);
    if (changed)
        *changed = merged;
    if (writeFile(path, toJson(kernel).write()))
        return true;
    KP_LOG_WARN("the tuning cache {} cannot be written; its times are kept in memory", path);
    return false;
}

bool TuningCache::store(const TuningKey& key, const std::vector<CachedTime>& times) {
    CachedKernel& pending = mPending[key.fileName()];
    pending.key = key;
    mergeTimes(pending.times, times, false);
    if (!write(key, pending.times, false, nullptr))
        return false;
    mPending.erase(key.fileName());
    return true;
}

size_t TuningCache::exportTo(const std::string& path, const TuningKey& device) {
    std::map<std::string, CachedKernel> kernels;
    std::error_code error;
    if (!mFolder.empty())
        for (fs::directory_iterator at(mFolder, error); !error && at != fs::directory_iterator();
             at.increment(error)) {
            std::string text;
            std::string problem;
            CachedKernel kernel;
            if (at->path().extension() != ".json" || !readFile(at->path().string(), text))
                continue;
            const std::optional<Json> json = Json::parse(text, &problem);
            if (json && fromJson(*json, kernel, problem))
                kernels[kernel.key.fileName()] = std::move(kernel);
            else
                KP_LOG_WARN("the tuning cache {} is damaged and is not exported: {}",
                            at->path().string(), problem);
        }
    for (const auto& [name, pending] : mPending) {
        CachedKernel& kernel = kernels[name];
        kernel.key = pending.key;
        mergeTimes(kernel.times, pending.times, false);
    }
    size_t count = 0;
    Json::Array all;
    for (const auto& [name, kernel] : kernels) {
        if (kernel.key.deviceUuid != device.deviceUuid ||
            kernel.key.driverVersion != device.driverVersion)
            continue;
        all.push_back(toJson(kernel));
        count += kernel.times.size();
    }
    const Json json = Json::Object{{"format", kExportFormat},
                                   {"version", kExportVersion},
                                   {"kernels", std::move(all)}};
    if (!writeFile(path, json.write()))
        throw InvalidArgument("the tuning records cannot be written to " + path);
    return count;
}

size_t TuningCache::importFrom(const std::string& path) {
    const auto refuse = [&](const std::string& problem) {
        throw InvalidArgument("no tuning records can be read from " + path + ": " + problem);
    };
    std::string text;
    std::string problem;
    if (!readFile(path, text))
        refuse("there is no such file, or it cannot be read");
    const std::optional<Json> json = Json::parse(text, &problem);
    if (!json)
        refuse(problem);
    const Json* format = json->find("format");
    const Json* version = json->find("version");
    const Json* kernels = json->find("kernels");
    if (!format || !format->text() || *format->text() != kExportFormat || !version ||
        version->integer() != kExportVersion || !kernels || !kernels->array())
        refuse("it is no export of version " + std::to_string(kExportVersion));
    std::vector<CachedKernel> read;
    for (const Json& each : *kernels->array()) {
        CachedKernel kernel;
        if (!fromJson(each, kernel, problem))
            refuse(problem);
        read.push_back(std::move(kernel));
    }
    size_t count = 0;
    for (const CachedKernel& kernel : read) {
        size_t changed = 0;
        if (!write(kernel.key, kernel.times, true, &changed)) {
            CachedKernel& pending = mPending[kernel.key.fileName()];
            pending.key = kernel.key;
            changed = mergeTimes(pending.times, kernel.times, true);
        }
        count += changed;
    }
    return count;
}

} // namespace kp::launch
