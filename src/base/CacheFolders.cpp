// SPDX-License-Identifier: Apache-2.0
#include "base/CacheFolders.hpp"

#include <algorithm>

#include "base/Environment.hpp"

namespace kp {

CacheFolders CacheFolders::resolved(const std::string& folder, const std::string& path,
                                    bool trustPath) {
    const std::string shipped = path.empty() ? environment("KOMPUTE_CACHE_PATH") : path;
    return {cacheFolder(folder), shipped == "off" ? std::string() : shipped,
            trustPath || environmentFlag("KOMPUTE_CACHE_TRUST")};
}

std::vector<std::string> CacheFolders::shipped() const {
    std::vector<std::string> folders;
    for (size_t at = 0; at < path.size();) {
        const size_t end = std::min(path.find(kPathSeparator, at), path.size());
        if (end > at)
            folders.push_back(path.substr(at, end - at));
        at = end + 1;
    }
    return folders;
}

} // namespace kp
