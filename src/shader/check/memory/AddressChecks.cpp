// SPDX-License-Identifier: Apache-2.0
#include "shader/check/memory/AddressChecks.hpp"

#include <algorithm>
#include <utility>

#include "shader/check/AccessPath.hpp"

namespace kp::shader {

void AddressChecks::check(Node& node) {
    if (!isAccess(node.opcode))
        return;
    const Node* const pointer = mContext.editor.global(mContext.typeOf(node.operand(0)));
    if (!pointer || pointer->opcode != spv::OpTypePointer ||
        pointer->operand(0) != spv::StorageClassPhysicalStorageBuffer)
        return;
    const uint32_t accessed = pointer->operand(1);
    if (mContext.isStoredOnly(accessed))
        return; // functions cannot take it
    CheckSite site;
    site.kind = kindOf(node.opcode);
    site.storage = kAddressStorage;
    if (node.opcode == spv::OpStore)
        site.value = mContext.valueKind(mContext.typeOf(node.operand(1)));
    std::vector<uint32_t> arguments{0, mContext.addSite(std::move(site)), node.operand(0)};
    arguments[0] = accessFunction(node);
    for (size_t i = 1; i < node.operands.size(); ++i)
        if (node.ids[i] && !mContext.isConstant(node.operands[i]))
            arguments.push_back(node.operands[i]);
    const bool isVoid = node.type == 0;
    node = nodeOf(spv::OpFunctionCall, isVoid ? mContext.editor.voidType() : node.type,
                  isVoid ? mContext.editor.newId() : node.result, arguments);
}

uint32_t AddressChecks::accessFunction(const Node& node) {
    ModuleEditor& editor = mContext.editor;
    const uint32_t pointerType = mContext.typeOf(node.operand(0));
    const auto isParameter = [&](size_t i) {
        return node.ids[i] && !mContext.isConstant(node.operands[i]);
    };
    std::vector<uint32_t> key{spv::OpConvertUToPtr, node.opcode, node.type, pointerType};
    std::vector<uint32_t> types{mContext.uintType(), pointerType};
    for (size_t i = 1; i < node.operands.size(); ++i) {
        if (isParameter(i))
            types.push_back(mContext.typeOf(node.operands[i]));
        key.insert(key.end(),
                   {isParameter(i) ? 1u : 0u, isParameter(i) ? types.back() : node.operands[i]});
    }
    if (const uint32_t* const known = mContext.known(key))
        return *known;
    const uint32_t word = mContext.uintType();
    FunctionWriter code(editor, node.type != 0 ? node.type : editor.voidType(), types);
    editor.decorate(code.parameter(1), spv::DecorationAliased, {});
    const uint32_t halves =
        code.add(spv::OpBitcast, editor.vectorType(word, 2), {code.parameter(1)});
    const uint32_t low = code.extract(word, halves, 0);
    const uint32_t high = code.extract(word, halves, 1);
    const uint32_t bytes = editor.uintConstant(bytesOf(editor.global(pointerType)->operand(1)));
    const uint32_t inside =
        code.add(spv::OpFunctionCall, editor.boolType(), {insideFunction(), low, high, bytes});
    Node access = node;
    access.result = 0;
    access.operands[0] = code.parameter(1);
    size_t next = 2;
    for (size_t i = 1; i < access.operands.size(); ++i)
        if (isParameter(i))
            access.operands[i] = code.parameter(next++);
    const auto refuse = [&] {
        Fault fault;
        fault.site = code.parameter(0);
        fault.low = low;
        fault.high = high;
        fault.extent = bytes;
        if (node.opcode == spv::OpStore)
            fault.value =
                mContext.bitsOf(code, access.operands[1], mContext.typeOf(node.operand(1)));
        mContext.report(code, fault);
        return node.type == 0 ? 0 : code.zeros(node.type);
    };
    const uint32_t value = code.choose(
        inside, node.type, [&] { return code.add(access); }, refuse);
    return mContext.add(key, code, value);
}

uint32_t AddressChecks::insideFunction() {
    const std::vector<uint32_t> key{spv::OpConvertPtrToU};
    if (const uint32_t* const known = mContext.known(key))
        return *known;
    ModuleEditor& editor = mContext.editor;
    const uint32_t word = mContext.uintType();
    const uint32_t boolean = editor.boolType();
    const uint32_t buffer = mContext.reportBuffer();
    const uint32_t pointer = editor.pointerType(spv::StorageClassStorageBuffer, word);
    FunctionWriter code(editor, boolean, {word, word, word});
    const auto entry = [&](uint32_t at) {
        return code.add(spv::OpLoad, word,
                        {code.add(spv::OpAccessChain, pointer,
                                  {buffer, mContext.zero(), editor.uintConstant(at)})});
    };
    const uint32_t low = code.parameter(0);
    const uint32_t high = code.parameter(1);
    const uint32_t bytes = code.parameter(2);
    // A word that is not 0 allows all addresses.
    uint32_t inside = code.add(spv::OpINotEqual, boolean, {entry(kAddressWord), mContext.zero()});
    for (uint32_t i = 0; i < kMaxAddressed; ++i) {
        const uint32_t first = kAddressWord + 1 + 3 * i;
        const uint32_t beginLow = entry(first);
        const uint32_t length = entry(first + 2);
        const uint32_t offset = code.add(spv::OpISub, word, {low, beginLow});
        const uint32_t borrows = code.add(spv::OpULessThan, boolean, {low, beginLow});
        const uint32_t borrow =
            code.add(spv::OpSelect, word, {borrows, editor.uintConstant(1), mContext.zero()});
        const uint32_t begin = code.add(spv::OpIAdd, word, {entry(first + 1), borrow});
        const uint32_t fits = code.add(spv::OpULessThanEqual, boolean, {bytes, length});
        const uint32_t last = code.add(spv::OpISub, word, {length, bytes});
        const uint32_t below = code.add(spv::OpULessThanEqual, boolean, {offset, last});
        const uint32_t near = code.add(spv::OpIEqual, boolean, {high, begin});
        const uint32_t both = code.add(spv::OpLogicalAnd, boolean, {fits, below});
        inside = code.add(spv::OpLogicalOr, boolean,
                          {inside, code.add(spv::OpLogicalAnd, boolean, {near, both})});
    }
    return mContext.add(key, code, inside);
}

uint32_t AddressChecks::bytesOf(uint32_t type) const {
    const Node* const node = mContext.editor.global(type);
    if (!node)
        return 1;
    switch (node->opcode) {
    case spv::OpTypeInt:
    case spv::OpTypeFloat:
        return node->operand(0) / 8;
    case spv::OpTypePointer:
        return 8;
    case spv::OpTypeVector:
    case spv::OpTypeMatrix:
        return node->operand(1) * bytesOf(node->operand(0));
    case spv::OpTypeArray: {
        uint32_t count = 1;
        mContext.isKnown(node->operand(1), count);
        const Node* const stride = mContext.decoration(type, spv::DecorationArrayStride);
        return (count - 1) * (stride ? stride->operand(2) : 0) + bytesOf(node->operand(0));
    }
    case spv::OpTypeStruct: {
        uint32_t end = 1;
        for (uint32_t i = 0; i < node->operands.size(); ++i) {
            const Node* const offset = mContext.memberDecoration(type, i, spv::DecorationOffset);
            end = std::max(end, (offset ? offset->operand(3) : 0) + bytesOf(node->operand(i)));
        }
        return end;
    }
    default:
        return 1;
    }
}

} // namespace kp::shader
