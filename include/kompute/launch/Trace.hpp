// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include <kompute/launch/KernelStatistics.hpp>

namespace kp {

/// Selects the launches to trace (print at launch) and those that profileKernel() profiles.
struct TraceOptions {
    bool traceKernels = false;   ///< KP_TRACE_KERNELS
    bool noCopy = false;         ///< KP_TRACE_NOCOPY: skips messages that begin with "enqueue_copy"
    bool noAccumulate = false;   ///< KP_TRACE_NOACCUMULATE: skips messages that contain "add<"
    bool profileKernels = false; ///< KP_PROFILE_KERNELS
    /// KP_TRACE_FILTER: comma-separated glob patterns of messages (* and ?); a leading ! excludes.
    /// If all patterns exclude, every other message is selected.
    std::string filter;
};

/// Returns or sets the current options. Initially they come from the environment, where "1",
/// "true", "on" and "yes" enable a flag. Thread-safe, like all functions in this header.
KOMPUTE_API TraceOptions traceOptions();
KOMPUTE_API void setTraceOptions(const TraceOptions& options);
/// Returns traceOptions().profileKernels, fast.
KOMPUTE_API bool profilesKernels();
/// Reads the environment variables again and returns the options, without setting them.
KOMPUTE_API TraceOptions traceOptionsFromEnvironment();
/// Sets where traceKernel() prints. Empty: standard output.
KOMPUTE_API void setTraceOutput(std::function<void(const std::string& line)> output);

/// Returns true if a launch with this message is printed.
KOMPUTE_API bool shouldTraceKernel(const std::string& message);
/// Prints the message if shouldTraceKernel() is true for it.
KOMPUTE_API void traceKernel(const std::string& message);

/// Accumulates the times of one function. Thread-safe.
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
    /// Returns "- name : t s (n calls)".
    std::string toString() const;

private:
    struct Impl;
    std::unique_ptr<Impl> mImpl;
};

/// Returns true if profileKernel() records this message: KP_PROFILE_KERNELS is set and the filter
/// selects it.
KOMPUTE_API bool shouldProfileKernel(const std::string& message);
/// Waits for the event and adds its time to @p profiler. Has no effect if shouldProfileKernel() is
/// false, the profiler is null or the event has no times. Launchers do not call it: their
/// statistics never wait.
/// @param message  text for the filter; "": the kernel's name
KOMPUTE_API void profileKernel(const std::string& kernel, const Event& event,
                               FunctionProfiler* profiler, const std::string& message = "");

} // namespace kp
