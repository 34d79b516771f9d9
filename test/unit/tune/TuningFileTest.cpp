// SPDX-License-Identifier: Apache-2.0
#include "tune/TuningCache.hpp"

#include <limits>
#include <random>

#include <gtest/gtest.h>
#include <kompute/Error.hpp>

namespace kp::tune {
namespace {

CachedKernel sample() {
    CachedTime measured;
    measured.problem = {100, std::numeric_limits<int64_t>::min()};
    measured.shader = "abc";
    measured.configuration = TuningConfiguration({{"z", int64_t{-1}},
                                                  {"a", 1.0},
                                                  {"tenth", 0.1},
                                                  {"large", 1e300},
                                                  {"v", std::string("\"\\ \n\t\x01 \xc3\xa9")}});
    measured.complete = true;
    measured.nanoseconds = 1234.5678901234567;
    measured.medianNs = 1e9;
    measured.runs = std::numeric_limits<uint32_t>::max();
    CachedTime wrong;
    wrong.problem = {1};
    wrong.wrong = wrong.verified = wrong.complete = true;
    wrong.reason = "element 3 is 1 instead of 2";
    return {{"uuid", 7, "device", "kernel", "key"}, {measured, wrong}};
}

void expectEqual(const CachedKernel& actual, const CachedKernel& expected) {
    EXPECT_EQ(actual.key.fileName(), expected.key.fileName());
    EXPECT_EQ(actual.key.deviceName, expected.key.deviceName);
    ASSERT_EQ(actual.times.size(), expected.times.size());
    for (size_t i = 0; i < actual.times.size(); ++i) {
        const CachedTime& a = actual.times[i];
        const CachedTime& b = expected.times[i];
        EXPECT_TRUE(a.sameSubject(b)) << a.configuration.toString();
        EXPECT_EQ(a.wrong, b.wrong);
        EXPECT_EQ(a.verified, b.verified);
        EXPECT_EQ(a.complete, b.complete);
        EXPECT_EQ(a.nanoseconds, b.nanoseconds);
        EXPECT_EQ(a.medianNs, b.medianNs);
        EXPECT_EQ(a.runs, b.runs);
        EXPECT_EQ(a.reason, b.reason);
    }
}

std::string errorOf(const std::string& text) {
    try {
        kernelFromJson(text);
    } catch (const InvalidArgument& error) {
        return error.what();
    }
    ADD_FAILURE() << "accepted: " << text.substr(0, 100);
    return {};
}

TEST(TuningFile, RoundTripsNumbersTypesAndOrder) {
    const CachedKernel kernel = sample();
    expectEqual(kernelFromJson(toJson(kernel)), kernel);
    const std::vector<CachedKernel> kernels = kernelsFromJson(toJson({kernel, CachedKernel()}));
    ASSERT_EQ(kernels.size(), 2u);
    expectEqual(kernels[0], kernel);
}

TEST(TuningFile, ReadsFilesOfTheFirstVersion) {
    const CachedKernel kernel = kernelFromJson(
        R"({"format":"kompute-tuning","version":1,"deviceUuid":"u","driverVersion":7,)"
        R"("deviceName":"d","kernel":"k","key":"","times":[{"problem":[100],"shader":"s",)"
        R"("configuration":{"z":1,"f":1.0,"e":1e+300,"t":"a\ufffd\u007f"},"status":"measured",)"
        R"("verified":false,"complete":true,"nanoseconds":10.0,"median":15,"runs":4}]})");
    ASSERT_EQ(kernel.times.size(), 1u);
    EXPECT_EQ(kernel.times[0].configuration,
              TuningConfiguration({{"z", int64_t{1}},
                                   {"f", 1.0},
                                   {"e", 1e300},
                                   {"t", std::string("a\xef\xbf\xbd\x7f")}}));
    EXPECT_EQ(kernel.times[0].nanoseconds, 10);
    EXPECT_EQ(kernel.times[0].runs, 4u);
}

TEST(TuningFile, ReplacesInvalidUtf8) {
    CachedKernel kernel = sample();
    kernel.times[1].reason = "bad \xff\xc3";
    EXPECT_EQ(kernelFromJson(toJson(kernel)).times[1].reason, "bad \xef\xbf\xbd\xef\xbf\xbd");
}

TEST(TuningFile, RejectsInvalidTextWithThePlace) {
    EXPECT_NE(errorOf("[1, x]").find("byte 5"), std::string::npos) << errorOf("[1, x]");
    const std::string good = toJson(sample());
    const auto replaced = [&](const std::string& from, const std::string& to) {
        std::string text = good;
        const size_t at = text.find(from);
        EXPECT_NE(at, std::string::npos) << from;
        return text.replace(at, from.size(), to);
    };
    EXPECT_NE(errorOf(replaced("\"runs\":", "\"walks\":")).find("\"runs\""), std::string::npos);
    for (const char* value : {"1e999", "-1", "NaN", "\"1\"", "true", "null"})
        errorOf(replaced("\"median\":", std::string("\"median\":") + value + ",\"x\":"));
    for (const char* value : {"0", "4.5", "4294967296", "18446744073709551615"})
        errorOf(replaced("\"runs\":", std::string("\"runs\":") + value + ",\"x\":"));
    for (const char* value : {"9223372036854775808", "1e30", "\"7\""})
        errorOf(
            replaced("\"driverVersion\":", std::string("\"driverVersion\":") + value + ",\"x\":"));
    errorOf(replaced("uuid", "\xff"));
    errorOf(replaced("\"z\":-1", "\"z\":[-1]"));
    EXPECT_THROW(kernelsFromJson(good), InvalidArgument) << "a cache file is not an export";
}

TEST(TuningFile, RejectsDeeplyNestedText) {
    constexpr size_t kDepth = 1'000'000;
    errorOf(std::string(kDepth, '['));
    errorOf(std::string(kDepth, '[') + std::string(kDepth, ']'));
    std::string objects;
    for (size_t i = 0; i < kDepth / 10; ++i)
        objects += "{\"times\":";
    errorOf(objects);
    errorOf(objects + "1" + std::string(kDepth / 10, '}'));
}

TEST(TuningFile, RejectsOrRoundTripsDamagedText) {
    const std::string good = toJson(sample());
    std::mt19937 random(7);
    int rejected = 0;
    for (int round = 0; round < 20'000; ++round) {
        std::string text = good;
        for (uint32_t change = random() % 4 + 1; change > 0 && !text.empty(); --change) {
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
        }
        try {
            const CachedKernel kernel = kernelFromJson(text);
            expectEqual(kernelFromJson(toJson(kernel)), kernel);
        } catch (const InvalidArgument&) {
            ++rejected;
        }
    }
    EXPECT_GT(rejected, 10'000);
}

} // namespace
} // namespace kp::tune
