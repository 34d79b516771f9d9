// SPDX-License-Identifier: Apache-2.0
#include "shader/module/StraightCode.hpp"

#include <algorithm>
#include <bit>

namespace kp::shader {
namespace {

constexpr size_t kTypeWord = 1, kResultWord = 2, kOperandWord = 3;

uint32_t opcodeIn(const std::vector<uint32_t>& words) {
    return words[0] & 0xffff;
}

/// Operations that take vectors by their components.
bool isElementwise(uint32_t opcode) {
    switch (opcode) {
    case spv::OpIAdd:
    case spv::OpISub:
    case spv::OpIMul:
    case spv::OpUDiv:
    case spv::OpSNegate:
    case spv::OpNot:
    case spv::OpBitwiseAnd:
    case spv::OpBitwiseOr:
    case spv::OpBitwiseXor:
    case spv::OpShiftLeftLogical:
    case spv::OpShiftRightLogical:
    case spv::OpShiftRightArithmetic:
    case spv::OpIEqual:
    case spv::OpINotEqual:
    case spv::OpULessThan:
    case spv::OpULessThanEqual:
    case spv::OpUGreaterThan:
    case spv::OpUGreaterThanEqual:
    case spv::OpSLessThan:
    case spv::OpSLessThanEqual:
    case spv::OpSGreaterThan:
    case spv::OpSGreaterThanEqual:
    case spv::OpLogicalAnd:
    case spv::OpLogicalOr:
    case spv::OpLogicalNot:
    case spv::OpLogicalEqual:
    case spv::OpLogicalNotEqual:
    case spv::OpSelect:
        return true;
    default:
        return false;
    }
}

/// Computes an operation of constants. @return false for unsupported operations
bool computeConstant(uint32_t opcode, uint32_t a, uint32_t b, uint32_t& result) {
    const auto x = static_cast<int32_t>(a), y = static_cast<int32_t>(b);
    switch (opcode) {
    case spv::OpIAdd:
        result = a + b;
        return true;
    case spv::OpISub:
        result = a - b;
        return true;
    case spv::OpBitwiseAnd:
        result = a & b;
        return true;
    case spv::OpBitwiseOr:
        result = a | b;
        return true;
    case spv::OpShiftLeftLogical:
        result = a << (b & 31);
        return b < 32;
    case spv::OpShiftRightLogical:
        result = a >> (b & 31);
        return b < 32;
    case spv::OpUGreaterThan:
        result = a > b;
        return true;
    case spv::OpULessThan:
        result = a < b;
        return true;
    case spv::OpSLessThan:
        result = x < y;
        return true;
    case spv::OpSGreaterThan:
        result = x > y;
        return true;
    case spv::OpIEqual:
        result = a == b;
        return true;
    case spv::OpINotEqual:
        result = a != b;
        return true;
    case spv::OpLogicalAnd:
        result = a & b;
        return true;
    default:
        return false;
    }
}

/// Operations that give the first operand if the second is 0.
bool keepsWithZero(uint32_t opcode) {
    return opcode == spv::OpIAdd || opcode == spv::OpISub || opcode == spv::OpBitwiseOr ||
           opcode == spv::OpBitwiseXor || opcode == spv::OpShiftLeftLogical ||
           opcode == spv::OpShiftRightLogical;
}

} // namespace

void GlobalValues::add(const Instruction& global) {
    const bool isType = global.opcode >= spv::OpTypeVoid && global.opcode <= spv::OpTypeFunction;
    const bool isConstant =
        global.opcode >= spv::OpConstantTrue && global.opcode <= spv::OpConstantNull;
    if (!isType && !isConstant)
        return;
    const uint32_t id = global.word(isType ? 1 : 2);
    mGlobals[id].assign(global.words.begin(), global.words.end());
    if (uint32_t value = 0; isConstant && this->isConstant(id, value))
        mConstants[{global.word(1), value}] = id;
}

const std::vector<uint32_t>* GlobalValues::find(uint32_t id) const {
    const auto found = mGlobals.find(id);
    return found == mGlobals.end() ? nullptr : &found->second;
}

bool GlobalValues::isBool(uint32_t type) const {
    const std::vector<uint32_t>* const words = find(type);
    return words && opcodeIn(*words) == spv::OpTypeBool;
}

bool GlobalValues::isConstant(uint32_t id, uint32_t& value) const {
    const std::vector<uint32_t>* const words = find(id);
    if (!words)
        return false;
    const uint32_t opcode = opcodeIn(*words);
    const std::vector<uint32_t>* const type =
        opcode == spv::OpConstant ? find((*words)[kTypeWord]) : nullptr;
    if (opcode == spv::OpConstantTrue || opcode == spv::OpConstantFalse)
        value = opcode == spv::OpConstantTrue;
    else if (type && opcodeIn(*type) == spv::OpTypeInt && (*type)[2] == 32)
        value = (*words)[kOperandWord];
    else
        return false;
    return true;
}

uint32_t GlobalValues::constant(uint32_t type, uint32_t value) {
    const auto [place, isNew] = mConstants.try_emplace({type, value}, 0);
    if (!isNew)
        return place->second;
    const uint32_t id = place->second = newId();
    std::vector<uint32_t> words;
    if (isBool(type))
        words = {instructionWord(value != 0 ? spv::OpConstantTrue : spv::OpConstantFalse, 3), type,
                 id};
    else
        words = {instructionWord(spv::OpConstant, 4), type, id, value};
    mAdded.insert(mAdded.end(), words.begin(), words.end());
    mGlobals[id] = words;
    return id;
}

uint32_t instructionWord(uint32_t opcode, size_t count) {
    return static_cast<uint32_t>(count) << 16 | opcode;
}

size_t firstLiteral(const std::vector<uint32_t>& words) {
    const uint32_t opcode = opcodeIn(words);
    if (opcode == spv::OpCompositeExtract || opcode == spv::OpExtInst)
        return 4;
    if (opcode == spv::OpCompositeInsert || opcode == spv::OpVectorShuffle)
        return 5;
    return words.size();
}

bool isPureOperation(uint32_t opcode) {
    switch (opcode) {
    case spv::OpExtInst:
    case spv::OpCompositeConstruct:
    case spv::OpCompositeExtract:
    case spv::OpCompositeInsert:
    case spv::OpVectorShuffle:
    case spv::OpUMulExtended:
    case spv::OpSMulExtended:
    case spv::OpBitcast:
    case spv::OpAny:
    case spv::OpAll:
        return true;
    default:
        return isElementwise(opcode);
    }
}

const std::vector<uint32_t>* StraightCode::definition(uint32_t id) const {
    const auto place = mPlaces.find(id);
    return place == mPlaces.end() ? mGlobals.find(id) : &mCode[place->second];
}

uint32_t StraightCode::typeOf(uint32_t id) const {
    if (const auto parameter = mTypes.find(id); parameter != mTypes.end())
        return parameter->second;
    const std::vector<uint32_t>* const words = definition(id);
    return words ? (*words)[kTypeWord] : 0;
}

uint32_t StraightCode::components(uint32_t type) const {
    const std::vector<uint32_t>* const words = mGlobals.find(type);
    return words && opcodeIn(*words) == spv::OpTypeVector ? (*words)[3] : 1;
}

uint32_t StraightCode::componentType(uint32_t type) const {
    return components(type) == 1 ? type : (*mGlobals.find(type))[2];
}

uint32_t StraightCode::append(std::vector<uint32_t> words) {
    words[kResultWord] = 0;
    const auto [place, isNew] = mKnown.try_emplace(words, 0);
    if (!isNew)
        return place->second;
    const uint32_t id = place->second = words[kResultWord] = mGlobals.newId();
    mPlaces[id] = mCode.size();
    mCode.push_back(std::move(words));
    return id;
}

/// Returns a component of a vector, or a member of a structure.
uint32_t StraightCode::extracted(uint32_t type, uint32_t composite, uint32_t index) {
    const std::vector<uint32_t>* const found = definition(composite);
    const std::vector<uint32_t> words = found ? *found : std::vector<uint32_t>{};
    const uint32_t opcode = found ? opcodeIn(words) : 0;
    if (components(typeOf(composite)) > 1) {
        if (opcode == spv::OpCompositeConstruct || opcode == spv::OpConstantComposite) {
            for (size_t i = kOperandWord; i < words.size(); ++i) {
                const uint32_t count = components(typeOf(words[i]));
                if (index < count)
                    return count == 1 ? words[i] : extracted(type, words[i], index);
                index -= count;
            }
        }
        if (opcode == spv::OpCompositeInsert && words.size() == 6)
            return words[5] == index ? words[3] : extracted(type, words[4], index);
        if (opcode == spv::OpVectorShuffle) {
            const uint32_t first = components(typeOf(words[3]));
            const uint32_t from = words[5 + index];
            return from < first ? extracted(type, words[3], from)
                                : extracted(type, words[4], from - first);
        }
    }
    return append({instructionWord(spv::OpCompositeExtract, 5), type, 0, composite, index});
}

/// Computes a vector by its components.
uint32_t StraightCode::scalars(const std::vector<uint32_t>& words) {
    const uint32_t count = components(words[kTypeWord]);
    std::vector<uint32_t> made{instructionWord(spv::OpCompositeConstruct, kOperandWord + count),
                               words[kTypeWord], 0};
    for (uint32_t i = 0; i < count; ++i) {
        std::vector<uint32_t> part = words;
        part[kTypeWord] = componentType(words[kTypeWord]);
        for (size_t place = kOperandWord; place < part.size(); ++place)
            if (components(typeOf(part[place])) > 1) // not a condition of whole vectors
                part[place] = extracted(componentType(typeOf(part[place])), part[place], i);
        made.push_back(add(part));
    }
    return append(std::move(made));
}

/// Returns the id of the result if constants decide it; otherwise 0.
uint32_t StraightCode::decided(const std::vector<uint32_t>& words) {
    const uint32_t opcode = opcodeIn(words);
    uint32_t a = 0, b = 0, result = 0;
    if (opcode == spv::OpSelect) {
        if (words[4] == words[5])
            return words[4];
        return mGlobals.isConstant(words[3], a) ? words[a != 0 ? 4 : 5] : 0;
    }
    if (words.size() != 5 || opcode == spv::OpCompositeExtract)
        return 0;
    const bool isFirst = mGlobals.isConstant(words[3], a);
    if (!mGlobals.isConstant(words[4], b))
        return 0;
    if (isFirst && computeConstant(opcode, a, b, result))
        return mGlobals.constant(words[kTypeWord], result);
    return b == 0 && keepsWithZero(opcode) && typeOf(words[3]) == words[kTypeWord] ? words[3] : 0;
}

uint32_t StraightCode::add(std::vector<uint32_t> words) {
    const uint32_t opcode = opcodeIn(words);
    if (opcode == spv::OpCompositeExtract && words.size() == 5)
        return extracted(words[kTypeWord], words[3], words[4]);
    if (isElementwise(opcode)) {
        if (components(words[kTypeWord]) > 1)
            return scalars(words);
        if (const uint32_t known = decided(words))
            return known;
    }
    if (opcode == spv::OpAny || opcode == spv::OpAll) {
        const uint32_t step = opcode == spv::OpAny ? spv::OpLogicalOr : spv::OpLogicalAnd;
        uint32_t result = extracted(words[kTypeWord], words[3], 0);
        for (uint32_t i = 1; i < components(typeOf(words[3])); ++i)
            result = add({instructionWord(step, 5), words[kTypeWord], 0, result,
                          extracted(words[kTypeWord], words[3], i)});
        return result;
    }
    return append(std::move(words));
}

std::vector<std::vector<uint32_t>> StraightCode::neededFor(uint32_t value) const {
    std::vector<bool> needed(mCode.size());
    const auto need = [&](uint32_t id) {
        if (const auto place = mPlaces.find(id); place != mPlaces.end())
            needed[place->second] = true;
    };
    need(value);
    std::vector<std::vector<uint32_t>> found;
    for (size_t i = mCode.size(); i-- > 0;) {
        if (!needed[i])
            continue;
        const std::vector<uint32_t>& words = mCode[i];
        const bool isExtended = opcodeIn(words) == spv::OpExtInst;
        for (size_t place = kOperandWord; place < words.size(); ++place)
            if (place < firstLiteral(words) || (isExtended && place > 4))
                need(words[place]);
        found.push_back(words);
    }
    std::reverse(found.begin(), found.end());
    return found;
}

} // namespace kp::shader
