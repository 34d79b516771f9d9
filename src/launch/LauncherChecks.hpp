// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <kompute/Error.hpp>
#include <kompute/launch/Launcher.hpp>

#include "base/Text.hpp"

namespace kp::launch {

/// Throws InvalidArgument with a formatted message that begins with the launcher's name.
template <typename... Values>
[[noreturn]] void throwFor(const std::string& launcher, fmt::format_string<Values...> format,
                           Values&&... values) {
    fail<InvalidArgument>("launcher '{}': {}", launcher,
                          formatted(format, std::forward<Values>(values)...));
}

/// Returns the element of a list with this name; null if there is none.
template <typename List>
auto findNamed(List& list, const std::string& name) {
    const auto found = std::ranges::find(list, name, &List::value_type::name);
    return found == list.end() ? nullptr : &*found;
}

/// ParameterInfo::type of parameters that accept any value.
inline constexpr const char* kAnyType = "anything";

/// @throws InvalidArgument if @p given has a parameter that is not in @p known
void requireKnownParameters(const std::string& launcher, const Parameters& given,
                            const std::vector<ParameterInfo>& known);

/// Returns the queue of a call.
/// @throws InvalidArgument if there is none, or the launcher does not take a parameter of the call
const std::shared_ptr<Queue>& queueFor(const Launcher& launcher, const LaunchOptions& options,
                                       const std::shared_ptr<Queue>& defaultQueue);

} // namespace kp::launch
