// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#if __has_include(<fmt/base.h>)
#include <fmt/base.h>
#else
#include <fmt/core.h>
#endif

#include <kompute/Error.hpp>

namespace kp {

/// Only Text.cpp compiles {fmt}'s implementation, so that no other file pays for it.
std::string formatArguments(fmt::string_view format, fmt::format_args arguments);

/// Returns text in {fmt}'s syntax: formatted("binding {} is {}", 3, name). Arguments are numbers,
/// text and pointers; the format is checked when it is compiled.
template <typename... Arguments>
std::string formatted(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
    return formatArguments(format, fmt::make_format_args(arguments...));
}

/// Throws an error with a formatted message: fail<InvalidArgument>("{} is not {}", given, wanted).
template <typename Failure, typename... Arguments>
[[noreturn]] void fail(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
    throw Failure(formatArguments(format, fmt::make_format_args(arguments...)));
}

/// Returns a number of things: "1 result", "2 results".
std::string counted(uint64_t count, std::string_view noun);

/// Returns the candidate with the fewest changes of letters from the name, the first of several; ""
/// if there are no candidates.
std::string nearest(std::string_view name, const std::vector<std::string>& candidates);

/// Returns ASCII text in lower case.
std::string lowerCase(std::string text);

/// Returns the words of a list with commas, without white space. Empty words are left out.
std::vector<std::string> listed(std::string_view text);

/// Returns the elements, each as text, with a separator between them.
template <typename Range>
std::string join(const Range& range, const char* separator = ", ") {
    std::string joined;
    for (const auto& element : range) {
        if (!joined.empty())
            joined += separator;
        joined += formatted("{}", element);
    }
    return joined;
}

} // namespace kp
