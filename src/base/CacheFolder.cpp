// SPDX-License-Identifier: Apache-2.0
#include "base/CacheFolder.hpp"

#include <cstdlib>
#include <filesystem>

#include "base/Environment.hpp"

namespace kp {
std::string cacheFolder(const std::string& chosen) {
    const std::string folder = chosen.empty() ? environment("KOMPUTE_CACHE_DIR") : chosen;
    if (folder == "off")
        return {};
    if (!folder.empty())
        return folder;
#if defined(_WIN32)
    const std::string base = environment("LOCALAPPDATA");
#elif defined(__APPLE__)
    const std::string home = environment("HOME");
    const std::string base = home.empty() ? "" : home + "/Library/Caches";
#else
    std::string base = environment("XDG_CACHE_HOME");
    const std::string home = environment("HOME");
    if (base.empty() && !home.empty())
        base = home + "/.cache";
#endif
    return base.empty() ? std::string() : (std::filesystem::path(base) / "kompute").string();
}

} // namespace kp
