// SPDX-License-Identifier: Apache-2.0
#include <kompute/launch/Trace.hpp>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <mutex>
#include <string_view>
#include <utility>

#include "base/Environment.hpp"
#include "base/Text.hpp"
#include "launch/LauncherImpl.hpp"

namespace kp {
namespace {

struct TraceState {
    std::mutex mutex;
    TraceOptions options = traceOptionsFromEnvironment();
    std::function<void(const std::string&)> output;
    std::atomic<bool> tracing{options.traceKernels};
    std::atomic<bool> profiling{options.profileKernels};
};

TraceState& traceState() {
    static TraceState* const instance =
        new TraceState; // never destroyed: threads may launch at exit
    return *instance;
}

bool matchesGlob(std::string_view glob, std::string_view text) {
    size_t g = 0;
    size_t t = 0;
    size_t star = std::string_view::npos;
    size_t afterStar = 0;
    while (t < text.size()) {
        if (g < glob.size() && glob[g] == '*') {
            star = g++;
            afterStar = t;
        } else if (g < glob.size() && (glob[g] == '?' || glob[g] == text[t])) {
            ++g;
            ++t;
        } else if (star != std::string_view::npos) {
            g = star + 1;
            t = ++afterStar;
        } else {
            return false;
        }
    }
    while (g < glob.size() && glob[g] == '*')
        ++g;
    return g == glob.size();
}

bool passesFilter(std::string_view filter, std::string_view message) {
    bool wanted = true;
    bool found = false;
    while (!filter.empty()) {
        const size_t comma = std::min(filter.find(','), filter.size());
        std::string_view glob = filter.substr(0, comma);
        filter.remove_prefix(std::min(comma + 1, filter.size()));
        if (glob.empty())
            continue;
        if (glob.front() == '!') {
            if (matchesGlob(glob.substr(1), message))
                return false;
            continue;
        }
        wanted = false;
        found = found || matchesGlob(glob, message);
    }
    return wanted || found;
}

} // namespace

TraceOptions traceOptionsFromEnvironment() {
    TraceOptions options;
    options.traceKernels = environmentFlag("KP_TRACE_KERNELS");
    options.noCopy = environmentFlag("KP_TRACE_NOCOPY");
    options.noAccumulate = environmentFlag("KP_TRACE_NOACCUMULATE");
    options.profileKernels = environmentFlag("KP_PROFILE_KERNELS");
    options.filter = environment("KP_TRACE_FILTER", options.filter);
    return options;
}

TraceOptions traceOptions() {
    const std::lock_guard lock(traceState().mutex);
    return traceState().options;
}

void setTraceOptions(const TraceOptions& options) {
    const std::lock_guard lock(traceState().mutex);
    traceState().options = options;
    traceState().tracing.store(options.traceKernels, std::memory_order_relaxed);
    traceState().profiling.store(options.profileKernels, std::memory_order_relaxed);
}

void setTraceOutput(std::function<void(const std::string& line)> output) {
    const std::lock_guard lock(traceState().mutex);
    traceState().output = std::move(output);
}

bool launch::tracing() {
    return traceState().tracing.load(std::memory_order_relaxed);
}

bool profilesKernels() {
    return traceState().profiling.load(std::memory_order_relaxed);
}

bool shouldTraceKernel(const std::string& message) {
    const TraceOptions options = traceOptions();
    return options.traceKernels && !(options.noCopy && message.rfind("enqueue_copy", 0) == 0) &&
           !(options.noAccumulate && message.find("add<") != std::string::npos) &&
           passesFilter(options.filter, message);
}

void traceKernel(const std::string& message) {
    if (!shouldTraceKernel(message))
        return;
    std::function<void(const std::string&)> output;
    {
        const std::lock_guard lock(traceState().mutex);
        output = traceState().output;
    }
    if (output)
        output(message);
    else
        std::puts(message.c_str());
}

bool shouldProfileKernel(const std::string& message) {
    const TraceOptions options = traceOptions();
    return options.profileKernels && passesFilter(options.filter, message);
}

void profileKernel(const std::string& kernel, const Event& event, FunctionProfiler* profiler,
                   const std::string& message) {
    const std::string& text = message.empty() ? kernel : message;
    if (!profiler || !shouldProfileKernel(text))
        return;
    event.wait();
    if (const std::optional<EventProfile> profile = event.profile())
        profiler->addTiming(text, event, *profile, 0);
}

struct FunctionProfiler::Impl {
    std::string name;
    mutable std::mutex mutex;
    double total = 0;
    uint64_t calls = 0;
};

FunctionProfiler::FunctionProfiler(std::string name) : mImpl(std::make_unique<Impl>()) {
    mImpl->name = std::move(name);
}
FunctionProfiler::~FunctionProfiler() = default;

const std::string& FunctionProfiler::name() const {
    return mImpl->name;
}

double FunctionProfiler::totalTime() const {
    const std::lock_guard lock(mImpl->mutex);
    return mImpl->total;
}

uint64_t FunctionProfiler::calls() const {
    const std::lock_guard lock(mImpl->mutex);
    return mImpl->calls;
}

FunctionProfiler& FunctionProfiler::operator+=(double seconds) {
    const std::lock_guard lock(mImpl->mutex);
    mImpl->total += seconds;
    ++mImpl->calls;
    return *this;
}

void FunctionProfiler::addTiming(const std::string&, const Event&, const EventProfile& profile,
                                 uint64_t) {
    *this += static_cast<double>(profile.duration()) * 1e-9;
}

std::string FunctionProfiler::toString() const {
    const std::lock_guard lock(mImpl->mutex);
    return formatted("- {} : {:.6g} s ({} calls)", mImpl->name, mImpl->total, mImpl->calls);
}

} // namespace kp
