// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
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

} // namespace kp::tune
