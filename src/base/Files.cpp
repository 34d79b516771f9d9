// SPDX-License-Identifier: Apache-2.0
#include "base/Files.hpp"

#include <atomic>
#include <cerrno>
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
#include <sys/stat.h>
#include <unistd.h>
#endif

#include <kompute/logger/Logger.hpp>

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

#if defined(_WIN32)

std::optional<std::string> readOpened(const std::string& path, uint64_t maxBytes, bool) {
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

bool writeNew(const std::string& path, std::initializer_list<std::string_view> parts, bool) {
    std::ofstream out(path, std::ios::binary | std::ios::trunc);
    for (const std::string_view part : parts)
        out.write(part.data(), static_cast<std::streamsize>(part.size()));
    out.close();
    return out.good();
}

#else

/// An open file, closed with the object.
class Descriptor {
public:
    explicit Descriptor(int file) : mFile(file) {}
    ~Descriptor() {
        if (mFile >= 0)
            ::close(mFile);
    }
    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;
    int get() const { return mFile; }

private:
    int mFile;
};

/// Returns why the content of a file cannot be believed; null if it can.
const char* distrust(const struct stat& state) {
    if (state.st_uid != ::geteuid() && state.st_uid != 0)
        return "it belongs to another user";
    if ((state.st_mode & (S_IWGRP | S_IWOTH)) != 0)
        return "other users may write to it";
    return nullptr;
}

/// The file is looked at once it is open, so that nobody can exchange it in between.
std::optional<std::string> readOpened(const std::string& path, uint64_t maxBytes, bool trusted) {
    const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
    struct stat state {};
    if (file.get() < 0 || ::fstat(file.get(), &state) != 0 || !S_ISREG(state.st_mode))
        return std::nullopt;
    if (state.st_size < 0 || static_cast<uint64_t>(state.st_size) > maxBytes)
        return std::nullopt;
    if (const char* reason = trusted ? distrust(state) : nullptr) {
        KP_LOG_WARN("{} is not used: {}", path, reason);
        return std::nullopt;
    }
    std::string content(static_cast<size_t>(state.st_size), '\0');
    for (size_t at = 0; at < content.size();) {
        const ssize_t count = ::read(file.get(), content.data() + at, content.size() - at);
        if (count < 0 && errno == EINTR)
            continue;
        if (count <= 0)
            return std::nullopt;
        at += static_cast<size_t>(count);
    }
    return content;
}

bool writeNew(const std::string& path, std::initializer_list<std::string_view> parts,
              bool forUserAlone) {
    const Descriptor file(
        ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, forUserAlone ? 0600 : 0666));
    if (file.get() < 0)
        return false;
    for (std::string_view part : parts) {
        while (!part.empty()) {
            const ssize_t count = ::write(file.get(), part.data(), part.size());
            if (count < 0 && errno != EINTR)
                return false;
            part.remove_prefix(count < 0 ? 0 : static_cast<size_t>(count));
        }
    }
    return true;
}

#endif

bool replace(const std::string& path, std::initializer_list<std::string_view> parts,
             bool forUserAlone) {
    const std::string partial = partialFileName(path);
    std::error_code error;
    bool written = writeNew(partial, parts, forUserAlone);
    if (written) {
        std::filesystem::rename(partial, path, error);
        written = !error;
    }
    if (!written)
        std::filesystem::remove(partial, error);
    return written;
}

} // namespace

std::optional<std::string> readFile(const std::string& path, uint64_t maxBytes) {
    return readOpened(path, maxBytes, false);
}

std::optional<std::string> readCacheFile(const std::string& path, uint64_t maxBytes) {
    return readOpened(path, maxBytes, true);
}

bool replaceFile(const std::string& path, std::initializer_list<std::string_view> parts) {
    return replace(path, parts, false);
}

bool replaceCacheFile(const std::string& path, std::initializer_list<std::string_view> parts) {
    return replace(path, parts, true);
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
    mFile = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NONBLOCK, 0600);
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
