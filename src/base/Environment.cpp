// SPDX-License-Identifier: Apache-2.0
#include "base/Environment.hpp"

#include <cstdlib>
#include <filesystem>

#if defined(__APPLE__) || defined(__FreeBSD__) || defined(__OpenBSD__) || defined(__NetBSD__)
#include <unistd.h>
#endif

#include "base/Text.hpp"

namespace kp {
namespace {

/// Returns null in a program that runs with more rights than its caller has (setuid, capabilities),
/// because the caller chooses the variables.
const char* trustedVariable(const char* name) {
#if defined(__GLIBC__)
    return secure_getenv(name);
#elif defined(__APPLE__) || defined(__FreeBSD__) || defined(__OpenBSD__) || defined(__NetBSD__)
    return issetugid() ? nullptr : std::getenv(name);
#else
    return std::getenv(name);
#endif
}

} // namespace

std::string environment(const char* name, const std::string& otherwise) {
    const char* value = trustedVariable(name);
    return value && *value ? value : otherwise;
}

bool environmentFlag(const char* name) {
    const std::string text = lowerCase(environment(name));
    return text == "1" || text == "true" || text == "on" || text == "yes";
}

std::string cacheFolder(const std::string& chosen) {
    const std::string folder = chosen.empty() ? environment("KOMPUTE_CACHE_DIR") : chosen;
    if (folder == "off")
        return {};
    if (!folder.empty())
        return folder;
    const std::string home = environment("HOME");
#if defined(_WIN32)
    const std::string base = environment("LOCALAPPDATA");
#elif defined(__APPLE__)
    const std::string base = home.empty() ? "" : home + "/Library/Caches";
#else
    const std::string base = environment("XDG_CACHE_HOME", home.empty() ? "" : home + "/.cache");
#endif
    return base.empty() ? std::string() : (std::filesystem::path(base) / "kompute").string();
}

} // namespace kp
