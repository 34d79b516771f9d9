// SPDX-License-Identifier: Apache-2.0
#include "shader/module/ParseNodes.hpp"

#include <memory>

#include <kompute/Error.hpp>
#include <spirv-tools/libspirv.h>

#include "base/Text.hpp"

namespace kp::shader {
namespace {

bool isIdOperand(spv_operand_type_t type) {
    return type == SPV_OPERAND_TYPE_ID || type == SPV_OPERAND_TYPE_TYPE_ID ||
           type == SPV_OPERAND_TYPE_MEMORY_SEMANTICS_ID || type == SPV_OPERAND_TYPE_SCOPE_ID;
}

Node nodeOf(const spv_parsed_instruction_t& parsed) {
    Node node;
    node.opcode = parsed.opcode;
    node.type = parsed.type_id;
    node.result = parsed.result_id;
    const size_t first = 1u + (node.type != 0) + (node.result != 0);
    node.operands.assign(parsed.words + first, parsed.words + parsed.num_words);
    node.ids.assign(node.operands.size(), false);
    for (uint16_t i = 0; i < parsed.num_operands; ++i)
        if (parsed.operands[i].offset >= first)
            node.ids[parsed.operands[i].offset - first] = isIdOperand(parsed.operands[i].type);
    return node;
}

} // namespace

void parseNodes(std::span<const uint32_t> spirv, const std::function<void(Node)>& take) {
    const auto taken = [](void* data, const spv_parsed_instruction_t* parsed) {
        (*static_cast<const std::function<void(Node)>*>(data))(nodeOf(*parsed));
        return SPV_SUCCESS;
    };
    const std::unique_ptr<spv_context_t, decltype(&spvContextDestroy)> context(
        spvContextCreate(SPV_ENV_UNIVERSAL_1_6), &spvContextDestroy);
    spv_diagnostic raw = nullptr;
    const spv_result_t result =
        spvBinaryParse(context.get(), const_cast<std::function<void(Node)>*>(&take), spirv.data(),
                       spirv.size(), nullptr, taken, &raw);
    const std::unique_ptr<spv_diagnostic_t, decltype(&spvDiagnosticDestroy)> diagnostic(
        raw, &spvDiagnosticDestroy);
    if (result != SPV_SUCCESS)
        fail<ShaderError>("the SPIR-V cannot be read: {}",
                          diagnostic && diagnostic->error ? diagnostic->error : "no details given");
}

} // namespace kp::shader
