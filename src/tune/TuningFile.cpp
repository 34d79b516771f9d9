// SPDX-License-Identifier: Apache-2.0
#include "tune/TuningFile.hpp"

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
constexpr int64_t kVersion = 1;
constexpr const char* kExportFormat = "kompute-tuning-export";
constexpr int64_t kExportVersion = 1;

Json jsonOf(const TuningConfiguration& configuration) {
    Json json = Json::object();
    for (const auto& [name, value] : configuration.items())
        std::visit([&](const auto& held) { json[name] = held; }, value);
    return json;
}

Json jsonOf(const CachedTime& time) {
    Json json = {{"problem", time.problem},
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
    return json;
}

Json jsonOf(const CachedKernel& kernel) {
    Json times = Json::array();
    for (const CachedTime& time : kernel.times)
        times.push_back(jsonOf(time));
    return {{"format", kFormat},
            {"version", kVersion},
            {"deviceUuid", kernel.key.deviceUuid},
            {"driverVersion", kernel.key.driverVersion},
            {"deviceName", kernel.key.deviceName},
            {"kernel", kernel.key.kernel},
            {"key", kernel.key.key},
            {"times", std::move(times)}};
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

template <typename T>
T member(const Json& json, const char* name) {
    const auto found = json.find(name);
    if (found == json.end())
        failOnMember(name);
    if constexpr (std::is_same_v<T, int64_t>) {
        if (!isInteger(*found))
            failOnMember(name);
    }
    try {
        return found->template get<T>();
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

const Json& array(const Json& json, const char* name) {
    const auto found = json.find(name);
    if (found == json.end() || !found->is_array())
        failOnMember(name);
    return *found;
}

TuningConfiguration configurationOf(const Json& json) {
    const auto object = json.find("configuration");
    if (object == json.end() || !object->is_object())
        failOnMember("configuration");
    std::vector<TuningConfiguration::Item> items;
    for (const auto& [name, value] : object->items()) {
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

CachedTime timeOf(const Json& json) {
    CachedTime time;
    for (const Json& size : array(json, "problem")) {
        if (!isInteger(size))
            failOnMember("problem");
        time.problem.push_back(size.get<int64_t>());
    }
    time.configuration = configurationOf(json);
    time.shader = member<std::string>(json, "shader");
    time.verified = member<bool>(json, "verified");
    const auto status = member<std::string>(json, "status");
    if (status == "wrong") {
        time.wrong = time.complete = true;
        time.reason = member<std::string>(json, "reason");
        return time;
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
    return time;
}

void requireFormat(const Json& json, const char* format, int64_t version) {
    const auto givenFormat = member<std::string>(json, "format");
    const auto givenVersion = member<int64_t>(json, "version");
    if (givenFormat != format || givenVersion != version) {
        fail<InvalidArgument>("it has the format \"{}\", version {}; expected \"{}\", version {}",
                              givenFormat, givenVersion, format, version);
    }
}

CachedKernel kernelOf(const Json& json) {
    requireFormat(json, kFormat, kVersion);
    CachedKernel kernel;
    kernel.key.deviceUuid = member<std::string>(json, "deviceUuid");
    kernel.key.driverVersion = member<int64_t>(json, "driverVersion");
    kernel.key.deviceName = member<std::string>(json, "deviceName");
    kernel.key.kernel = member<std::string>(json, "kernel");
    kernel.key.key = member<std::string>(json, "key");
    for (const Json& time : array(json, "times"))
        kernel.times.push_back(timeOf(time));
    return kernel;
}

} // namespace

std::string TuningKey::fileName() const {
    std::string all;
    for (const std::string& part : {deviceUuid, formatted("{}", driverVersion), kernel, key})
        all += formatted("{}:{}", part.size(), part);
    return toString(hashBytes(all.data(), all.size())) + ".json";
}

std::string toJson(const CachedKernel& kernel) {
    return textOf(jsonOf(kernel));
}

CachedKernel kernelFromJson(std::string_view text) {
    return kernelOf(parse(text));
}

std::string toJson(const std::vector<CachedKernel>& kernels) {
    Json list = Json::array();
    for (const CachedKernel& kernel : kernels)
        list.push_back(jsonOf(kernel));
    return textOf(
        {{"format", kExportFormat}, {"version", kExportVersion}, {"kernels", std::move(list)}});
}

std::vector<CachedKernel> kernelsFromJson(std::string_view text) {
    const Json json = parse(text);
    requireFormat(json, kExportFormat, kExportVersion);
    std::vector<CachedKernel> kernels;
    for (const Json& kernel : array(json, "kernels"))
        kernels.push_back(kernelOf(kernel));
    return kernels;
}

} // namespace kp::tune
