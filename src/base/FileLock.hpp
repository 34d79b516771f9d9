// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

namespace kp {

/// An exclusive lock on a file, against other processes and other locks of this process. The
/// operating system releases it when the process ends. The file is not deleted.
class FileLock {
public:
    /// Creates the file if it does not exist and waits for the lock.
    /// @param seconds  maximum time to wait
    FileLock(const std::string& path, double seconds);
    ~FileLock();
    FileLock(const FileLock&) = delete;
    FileLock& operator=(const FileLock&) = delete;

    /// Returns false if another lock is held or the file cannot be created.
    explicit operator bool() const { return mHeld; }

private:
    bool open(const std::string& path);
    bool tryLock();
    void close();

    intptr_t mFile = -1;
    bool mHeld = false;
};

} // namespace kp
