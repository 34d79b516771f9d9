// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include <kompute/Shader.hpp>

#include "base/CacheFolder.hpp"
#include "base/Hash.hpp"
#include "shader/DiskCache.hpp"

namespace kp::shader {

/// The cached results of one compile() call, in memory and on disk. Sources compiled with an
/// includer are not cached. Thread-safe.
class CompileCache {
public:
    /// Both must outlive the object.
    CompileCache(const std::string& source, const CompileOptions& options);

    /// Returns the result; null if there is none or an included file has changed.
    std::shared_ptr<const Compiled> find() const;
    void store(const std::shared_ptr<const Compiled>& compiled) const;

private:
    bool isUnchanged(const Compiled& compiled) const;
    DiskCache disk() const { return DiskCache(cacheFolder(mOptions.cacheFolder)); }
    Hash diskKey() const;

    const std::string& mSource;
    const CompileOptions& mOptions;
    bool mEnabled;
    Hash mKey;
};

/// Clears the cache in memory. Files on disk stay. Thread-safe.
void clearCompileCache();

} // namespace kp::shader
