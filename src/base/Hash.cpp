// SPDX-License-Identifier: Apache-2.0
#include "base/Hash.hpp"

#include <bit>
#include <cstring>

#include "base/Text.hpp"

namespace kp {
namespace {

constexpr uint64_t kMurmurFirst = 0x87c37b91114253d5ULL;
constexpr uint64_t kMurmurSecond = 0x4cf5ad432745937fULL;

uint64_t loadWord(const unsigned char* bytes, size_t count = sizeof(uint64_t)) {
    uint64_t value = 0;
    if constexpr (std::endian::native == std::endian::little) {
        std::memcpy(&value, bytes, count);
    } else {
        for (size_t i = count; i-- > 0;)
            value = (value << 8) | bytes[i];
    }
    return value;
}

uint64_t mixLow(uint64_t lane) {
    return std::rotl(lane * kMurmurFirst, 31) * kMurmurSecond;
}

uint64_t mixHigh(uint64_t lane) {
    return std::rotl(lane * kMurmurSecond, 33) * kMurmurFirst;
}

uint64_t avalanche(uint64_t value) {
    value = (value ^ (value >> 33)) * 0xff51afd7ed558ccdULL;
    value = (value ^ (value >> 33)) * 0xc4ceb9fe1a85ec53ULL;
    return value ^ (value >> 33);
}

} // namespace

Hash hashBytes(const void* data, size_t bytes, uint64_t seed) {
    const auto* at = static_cast<const unsigned char*>(data);
    uint64_t low = seed;
    uint64_t high = seed;
    size_t left = bytes;
    for (; left >= 16; left -= 16, at += 16) {
        low = (std::rotl(low ^ mixLow(loadWord(at)), 27) + high) * 5 + 0x52dce729;
        high = (std::rotl(high ^ mixHigh(loadWord(at + 8)), 31) + low) * 5 + 0x38495ab5;
    }
    if (left > 8)
        high ^= mixHigh(loadWord(at + 8, left - 8));
    if (left > 0)
        low ^= mixLow(loadWord(at, left < 8 ? left : 8));
    low ^= bytes;
    high ^= bytes;
    low += high;
    high += low;
    low = avalanche(low);
    high = avalanche(high);
    low += high;
    high += low;
    return {low, high};
}

std::string toString(const Hash& hash) {
    return formatted("{:016x}{:016x}", hash.high, hash.low);
}

} // namespace kp
