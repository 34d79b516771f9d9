// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "shader/compile/CompilerProcess.hpp"

#if defined(__unix__)
#include <chrono>
#include <thread>

#include <unistd.h>

namespace kp::shader {
namespace {

TEST(CompilerProcess, ReturnsWhatTheFunctionReturned) {
    const std::string large(1 << 20, 'x');
    bool started = false;
    EXPECT_EQ(runInChildProcess([&] { return large; }, "text", [&] { started = true; }), large);
    EXPECT_TRUE(started);
}

// Any fork of the program copies the open end of the pipe.
TEST(CompilerProcess, DoesNotWaitForAnotherProcessThatHoldsThePipe) {
    using Clock = std::chrono::steady_clock;
    const auto start = Clock::now();
    const auto leak = [] {
        if (fork() == 0) {
            std::this_thread::sleep_for(std::chrono::seconds(20));
            _exit(0);
        }
        return std::string("done");
    };
    EXPECT_EQ(runInChildProcess(leak, "text", [] {}), "done");
    EXPECT_LT(Clock::now() - start, std::chrono::seconds(10));
}

} // namespace
} // namespace kp::shader

#endif
