// SPDX-License-Identifier: Apache-2.0
//
// The code of docs/guides/errors-and-logging.md. Each block of that page is a part of this file,
// apart from whitespace.
#include <cstdio>

#include "../DocsSupport.hpp"
#include "../TestSupport.hpp"

namespace kp::test {
namespace {

TEST(ErrorsDocsTest, RunsTheCodeOnExceptions) {
    kp::ManagerOptions options;
    options.deviceName = "no such device";
    testing::internal::CaptureStderr();
    // clang-format off
try {
    kp::Manager manager(options);
    // ...
} catch (const kp::ShaderError& error) {
    std::fprintf(stderr, "line %u of %s\n%s\n", error.line(), error.file().c_str(), error.what());
} catch (const kp::OutOfMemory&) {
    // free something and try again: all that existed still works
} catch (const kp::Error& error) {
    std::fprintf(stderr, "%s\n", error.what());
}
    // clang-format on
    const std::string printed = testing::internal::GetCapturedStderr();
    EXPECT_NE(printed.find("no such device"), std::string::npos) << printed;
}

TEST(ErrorsDocsTest, RunsTheCodeOnLogging) {
    const kp::logger::Level level = kp::logger::getLogLevel();
    testing::internal::CaptureStdout();
    // clang-format off
kp::logger::setLogLevel(kp::logger::Level::eInfo);
kp::logger::setSink([](void*, kp::logger::Level, const char* file, int line, const char* message) {
    std::printf("%s:%d %s\n", file, line, message);
});
KP_LOG_WARN("step {} of {} took {:.3f} ms", 3, 10, 12.5);
    // clang-format on
    const std::string printed = testing::internal::GetCapturedStdout();
    kp::logger::setLogLevel(level);
    captureLog();
    EXPECT_NE(printed.find("ErrorsDocsTest.cpp:"), std::string::npos) << printed;
    EXPECT_NE(printed.find(" step 3 of 10 took 12.500 ms\n"), std::string::npos) << printed;
}

TEST(ErrorsDocsTest, HasTheCodeOfThePage) {
    expectCodeOfPage("docs/guides/errors-and-logging.md", "test/device/docs/ErrorsDocsTest.cpp", 3);
}

} // namespace
} // namespace kp::test
