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

} // namespace kp::test
