// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "shader/Hash.hpp"
#include "shader/Includer.hpp"

namespace kp::shader {

/// What a compile gave, and the files it read on the way.
struct Compiled {
    std::vector<uint32_t> spirv;
    std::vector<IncludeRecord> includes;

    size_t bytes() const { return spirv.size() * 4 + includes.size() * 256 + 256; }
};

/// Compiled shaders on disk between runs: one file for each in the subfolder `shaders` of a cache
/// folder, written whole or not at all, checked before use, and all of them within a bound: those
/// written longest ago leave. Holds nothing itself. Thread-safe, also against other processes.
/// Nothing is thrown but std::bad_alloc: what cannot be read is not there, what cannot be written
/// is left out.
class DiskCache {
public:
    /// Files up to these sizes in all are kept.
    static constexpr uint64_t kMaxBytes = uint64_t{64} << 20;

    /// @param folder  "" keeps nothing
    explicit DiskCache(const std::string& folder, uint64_t maxBytes = kMaxBytes);

    /// The entry of @p key. Whether its includes are still the same is the caller's to check.
    std::optional<Compiled> load(const Hash& key) const;
    /// @return false where it could not be written
    bool store(const Hash& key, const Compiled& compiled) const;

    /// Where the entry of @p key is or would be; "" without a folder.
    std::string file(const Hash& key) const;

private:
    void makeRoom() const;

    std::string mFolder; ///< with the subfolder
    uint64_t mMaxBytes;
};

} // namespace kp::shader
