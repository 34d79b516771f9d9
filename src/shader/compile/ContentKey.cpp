// SPDX-License-Identifier: Apache-2.0
#include "shader/compile/ContentKey.hpp"

#include <algorithm>
#include <memory>
#include <mutex>
#include <random>
#include <utility>
#include <vector>

#include "shader/compile/LruCache.hpp"

namespace kp::shader {
namespace {

constexpr size_t kMaxRememberedBytes = size_t{64} << 20;

struct Known {
    std::vector<uint32_t> words;
    Hash key;
};

} // namespace

Hash contentKey(std::span<const uint32_t> spirv) {
    static auto& cache = *new LruCache<std::shared_ptr<const Known>>(kMaxRememberedBytes);
    static const uint64_t seed = std::random_device()() | uint64_t{std::random_device()()} << 32;
    static auto& mutex = *new std::mutex;
    static uint64_t count = 0;
    const Hash place = hashBytes(spirv.data(), spirv.size_bytes(), seed);
    // Held to the end: threads that meet a new module at once must give it one key.
    const std::lock_guard lock(mutex);
    if (const auto found = cache.get(place); found && std::ranges::equal((*found)->words, spirv))
        return (*found)->key;
    auto known = std::make_shared<Known>();
    known->words.assign(spirv.begin(), spirv.end());
    known->key = {++count, 0};
    const Hash key = known->key;
    cache.put(place, std::move(known), spirv.size_bytes() + sizeof(Known) + 128);
    return key;
}

} // namespace kp::shader
