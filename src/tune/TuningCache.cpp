// SPDX-License-Identifier: Apache-2.0
#include "tune/TuningCache.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>
#include <system_error>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>

#include <kompute/Error.hpp>
#include <kompute/logger/Logger.hpp>
#include <nlohmann/json.hpp>

#include "base/Hash.hpp"
#include "base/Text.hpp"
#include "base/files/Files.hpp"
#include "base/files/Path.hpp"

namespace kp::tune {
namespace {

namespace fs = std::filesystem;

/// Keeps the order of a configuration's parameters.
using Json = nlohmann::ordered_json;

constexpr const char* kFormat = "kompute-tuning";
constexpr const char* kExportFormat = "kompute-tuning-export";
constexpr int64_t kVersion = 1; ///< of both formats

Json jsonOf(const TuningConfiguration& configuration) {
    Json json = Json::object();
    for (const TuningConfiguration::Item& item : configuration.items())
        std::visit([&](const auto& held) { json[item.first] = held; }, item.second);
    return json;
}

std::string textOf(const Json& json) {
    return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

Json parse(std::string_view text) {
    try {
        return Json::parse(text);
    } catch (const Json::parse_error& error) {
        fail<InvalidArgument>("it is not valid JSON: there is an error at byte {}", error.byte);
    } catch (const Json::exception&) {
        fail<InvalidArgument>("it is not valid JSON: a number is out of range");
    }
}

bool isInteger(const Json& json) {
    if (json.is_number_unsigned())
        return json.get<uint64_t>() <= uint64_t{std::numeric_limits<int64_t>::max()};
    return json.is_number_integer();
}

[[noreturn]] void failOnMember(const char* name) {
    fail<InvalidArgument>("its member \"{}\" is missing or has an invalid value", name);
}

const Json& memberOf(const Json& json, const char* name) {
    const auto found = json.find(name);
    if (found == json.end())
        failOnMember(name);
    return *found;
}

template <typename T>
T member(const Json& json, const char* name) {
    const Json& found = memberOf(json, name);
    if (std::is_same_v<T, int64_t> && !isInteger(found))
        failOnMember(name);
    try {
        return found.get<T>();
    } catch (const Json::exception&) {
        failOnMember(name);
    }
}

double duration(const Json& json, const char* name) {
    const auto nanoseconds = member<double>(json, name);
    if (!(nanoseconds >= 0))
        failOnMember(name);
    return nanoseconds;
}

TuningConfiguration configurationOf(const Json& json) {
    if (!json.is_object())
        failOnMember("configuration");
    std::vector<TuningConfiguration::Item> items;
    for (const auto& [name, value] : json.items()) {
        if (isInteger(value))
            items.emplace_back(name, value.get<int64_t>());
        else if (value.is_number())
            items.emplace_back(name, value.get<double>());
        else if (value.is_string())
            items.emplace_back(name, value.get<std::string>());
        else
            failOnMember("configuration");
    }
    return TuningConfiguration(std::move(items));
}

void requireFormat(const Json& json, const char* format, int64_t version) {
    const auto givenFormat = member<std::string>(json, "format");
    const auto givenVersion = member<int64_t>(json, "version");
    if (givenFormat != format || givenVersion != version) {
        fail<InvalidArgument>("it has the format \"{}\", version {}; expected \"{}\", version {}",
                              givenFormat, givenVersion, format, version);
    }
}

/// Returns nothing and logs a warning if the file is damaged; returns nothing if it is missing.
std::optional<CachedKernel> readKernel(const std::string& path) {
    const std::optional<std::string> text = readCacheFile(path);
    if (!text)
        return std::nullopt;
    try {
        return kernelFromJson(*text);
    } catch (const InvalidArgument& error) {
        KP_LOG_WARN("the tuning cache {} is damaged and is not used: {}", path, error.what());
        return std::nullopt;
    }
}

/// Replaces times of the same subject and appends the others.
/// @param keepBetter  keeps a known time that has at least as many runs
/// @return the number of times appended or replaced
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

} // namespace

// nlohmann/json finds the following four, which are therefore not in the unnamed namespace.

static void to_json(Json& json, const CachedTime& time) {
    json = {{"problem", time.problem},
            {"shader", time.shader},
            {"configuration", jsonOf(time.configuration)},
            {"status", time.wrong ? "wrong" : "measured"},
            {"verified", time.verified}};
    if (time.wrong) {
        json["reason"] = time.reason;
    } else {
        json["complete"] = time.complete;
        json["nanoseconds"] = time.nanoseconds;
        json["median"] = time.medianNs;
        json["runs"] = time.runs;
    }
}

static void from_json(const Json& json, CachedTime& time) {
    const Json& problem = memberOf(json, "problem");
    if (!problem.is_array() || !std::ranges::all_of(problem, isInteger))
        failOnMember("problem");
    time.problem = problem.get<std::vector<int64_t>>();
    time.configuration = configurationOf(memberOf(json, "configuration"));
    time.shader = member<std::string>(json, "shader");
    time.verified = member<bool>(json, "verified");
    const auto status = member<std::string>(json, "status");
    if (status == "wrong") {
        time.wrong = time.complete = true;
        time.reason = member<std::string>(json, "reason");
        return;
    }
    if (status != "measured")
        failOnMember("status");
    time.complete = member<bool>(json, "complete");
    time.nanoseconds = duration(json, "nanoseconds");
    time.medianNs = duration(json, "median");
    const auto runs = member<int64_t>(json, "runs");
    if (runs < 1 || runs > std::numeric_limits<uint32_t>::max())
        failOnMember("runs");
    time.runs = static_cast<uint32_t>(runs);
}

static void to_json(Json& json, const CachedKernel& kernel) {
    json = {{"format", kFormat},
            {"version", kVersion},
            {"deviceUuid", kernel.key.deviceUuid},
            {"driverVersion", kernel.key.driverVersion},
            {"deviceName", kernel.key.deviceName},
            {"kernel", kernel.key.kernel},
            {"key", kernel.key.key},
            {"times", kernel.times}};
}

static void from_json(const Json& json, CachedKernel& kernel) {
    requireFormat(json, kFormat, kVersion);
    kernel.key.deviceUuid = member<std::string>(json, "deviceUuid");
    kernel.key.driverVersion = member<int64_t>(json, "driverVersion");
    kernel.key.deviceName = member<std::string>(json, "deviceName");
    kernel.key.kernel = member<std::string>(json, "kernel");
    kernel.key.key = member<std::string>(json, "key");
    kernel.times = member<std::vector<CachedTime>>(json, "times");
}

std::string TuningKey::fileName() const {
    std::string all;
    for (const std::string& part : {deviceUuid, formatted("{}", driverVersion), kernel, key})
        all += formatted("{}:{}", part.size(), part);
    return toString(hashBytes(all.data(), all.size())) + ".json";
}

std::string toJson(const CachedKernel& kernel) {
    return textOf(kernel);
}

CachedKernel kernelFromJson(std::string_view text) {
    return parse(text).get<CachedKernel>();
}

std::string toJson(const std::vector<CachedKernel>& kernels) {
    return textOf({{"format", kExportFormat}, {"version", kVersion}, {"kernels", kernels}});
}

std::vector<CachedKernel> kernelsFromJson(std::string_view text) {
    const Json json = parse(text);
    requireFormat(json, kExportFormat, kVersion);
    return member<std::vector<CachedKernel>>(json, "kernels");
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
    : mFolder(folder.empty() ? std::string() : toText(toPath(folder) / "tuning")),
      mLockSeconds(lockSeconds) {}

std::string TuningCache::file(const TuningKey& key) const {
    return mFolder.empty() ? std::string() : toText(toPath(mFolder) / key.fileName());
}

std::vector<CachedTime> TuningCache::read(const TuningKey& key) const {
    const std::string path = file(key);
    std::optional<CachedKernel> kernel = readKernel(path);
    if (!kernel)
        return {};
    // Two keys may have one file name, which is a hash.
    const auto identityOf = [](const TuningKey& each) {
        return std::tie(each.deviceUuid, each.driverVersion, each.kernel, each.key);
    };
    if (identityOf(kernel->key) != identityOf(key)) {
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
    fs::create_directories(toPath(mFolder), error);
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
    if (replaceCacheFile(path, {toJson(kernel)}))
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
    for (fs::directory_iterator at(toPath(mFolder), error);
         !error && at != fs::directory_iterator(); at.increment(error)) {
        if (at->path().extension() != ".json")
            continue;
        if (std::optional<CachedKernel> kernel = readKernel(toText(at->path())))
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
    const std::optional<std::string> text = readFile(path, kMaxCacheFileBytes);
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
