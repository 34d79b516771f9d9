// SPDX-License-Identifier: Apache-2.0
#include "base/FileLock.hpp"

#include <chrono>
#include <thread>

#if defined(_WIN32)
#include <filesystem>
#include <windows.h>
#else
#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>
#endif

namespace kp {
namespace {

constexpr std::chrono::milliseconds kRetryInterval{5};

} // namespace

FileLock::FileLock(const std::string& path, double seconds) {
    if (!open(path))
        return;
    const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
    while (!(mHeld = tryLock()) && std::chrono::steady_clock::now() < end)
        std::this_thread::sleep_for(kRetryInterval);
    if (!mHeld)
        close();
}

FileLock::~FileLock() {
    close();
}

#if defined(_WIN32)

bool FileLock::open(const std::string& path) {
    const HANDLE file = CreateFileW(
        std::filesystem::path(path).c_str(), GENERIC_READ | GENERIC_WRITE,
        FILE_SHARE_READ | FILE_SHARE_WRITE, nullptr, OPEN_ALWAYS, FILE_ATTRIBUTE_NORMAL, nullptr);
    mFile = file == INVALID_HANDLE_VALUE ? -1 : reinterpret_cast<intptr_t>(file);
    return mFile != -1;
}

bool FileLock::tryLock() {
    OVERLAPPED range{};
    return LockFileEx(reinterpret_cast<HANDLE>(mFile),
                      LOCKFILE_EXCLUSIVE_LOCK | LOCKFILE_FAIL_IMMEDIATELY, 0, 1, 0, &range) != 0;
}

void FileLock::close() {
    if (mFile != -1)
        CloseHandle(reinterpret_cast<HANDLE>(mFile));
    mFile = -1;
    mHeld = false;
}

#else

bool FileLock::open(const std::string& path) {
    mFile = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
    return mFile != -1;
}

bool FileLock::tryLock() {
    return ::flock(static_cast<int>(mFile), LOCK_EX | LOCK_NB) == 0;
}

void FileLock::close() {
    if (mFile != -1)
        ::close(static_cast<int>(mFile));
    mFile = -1;
    mHeld = false;
}

#endif

} // namespace kp
