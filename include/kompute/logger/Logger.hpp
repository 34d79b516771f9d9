// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <variant>

#include <kompute/Export.hpp>

// Level numbers of the original Kompute, for code that compares them.
#define KOMPUTE_LOG_LEVEL_TRACE 0
#define KOMPUTE_LOG_LEVEL_DEBUG 1
#define KOMPUTE_LOG_LEVEL_INFO 2
#define KOMPUTE_LOG_LEVEL_WARN 3
#define KOMPUTE_LOG_LEVEL_ERROR 4
#define KOMPUTE_LOG_LEVEL_CRITICAL 5
#define KOMPUTE_LOG_LEVEL_OFF 6

namespace kp::logger {

enum class Level { eTrace, eDebug, eInfo, eWarn, eError, eCritical, eOff };

/// Receives all messages at or above the level. Called from any thread, by one thread at a time.
/// Must not throw and must not log. @p context is the pointer given to setSink().
using Sink = void (*)(void* context, Level level, const char* file, int line, const char* message);

/// Sends messages to @p sink instead of stderr; null restores stderr. Thread-safe: the old sink is
/// no longer called once this function returns.
KOMPUTE_API void setSink(Sink sink, void* context = nullptr);

/// Sets the level below which messages are dropped, before they are formatted. The default is the
/// environment variable KOMPUTE_LOG_LEVEL (trace, debug, info, warn, error, critical, off), else
/// eWarn.
KOMPUTE_API void setLogLevel(Level level);
KOMPUTE_API Level getLogLevel();

/// Reads KOMPUTE_LOG_LEVEL again. The original Kompute's initialiser; not needed.
KOMPUTE_API void setupLogger();

/// Logs a formatted message.
KOMPUTE_API void log(Level level, const char* file, int line, const std::string& message);

namespace detail {

/// An argument of a log message. Keeps the {fmt} library out of this header.
using Argument = std::variant<bool, int64_t, uint64_t, double, const void*, std::string_view>;

template <typename T>
Argument argumentOf(const T& value) {
    if constexpr (std::is_same_v<T, bool>) {
        return value;
    } else if constexpr (std::is_enum_v<T> || (std::is_integral_v<T> && std::is_signed_v<T>)) {
        return static_cast<int64_t>(value);
    } else if constexpr (std::is_integral_v<T>) {
        return static_cast<uint64_t>(value);
    } else if constexpr (std::is_floating_point_v<T>) {
        return static_cast<double>(value);
    } else if constexpr (std::is_convertible_v<const T&, const char*>) {
        const char* text = value;
        return std::string_view(text ? text : "(null)");
    } else if constexpr (std::is_convertible_v<const T&, std::string_view>) {
        return std::string_view(value);
    } else {
        static_assert(std::is_pointer_v<T>,
                      "a log argument is a number, text, an enum or a pointer");
        return static_cast<const void*>(value);
    }
}

KOMPUTE_API bool enabled(Level level);
KOMPUTE_API void logFormatted(Level level, const char* file, int line, const char* format,
                              const Argument* arguments, size_t count);

template <typename... Args>
void write(Level level, const char* file, int line, const char* format, const Args&... args) {
    const Argument arguments[] = {argumentOf(args)..., Argument()};
    logFormatted(level, file, line, format, arguments, sizeof...(Args));
}

} // namespace detail
} // namespace kp::logger

// The original Kompute's logging namespace.
namespace logger {
using kp::logger::setupLogger;
}

#define KOMPUTE_LOG_AT(level, ...)                                                                 \
    (::kp::logger::detail::enabled(level)                                                          \
         ? ::kp::logger::detail::write(level, __FILE__, __LINE__, __VA_ARGS__)                     \
         : (void)0)

// {fmt} syntax: KP_LOG_WARN("{} of {}", i, n). Define a macro before this header to redirect its
// messages.
#ifndef KP_LOG_TRACE
#define KP_LOG_TRACE(...) KOMPUTE_LOG_AT(::kp::logger::Level::eTrace, __VA_ARGS__)
#endif
#ifndef KP_LOG_DEBUG
#define KP_LOG_DEBUG(...) KOMPUTE_LOG_AT(::kp::logger::Level::eDebug, __VA_ARGS__)
#endif
#ifndef KP_LOG_INFO
#define KP_LOG_INFO(...) KOMPUTE_LOG_AT(::kp::logger::Level::eInfo, __VA_ARGS__)
#endif
#ifndef KP_LOG_WARN
#define KP_LOG_WARN(...) KOMPUTE_LOG_AT(::kp::logger::Level::eWarn, __VA_ARGS__)
#endif
#ifndef KP_LOG_ERROR
#define KP_LOG_ERROR(...) KOMPUTE_LOG_AT(::kp::logger::Level::eError, __VA_ARGS__)
#endif
