// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "base/Text.hpp"

namespace kp {
namespace {

using Words = std::vector<std::string>;

TEST(Text, ListsWordsWithoutWhiteSpaceAndEmptyOnes) {
    EXPECT_EQ(listed("core"), Words{"core"});
    EXPECT_EQ(listed(" core,\tsync , ,gpu,"), (Words{"core", "sync", "gpu"}));
    EXPECT_EQ(listed(""), Words{});
    EXPECT_EQ(listed(" , "), Words{});
}

} // namespace
} // namespace kp
