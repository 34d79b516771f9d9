// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/Hash.hpp"
#include "shader/Includer.hpp"

namespace kp::shader {

/// The result of a compilation, and the files it included.
struct Compiled {
    std::vector<uint32_t> spirv;
    std::vector<IncludeRecord> includes;

    /// Approximate size in memory.
    size_t bytes() const { return spirv.size() * 4 + includes.size() * 256 + 256; }
};

/// Compiled shaders on disk: one file each in the subfolder `shaders` of a cache folder, replaced
/// as a whole and checked when read. If their total size exceeds a limit, the oldest are deleted.
/// Has no state of its own. Thread-safe, also against other processes. A file that cannot be read
/// counts as missing, and one that cannot be written is skipped; only std::bad_alloc is thrown.
class DiskCache {
public:
    static constexpr uint64_t kMaxBytes = uint64_t{64} << 20;

    /// @param folder    of the caches; "" keeps nothing
    /// @param maxBytes  maximum total size of the files
    explicit DiskCache(const std::string& folder, uint64_t maxBytes = kMaxBytes);

    /// Returns an entry, whose includes may have changed since; nothing if there is none.
    std::optional<Compiled> load(const Hash& key) const;
    /// @return false if the file cannot be written
    bool store(const Hash& key, const Compiled& compiled) const;

    /// Returns the path of an entry; "" without a folder.
    std::string file(const Hash& key) const;

private:
    /// Deletes the oldest files if there are too many.
    void makeRoom() const;

    std::string mFolder; ///< with the subfolder
    uint64_t mMaxBytes;
};

} // namespace kp::shader
