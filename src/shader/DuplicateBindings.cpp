// SPDX-License-Identifier: Apache-2.0
#include "shader/DuplicateBindings.hpp"

#include <map>
#include <string>
#include <utility>

#include <kompute/Error.hpp>

#include "shader/AccessAnalysis.hpp"
#include "shader/SpirvModule.hpp"
#include "shader/SpirvOpcodes.hpp"

namespace kp::shader {

void refuseDuplicateBindings(std::span<const uint32_t> spirv, const CompileOptions& options) {
    const SpirvModule module = parseSpirv(spirv);
    const SpirvModule::EntryPoint* entry = module.compute(options.entryPoint);
    if (entry == nullptr) {
        return;
    }
    std::map<uint32_t, std::string> names;
    std::map<uint32_t, std::pair<uint32_t, uint32_t>> places;
    for (const Instruction& each : module.instructions) {
        if (each.opcode == spirv::OpName) {
            names[each.word(1)] = each.text(2);
        } else if (each.opcode == spirv::OpDecorate) {
            if (each.word(2) == spirv::DecorationDescriptorSet) {
                places[each.word(1)].first = each.word(3);
            } else if (each.word(2) == spirv::DecorationBinding) {
                places[each.word(1)].second = each.word(3);
            }
        }
    }
    std::map<std::pair<uint32_t, uint32_t>, uint32_t> taken;
    for (const auto& [variable, access] : analyzeAccess(module, entry->function)) {
        const auto place = places.find(variable);
        if (place == places.end()) {
            continue;
        }
        const auto [other, isFirst] = taken.emplace(place->second, variable);
        if (!isFirst) {
            throw ShaderError(
                options.fileName + ": error: '" + names[other->second] + "' and '" +
                    names[variable] + "' both use binding " + std::to_string(place->second.second) +
                    " of set " + std::to_string(place->second.first) +
                    ": in Vulkan a register's number is its binding, whatever its letter. Give "
                    "them different numbers, or write [[vk::binding(n)]]",
                options.fileName);
        }
    }
}

} // namespace kp::shader
