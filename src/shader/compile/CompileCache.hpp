// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <kompute/Shader.hpp>

#include "base/CacheFolders.hpp"
#include "base/Hash.hpp"
#include "shader/compile/Includer.hpp"

namespace kp::shader {

/// The result of a compilation, and its sources.
struct Compiled {
    /// The source, the options and the version of the compiler as one text. Caches find entries by
    /// its hash and then compare it, because sources with equal hashes can be made.
    std::string request;
    std::vector<uint32_t> spirv;
    std::vector<IncludeRecord> includes;
    bool shipped = false; ///< read from a shipped folder

    /// Approximate size in memory.
    size_t bytes() const;
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
    /// Returns a cache that never writes to its folder.
    /// @param trusted  uses files of any owner and with any permissions
    static DiskCache shipped(const std::string& folder, bool trusted);

    /// Returns an entry, whose includes may have changed since; nothing if there is none.
    std::optional<Compiled> load(const std::string& request) const;
    /// @return false if the file cannot be written
    bool store(const Compiled& compiled) const;

    /// Stores an entry unless its file is there.
    void keep(const Compiled& compiled) const;
    /// Returns the path of an entry; "" without a folder.
    std::string file(const std::string& request) const;

private:
    /// Deletes the oldest files if there are too many.
    void makeRoom() const;

    std::string mFolder; ///< with the subfolder
    uint64_t mMaxBytes;
    bool mWritable = true;
    bool mTrusted = false;
};

/// The cached results of one compile() call, in memory, in the cache folder and in shipped folders.
/// The cache folder comes before the shipped ones, so that they only add to a user's results.
/// Sources compiled with an includer are not cached. Thread-safe.
class CompileCache {
public:
    /// @p options must outlive the object.
    CompileCache(const std::string& source, const CompileOptions& options);

    /// Returns the result; null if there is none or an included file has changed. A result in
    /// memory is stored in the cache folder, too, unless it is shipped: it may have been compiled
    /// for another folder.
    std::shared_ptr<const Compiled> find() const;
    void store(std::vector<uint32_t> spirv, std::vector<IncludeRecord> includes) const;

private:
    bool isUnchanged(const Compiled& compiled) const;
    /// Returns the cache folder's results and then the shipped ones.
    std::vector<DiskCache> disks() const;

    const CompileOptions& mOptions;
    std::string mRequest; ///< "" if the results are not cached
    Hash mKey;
};

/// Clears the cache in memory. Files on disk stay. Thread-safe.
void clearCompileCache();

} // namespace kp::shader
