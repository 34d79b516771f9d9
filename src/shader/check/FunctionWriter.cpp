// SPDX-License-Identifier: Apache-2.0
#include "shader/check/FunctionWriter.hpp"

#include <algorithm>
#include <utility>

namespace kp::shader {
namespace {

/// Elements of an array of addresses that are put together. Programs do not load larger ones whole.
constexpr uint32_t kMostZeros = 256;

/// Returns true for buffer addresses, and for structs and arrays with such.
bool holdsAddress(const ModuleEditor& editor, uint32_t type) {
    const Node* const node = editor.global(type);
    switch (node ? node->opcode : 0) {
    case spv::OpTypePointer:
        return true;
    case spv::OpTypeArray:
        return holdsAddress(editor, node->operand(0));
    case spv::OpTypeStruct:
        return std::ranges::any_of(node->operands,
                                   [&](uint32_t member) { return holdsAddress(editor, member); });
    default:
        return false;
    }
}

} // namespace

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

uint32_t FunctionWriter::zeros(uint32_t type) {
    if (!holdsAddress(mEditor, type))
        return mEditor.define(nodeOf(spv::OpConstantNull, type, 0, {}));
    const Node node = *mEditor.global(type);
    if (node.opcode == spv::OpTypePointer)
        return add(spv::OpBitcast, type,
                   {zeros(mEditor.vectorType(mEditor.intType(32, false), 2))});
    std::vector<uint32_t> members;
    if (node.opcode == spv::OpTypeStruct) {
        for (const uint32_t member : node.operands)
            members.push_back(zeros(member));
    } else {
        const Node* const length = mEditor.global(node.operand(1));
        if (!length || length->opcode != spv::OpConstant || length->operand(0) > kMostZeros)
            return mEditor.define(nodeOf(spv::OpUndef, type, 0, {}));
        members.assign(length->operand(0), zeros(node.operand(0)));
    }
    return add(spv::OpCompositeConstruct, type, std::move(members));
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
