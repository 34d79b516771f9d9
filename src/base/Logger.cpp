// SPDX-License-Identifier: Apache-2.0
#include <kompute/logger/Logger.hpp>

#include <atomic>
#include <cstdio>
#include <ctime>
#include <mutex>
#include <string_view>

#include <fmt/args.h>

#include "base/Environment.hpp"
#include "base/Text.hpp"

namespace kp::logger {
namespace {

constexpr std::string_view kLevelNames[] = {"trace", "debug",    "info", "warn",
                                            "error", "critical", "off"};

Level levelFromEnvironment() {
    const std::string text = environment("KOMPUTE_LOG_LEVEL", "warn");
    for (size_t i = 0; i < std::size(kLevelNames); ++i)
        if (text == kLevelNames[i])
            return static_cast<Level>(i);
    const std::string message =
        formatted("[kompute] [warn] KOMPUTE_LOG_LEVEL={} is unknown; use one of: {}\n", text,
                  join(kLevelNames));
    std::fputs(message.c_str(), stderr);
    return Level::eWarn;
}

std::atomic<Level>& currentLevel() {
    static std::atomic<Level> level(levelFromEnvironment());
    return level;
}

struct SinkState {
    std::mutex mutex;
    Sink sink = nullptr;
    void* context = nullptr;
};

// Never destroyed: objects that live until the end of the process may still log.
SinkState& sinkState() {
    static SinkState* state = new SinkState;
    return *state;
}

void writeToStderr(Level level, const char* file, int line, const char* message) {
    const std::time_t now = std::time(nullptr);
    std::tm local{};
#ifdef _WIN32
    localtime_s(&local, &now);
#else
    localtime_r(&now, &local);
#endif
    const std::string_view path(file);
    const size_t slash = path.find_last_of("/\\");
    const std::string_view base = slash == std::string_view::npos ? path : path.substr(slash + 1);
    char time[32];
    std::strftime(time, sizeof(time), "%Y-%m-%d %H:%M:%S", &local);
    const std::string text =
        formatted("[{}] [{}] [{}:{}] {}\n", time, kLevelNames[static_cast<size_t>(level)], base,
                  line, message);
    std::fwrite(text.data(), 1, text.size(), stderr);
}

} // namespace

void setSink(Sink sink, void* context) {
    SinkState& state = sinkState();
    const std::lock_guard lock(state.mutex);
    state.sink = sink;
    state.context = context;
}

void setLogLevel(Level level) {
    currentLevel().store(level, std::memory_order_relaxed);
}

Level getLogLevel() {
    return currentLevel().load(std::memory_order_relaxed);
}

void setupLogger() {
    setLogLevel(levelFromEnvironment());
}

void log(Level level, const char* file, int line, const std::string& message) {
    if (!detail::enabled(level))
        return;
    SinkState& state = sinkState();
    const std::lock_guard lock(state.mutex);
    if (state.sink)
        state.sink(state.context, level, file, line, message.c_str());
    else
        writeToStderr(level, file, line, message.c_str());
}

namespace detail {

bool enabled(Level level) {
    return level >= getLogLevel() && level != Level::eOff;
}

void logFormatted(Level level, const char* file, int line, const char* format,
                  const Argument* arguments, size_t count) {
    fmt::dynamic_format_arg_store<fmt::format_context> store;
    for (size_t i = 0; i < count; ++i)
        std::visit([&store](const auto& argument) { store.push_back(argument); }, arguments[i]);
    try {
        log(level, file, line, formatArguments(format, store));
    } catch (const std::runtime_error& error) {
        log(level, file, line, formatted("{} (format error: {})", format, error.what()));
    }
}

} // namespace detail
} // namespace kp::logger
