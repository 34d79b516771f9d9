// SPDX-License-Identifier: Apache-2.0
#include "core/algorithm/LoweredShader.hpp"

#include <algorithm>
#include <cstring>

#include "shader/compile/ContentKey.hpp"
#include "shader/compile/LruCache.hpp"
#include "shader/lower/NumberTypes.hpp"

namespace kp {
namespace {

constexpr size_t kMaxLoweredBytes = size_t{64} << 20;

shader::NumberSupport supportOf(const vulkan::Device& device) {
    using vulkan::Feature;
    shader::NumberSupport support;
    support.int8 = device.has(Feature::eShaderInt8);
    support.int16 = device.has(Feature::eShaderInt16);
    support.int64 = device.has(Feature::eShaderInt64);
    support.float16 = device.has(Feature::eShaderFloat16);
    support.float64 = device.has(Feature::eShaderFloat64);
    support.storage8 = device.has(Feature::eStorageBuffer8BitAccess);
    support.storage16 = device.has(Feature::eStorageBuffer16BitAccess);
    support.uniform8 = device.has(Feature::eUniformAndStorageBuffer8BitAccess);
    support.uniform16 = device.has(Feature::eUniformAndStorageBuffer16BitAccess);
    support.push8 = device.has(Feature::eStoragePushConstant8);
    support.push16 = device.has(Feature::eStoragePushConstant16);
    support.floatAtomics.buffers = device.has(Feature::eShaderBufferFloat32Atomics) &&
                                   device.has(Feature::eShaderBufferFloat32AtomicAdd);
    support.floatAtomics.shared = device.has(Feature::eShaderSharedFloat32Atomics) &&
                                  device.has(Feature::eShaderSharedFloat32AtomicAdd);
    // LLVM's compiler takes them. SwiftShader's needs a minute for lgamma, and crashes in pow.
    support.longFunctions =
        device.physical().computesOnHost() && device.physical().driverName == "llvmpipe";
    return support;
}

/// Returns a number for each set of types, to be part of a key.
uint64_t bitsOf(const shader::NumberSupport& support) {
    uint64_t bits = 0;
    for (const bool each :
         {support.int8, support.int16, support.int64, support.float16, support.float64,
          support.storage8, support.storage16, support.uniform8, support.uniform16, support.push8,
          support.push16, support.floatAtomics.buffers, support.floatAtomics.shared,
          support.longFunctions})
        bits = bits * 2 + (each ? 1 : 0);
    return bits;
}

/// Returns a narrow constant in 32 bits.
uint32_t widened(uint32_t bits, const shader::LoweredConstant& constant) {
    if (constant.isFloat)
        return shader::floatBitsOfHalf(bits);
    shader::NumberShape shape;
    shape.width = 8 * constant.bytes;
    shape.isSigned = constant.isSigned;
    return shader::wrappedBits(bits, shape);
}

} // namespace

std::shared_ptr<const LoweredShader>
loweredFor(const vulkan::Device& device, std::span<const uint32_t> spirv, const Hash& contentKey) {
    static auto& known =
        *new shader::LruCache<std::shared_ptr<const LoweredShader>>(kMaxLoweredBytes);
    const shader::NumberSupport support = supportOf(device);
    if (!shader::needsLowering(spirv, support))
        return nullptr;
    const uint64_t words[] = {contentKey.low, contentKey.high, bitsOf(support)};
    const Hash key = hashBytes(words, sizeof words);
    if (const auto found = known.get(key))
        return *found;
    auto made = std::make_shared<LoweredShader>();
    made->module = shader::lowerModule(spirv, support);
    made->key = shader::contentKey(made->module.spirv);
    known.put(key, made, made->module.spirv.size() * sizeof(uint32_t));
    return made;
}

Specialization loweredConstants(const Specialization& constants,
                                const shader::LoweredModule& module) {
    Specialization made = constants;
    for (const shader::LoweredConstant& each : module.constants) {
        const auto found =
            std::ranges::find(made.entries, each.id, &VkSpecializationMapEntry::constantID);
        if (found == made.entries.end() || found->size != each.bytes)
            continue;
        const uint32_t offset = found->offset;
        found->size = sizeof(uint32_t);
        if (each.bytes == 8) {
            made.entries.push_back({each.high, offset + 4, sizeof(uint32_t)});
            continue;
        }
        uint32_t bits = 0;
        std::memcpy(&bits, made.data.data() + offset, each.bytes);
        bits = widened(bits, each);
        found->offset = static_cast<uint32_t>(made.data.size());
        made.data.resize(made.data.size() + sizeof bits);
        std::memcpy(made.data.data() + found->offset, &bits, sizeof bits);
    }
    return made;
}

} // namespace kp
