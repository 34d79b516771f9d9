// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <kompute/Export.hpp>

namespace kp {

class Error;

/// While one exists, Memory::upload, download, rawData and vector() of this thread throw instead of
/// waiting long for a device. Call them again to go on waiting: submitted work continues, and the
/// caller's memory is not accessed after the exception. For programs that must check something else
/// meanwhile, such as signals.
///
/// The limit applies to each wait for earlier work, not to the time that the transfer itself takes.
/// Limits of one thread nest: the inner one counts.
class KOMPUTE_API WaitLimit {
public:
    /// @param nanoseconds  UINT64_MAX: no limit
    explicit WaitLimit(uint64_t nanoseconds);
    ~WaitLimit();
    WaitLimit(const WaitLimit&) = delete;
    WaitLimit& operator=(const WaitLimit&) = delete;

    /// Returns the limit of this thread; UINT64_MAX if there is none.
    static uint64_t current();
    /// Returns true if an error was thrown because of a limit.
    static bool caused(const Error& error);
    /// Throws the error of a limit.
    [[noreturn]] static void fail();

private:
    uint64_t mOuter;
};

} // namespace kp
