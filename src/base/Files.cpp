// SPDX-License-Identifier: Apache-2.0
#include "base/Files.hpp"

#include <atomic>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <random>
#include <system_error>
#include <thread>
#include <utility>

#if defined(_WIN32)
#include <windows.h>
#else
#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>
#endif

#include "base/Hash.hpp"
#include "base/Text.hpp"

namespace kp {
namespace {

std::string partialFileName(const std::string& path) {
    static std::atomic<uint64_t> count{0};
    const uint64_t unique[] = {std::random_device()(), std::random_device()(), ++count};
    return formatted("{}.{}{}", path, toString(hashBytes(unique, sizeof unique)),
                     kPartialFileExtension);
}

} // namespace

std::optional<std::string> readFile(const std::string& path, uint64_t maxBytes) {
    std::error_code error;
    if (!std::filesystem::is_regular_file(path, error))
        return std::nullopt;
    std::ifstream in(path, std::ios::binary | std::ios::ate);
    const std::streamoff size = in ? std::streamoff{in.tellg()} : -1;
    if (size < 0 || static_cast<uint64_t>(size) > maxBytes)
        return std::nullopt;
    std::string content(static_cast<size_t>(size), '\0');
    in.seekg(0);
    in.read(content.data(), size);
    return in ? std::optional(std::move(content)) : std::nullopt;
}

bool replaceFile(const std::string& path, std::initializer_list<std::string_view> parts) {
    const std::string partial = partialFileName(path);
    std::ofstream out(partial, std::ios::binary | std::ios::trunc);
    for (const std::string_view part : parts)
        out.write(part.data(), static_cast<std::streamsize>(part.size()));
    out.close();
    std::error_code error;
    bool written = out.good();
    if (written) {
        std::filesystem::rename(partial, path, error);
        written = !error;
    }
    if (!written)
        std::filesystem::remove(partial, error);
    return written;
}

FileLock::FileLock(const std::string& path, double seconds) {
#if defined(_WIN32)
    mFile = reinterpret_cast<intptr_t>(CreateFileW(
        std::filesystem::path(path).c_str(), GENERIC_READ | GENERIC_WRITE,
        FILE_SHARE_READ | FILE_SHARE_WRITE, nullptr, OPEN_ALWAYS, FILE_ATTRIBUTE_NORMAL, nullptr));
    const auto tryLock = [this] {
        OVERLAPPED range{};
        return LockFileEx(reinterpret_cast<HANDLE>(mFile),
                          LOCKFILE_EXCLUSIVE_LOCK | LOCKFILE_FAIL_IMMEDIATELY, 0, 1, 0,
                          &range) != 0;
    };
#else
    mFile = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
    const auto tryLock = [this] {
        return ::flock(static_cast<int>(mFile), LOCK_EX | LOCK_NB) == 0;
    };
#endif
    if (mFile == -1)
        return;
    const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
    while (!(mHeld = tryLock()) && std::chrono::steady_clock::now() < end)
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
}

FileLock::~FileLock() {
    if (mFile == -1)
        return;
#if defined(_WIN32)
    CloseHandle(reinterpret_cast<HANDLE>(mFile));
#else
    ::close(static_cast<int>(mFile));
#endif
}

} // namespace kp
