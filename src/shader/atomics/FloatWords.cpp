// SPDX-License-Identifier: Apache-2.0
#include "shader/atomics/FloatWords.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include <kompute/Error.hpp>

#include "base/Text.hpp"

namespace kp::shader {

void refuseFloatAtomic(std::string_view what) {
    fail<ShaderError>(
        "the shader uses atomics of floats and {}, which cannot be computed without the "
        "device's float atomics: change the shader, or use another device",
        what);
}

FloatWords::FloatWords(ModuleEditor& editor, const std::unordered_set<uint32_t>& variables)
    : mEditor(editor) {
    changeVariables(variables);
}

void FloatWords::changeVariables(const std::unordered_set<uint32_t>& variables) {
    // The variables come after all types of the module, which they may need, and before the debug
    // information, which may need them.
    std::vector<Node> old = mEditor.takeGlobals();
    const auto rankOf = [&](const Node& node) {
        return node.opcode == spv::OpExtInst ? 2 : variables.contains(node.result) ? 1 : 0;
    };
    std::ranges::stable_sort(old, {}, rankOf);
    for (Node& node : old) {
        if (variables.contains(node.result)) {
            const uint32_t type = mEditor.global(node.type)->operand(1);
            const uint32_t words = wordsFor(type);
            node.type = mEditor.pointerType(node.operand(0), words);
            if (node.operands.size() > 1) { // all zeros
                if (mEditor.global(node.operand(1))->opcode != spv::OpConstantNull)
                    refuseFloatAtomic("their variable has an initial value");
                node.operands[1] = mEditor.define(nodeOf(spv::OpConstantNull, words, 0, {}));
            }
            mPointees[node.result] = {type, words};
        }
        mEditor.define(std::move(node));
    }
}

uint32_t FloatWords::wordsFor(uint32_t type) {
    if (const auto known = mWords.find(type); known != mWords.end())
        return known->second;
    Node node = *mEditor.global(type);
    bool changed = false;
    switch (node.opcode) {
    case spv::OpTypeFloat:
        return node.operand(0) == 32 ? wordType() : type;
    case spv::OpTypeStruct:
    case spv::OpTypeVector:
    case spv::OpTypeArray:
    case spv::OpTypeRuntimeArray:
        // Of arrays and vectors the first operand alone is a type.
        for (size_t i = 0; i < (node.opcode == spv::OpTypeStruct ? node.operands.size() : 1); ++i) {
            const uint32_t words = wordsFor(node.operands[i]);
            changed = changed || words != node.operands[i];
            node.operands[i] = words;
        }
        break;
    default: // matrices among them
        break;
    }
    if (changed) {
        node.result = 0;
        const bool isVector = node.opcode == spv::OpTypeVector;
        const uint32_t words = mEditor.define(std::move(node));
        if (!isVector)
            copyDecorations(type, words);
        mWords[type] = words;
        return words;
    }
    mWords[type] = type;
    return type;
}

void FloatWords::copyDecorations(uint32_t from, uint32_t to) {
    std::vector<Node> copies;
    for (const Node& each : mEditor.decorations)
        if ((each.opcode == spv::OpDecorate || each.opcode == spv::OpMemberDecorate) &&
            each.operand(0) == from) {
            copies.push_back(each);
            copies.back().operands[0] = to;
        }
    std::ranges::move(copies, std::back_inserter(mEditor.decorations));
}

uint32_t FloatWords::add(spv::Op opcode, uint32_t type, std::vector<uint32_t> ids) {
    code.push_back(nodeOf(opcode, type, type != 0 ? mEditor.newId() : 0, std::move(ids)));
    return code.back().result;
}

uint32_t FloatWords::converted(uint32_t value, uint32_t from, uint32_t to) {
    if (from == to)
        return value;
    const Node parts = *mEditor.global(from);
    if (parts.opcode == spv::OpTypeFloat || parts.opcode == spv::OpTypeInt ||
        parts.opcode == spv::OpTypeVector)
        return add(spv::OpBitcast, to, {value});
    const Node made = *mEditor.global(to);
    const bool isStruct = parts.opcode == spv::OpTypeStruct;
    size_t count = parts.operands.size();
    if (!isStruct) {
        const Node* const length = mEditor.global(parts.operand(1));
        if (length->opcode != spv::OpConstant)
            refuseFloatAtomic("copies an array of them whose length is a specialization constant");
        count = length->operand(0);
    }
    std::vector<uint32_t> members;
    for (size_t i = 0; i < count; ++i) {
        const uint32_t old = parts.operand(isStruct ? i : 0);
        const uint32_t part = add(spv::OpCompositeExtract, old, {value, static_cast<uint32_t>(i)});
        code.back().ids = {true, false};
        members.push_back(converted(part, old, made.operand(isStruct ? i : 0)));
    }
    return add(spv::OpCompositeConstruct, to, std::move(members));
}

uint32_t FloatWords::elementType(uint32_t type, const std::vector<uint32_t>& indices) const {
    for (const uint32_t index : indices) {
        const Node& node = *mEditor.global(type);
        const bool isStruct = node.opcode == spv::OpTypeStruct;
        type = node.operand(isStruct ? mEditor.global(index)->operand(0) : 0);
    }
    return type;
}

void FloatWords::load(Node node, const Pointee& pointee) {
    if (pointee.words == pointee.floats)
        return code.push_back(std::move(node));
    const uint32_t result = std::exchange(node.result, mEditor.newId());
    const uint32_t loaded = node.result;
    node.type = pointee.words;
    code.push_back(std::move(node));
    converted(loaded, pointee.words, pointee.floats);
    code.back().result = result;
}

void FloatWords::append(Node node) {
    const auto changed = std::ranges::find_if(node.operands, [&](const uint32_t& operand) {
        return node.ids[static_cast<size_t>(&operand - node.operands.data())] &&
               mPointees.contains(operand);
    });
    if (changed == node.operands.end())
        return code.push_back(std::move(node));
    Pointee pointee = mPointees.at(*changed);
    switch (node.opcode) {
    case spv::OpAccessChain:
    case spv::OpInBoundsAccessChain:
    case spv::OpCopyObject: {
        const Node pointer = *mEditor.global(node.type);
        pointee.floats = pointer.operand(1);
        pointee.words =
            elementType(pointee.words, {node.operands.begin() + 1, node.operands.end()});
        node.type = mEditor.pointerType(pointer.operand(0), pointee.words);
        mPointees[node.result] = pointee;
        return code.push_back(std::move(node));
    }
    case spv::OpLoad:
        return load(std::move(node), pointee);
    case spv::OpStore:
        node.operands[1] = converted(node.operand(1), pointee.floats, pointee.words);
        return code.push_back(std::move(node));
    case spv::OpArrayLength:
        return code.push_back(std::move(node));
    default:
        // Atomics of integers; the caller replaces the others.
        if (node.opcode >= spv::OpAtomicLoad && node.opcode <= spv::OpAtomicXor)
            return code.push_back(std::move(node));
        refuseFloatAtomic("a pointer to them in another way than to load or store");
    }
}

} // namespace kp::shader
