// SPDX-License-Identifier: Apache-2.0
#include "shader/check/FunctionWriter.hpp"

namespace kp::shader {

FunctionWriter::FunctionWriter(ModuleEditor& editor, uint32_t resultType,
                               const std::vector<uint32_t>& parameterTypes)
    : mEditor(editor), mId(editor.newId()) {
    std::vector<uint32_t> signature{resultType};
    signature.insert(signature.end(), parameterTypes.begin(), parameterTypes.end());
    const uint32_t type = editor.define(nodeOf(spv::OpTypeFunction, 0, 0, signature));
    mCode.push_back({spv::OpFunction, resultType, mId, {0, type}, {false, true}});
    for (const uint32_t each : parameterTypes) {
        mParameters.push_back(editor.newId());
        mCode.push_back(nodeOf(spv::OpFunctionParameter, each, mParameters.back(), {}));
    }
    begin(editor.newId());
}

uint32_t FunctionWriter::add(Node node) {
    if (node.type != 0 && node.result == 0)
        node.result = mEditor.newId();
    const uint32_t result = node.result;
    mCode.push_back(std::move(node));
    return result;
}

void FunctionWriter::begin(uint32_t label) {
    mBlock = label;
    mCode.push_back(nodeOf(spv::OpLabel, 0, label, {}));
}

void FunctionWriter::branch(uint32_t label) {
    add(spv::OpBranch, 0, {label});
}

uint32_t FunctionWriter::choose(uint32_t condition, uint32_t type,
                                const std::function<uint32_t()>& then,
                                const std::function<uint32_t()>& otherwise) {
    const uint32_t yes = mEditor.newId();
    const uint32_t no = mEditor.newId();
    const uint32_t end = mEditor.newId();
    add({spv::OpSelectionMerge, 0, 0, {end, 0}, {true, false}});
    add(spv::OpBranchConditional, 0, {condition, yes, no});
    std::vector<uint32_t> values;
    for (const auto& [label, code] : {std::pair{yes, &then}, std::pair{no, &otherwise}}) {
        begin(label);
        const uint32_t value = (*code)();
        values.insert(values.end(), {value, mBlock});
        branch(end);
    }
    begin(end);
    return type == 0 ? 0 : add(spv::OpPhi, type, values);
}

std::vector<Node> FunctionWriter::finish(uint32_t value) {
    value == 0 ? add(spv::OpReturn, 0, {}) : add(spv::OpReturnValue, 0, {value});
    add(spv::OpFunctionEnd, 0, {});
    return std::move(mCode);
}

} // namespace kp::shader
