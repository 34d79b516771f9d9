// SPDX-License-Identifier: Apache-2.0
#include "shader/lower/LowerModule.hpp"

#include "shader/SpirvModule.hpp"
#include "shader/lower/Lowering.hpp"

namespace kp::shader {
namespace {

LoweredTypes missingTypes(std::span<const uint32_t> spirv, const NumberSupport& has) {
    LoweredTypes lowered;
    for (size_t at = kSpirvHeaderWords; at < spirv.size();) {
        const uint32_t opcode = spirv[at] & 0xffff;
        const uint32_t count = spirv[at] >> 16;
        if (opcode != spv::OpCapability || count != 2 || at + 1 >= spirv.size())
            break; // capabilities come first
        const auto needs = [](bool& type, bool supported) { type = type || !supported; };
        const auto needs16 = [&](bool supported) {
            needs(lowered.int16, supported);
            needs(lowered.float16, supported);
        };
        switch (spirv[at + 1]) {
        case spv::CapabilityInt8:
            needs(lowered.int8, has.int8);
            break;
        case spv::CapabilityInt16:
            needs(lowered.int16, has.int16);
            break;
        case spv::CapabilityInt64:
            needs(lowered.int64, has.int64);
            break;
        case spv::CapabilityFloat16:
            needs(lowered.float16, has.float16);
            break;
        case spv::CapabilityFloat64:
            needs(lowered.float64, has.float64);
            break;
        case spv::CapabilityStorageBuffer8BitAccess:
            needs(lowered.int8, has.storage8);
            break;
        case spv::CapabilityUniformAndStorageBuffer8BitAccess:
            needs(lowered.int8, has.uniform8);
            break;
        case spv::CapabilityStoragePushConstant8:
            needs(lowered.int8, has.push8);
            break;
        case spv::CapabilityStorageBuffer16BitAccess:
            needs16(has.storage16);
            break;
        case spv::CapabilityUniformAndStorageBuffer16BitAccess:
            needs16(has.uniform16);
            break;
        case spv::CapabilityStoragePushConstant16:
            needs16(has.push16);
            break;
        default:
            break;
        }
        at += count;
    }
    return lowered;
}

} // namespace

bool needsLowering(std::span<const uint32_t> spirv, const NumberSupport& support) {
    return missingTypes(spirv, support).any() || needsFloatAtomics(spirv, support.floatAtomics);
}

LoweredModule lowerModule(std::span<const uint32_t> spirv, const NumberSupport& support) {
    ModuleEditor editor(spirv);
    if (needsFloatAtomics(spirv, support.floatAtomics))
        replaceFloatAtomics(editor, support.floatAtomics);
    Lowering lowering(editor, missingTypes(spirv, support));
    lowering.run();
    if (!support.longFunctions)
        lowering.interpretLong();
    return {editor.words(), std::move(lowering.constants), lowering.hasWordBuffers()};
}

} // namespace kp::shader
