// SPDX-License-Identifier: Apache-2.0
#include "shader/Capabilities.hpp"

#include <memory>

#include <spirv-tools/libspirv.h>

#include "base/Text.hpp"
#include "shader/SpirvOpcodes.hpp"

namespace kp::shader {
namespace {

using Context = std::unique_ptr<spv_context_t, decltype(&spvContextDestroy)>;

/// SPIRV-Tools has no function for the name, so this disassembles a module of one instruction.
std::string capabilityName(const Context& context, uint32_t capability) {
    constexpr std::string_view kInstruction = "OpCapability ";
    const uint32_t words[] = {spv::MagicNumber, spv::Version, 0, 1, 0, 2u << 16 | spv::OpCapability,
                              capability};
    spv_text raw = nullptr;
    spvBinaryToText(context.get(), words, std::size(words), SPV_BINARY_TO_TEXT_OPTION_NO_HEADER,
                    &raw, nullptr);
    const std::unique_ptr<spv_text_t, decltype(&spvTextDestroy)> text(raw, &spvTextDestroy);
    if (!text)
        return formatted("Capability{}", capability);
    std::string name(text->str, text->length);
    name.erase(0, name.find(kInstruction) + kInstruction.size());
    return name.substr(0, name.find('\n'));
}

} // namespace

std::vector<std::string> capabilitiesOf(const SpirvModule& module) {
    const Context context(spvContextCreate(SPV_ENV_UNIVERSAL_1_6), &spvContextDestroy);
    std::vector<std::string> names;
    for (const Instruction& each : module.instructions) {
        if (each.opcode == spv::OpCapability)
            names.push_back(capabilityName(context, each.word(1)));
    }
    return names;
}

} // namespace kp::shader
