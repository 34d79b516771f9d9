// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include <kompute/launch/KernelStatistics.hpp>

namespace kp {

/// Which launches are traced (printed when they are launched) and profiled by profileKernel().
struct TraceOptions {
    bool traceKernels = false;   ///< KP_TRACE_KERNELS
    bool noCopy = false;         ///< KP_TRACE_NOCOPY: not those whose message begins "enqueue_copy"
    bool noAccumulate = false;   ///< KP_TRACE_NOACCUMULATE: not those with "add<" in their message
    bool profileKernels = false; ///< KP_PROFILE_KERNELS
    /// KP_TRACE_FILTER: comma-separated globs of messages (* and ?); with a ! in front: those not.
    /// Without a glob that is not negated, all that no negated one matches.
    std::string filter;
};

/// The options in force: at first those of the environment ("1", "true", "on", "yes" switch on).
/// Thread-safe, as all functions here.
KOMPUTE_API TraceOptions traceOptions();
KOMPUTE_API void setTraceOptions(const TraceOptions& options);
/// Reads the environment variables again.
KOMPUTE_API TraceOptions traceOptionsFromEnvironment();
/// Where traceKernel() prints; empty: standard output.
KOMPUTE_API void setTraceOutput(std::function<void(const std::string& line)> output);

/// True where a launch with this message is printed.
KOMPUTE_API bool shouldTraceKernel(const std::string& message);
/// Prints the message where shouldTraceKernel() says so.
KOMPUTE_API void traceKernel(const std::string& message);

/// Adds up the times of one function. Thread-safe.
class KOMPUTE_API FunctionProfiler : public TimingSink {
public:
    explicit FunctionProfiler(std::string name);
    ~FunctionProfiler() override;

    const std::string& name() const;
    double totalTime() const; ///< seconds
    uint64_t calls() const;
    FunctionProfiler& operator+=(double seconds);
    void addTiming(const std::string& name, const Event& event, const EventProfile& profile,
                   uint64_t bytes) override;
    /// "- name : t s (n calls)"
    std::string toString() const;

private:
    struct Impl;
    std::unique_ptr<Impl> mImpl;
};

/// True where profileKernel() does something for this message: with KP_PROFILE_KERNELS, within the
/// filter.
KOMPUTE_API bool shouldProfileKernel(const std::string& message);
/// Waits for the event and adds its time to @p profiler; nothing where shouldProfileKernel() says
/// no, the profiler is null or the event has no times. Launchers do not call it: their statistics
/// never wait.
/// @param message  "": the kernel's name
KOMPUTE_API void profileKernel(const std::string& kernel, const Event& event,
                               FunctionProfiler* profiler, const std::string& message = "");

} // namespace kp
