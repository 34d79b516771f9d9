// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include <kompute/launch/Autotuner.hpp>

#include "launch/Json.hpp"

namespace kp::launch {

/// What must be equal for times to mean the same. One file each.
struct TuningKey {
    std::string deviceUuid;
    int64_t driverVersion = 0;
    std::string deviceName; ///< for people; not compared
    std::string kernel;
    std::string key; ///< TuningArguments::key

    /// Name of the file without its folder.
    std::string fileName() const;
};

/// What is known of one configuration at one problem size.
struct CachedTime {
    std::vector<int64_t> problem;
    std::string shader; ///< hash of the SPIR-V, or the factory's key
    TuningConfiguration configuration;
    bool wrong = false;    ///< its results were refused, for `reason`
    bool verified = false; ///< its results were looked at
    bool complete = false; ///< it was not stopped in the middle of the rounds
    double nanoseconds = 0;
    double medianNs = 0;
    uint32_t runs = 0;
    std::string reason;

    bool sameSubject(const CachedTime& other) const {
        return shader == other.shader && problem == other.problem &&
               configuration == other.configuration;
    }
};

/// The content of a file.
struct CachedKernel {
    TuningKey key;
    std::vector<CachedTime> times;
};

Json toJson(const CachedKernel& kernel);
/// @return false where something is missing or of the wrong kind; @p problem then says what
bool fromJson(const Json& json, CachedKernel& kernel, std::string& problem);

/// Replaces times of the same subject, appends the others.
/// @param keepBetter  those with more runs stay
/// @return how many were appended or replaced
size_t mergeTimes(std::vector<CachedTime>& into, const std::vector<CachedTime>& from,
                  bool keepBetter);

/// Distance of problem sizes: sum of the ratios' logarithms; infinite where the number of
/// dimensions differs.
double problemDistance(const std::vector<int64_t>& a, const std::vector<int64_t>& b);

/// Times of configurations, on disk between runs: a JSON file for each key in the subfolder
/// `tuning` of a cache folder, locked while it changes, written whole or not at all, and checked
/// when read. What cannot be read is not there; what cannot be written stays in memory and is tried
/// again with the next. Used by one thread at a time.
class TuningCache {
public:
    /// @param folder  of the caches; "" keeps times in memory only
    TuningCache(const std::string& folder, double lockSeconds);

    std::vector<CachedTime> load(const TuningKey& key);
    /// @return false where the file could not be written
    bool store(const TuningKey& key, const std::vector<CachedTime>& times);

    /// All kernels of a device. @throws InvalidArgument where the file cannot be written
    size_t exportTo(const std::string& path, const TuningKey& device);
    /// @throws InvalidArgument where the file cannot be read or is no export
    size_t importFrom(const std::string& path);

    const std::string& folder() const { return mFolder; } ///< with the subfolder; or ""
    std::string file(const TuningKey& key) const;

private:
    /// What the file holds; empty where it is not there or damaged, which is logged.
    std::vector<CachedTime> read(const TuningKey& key) const;
    bool write(const TuningKey& key, const std::vector<CachedTime>& times, bool keepBetter,
               size_t* changed);

    std::string mFolder;
    double mLockSeconds;
    /// Not written yet, or never, by file name.
    std::map<std::string, CachedKernel> mPending;
};

} // namespace kp::launch
