// SPDX-License-Identifier: Apache-2.0
#include "base/Environment.hpp"

#include <cstdlib>

#if defined(_WIN32)
#include <io.h>
#include <windows.h>
#else
#include <unistd.h>
#endif

#include "base/Text.hpp"
#include "base/files/Path.hpp"

namespace kp {
namespace {

#if defined(_WIN32)
std::string trustedVariable(const char* name) {
    const std::wstring wideName = toPath(name).wstring();
    std::wstring value(64, L'\0');
    while (true) {
        const auto space = static_cast<DWORD>(value.size());
        const DWORD length = GetEnvironmentVariableW(wideName.c_str(), value.data(), space);
        value.resize(length);
        if (length < space)
            return toText(value);
    }
}
#else
/// Returns nothing in a program that runs with more rights than its caller has (setuid,
/// capabilities), because the caller chooses the variables.
std::string trustedVariable(const char* name) {
#if defined(__GLIBC__)
    const char* value = secure_getenv(name);
#elif defined(__APPLE__) || defined(__FreeBSD__) || defined(__OpenBSD__) || defined(__NetBSD__)
    const char* value = issetugid() ? nullptr : std::getenv(name);
#else
    const char* value = std::getenv(name);
#endif
    return value ? value : "";
}
#endif

} // namespace

std::string environment(const char* name, const std::string& otherwise) {
    std::string value = trustedVariable(name);
    return value.empty() ? otherwise : value;
}

bool environmentFlag(const char* name) {
    const std::string text = lowerCase(environment(name));
    return text == "1" || text == "true" || text == "on" || text == "yes";
}

bool isTerminal(std::FILE* stream) {
#if defined(_WIN32)
    return _isatty(_fileno(stream)) != 0;
#else
    return isatty(fileno(stream)) != 0;
#endif
}

std::string cacheFolder(const std::string& chosen) {
    const std::string folder = chosen.empty() ? environment("KOMPUTE_CACHE_DIR") : chosen;
    if (folder == "off")
        return {};
    if (!folder.empty())
        return folder;
#if defined(_WIN32)
    const std::string base = environment("LOCALAPPDATA");
#else
    const std::string home = environment("HOME");
#if defined(__APPLE__)
    const std::string base = home.empty() ? "" : home + "/Library/Caches";
#else
    const std::string base = environment("XDG_CACHE_HOME", home.empty() ? "" : home + "/.cache");
#endif
#endif
    return base.empty() ? std::string() : toText(toPath(base) / "kompute");
}

} // namespace kp
