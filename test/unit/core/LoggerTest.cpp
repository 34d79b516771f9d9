// SPDX-License-Identifier: Apache-2.0
#include <kompute/logger/Logger.hpp>

#include <algorithm>
#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "unit/ScopedEnvironment.hpp"

namespace kp::test {
namespace {

using logger::Level;

struct Message {
    Level level;
    std::string file;
    int line;
    std::string text;
};

class LoggerTest : public ::testing::Test {
protected:
    void SetUp() override {
        mLevel = logger::getLogLevel();
        logger::setLogLevel(Level::eTrace);
        logger::setSink(keep, &mMessages);
    }
    void TearDown() override {
        logger::setSink(nullptr);
        logger::setLogLevel(mLevel);
    }

    static void keep(void* context, Level level, const char* file, int line, const char* message) {
        static_cast<std::vector<Message>*>(context)->push_back({level, file, line, message});
    }

    std::string last() const { return mMessages.empty() ? "(none)" : mMessages.back().text; }

    std::vector<Message> mMessages;
    Level mLevel = Level::eWarn;
};

void setupWithLevel(const char* variable) {
    const ScopedEnvironment level("KOMPUTE_LOG_LEVEL", variable);
    ::logger::setupLogger();
}

enum class Colour { eRed, eBlue = 7 };

TEST_F(LoggerTest, FormatsEveryKindOfArgument) {
    KP_LOG_INFO("{} {} {} {}", true, -3, 4u, INT64_MIN);
    EXPECT_EQ(last(), "true -3 4 -9223372036854775808");
    KP_LOG_INFO("{} {}", UINT64_MAX, uint8_t{200});
    EXPECT_EQ(last(), "18446744073709551615 200");
    KP_LOG_INFO("{} {:.2f}", 0.5f, 2.0 / 3.0);
    EXPECT_EQ(last(), "0.5 0.67");
    const char* text = "text";
    char array[] = "array";
    KP_LOG_INFO("{} {} {} {}", "literal", text, array, std::string("string"));
    EXPECT_EQ(last(), "literal text array string");
    KP_LOG_INFO("{}", Colour::eBlue);
    EXPECT_EQ(last(), "7");
    const void* pointer = reinterpret_cast<const void*>(uintptr_t{0x1230});
    KP_LOG_INFO("{}", pointer);
    EXPECT_EQ(last(), "0x1230");
}

TEST_F(LoggerTest, AppliesFormatSpecifications) {
    KP_LOG_INFO("{:>5}|{:#x}|{1} of {0}", 42, 255);
    // Mixing automatic and manual numbering is an error, reported in the message and not thrown.
    EXPECT_NE(last().find("format error"), std::string::npos) << last();
    KP_LOG_INFO("{:>5}|{:#x}", 42, 255);
    EXPECT_EQ(last(), "   42|0xff");
    KP_LOG_INFO("{1} before {0}", 1, 2);
    EXPECT_EQ(last(), "2 before 1");
}

TEST_F(LoggerTest, AcceptsBracesAndMissingArguments) {
    KP_LOG_INFO("no arguments");
    EXPECT_EQ(last(), "no arguments");
    KP_LOG_INFO("{{}}");
    EXPECT_EQ(last(), "{}");
    KP_LOG_INFO("{} {}", 1);
    EXPECT_NE(last().find("{} {}"), std::string::npos);
    EXPECT_NE(last().find("format error"), std::string::npos);
    const char* null = nullptr;
    KP_LOG_INFO("{}", null);
    EXPECT_EQ(last(), "(null)");
    logger::log(Level::eInfo, "f", 1, "100 % {finished}");
    EXPECT_EQ(last(), "100 % {finished}");
}

TEST_F(LoggerTest, PassesLevelFileAndLineToTheSink) {
    KP_LOG_TRACE("a");
    KP_LOG_DEBUG("b");
    KP_LOG_INFO("c");
    KP_LOG_WARN("d");
    KP_LOG_ERROR("e");
    const int line = __LINE__ - 1;
    ASSERT_EQ(mMessages.size(), 5u);
    EXPECT_EQ(mMessages[0].level, Level::eTrace);
    EXPECT_EQ(mMessages[1].level, Level::eDebug);
    EXPECT_EQ(mMessages[2].level, Level::eInfo);
    EXPECT_EQ(mMessages[3].level, Level::eWarn);
    EXPECT_EQ(mMessages[4].level, Level::eError);
    EXPECT_EQ(mMessages[4].line, line);
    EXPECT_NE(mMessages[4].file.find("LoggerTest"), std::string::npos);
}

TEST_F(LoggerTest, NeitherSendsNorEvaluatesMessagesBelowTheLevel) {
    int evaluated = 0;
    for (int level = 0; level <= static_cast<int>(Level::eOff); ++level) {
        logger::setLogLevel(static_cast<Level>(level));
        EXPECT_EQ(logger::getLogLevel(), static_cast<Level>(level));
        mMessages.clear();
        evaluated = 0;
        KP_LOG_TRACE("{}", ++evaluated);
        KP_LOG_DEBUG("{}", ++evaluated);
        KP_LOG_INFO("{}", ++evaluated);
        KP_LOG_WARN("{}", ++evaluated);
        KP_LOG_ERROR("{}", ++evaluated);
        logger::log(Level::eCritical, "f", 1, "critical");
        logger::log(Level::eOff, "f", 1, "never");
        EXPECT_EQ(evaluated, std::max(0, 5 - level));
        EXPECT_EQ(mMessages.size(), static_cast<size_t>(6 - level));
    }
}

TEST_F(LoggerTest, TakesTheLevelFromTheEnvironment) {
    const std::pair<const char*, Level> names[] = {
        {"trace", Level::eTrace}, {"debug", Level::eDebug}, {"info", Level::eInfo},
        {"warn", Level::eWarn},   {"error", Level::eError}, {"critical", Level::eCritical},
        {"off", Level::eOff}};
    for (const auto& [name, level] : names) {
        setupWithLevel(name);
        EXPECT_EQ(logger::getLogLevel(), level) << name;
    }
    setupWithLevel("loud");
    EXPECT_EQ(logger::getLogLevel(), Level::eWarn);
    setupWithLevel(nullptr);
    EXPECT_EQ(logger::getLogLevel(), Level::eWarn);
}

TEST_F(LoggerTest, WritesToStderrWithoutASink) {
    logger::setSink(nullptr);
    ::testing::internal::CaptureStderr();
    KP_LOG_WARN("the {} is low", "tide");
    const std::string text = ::testing::internal::GetCapturedStderr();
    EXPECT_NE(text.find("[warn]"), std::string::npos) << text;
    EXPECT_NE(text.find("LoggerTest.cpp:"), std::string::npos) << text;
    EXPECT_NE(text.find("the tide is low\n"), std::string::npos) << text;
    EXPECT_TRUE(mMessages.empty());
}

TEST_F(LoggerTest, CallsTheSinkOnceAtATimeAndNotAfterItIsReplaced) {
    struct Counter {
        std::atomic<int> inside{0};
        std::atomic<int> overlaps{0};
        std::atomic<int> calls{0};
    } counter;
    logger::setSink(
        [](void* context, Level, const char*, int, const char*) {
            auto& seen = *static_cast<Counter*>(context);
            if (seen.inside.fetch_add(1) != 0)
                ++seen.overlaps;
            ++seen.calls;
            seen.inside.fetch_sub(1);
        },
        &counter);
    std::atomic<bool> stop{false};
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i)
        threads.emplace_back([&stop] {
            while (!stop)
                KP_LOG_WARN("{}", 1);
        });
    while (counter.calls < 1000)
        std::this_thread::yield();
    logger::setSink([](void*, Level, const char*, int, const char*) {});
    const int calls = counter.calls;
    for (int i = 0; i < 100; ++i)
        std::this_thread::yield();
    stop = true;
    for (std::thread& thread : threads)
        thread.join();
    EXPECT_EQ(counter.calls, calls);
    EXPECT_EQ(counter.overlaps, 0);
}

} // namespace
} // namespace kp::test
