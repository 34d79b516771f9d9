// SPDX-License-Identifier: Apache-2.0
#include "base/files/FileAccess.hpp"

#if !defined(_WIN32)

#include <cerrno>
#include <filesystem>
#include <system_error>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <kompute/logger/Logger.hpp>

namespace kp::system {
namespace {

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

/// Returns why the content of a file cannot be trusted; null if it can.
const char* distrust(const struct stat& state) {
    if (state.st_uid != ::geteuid() && state.st_uid != 0)
        return "it belongs to another user";
    if ((state.st_mode & (S_IWGRP | S_IWOTH)) != 0)
        return "other users may write to it";
    return nullptr;
}

} // namespace

/// The file is checked once it is open, so that it cannot be replaced in between.
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

bool moveOver(const std::string& from, const std::string& to) {
    std::error_code error;
    std::filesystem::rename(from, to, error);
    return !error;
}

intptr_t openToLock(const std::string& path) {
    return ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NONBLOCK, 0600);
}

bool tryLock(intptr_t file) {
    return ::flock(static_cast<int>(file), LOCK_EX | LOCK_NB) == 0;
}

void closeLocked(intptr_t file) {
    ::close(static_cast<int>(file));
}

} // namespace kp::system

#endif
