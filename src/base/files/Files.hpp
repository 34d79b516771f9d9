// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>

namespace kp {

/// Extension of the files that replaceFile() renames. One is left behind if a process ends during
/// the write.
constexpr std::string_view kPartialFileExtension = ".part";

/// Far above the size of any cache file of the library: the largest, a driver's pipelines, has some
/// 10 MiB. A larger file is damaged, or an attempt to exhaust the memory.
constexpr uint64_t kMaxCacheFileBytes = uint64_t{256} << 20;

/// Returns the content of a file; nothing if it is missing, is not a regular file, cannot be read
/// or has more than @p maxBytes bytes. Never waits, for example for the writer of a pipe.
std::optional<std::string> readFile(const std::string& path, uint64_t maxBytes = UINT64_MAX);

/// As readFile(), for files that the library itself writes and later trusts. Returns nothing, and
/// logs a warning, if the file belongs to another user than this process's and root (on Windows:
/// the system and its administrators), or if others may write to it.
/// @param trusted  skips these two checks
std::optional<std::string> readCacheFile(const std::string& path,
                                         uint64_t maxBytes = kMaxCacheFileBytes,
                                         bool trusted = false);

/// Writes the parts one after another to a file, whole or not at all: readers and other writers, in
/// this process or another, never see a partial file, and after an error the old file is unchanged.
/// Thread-safe.
/// @return false if the file cannot be written, for example because its folder does not exist
bool replaceFile(const std::string& path, std::initializer_list<std::string_view> parts);
/// As replaceFile(); no other user may write to the file or read it.
bool replaceCacheFile(const std::string& path, std::initializer_list<std::string_view> parts);

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
    intptr_t mFile = -1;
    bool mHeld = false;
};

} // namespace kp
