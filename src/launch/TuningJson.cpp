// SPDX-License-Identifier: Apache-2.0
//
// The format of the tuning cache.
#include <cmath>
#include <limits>

#include "launch/TuningCache.hpp"

namespace kp::launch {
namespace {

constexpr const char* kFormat = "kompute-tuning";
constexpr int64_t kVersion = 1;

Json toJson(const TuningConfiguration& configuration) {
    Json::Object object;
    for (const TuningConfiguration::Item& item : configuration.items())
        std::visit([&](const auto& value) { object.emplace_back(item.first, Json(value)); },
                   item.second);
    return object;
}

Json toJson(const CachedTime& time) {
    Json::Array problem;
    for (const int64_t size : time.problem)
        problem.emplace_back(size);
    Json::Object object{{"problem", std::move(problem)},
                        {"shader", time.shader},
                        {"configuration", toJson(time.configuration)},
                        {"status", time.wrong ? "wrong" : "measured"},
                        {"verified", time.verified}};
    if (time.wrong) {
        object.emplace_back("reason", time.reason);
    } else {
        object.emplace_back("complete", time.complete);
        object.emplace_back("nanoseconds", time.nanoseconds);
        object.emplace_back("median", time.medianNs);
        object.emplace_back("runs", int64_t{time.runs});
    }
    return object;
}

/// Reads members, and remembers the first that is missing or of the wrong kind.
class Reader {
public:
    Reader(const Json& json, std::string& problem) : mJson(json), mProblem(problem) {}

    bool text(const char* name, std::string& value) {
        const Json* member = mJson.find(name);
        const std::string* found = member ? member->text() : nullptr;
        return found ? (value = *found, true) : fail(name);
    }
    bool flag(const char* name, bool& value) {
        const Json* member = mJson.find(name);
        const bool* found = member ? member->boolean() : nullptr;
        return found ? (value = *found, true) : fail(name);
    }
    bool integer(const char* name, int64_t& value) {
        const Json* member = mJson.find(name);
        const std::optional<int64_t> found = member ? member->integer() : std::nullopt;
        return found ? (value = *found, true) : fail(name);
    }
    /// A duration: neither negative nor endless.
    bool duration(const char* name, double& value) {
        const Json* member = mJson.find(name);
        const std::optional<double> found = member ? member->number() : std::nullopt;
        return found && *found >= 0 ? (value = *found, true) : fail(name);
    }
    bool fail(const char* name) {
        mProblem = std::string("no proper member \"") + name + "\"";
        return false;
    }

private:
    const Json& mJson;
    std::string& mProblem;
};

bool readConfiguration(const Json* json, TuningConfiguration& configuration) {
    const Json::Object* object = json ? json->object() : nullptr;
    if (!object)
        return false;
    std::vector<TuningConfiguration::Item> items;
    for (const auto& [name, value] : *object) {
        if (const std::optional<int64_t> integer = value.integer())
            items.emplace_back(name, *integer);
        else if (const std::optional<double> number = value.number())
            items.emplace_back(name, *number);
        else if (const std::string* text = value.text())
            items.emplace_back(name, *text);
        else
            return false;
    }
    configuration = TuningConfiguration(std::move(items));
    return true;
}

bool readTime(const Json& json, CachedTime& time, std::string& problem) {
    Reader reader(json, problem);
    const Json* sizes = json.find("problem");
    if (!sizes || !sizes->array())
        return reader.fail("problem");
    for (const Json& size : *sizes->array()) {
        if (!size.integer())
            return reader.fail("problem");
        time.problem.push_back(*size.integer());
    }
    if (!readConfiguration(json.find("configuration"), time.configuration))
        return reader.fail("configuration");
    std::string status;
    if (!reader.text("shader", time.shader) || !reader.text("status", status) ||
        !reader.flag("verified", time.verified))
        return false;
    if (status == "wrong") {
        time.wrong = time.complete = true;
        return reader.text("reason", time.reason);
    }
    int64_t runs = 0;
    if (status != "measured")
        return reader.fail("status");
    if (!reader.flag("complete", time.complete) ||
        !reader.duration("nanoseconds", time.nanoseconds) ||
        !reader.duration("median", time.medianNs) || !reader.integer("runs", runs))
        return false;
    if (runs < 1 || runs > std::numeric_limits<uint32_t>::max())
        return reader.fail("runs");
    time.runs = static_cast<uint32_t>(runs);
    return true;
}

} // namespace

Json toJson(const CachedKernel& kernel) {
    Json::Array times;
    for (const CachedTime& time : kernel.times)
        times.push_back(toJson(time));
    return Json::Object{{"format", kFormat},
                        {"version", kVersion},
                        {"deviceUuid", kernel.key.deviceUuid},
                        {"driverVersion", kernel.key.driverVersion},
                        {"deviceName", kernel.key.deviceName},
                        {"kernel", kernel.key.kernel},
                        {"key", kernel.key.key},
                        {"times", std::move(times)}};
}

bool fromJson(const Json& json, CachedKernel& kernel, std::string& problem) {
    Reader reader(json, problem);
    std::string format;
    int64_t version = 0;
    if (!reader.text("format", format) || !reader.integer("version", version))
        return false;
    if (format != kFormat || version != kVersion) {
        problem = "it is of format \"" + format + "\", version " + std::to_string(version);
        return false;
    }
    if (!reader.text("deviceUuid", kernel.key.deviceUuid) ||
        !reader.integer("driverVersion", kernel.key.driverVersion) ||
        !reader.text("deviceName", kernel.key.deviceName) ||
        !reader.text("kernel", kernel.key.kernel) || !reader.text("key", kernel.key.key))
        return false;
    const Json* times = json.find("times");
    if (!times || !times->array())
        return reader.fail("times");
    kernel.times.clear();
    for (const Json& each : *times->array()) {
        CachedTime time;
        if (!readTime(each, time, problem))
            return false;
        kernel.times.push_back(std::move(time));
    }
    return true;
}

} // namespace kp::launch
