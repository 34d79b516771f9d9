// SPDX-License-Identifier: Apache-2.0
#include "shader/ReflectionCache.hpp"

#include "shader/LruCache.hpp"
#include "shader/Validate.hpp"

namespace kp::shader {
namespace {

constexpr size_t kMaxReflectionBytes = size_t{16} << 20;

size_t bytesOf(const Reflection& reflection) {
    return sizeof(Reflection) + reflection.bindings.size() * (sizeof(Binding) + 32) +
           reflection.pushConstants.size() * (sizeof(PushConstantMember) + 32) +
           reflection.specConstants.size() * (sizeof(SpecConstant) + 32) +
           reflection.capabilities.size() * (sizeof(std::string) + 32) + 128;
}

} // namespace

std::shared_ptr<const Reflection> reflectCached(std::span<const uint32_t> spirv,
                                                const std::string& entryPoint) {
    return reflectCached(spirv, hashBytes(spirv.data(), spirv.size_bytes()), entryPoint);
}

std::shared_ptr<const Reflection> reflectCached(std::span<const uint32_t> spirv, const Hash& hash,
                                                const std::string& entryPoint) {
    static LruCache<std::shared_ptr<const Reflection>> cache(kMaxReflectionBytes);
    const Hash name = hashBytes(entryPoint.data(), entryPoint.size());
    const uint64_t parts[] = {hash.low, hash.high, name.low, name.high};
    const Hash key = hashBytes(parts, sizeof parts);
    if (auto found = cache.get(key))
        return *found;
    auto made = std::make_shared<const Reflection>(reflect(spirv, entryPoint));
    cache.put(key, made, bytesOf(*made));
    return made;
}

} // namespace kp::shader

namespace kp {

shader::Reflection reflect(const std::vector<uint32_t>& spirv, const std::string& entryPoint) {
    constexpr uint32_t kNewestVulkan = (1u << 22) | (3u << 12);
    shader::validate(spirv, kNewestVulkan);
    return *shader::reflectCached(spirv, entryPoint);
}

} // namespace kp
