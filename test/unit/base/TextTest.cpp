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

TEST(Text, CountsInTheSingularAndThePlural) {
    EXPECT_EQ(counted(0, "result"), "0 results");
    EXPECT_EQ(counted(1, "result"), "1 result");
    EXPECT_EQ(counted(2, "result"), "2 results");
    EXPECT_EQ(counted(2, "index"), "2 indices");
}

} // namespace
} // namespace kp
