// SPDX-License-Identifier: Apache-2.0
#include <limits>

#include <fmt/format.h>

#include <kompute/Error.hpp>
#include <kompute/launch/TunableKernel.hpp>

namespace kp {
namespace {

[[noreturn]] void throwKind(const std::string& name, const char* wanted,
                            const TuningConfiguration& configuration) {
    throw InvalidArgument("the parameter '" + name + "' is not " + wanted + " in the configuration " +
                          configuration.toString());
}

} // namespace

const TuningValue* TuningConfiguration::find(const std::string& name) const {
    for (const Item& item : mItems)
        if (item.first == name)
            return &item.second;
    return nullptr;
}

bool TuningConfiguration::has(const std::string& name) const {
    return find(name) != nullptr;
}

int64_t TuningConfiguration::integer(const std::string& name) const {
    const TuningValue* value = find(name);
    if (const int64_t* integer = value ? std::get_if<int64_t>(value) : nullptr)
        return *integer;
    throwKind(name, "an integer", *this);
}

double TuningConfiguration::number(const std::string& name) const {
    const TuningValue* value = find(name);
    if (const double* number = value ? std::get_if<double>(value) : nullptr)
        return *number;
    if (const int64_t* integer = value ? std::get_if<int64_t>(value) : nullptr)
        return static_cast<double>(*integer);
    throwKind(name, "a number", *this);
}

const std::string& TuningConfiguration::text(const std::string& name) const {
    const TuningValue* value = find(name);
    if (const std::string* text = value ? std::get_if<std::string>(value) : nullptr)
        return *text;
    throwKind(name, "a text", *this);
}

Workgroup TuningConfiguration::localSize() const {
    const char* const names[] = {"local_size_x", "local_size_y", "local_size_z"};
    Workgroup size{1, 1, 1};
    for (size_t i = 0; i < 3; ++i)
        if (const TuningValue* value = find(names[i]))
            if (const int64_t* integer = std::get_if<int64_t>(value))
                size[i] = *integer > 0 && *integer <= std::numeric_limits<uint32_t>::max()
                              ? static_cast<uint32_t>(*integer)
                              : std::numeric_limits<uint32_t>::max();
    return size;
}

std::string TuningConfiguration::toString() const {
    if (mItems.empty())
        return "(no parameters)";
    std::string text;
    for (const Item& item : mItems) {
        text += (text.empty() ? "" : ", ") + item.first + "=";
        std::visit([&](const auto& value) { text += fmt::format("{}", value); }, item.second);
    }
    return text;
}

} // namespace kp
