// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

namespace kp::shader {

/// A 128-bit content hash, wide enough that equal hashes are taken as equal contents.
struct Hash {
    uint64_t low = 0;
    uint64_t high = 0;
    bool operator==(const Hash&) const = default;
};

/// For unordered containers.
struct HashOfHash {
    size_t operator()(const Hash& hash) const noexcept { return static_cast<size_t>(hash.low); }
};

/// MurmurHash3 x64 128 (Austin Appleby, public domain algorithm) of @p bytes bytes.
Hash hashBytes(const void* data, size_t bytes, uint64_t seed = 0);

/// 32 hexadecimal digits.
std::string toString(const Hash& hash);

} // namespace kp::shader
