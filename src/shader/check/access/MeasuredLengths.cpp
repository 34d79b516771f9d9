// SPDX-License-Identifier: Apache-2.0
#include "shader/check/access/MeasuredLengths.hpp"

#include <algorithm>

namespace kp::shader {

bool MeasuredLengths::hasNarrow(uint32_t type) const {
    const Node* const node = mContext.editor.global(type);
    if (!node)
        return false;
    switch (node->opcode) {
    case spv::OpTypeInt:
    case spv::OpTypeFloat:
        return node->operand(0) < 32;
    case spv::OpTypeVector:
    case spv::OpTypeMatrix:
    case spv::OpTypeArray:
        return hasNarrow(node->operand(0));
    case spv::OpTypeStruct:
        return std::ranges::any_of(node->operands,
                                   [&](uint32_t member) { return hasNarrow(member); });
    default:
        return false;
    }
}

std::optional<uint32_t> MeasuredLengths::find(const AccessPath& path, size_t step) {
    const Node* const pointer = mContext.editor.global(mContext.typeOf(path.base));
    const Node* const variable = mContext.editor.global(path.base);
    if (step != 1 || !path.steps[step].runtimeArray || !pointer || !variable ||
        variable->opcode != spv::OpVariable)
        return std::nullopt;
    const Node* const block = mContext.editor.global(pointer->operand(1));
    if (!block || block->opcode != spv::OpTypeStruct)
        return std::nullopt;
    const uint32_t member = path.steps[0].member;
    const Node* const array = mContext.editor.global(block->operand(member));
    if (!array || !hasNarrow(array->operand(0)))
        return std::nullopt;
    const Node* const set = mContext.decoration(path.base, spv::DecorationDescriptorSet);
    const Node* const binding = mContext.decoration(path.base, spv::DecorationBinding);
    const Node* const offset =
        mContext.memberDecoration(block->result, member, spv::DecorationOffset);
    const Node* const stride = mContext.decoration(array->result, spv::DecorationArrayStride);
    if (!set || !binding || !offset || !stride)
        return std::nullopt;
    const MeasuredBuffer measured{set->operand(2), binding->operand(2), offset->operand(3),
                                  stride->operand(2)};
    const auto known = std::ranges::find(mAll, measured);
    const auto number = static_cast<uint32_t>(known - mAll.begin());
    if (known != mAll.end())
        return number;
    if (number == kMaxMeasured)
        return std::nullopt;
    mAll.push_back(measured);
    return number;
}

uint32_t MeasuredLengths::read(uint32_t number, const std::function<uint32_t(Node)>& add) {
    ModuleEditor& editor = mContext.editor;
    const uint32_t word = mContext.uintType();
    const uint32_t type = editor.pointerType(spv::StorageClassStorageBuffer, word);
    const uint32_t pointer = add(nodeOf(
        spv::OpAccessChain, type, 0,
        {mContext.reportBuffer(), mContext.zero(), editor.uintConstant(kLengthWord + number)}));
    return add(nodeOf(spv::OpLoad, word, 0, {pointer}));
}

} // namespace kp::shader
