// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace kp {

/// Separates the folders of a path list, as in the environment variable PATH.
#if defined(_WIN32)
inline constexpr char kPathSeparator = ';';
#else
inline constexpr char kPathSeparator = ':';
#endif

/// Folders of compiled shaders and pipelines: one that is read and written, and shipped ones that
/// are only read. Plain data.
struct CacheFolders {
    std::string folder;     ///< read and written; "" for none
    std::string path;       ///< list of shipped folders, separated as PATH is; "" for none
    bool trustPath = false; ///< uses shipped files of any owner and with any permissions

    /// Returns the folders of options, which have the members cacheFolder, cachePath and
    /// trustCachePath. Empty members stand for the environment.
    template <typename Options>
    static CacheFolders of(const Options& options) {
        return resolved(options.cacheFolder, options.cachePath, options.trustCachePath);
    }
    /// Sets these folders in options, in place of empty members.
    template <typename Options>
    void complete(Options& options) const {
        if (options.cacheFolder.empty())
            options.cacheFolder = folder.empty() ? "off" : folder;
        if (!options.cachePath.empty())
            return;
        options.cachePath = path.empty() ? "off" : path;
        options.trustCachePath |= trustPath;
    }

    /// Returns the entries of the path, without empty ones.
    std::vector<std::string> shipped() const;

private:
    static CacheFolders resolved(const std::string& folder, const std::string& path,
                                 bool trustPath);
};

} // namespace kp
