// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <kompute/launch/Trace.hpp>

#include "unit/ScopedEnvironment.hpp"

namespace kp {
namespace {

class TraceTest : public ::testing::Test {
protected:
    TraceOptions mBefore = traceOptions();
    void TearDown() override { setTraceOptions(mBefore); }

    static TraceOptions on(const std::string& filter = "") {
        TraceOptions options;
        options.traceKernels = true;
        options.filter = filter;
        return options;
    }
};

TEST_F(TraceTest, IsOffByDefault) {
    setTraceOptions({});
    EXPECT_FALSE(shouldTraceKernel("k"));
    setTraceOptions(on());
    EXPECT_TRUE(shouldTraceKernel("k"));
}

TEST_F(TraceTest, LeavesOutCopiesAndAccumulationsOnRequest) {
    TraceOptions options = on();
    setTraceOptions(options);
    EXPECT_TRUE(shouldTraceKernel("enqueue_copy x"));
    EXPECT_TRUE(shouldTraceKernel("add<<<1>>>"));
    options.noCopy = true;
    setTraceOptions(options);
    EXPECT_FALSE(shouldTraceKernel("enqueue_copy x"));
    EXPECT_TRUE(shouldTraceKernel("no enqueue_copy"));
    options.noAccumulate = true;
    setTraceOptions(options);
    EXPECT_FALSE(shouldTraceKernel("add<<<1>>>"));
    EXPECT_TRUE(shouldTraceKernel("addition"));
}

TEST_F(TraceTest, FiltersByGlobs) {
    setTraceOptions(on("adv*,re?ap,!*_y"));
    EXPECT_TRUE(shouldTraceKernel("advec_x"));
    EXPECT_TRUE(shouldTraceKernel("remap"));
    EXPECT_FALSE(shouldTraceKernel("advec_y"));
    EXPECT_FALSE(shouldTraceKernel("other"));
    EXPECT_FALSE(shouldTraceKernel("reap"));
    setTraceOptions(on("!a*b*c"));
    EXPECT_FALSE(shouldTraceKernel("aXbYc"));
    EXPECT_FALSE(shouldTraceKernel("abbcc"));
    EXPECT_TRUE(shouldTraceKernel("ab"));
}

TEST_F(TraceTest, PrintsToTheGivenOutput) {
    std::string printed;
    setTraceOutput([&](const std::string& line) { printed += line + ";"; });
    setTraceOptions(on("a*"));
    traceKernel("a1");
    traceKernel("b1");
    setTraceOutput({});
    EXPECT_EQ(printed, "a1;");
}

TEST_F(TraceTest, ProfilingHasItsOwnSwitch) {
    TraceOptions options;
    options.profileKernels = true;
    options.filter = "!b*";
    setTraceOptions(options);
    EXPECT_TRUE(shouldProfileKernel("a"));
    EXPECT_FALSE(shouldProfileKernel("b"));
    EXPECT_FALSE(shouldTraceKernel("a"));
    setTraceOptions(on());
    EXPECT_FALSE(shouldProfileKernel("a"));
}

TEST_F(TraceTest, ReadsEnvironmentVariables) {
    const test::ScopedEnvironment trace("KP_TRACE_KERNELS", "1");
    const test::ScopedEnvironment noCopy("KP_TRACE_NOCOPY", "Yes");
    const test::ScopedEnvironment noAccumulate("KP_TRACE_NOACCUMULATE", "0");
    const test::ScopedEnvironment profile("KP_PROFILE_KERNELS", "true");
    const test::ScopedEnvironment filter("KP_TRACE_FILTER", "x*");
    const TraceOptions options = traceOptionsFromEnvironment();
    EXPECT_TRUE(options.traceKernels);
    EXPECT_TRUE(options.noCopy);
    EXPECT_FALSE(options.noAccumulate);
    EXPECT_TRUE(options.profileKernels);
    EXPECT_EQ(options.filter, "x*");
    const test::ScopedEnvironment unset("KP_TRACE_KERNELS", nullptr);
    EXPECT_FALSE(traceOptionsFromEnvironment().traceKernels);
}

TEST_F(TraceTest, FunctionProfilerAddsUp) {
    FunctionProfiler profiler("step");
    profiler += 0.25;
    profiler += 0.5;
    EXPECT_EQ(profiler.calls(), 2u);
    EXPECT_DOUBLE_EQ(profiler.totalTime(), 0.75);
    EXPECT_EQ(profiler.toString(), "- step : 0.75 s (2 calls)");
}

} // namespace
} // namespace kp
