// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <charconv>
#include <cstdint>
#include <ctime>
#include <stdexcept>
#include <string>
#include <system_error>

/// Options of the programs that tests run by hand and from scripts.
namespace kp::test {

/// A wrong command line. Programs print it and end with status 2, so that it is not taken for a
/// fault that they found.
struct UsageError : std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// Returns the number that was given for an option, from @p least on.
/// @throws UsageError naming the option, the given value and the expected one
inline uint64_t numberOf(const std::string& option, const std::string& text, uint64_t least = 0,
                         const std::string& otherwise = {}) {
    uint64_t number = 0;
    const char* const end = text.data() + text.size();
    const auto [rest, error] = std::from_chars(text.data(), end, number);
    if (error != std::errc() || rest != end || text.empty() || number < least)
        throw UsageError(option + " is '" + text + "'; expected a whole number from " +
                         std::to_string(least) + " to 18446744073709551615" + otherwise);
    return number;
}

/// Returns a seed: a number, or the day's for "date". @throws UsageError
inline uint64_t seedOf(const std::string& option, const std::string& text) {
    if (text != "date")
        return numberOf(option, text, 0, ", or 'date'");
    return static_cast<uint64_t>(std::time(nullptr)) / (24 * 60 * 60);
}

} // namespace kp::test
