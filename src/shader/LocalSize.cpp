// SPDX-License-Identifier: Apache-2.0
#include "shader/LocalSize.hpp"

#include <unordered_map>

#include "shader/SpirvOpcodes.hpp"

namespace kp::shader {
namespace {

struct Constants {
    std::unordered_map<uint32_t, uint32_t> values;
    std::unordered_map<uint32_t, uint32_t> specIds;
    std::unordered_map<uint32_t, Instruction> composites;
    uint32_t workgroupSize = 0;
};

Constants readConstants(const SpirvModule& module) {
    Constants constants;
    for (const Instruction& each : module.instructions) {
        switch (each.opcode) {
        case spv::OpConstant:
        case spv::OpSpecConstant:
            constants.values[each.word(2)] = each.word(3);
            break;
        case spv::OpConstantComposite:
        case spv::OpSpecConstantComposite:
            constants.composites[each.word(2)] = each;
            break;
        case spv::OpDecorate:
            if (each.word(2) == spv::DecorationSpecId)
                constants.specIds[each.word(1)] = each.word(3);
            else if (each.word(2) == spv::DecorationBuiltIn &&
                     each.word(3) == spv::BuiltInWorkgroupSize)
                constants.workgroupSize = each.word(1);
            break;
        default:
            break;
        }
    }
    return constants;
}

void setFromIds(LocalSize& local, const Constants& constants, const Instruction& from) {
    for (size_t i = 0; i < 3; ++i) {
        const uint32_t id = from.word(3 + i);
        if (const auto value = constants.values.find(id); value != constants.values.end())
            local.size[i] = value->second;
        if (const auto specId = constants.specIds.find(id); specId != constants.specIds.end())
            local.specId[i] = specId->second;
    }
}

} // namespace

LocalSize findLocalSize(const SpirvModule& module, uint32_t entryFunction) {
    const Constants constants = readConstants(module);
    LocalSize local;
    for (const Instruction& each : module.instructions) {
        if (each.word(1) != entryFunction)
            continue;
        if (each.opcode == spv::OpExecutionMode && each.word(2) == spv::ExecutionModeLocalSize)
            local.size = {each.word(3), each.word(4), each.word(5)};
        else if (each.opcode == spv::OpExecutionModeId &&
                 each.word(2) == spv::ExecutionModeLocalSizeId)
            setFromIds(local, constants, each);
    }
    const auto builtIn = constants.composites.find(constants.workgroupSize);
    if (constants.workgroupSize != 0 && builtIn != constants.composites.end())
        setFromIds(local, constants, builtIn->second);
    return local;
}

} // namespace kp::shader
