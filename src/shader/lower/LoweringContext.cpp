// SPDX-License-Identifier: Apache-2.0
#include "shader/lower/LoweringContext.hpp"

#include <algorithm>
#include <utility>

#include <kompute/Error.hpp>

#include "base/Text.hpp"
#include "shader/module/WideLibrary.hpp"

namespace kp::shader {

LoweringContext::LoweringContext(ModuleEditor& module, const LoweredTypes& types)
    : editor(module), lowered(types), mFirstNew(module.bound()) {
    for (const std::vector<Node>* section : {&module.globals, &module.functions})
        for (const Node& node : *section)
            if (node.result != 0 && node.type != 0)
                mTypes[node.result] = node.type;
    for (const Node& node : module.globals)
        mDefinitions[node.result] = node;
    mOldDecorations = std::move(module.decorations);
    module.decorations.clear();
}

void LoweringContext::refuse(std::string_view what) const {
    fail<ShaderError>("the shader uses {}, which cannot be computed without the device's types: "
                      "use another type or another device",
                      what);
}

const Node& LoweringContext::definitionOf(uint32_t id) const {
    static const Node none;
    const auto found = mDefinitions.find(id);
    return found == mDefinitions.end() ? none : found->second;
}

uint32_t LoweringContext::typeOf(uint32_t value) const {
    const auto found = mTypes.find(value);
    return found == mTypes.end() ? 0 : found->second;
}

NumberShape LoweringContext::shapeOfType(uint32_t type) const {
    const Node& node = definitionOf(type);
    NumberShape shape;
    switch (node.opcode) {
    case spv::OpTypeBool:
        shape.kind = NumberShape::Kind::eBool;
        shape.width = 1;
        break;
    case spv::OpTypeInt:
        shape.kind = NumberShape::Kind::eInt;
        shape.width = node.operand(0);
        shape.isSigned = node.operand(1) != 0;
        break;
    case spv::OpTypeFloat:
        shape.kind = NumberShape::Kind::eFloat;
        shape.width = node.operand(0);
        shape.isSigned = true;
        break;
    case spv::OpTypeVector:
        shape = shapeOfType(node.operand(0));
        shape.count = node.operand(1);
        break;
    default:
        break;
    }
    shape.isLowered = isLowered(lowered, shape.kind, shape.width);
    return shape;
}

bool LoweringContext::holdsNarrow(uint32_t type) const {
    const Node& node = definitionOf(type);
    switch (node.opcode) {
    case spv::OpTypeStruct:
        return std::ranges::any_of(node.operands, [&](uint32_t each) { return holdsNarrow(each); });
    case spv::OpTypeArray:
    case spv::OpTypeRuntimeArray:
    case spv::OpTypeMatrix:
        return holdsNarrow(node.operand(0));
    default:
        return shapeOfType(type).isLoweredNarrow();
    }
}

std::optional<uint32_t> LoweringContext::constantValue(uint32_t id) const {
    const Node& node = definitionOf(id);
    if (node.opcode == spv::OpConstantNull)
        return 0;
    if (node.opcode != spv::OpConstant || !shapeOfType(node.type).isInt())
        return std::nullopt;
    return node.operand(0);
}

std::optional<uint32_t> LoweringContext::decoration(uint32_t id, spv::Decoration decoration,
                                                    std::optional<uint32_t> member) const {
    const auto kind = static_cast<uint32_t>(decoration);
    for (const Node& node : mOldDecorations) {
        if (node.operand(0) != id)
            continue;
        if (!member && node.opcode == spv::OpDecorate && node.operand(1) == kind)
            return node.operand(2);
        if (member && node.opcode == spv::OpMemberDecorate && node.operand(1) == *member &&
            node.operand(2) == kind)
            return node.operand(3);
    }
    return std::nullopt;
}

uint32_t LoweringContext::newIdOf(uint32_t id) const {
    const auto found = mAliases.find(id);
    return found == mAliases.end() ? id : found->second;
}

uint32_t LoweringContext::newTypeOfValue(uint32_t value) const {
    if (const auto made = mNewTypes.find(value); made != mNewTypes.end())
        return made->second;
    if (const uint32_t old = typeOf(value))
        return newIdOf(old);
    const Node* global = editor.global(value);
    return global ? global->type : 0;
}

uint32_t LoweringContext::newTypeFor(const NumberShape& shape) {
    uint32_t one = 0;
    if (shape.kind == NumberShape::Kind::eBool)
        one = boolType();
    else if (shape.isLoweredWide())
        return shape.count == 1 ? pairType() : wideArray(shape.count);
    else if (shape.isInt())
        one = editor.intType(shape.isLowered ? 32 : shape.width, shape.isSigned);
    else
        one = editor.floatType(shape.isLowered ? 32 : shape.width);
    return shape.count == 1 ? one : editor.vectorType(one, shape.count);
}

uint32_t LoweringContext::wideArray(uint32_t count) {
    uint32_t& id = mWideArrays[count];
    if (id == 0) {
        id = editor.define(nodeOf(spv::OpTypeArray, 0, 0, {pairType(), word(count)}));
        editor.decorate(id, spv::DecorationArrayStride, {8});
    }
    return id;
}

uint32_t LoweringContext::resultPairType() {
    if (mResultPair == 0)
        mResultPair = editor.define(nodeOf(spv::OpTypeStruct, 0, 0, {wordType(), wordType()}));
    return mResultPair;
}

Node LoweringContext::remapped(Node node) const {
    node.type = newIdOf(node.type);
    for (size_t i = 0; i < node.operands.size(); ++i)
        if (node.ids[i])
            node.operands[i] = newIdOf(node.operands[i]);
    return node;
}

uint32_t LoweringContext::emit(spv::Op opcode, uint32_t type, std::vector<uint32_t> ids) {
    const uint32_t id = editor.newId();
    mNewTypes[id] = type;
    mBody.push_back(nodeOf(opcode, type, id, std::move(ids)));
    return id;
}

uint32_t LoweringContext::emit(Node node) {
    node.result = editor.newId();
    mNewTypes[node.result] = node.type;
    mBody.push_back(std::move(node));
    return mBody.back().result;
}

uint32_t LoweringContext::extract(uint32_t type, uint32_t composite, uint32_t index) {
    const uint32_t id = emit(spv::OpCompositeExtract, type, {composite, index});
    mBody.back().ids[1] = false;
    return id;
}

uint32_t LoweringContext::construct(uint32_t type, std::vector<uint32_t> parts) {
    return emit(spv::OpCompositeConstruct, type, std::move(parts));
}

uint32_t LoweringContext::call(std::string_view function, std::vector<uint32_t> arguments) {
    if (!mLibrary)
        mLibrary = std::make_unique<FunctionImport>(wideLibrary(), editor);
    const uint32_t id = mLibrary->use(function);
    arguments.insert(arguments.begin(), id);
    return emit(spv::OpFunctionCall, mLibrary->resultType(id), std::move(arguments));
}

uint32_t LoweringContext::extended(uint32_t type, uint32_t instruction,
                                   std::vector<uint32_t> arguments) {
    arguments.insert(arguments.begin(), {editor.instructionSet("GLSL.std.450"), instruction});
    const uint32_t id = emit(spv::OpExtInst, type, std::move(arguments));
    mBody.back().ids[1] = false;
    return id;
}

uint32_t LoweringContext::bitcast(uint32_t type, uint32_t value) {
    return newTypeOfValue(value) == type ? value : emit(spv::OpBitcast, type, {value});
}

uint32_t LoweringContext::select(uint32_t type, uint32_t condition, uint32_t yes, uint32_t no) {
    if (type == pairType())
        condition = construct(editor.vectorType(boolType(), 2), {condition, condition});
    return emit(spv::OpSelect, type, {condition, yes, no});
}

void LoweringContext::finish(const Node& node, uint32_t id) {
    if (!mBody.empty() && mBody.back().result == id && id >= mFirstNew)
        mBody.back().result = node.result;
    else
        mBody.push_back(nodeOf(spv::OpCopyObject, newIdOf(node.type), node.result, {id}));
}

void LoweringContext::perComponent(const Node& node,
                                   const std::function<uint32_t(uint32_t)>& scalar) {
    const uint32_t count = shapeOfType(node.type).count;
    if (count == 1)
        return finish(node, scalar(0));
    std::vector<uint32_t> parts;
    for (uint32_t i = 0; i < count; ++i)
        parts.push_back(scalar(i));
    finish(node, construct(newIdOf(node.type), std::move(parts)));
}

uint32_t LoweringContext::component(uint32_t value, uint32_t index) {
    const NumberShape shape = shapeOf(value);
    if (shape.count == 1)
        return newIdOf(value);
    return extract(newTypeFor(shape.component()), newIdOf(value), index);
}

uint32_t LoweringContext::asInt32(uint32_t value, const NumberShape& shape, bool isSigned) {
    const uint32_t own = editor.intType(32, shape.isSigned);
    const uint32_t wanted = editor.intType(32, isSigned);
    if (shape.width == 32)
        return bitcast(wanted, value);
    if (!shape.isLowered)
        return emit(isSigned ? spv::OpSConvert : spv::OpUConvert, wanted, {value});
    if (isSigned == shape.isSigned)
        return bitcast(wanted, value);
    NumberShape other = shape;
    other.isSigned = isSigned;
    return wrapped(bitcast(own, value), other);
}

uint32_t LoweringContext::wrapped(uint32_t value, const NumberShape& shape) {
    const uint32_t type = editor.intType(32, shape.isSigned);
    value = bitcast(type, value);
    if (shape.width == 32)
        return value;
    if (!shape.isSigned)
        return emit(spv::OpBitwiseAnd, type, {value, word((1u << shape.width) - 1)});
    return emit(spv::OpBitFieldSExtract, type, {value, word(0), word(shape.width)});
}

uint32_t LoweringContext::asIndex(uint32_t value) {
    return shapeOf(value).isLoweredWide() ? low(newIdOf(value)) : newIdOf(value);
}

std::vector<uint32_t> LoweringContext::wordsOf(uint32_t value, const NumberShape& shape) {
    if (shape.isWide()) {
        const uint32_t both = bitcast(pairType(), value);
        return {low(both), high(both)};
    }
    if (shape.width == 32)
        return {bitcast(wordType(), value)};
    if (!shape.isLowered)
        return {emit(spv::OpUConvert, wordType(),
                     {bitcast(editor.intType(shape.width, false), value)})};
    if (shape.isFloat())
        return {call("kp_f32_to_f16", {value})};
    return {asInt32(value, shape, false)};
}

uint32_t LoweringContext::ofWords(const std::vector<uint32_t>& words, const NumberShape& shape) {
    const uint32_t type = newTypeFor(shape);
    if (shape.isWide())
        return bitcast(type, pair(words[0], words[1]));
    if (shape.width == 32)
        return bitcast(type, words[0]);
    if (!shape.isLowered)
        return bitcast(type, emit(spv::OpUConvert, editor.intType(shape.width, false), {words[0]}));
    if (shape.isFloat())
        return call("kp_f16_to_f32", {words[0]});
    return wrapped(words[0], shape);
}

} // namespace kp::shader
