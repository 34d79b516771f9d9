// SPDX-License-Identifier: Apache-2.0
#include "tune/TuningFile.hpp"

#include <algorithm>
#include <limits>
#include <type_traits>
#include <utility>
#include <variant>

#include <kompute/Error.hpp>
#include <nlohmann/json.hpp>

#include "base/Hash.hpp"
#include "base/Text.hpp"

namespace kp::tune {
namespace {

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

} // namespace kp::tune
