// SPDX-License-Identifier: Apache-2.0
#include "shader/check/memory/IndexWords.hpp"

#include <utility>

namespace kp::shader {

uint32_t IndexWords::add(spv::Op opcode, uint32_t type, std::vector<uint32_t> ids) {
    const uint32_t result = mContext.editor.newId();
    mBefore.push_back(nodeOf(opcode, type, result, std::move(ids)));
    return result;
}

uint32_t IndexWords::wordOf(uint32_t index) {
    const uint32_t type = mContext.typeOf(index);
    const Node& shape = *mContext.intType(type);
    const uint32_t word = mContext.uintType();
    if (type == word)
        return index;
    if (shape.operand(0) == 32)
        return add(spv::OpBitcast, word, {index});
    if (shape.operand(0) > 32 || shape.operand(1) == 0)
        return add(spv::OpUConvert, word, {index});
    const uint32_t number = add(spv::OpSConvert, mContext.editor.intType(32, true), {index});
    return add(spv::OpBitcast, word, {number});
}

uint32_t IndexWords::sum(uint32_t first, const std::vector<ScaledIndex>& all) {
    const uint32_t word = mContext.uintType();
    uint32_t total = 0;
    for (const ScaledIndex& each : all) {
        uint32_t known = 0;
        if (each.extents.empty() && mContext.isKnown(each.index, known)) {
            first += known * each.factor;
            continue;
        }
        uint32_t part = wordOf(each.index);
        if (each.factor != 1)
            part = add(spv::OpIMul, word, {part, mContext.editor.uintConstant(each.factor)});
        for (const uint32_t extent : each.extents)
            part = add(spv::OpIMul, word, {part, wordOf(extent)});
        total = total == 0 ? part : add(spv::OpIAdd, word, {total, part});
    }
    const uint32_t begin = mContext.editor.uintConstant(first);
    return total == 0 ? begin : first == 0 ? total : add(spv::OpIAdd, word, {total, begin});
}

uint32_t IndexWords::plus(uint32_t begin, uint32_t offset) {
    if (offset == 0)
        return begin;
    return add(spv::OpIAdd, mContext.uintType(), {begin, mContext.editor.uintConstant(offset)});
}

uint32_t IndexWords::shown(const AccessPath& path, std::string& name) {
    const uint32_t word = mContext.uintType();
    uint32_t index = 0;
    uint32_t type = mContext.editor.global(mContext.typeOf(path.base))->operand(1);
    for (const PathStep& step : path.steps) {
        const Node node = *mContext.editor.global(type);
        const bool isArray =
            node.opcode == spv::OpTypeArray || node.opcode == spv::OpTypeRuntimeArray;
        if (index != 0 && !isArray)
            return index;
        type = node.opcode == spv::OpTypeStruct ? node.operand(step.member) : node.operand(0);
        if (!isArray) {
            name = step.text;
            continue;
        }
        const uint32_t own = wordOf(step.index);
        if (index == 0) {
            name = step.text;
            index = own;
            continue;
        }
        index = add(spv::OpIMul, word, {index, wordOf(node.operand(1))});
        index = add(spv::OpIAdd, word, {index, own});
    }
    return index == 0 ? mContext.zero() : index;
}

} // namespace kp::shader
