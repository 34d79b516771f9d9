// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

namespace kp::launch {

/// Keeps other processes, and other locks of this one, away from what a file stands for. The
/// operating system lets go of it where the process ends in any way; the file itself stays.
class FileLock {
public:
    /// Makes the file where there is none and waits for the lock up to @p seconds.
    FileLock(const std::string& path, double seconds);
    ~FileLock();
    FileLock(const FileLock&) = delete;
    FileLock& operator=(const FileLock&) = delete;

    /// False where someone else holds it, or the file cannot be made.
    explicit operator bool() const { return mHeld; }

private:
    bool open(const std::string& path);
    bool tryLock();
    void close();

    intptr_t mFile = -1;
    bool mHeld = false;
};

} // namespace kp::launch
