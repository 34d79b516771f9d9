// SPDX-License-Identifier: Apache-2.0
#include "shader/interpret/ValueUses.hpp"

#include <algorithm>

namespace kp::shader {

ValueUses::ValueUses(const ModuleEditor& editor, std::span<const Node> nodes,
                     const RegisterTypes& types)
    : mEditor(editor), mTypes(types) {
    uint32_t block = 0;
    std::unordered_map<uint32_t, size_t> ends; ///< of blocks, by label
    for (size_t place = 0; place < nodes.size(); ++place) {
        if (nodes[place].opcode == spv::OpLabel)
            block = nodes[place].result;
        mBlocks.push_back(block);
        ends[block] = place;
        if (nodes[place].result != 0)
            mDefinedIn[nodes[place].result] = block;
        addPointer(nodes[place]);
    }
    for (size_t place = 0; place < nodes.size() && mUnderstood; ++place) {
        const Node& node = nodes[place];
        switch (node.opcode) {
        case spv::OpFunction:
        case spv::OpLabel:
        case spv::OpSelectionMerge:
        case spv::OpLoopMerge:
        case spv::OpAccessChain:
        case spv::OpInBoundsAccessChain:
            continue;
        case spv::OpPhi: // used at the ends of the blocks before it
            for (size_t i = 0; i + 1 < node.operands.size(); i += 2)
                use(node.operands[i], ends.at(node.operands[i + 1]));
            continue;
        default:
            break;
        }
        const bool calls = node.opcode == spv::OpFunctionCall;
        for (size_t i = 0; i < node.operands.size(); ++i) {
            if (!node.ids[i])
                continue;
            const LocalPointer* const to = pointer(node.operands[i]);
            if (to && to->dynamic != 0)
                use(to->dynamic, place);
            if (to && (calls || (node.opcode == spv::OpStore && i == 0)))
                mWrites[to->variable].push_back(place);
            use(node.operands[i], place);
        }
    }
}

void ValueUses::addPointer(const Node& node) {
    const Node* const type = mEditor.global(node.type);
    if (!type || type->opcode != spv::OpTypePointer)
        return;
    if (type->operand(0) != spv::StorageClassFunction) {
        mUnderstood = false;
        return;
    }
    if (node.opcode == spv::OpVariable || node.opcode == spv::OpFunctionParameter) {
        mPointers[node.result] = {node.result, 0, 0, -1, type->operand(1)};
        return;
    }
    const auto base = mPointers.find(node.operand(0));
    if ((node.opcode != spv::OpAccessChain && node.opcode != spv::OpInBoundsAccessChain) ||
        base == mPointers.end()) {
        mUnderstood = false;
        return;
    }
    LocalPointer to = base->second;
    for (size_t i = 1; i < node.operands.size() && mUnderstood; ++i) {
        const Node* const whole = mEditor.global(to.type);
        const Node* const index = mEditor.global(node.operands[i]);
        const bool isConstant = index && index->opcode == spv::OpConstant;
        if (whole->opcode == spv::OpTypeArray) {
            to.type = whole->operand(0);
            const uint32_t size = mTypes.count(to.type);
            if (isConstant)
                to.offset += index->operand(0) * size;
            else if (to.dynamic == 0 && size == 1)
                to.dynamic = node.operands[i];
            else
                mUnderstood = false;
        } else if (whole->opcode == spv::OpTypeStruct && isConstant && !mTypes.isSingle(to.type)) {
            for (uint32_t member = 0; member < index->operand(0); ++member)
                to.offset += mTypes.count(whole->operand(member));
            to.type = whole->operand(index->operand(0));
        } else if (whole->opcode == spv::OpTypeVector && isConstant && mTypes.isSingle(to.type) &&
                   to.dynamic == 0) {
            to.component = static_cast<int>(index->operand(0));
        } else {
            mUnderstood = false;
        }
    }
    mPointers[node.result] = to;
}

const LocalPointer* ValueUses::pointer(uint32_t id) const {
    const auto found = mPointers.find(id);
    return found == mPointers.end() ? nullptr : &found->second;
}

void ValueUses::use(uint32_t value, size_t place) {
    ++mCounts[value];
    size_t& last = mLast[{mBlocks[place], value}];
    last = std::max(last, place);
    const auto defined = mDefinedIn.find(value);
    if (defined != mDefinedIn.end() && defined->second != mBlocks[place])
        mSpread.insert(value);
}

size_t ValueUses::lastUse(uint32_t value, size_t place) const {
    const auto found = mLast.find({mBlocks[place], value});
    return found == mLast.end() ? place : std::max(found->second, place);
}

uint32_t ValueUses::countOf(uint32_t value) const {
    const auto found = mCounts.find(value);
    return found == mCounts.end() ? 0 : found->second;
}

bool ValueUses::isWritten(uint32_t variable, size_t after, size_t before) const {
    const auto found = mWrites.find(variable);
    return found != mWrites.end() && std::ranges::any_of(found->second, [&](size_t place) {
               return place > after && place < before;
           });
}

void ValueUses::extend(uint32_t value, uint32_t by, size_t place) {
    const size_t last = lastUse(by, place);
    size_t& own = mLast[{mBlocks[place], value}];
    own = std::max(own, last);
}

} // namespace kp::shader
