// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <kompute/launch/TunableKernel.hpp>

namespace kp::tune {

/// Identifies a file of the tuning cache. Times are comparable if all members but deviceName are
/// equal.
struct TuningKey {
    std::string deviceUuid;
    int64_t driverVersion = 0;
    std::string deviceName; ///< for human readers; not compared
    std::string kernel;
    std::string key; ///< TuningArguments::key

    /// Returns the name of the file, without its folder.
    std::string fileName() const;
};

/// The cached result of one configuration at one problem size.
struct CachedTime {
    std::vector<int64_t> problem;
    std::string shader; ///< hash of the SPIR-V, or the factory's key
    TuningConfiguration configuration;
    bool wrong = false;    ///< its results were rejected, for `reason`
    bool verified = false; ///< its results were checked
    bool complete = false; ///< it was not interrupted between rounds
    double nanoseconds = 0;
    double medianNs = 0;
    uint32_t runs = 0;
    std::string reason;

    bool sameSubject(const CachedTime& other) const {
        return shader == other.shader && problem == other.problem &&
               configuration == other.configuration;
    }
};

/// The content of a cache file.
struct CachedKernel {
    TuningKey key;
    std::vector<CachedTime> times;
};

/// Returns the JSON text of a cache file. Invalid UTF-8 becomes U+FFFD.
std::string toJson(const CachedKernel& kernel);
/// Reads the text of a cache file.
/// @throws InvalidArgument that names the error
CachedKernel kernelFromJson(std::string_view text);

/// Returns the JSON text of an export of several kernels.
std::string toJson(const std::vector<CachedKernel>& kernels);
/// Reads the text of an export.
/// @throws InvalidArgument that names the error
std::vector<CachedKernel> kernelsFromJson(std::string_view text);

/// Returns the distance between two problem sizes: the sum of the absolute binary logarithms of
/// their ratios; infinite if the numbers of dimensions differ.
double problemDistance(const std::vector<int64_t>& a, const std::vector<int64_t>& b);

/// Times of configurations, kept on disk between runs: one JSON file per key in the subfolder
/// `tuning` of a cache folder, locked during changes, replaced as a whole, and checked when read. A
/// file that cannot be read counts as missing. Times that cannot be written stay in memory and are
/// written with the next ones. Not thread-safe.
class TuningCache {
public:
    /// @param folder       of the caches; "" keeps times in memory only
    /// @param lockSeconds  how long to wait for other writers of a file
    TuningCache(const std::string& folder, double lockSeconds);

    std::vector<CachedTime> load(const TuningKey& key);
    /// @return false if the file cannot be written
    bool store(const TuningKey& key, const std::vector<CachedTime>& times);

    /// Writes all kernels of a device to one file.
    /// @return the number of times written
    /// @throws InvalidArgument if the file cannot be written
    size_t exportTo(const std::string& path, const TuningKey& device) const;
    /// Adds the times of an export. Of two times of one subject, the one with more runs is kept.
    /// @return the number of times added or replaced
    /// @throws InvalidArgument if the file cannot be read or is not an export
    size_t importFrom(const std::string& path);

    /// Returns the folder of the files; "" if times are kept in memory only.
    const std::string& folder() const { return mFolder; }
    /// Returns the path of a key's file; "" without a folder.
    std::string file(const TuningKey& key) const;

private:
    /// Returns the times in the file; none if it is missing or damaged, which is logged.
    std::vector<CachedTime> read(const TuningKey& key) const;
    /// Merges times into the file.
    /// @return the number of times appended or replaced; nothing if the file cannot be written
    std::optional<size_t> write(const TuningKey& key, const std::vector<CachedTime>& times,
                                bool keepBetter) const;

    std::string mFolder;
    double mLockSeconds;
    std::map<std::string, CachedKernel> mPending; ///< not written yet, by file name
};

} // namespace kp::tune
