// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

namespace kp {

/// A 128-bit content hash. Contents with equal hashes are assumed to be equal.
struct Hash {
    uint64_t low = 0;
    uint64_t high = 0;
    bool operator==(const Hash&) const = default;
};

/// For unordered containers.
struct HashOfHash {
    size_t operator()(const Hash& hash) const noexcept { return static_cast<size_t>(hash.low); }
};

/// Returns the MurmurHash3 x64 128 (by Austin Appleby, public domain) of @p bytes bytes.
Hash hashBytes(const void* data, size_t bytes, uint64_t seed = 0);

/// Returns 32 hexadecimal digits.
std::string toString(const Hash& hash);

} // namespace kp
