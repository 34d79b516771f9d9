// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <limits>
#include <random>

#include <gtest/gtest.h>

#include "launch/Json.hpp"

namespace kp::launch {
namespace {

std::string problemOf(std::string_view text) {
    std::string problem;
    EXPECT_FALSE(Json::parse(text, &problem)) << text;
    return problem;
}

TEST(Json, ReadsEveryKind) {
    const auto value = Json::parse(
        R"( {"a": [1, -2.5e1, true, false, null, "x\n\u00e9\ud83d\ude00\/"], "b": {}, "c": []} )");
    ASSERT_TRUE(value);
    const Json::Array& a = *value->find("a")->array();
    EXPECT_EQ(a[0].integer(), 1);
    EXPECT_EQ(a[1].number(), -25.0);
    EXPECT_FALSE(a[1].integer());
    EXPECT_TRUE(*a[2].boolean());
    EXPECT_FALSE(*a[3].boolean());
    EXPECT_TRUE(a[4].isNull());
    EXPECT_EQ(*a[5].text(), "x\n\xc3\xa9\xf0\x9f\x98\x80/");
    EXPECT_TRUE(value->find("b")->object()->empty());
    EXPECT_TRUE(value->find("c")->array()->empty());
    EXPECT_EQ(value->find("d"), nullptr);
    EXPECT_EQ(a[0].find("d"), nullptr);
}

TEST(Json, WritesWhatItReads) {
    const Json value(Json::Object{
        {"text", "quote \" back \\ line \n tab \t nul \x01 \xc3\xa9"},
        {"numbers", Json::Array{0, -1, std::numeric_limits<int64_t>::min(), 1.0, 0.1, 1e300}},
        {"nested", Json::Object{{"yes", true}, {"no", false}, {"nothing", Json()}}}});
    const auto again = Json::parse(value.write());
    ASSERT_TRUE(again) << value.write();
    EXPECT_EQ(*again, value);
}

TEST(Json, WritesOnlyWhatCanBeRead) {
    const Json value(Json::Array{std::numeric_limits<double>::quiet_NaN(),
                                 std::numeric_limits<double>::infinity(), "\xff\xc3",
                                 std::numeric_limits<uint64_t>::max(), "\x7f"});
    const auto again = Json::parse(value.write());
    ASSERT_TRUE(again) << value.write();
    EXPECT_TRUE((*again->array())[0].isNull());
    EXPECT_EQ(*(*again->array())[2].text(), "\xef\xbf\xbd\xef\xbf\xbd");
    EXPECT_DOUBLE_EQ(*(*again->array())[3].number(), 18446744073709551615.0);
}

TEST(Json, RefusesWhatIsNotJson) {
    const char* const wrong[] = {
        "", " ", "{", "}", "[", "[1", "[1,", "[1,]", "[,1]", "{\"a\"", "{\"a\":", "{\"a\":1",
        "{\"a\":1,", "{\"a\":1,}", "{a:1}", "{1:1}", "{\"a\" 1}", "{\"a\":1 \"b\":2}", "[1 2]",
        "tru", "True", "nul", "nan", "Infinity", "+1", "01", "-", "-a", ".5", "1.", "1.e5", "1e",
        "1e+", "0x10", "1 2", "\"", "\"\\", "\"\\x\"", "\"\\u12\"", "\"\\u12g4\"", "\"\\ud800\"",
        "\"\\ud800\\u0041\"", "\"\\udc00\"", "\"\x01\"", "\"\xff\"", "\"\xc3\"", "\"\xc0\x80\"",
        "\"\xed\xa0\x80\"", "\"\xf4\x90\x80\x80\"", "'a'", "[1]//", "/**/1", "1e999", "\xef\xbb\xbf" "1",
        "{\"a\":1,\"a\":2}"};
    for (const char* text : wrong)
        EXPECT_FALSE(problemOf(text).empty()) << text;
    EXPECT_FALSE(Json::parse(std::string_view("1\0", 2)));
    EXPECT_FALSE(Json::parse(std::string_view("\"\\\0\"", 4)));
    EXPECT_NE(problemOf("[1, x]").find("byte 4"), std::string::npos) << problemOf("[1, x]");
}

TEST(Json, DepthIsBounded) {
    const auto nested = [](int depth) {
        return std::string(static_cast<size_t>(depth), '[') +
               std::string(static_cast<size_t>(depth), ']');
    };
    EXPECT_TRUE(Json::parse(nested(Json::kMaxDepth)));
    EXPECT_NE(problemOf(nested(Json::kMaxDepth + 1)).find("deep"), std::string::npos);
    EXPECT_FALSE(Json::parse(std::string(1'000'000, '[')));
    EXPECT_FALSE(Json::parse(std::string(1'000'000, '{')));
}

TEST(Json, DamagedTextsAreReadOrRefusedButNeverMore) {
    const std::string good =
        R"({"format":"x","list":[1,2.5,-3e-4,"\u0041\ud83d\ude00é"],"deep":{"a":{"b":[null,true]}}})";
    ASSERT_TRUE(Json::parse(good));
    std::mt19937 random(7);
    int refused = 0;
    for (int round = 0; round < 20'000; ++round) {
        std::string text = good;
        for (uint32_t change = random() % 4 + 1; change > 0; --change) {
            const size_t place = random() % text.size();
            switch (random() % 4) {
            case 0:
                text[place] = static_cast<char>(random());
                break;
            case 1:
                text.erase(place, random() % 8);
                break;
            case 2:
                text.insert(place, 1, "{}[]\",:\\u0-e."[random() % 14]);
                break;
            default:
                text.resize(place);
            }
            if (text.empty())
                text = " ";
        }
        const auto value = Json::parse(text);
        if (!value) {
            ++refused;
            continue;
        }
        const auto again = Json::parse(value->write());
        ASSERT_TRUE(again) << text;
        EXPECT_EQ(*again, *value) << text;
    }
    EXPECT_GT(refused, 10'000);
}

} // namespace
} // namespace kp::launch
