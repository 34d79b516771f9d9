// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <kompute/Kompute.hpp>

#include "base/DynamicLibrary.hpp"
#include "device/TestSupport.hpp"

namespace kp::test {
namespace {

// A library that is loaded stays so, so that one test has both cases in their order.
TEST(Capture, NeedsRenderDocAndCallsIt) {
    Manager manager;
    if (!findLoadedLibrary("librenderdoc.so"))
        EXPECT_ERROR(Unsupported, "renderdoccmd capture", manager.startCapture());
#ifdef KOMPUTE_RENDERDOC_STUB
    std::string reason;
    void* const stub = openLibrary(KOMPUTE_RENDERDOC_STUB, reason);
    ASSERT_NE(stub, nullptr) << reason;
    const auto calls = reinterpret_cast<const char* (*)()>(findFunction(stub, "stubCalls"));
    ASSERT_NE(calls, nullptr);
    EXPECT_ERROR(InvalidArgument, "no capture has begun", manager.endCapture());
    manager.startCapture();
    EXPECT_ERROR(InvalidArgument, "begun already", manager.startCapture());
    const auto x = manager.tensor({1, 2});
    manager.sequence()->eval<OpFill>(MemoryObjects{x}, 3.0f);
    manager.endCapture();
    EXPECT_STREQ(calls(), "start end");
    manager.startCapture();
    EXPECT_ERROR(Unsupported, "could not write", manager.endCapture());
#endif
}

} // namespace
} // namespace kp::test
