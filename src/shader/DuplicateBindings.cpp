// SPDX-License-Identifier: Apache-2.0
#include "shader/DuplicateBindings.hpp"

#include <map>
#include <string>
#include <utility>

#include <kompute/Error.hpp>

#include "base/Text.hpp"
#include "shader/AccessAnalysis.hpp"
#include "shader/SpirvModule.hpp"
#include "shader/SpirvOpcodes.hpp"

namespace kp::shader {

void refuseDuplicateBindings(std::span<const uint32_t> spirv, const CompileOptions& options) {
    const SpirvModule module = parseSpirv(spirv);
    const SpirvModule::EntryPoint* entry = module.compute(options.entryPoint);
    if (entry == nullptr)
        return;
    std::map<uint32_t, std::string> names;
    std::map<uint32_t, std::pair<uint32_t, uint32_t>> places;
    for (const Instruction& each : module.instructions) {
        if (each.opcode == spv::OpName) {
            names[each.word(1)] = each.text(2);
        } else if (each.opcode == spv::OpDecorate) {
            if (each.word(2) == spv::DecorationDescriptorSet)
                places[each.word(1)].first = each.word(3);
            else if (each.word(2) == spv::DecorationBinding)
                places[each.word(1)].second = each.word(3);
        }
    }
    std::map<std::pair<uint32_t, uint32_t>, uint32_t> taken;
    for (const auto& [variable, access] : analyzeAccess(module, entry->function)) {
        const auto place = places.find(variable);
        if (place == places.end())
            continue;
        const auto [other, isFirst] = taken.emplace(place->second, variable);
        if (!isFirst) {
            throw ShaderError(
                formatted("{}: error: '{}' and '{}' both use binding {} of set {}: in Vulkan a "
                          "register's number is its binding, whatever its letter. Use different "
                          "numbers, or [[vk::binding(n)]]",
                          options.fileName, names[other->second], names[variable],
                          place->second.second, place->second.first),
                options.fileName);
        }
    }
}

} // namespace kp::shader
