// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include <gtest/gtest.h>

namespace kp::test {

inline ::testing::AssertionResult contains(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos
               ? ::testing::AssertionSuccess()
               : ::testing::AssertionFailure() << "'" << part << "' is not in: " << text;
}

inline std::string repeated(const std::string& text, size_t count) {
    std::string all;
    all.reserve(text.size() * count);
    for (size_t i = 0; i < count; ++i)
        all += text;
    return all;
}

/// Text for each of the numbers from 1 on, in which each @ is the number and each ~ the one before.
inline std::string numbered(const std::string& text, size_t count) {
    std::string all;
    for (size_t i = 1; i <= count; ++i) {
        size_t begin = 0;
        for (size_t at; (at = text.find_first_of("@~", begin)) != std::string::npos;) {
            all.append(text, begin, at - begin);
            all += std::to_string(text[at] == '@' ? i : i - 1);
            begin = at + 1;
        }
        all.append(text, begin);
    }
    return all;
}

} // namespace kp::test
