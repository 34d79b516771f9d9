// SPDX-License-Identifier: Apache-2.0
#include "base/CompileNotice.hpp"

#include <gtest/gtest.h>

#include <string>
#include <thread>
#include <vector>

#include <kompute/logger/Logger.hpp>

namespace kp {
namespace {

class CompileNoticeTest : public testing::Test {
protected:
    void SetUp() override {
        CompileNotice::reset();
        logger::setLogLevel(logger::Level::eInfo); // stderr need not be a terminal
        logger::setSink(
            [](void* messages, logger::Level, const char*, int, const char* text) {
                static_cast<std::vector<std::string>*>(messages)->emplace_back(text);
            },
            &mMessages);
    }
    void TearDown() override {
        logger::setSink(nullptr);
        logger::setLogLevel(mLevel);
    }

    std::vector<std::string> mMessages;
    const logger::Level mLevel = logger::getLogLevel();
};

TEST_F(CompileNoticeTest, IsSilentWithinASecond) {
    for (int i = 0; i < 100; ++i)
        const CompileNotice notice("a shader");
    EXPECT_TRUE(mMessages.empty());
}

TEST_F(CompileNoticeTest, IsSaidOnceWhileTheFirstCompilationTakesLong) {
    {
        const CompileNotice notice("a shader");
        const CompileNotice other("another");
        std::this_thread::sleep_for(CompileNotice::kPatience + std::chrono::milliseconds(300));
        ASSERT_EQ(mMessages.size(), 1u);
    }
    EXPECT_NE(mMessages[0].find("compiling a"), std::string::npos) << mMessages[0];
    EXPECT_NE(mMessages[0].find("longer than a second"), std::string::npos) << mMessages[0];
    CompileNotice::say("a third");
    EXPECT_EQ(mMessages.size(), 1u);
}

} // namespace
} // namespace kp
