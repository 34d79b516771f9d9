// SPDX-License-Identifier: Apache-2.0
#include "base/files/Files.hpp"

#include <atomic>
#include <chrono>
#include <filesystem>
#include <random>
#include <system_error>
#include <thread>

#include "base/Hash.hpp"
#include "base/Text.hpp"
#include "base/files/FileAccess.hpp"
#include "base/files/Path.hpp"

namespace kp {
namespace {

std::string partialFileName(const std::string& path) {
    static std::atomic<uint64_t> count{0};
    const uint64_t unique[] = {std::random_device()(), std::random_device()(), ++count};
    return formatted("{}.{}{}", path, toString(hashBytes(unique, sizeof unique)),
                     kPartialFileExtension);
}

bool replace(const std::string& path, std::initializer_list<std::string_view> parts,
             bool forUserAlone) {
    const std::string partial = partialFileName(path);
    const bool written =
        system::writeNew(partial, parts, forUserAlone) && system::moveOver(partial, path);
    std::error_code error;
    if (!written)
        std::filesystem::remove(toPath(partial), error);
    return written;
}

} // namespace

std::optional<std::string> readFile(const std::string& path, uint64_t maxBytes) {
    return system::readOpened(path, maxBytes, false);
}

std::optional<std::string> readCacheFile(const std::string& path, uint64_t maxBytes, bool trusted) {
    return system::readOpened(path, maxBytes, !trusted);
}

bool replaceFile(const std::string& path, std::initializer_list<std::string_view> parts) {
    return replace(path, parts, false);
}

bool replaceCacheFile(const std::string& path, std::initializer_list<std::string_view> parts) {
    return replace(path, parts, true);
}

FileLock::FileLock(const std::string& path, double seconds) : mFile(system::openToLock(path)) {
    if (mFile == -1)
        return;
    const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
    while (!(mHeld = system::tryLock(mFile)) && std::chrono::steady_clock::now() < end)
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
}

FileLock::~FileLock() {
    if (mFile != -1)
        system::closeLocked(mFile);
}

} // namespace kp
