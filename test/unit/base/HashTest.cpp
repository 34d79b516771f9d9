// SPDX-License-Identifier: Apache-2.0
#include "base/Hash.hpp"

#include <set>
#include <string>

#include <gtest/gtest.h>

namespace kp {
namespace {

Hash hashOf(const std::string& text, uint64_t seed = 0) {
    return hashBytes(text.data(), text.size(), seed);
}

TEST(Hash, MatchesThePublishedValues) {
    EXPECT_EQ(hashOf(""), (Hash{0, 0}));
    EXPECT_EQ(hashOf("hello"), (Hash{0xcbd8a7b341bd9b02, 0x5b1e906a48ae1d19}));
    EXPECT_EQ(hashOf("hello, world"), (Hash{0x342fac623a5ebc8e, 0x4cdcbc079642414d}));
    EXPECT_EQ(hashOf("19 Jan 2038 at 3:14:07 AM"), (Hash{0xb89e5988b737affc, 0x664fc2950231b2cb}));
    EXPECT_EQ(hashOf("The quick brown fox jumps over the lazy dog."),
              (Hash{0xcd99481f9ee902c9, 0x695da1a38987b6e7}));
}

TEST(Hash, DependsOnEveryByteOfEveryTailLength) {
    for (size_t size = 1; size <= 48; ++size) {
        const std::string text(size, 'a');
        std::set<uint64_t> seen = {hashOf(text).low};
        for (size_t at = 0; at < size; ++at) {
            std::string changed = text;
            changed[at] = 'b';
            EXPECT_TRUE(seen.insert(hashOf(changed).low).second) << size << " at " << at;
        }
    }
}

TEST(Hash, DependsOnLengthAndSeed) {
    EXPECT_NE(hashOf(std::string(4, '\0')), hashOf(std::string(5, '\0')));
    EXPECT_NE(hashOf("text", 1), hashOf("text", 2));
}

TEST(Hash, PrintsThirtyTwoDigits) {
    EXPECT_EQ(toString(Hash{0x1, 0xabc}), "0000000000000abc0000000000000001");
}

} // namespace
} // namespace kp
