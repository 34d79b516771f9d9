// SPDX-License-Identifier: Apache-2.0
#include "shader/check/CheckContext.hpp"

#include <algorithm>

namespace kp::shader {
namespace {

constexpr uint32_t kVersionWithAllInterfaces = 0x00010400;
constexpr uint32_t kVersionWithStorageBuffers = 0x00010300;

} // namespace

CheckContext::CheckContext(std::span<const uint32_t> spirv, const CheckKinds& checks)
    : editor(spirv), kinds(checks), lines(editor) {
    keepCompute();
    for (const Node& each : editor.functions)
        if (each.result != 0)
            mResults.emplace(each.result, each);
    for (const Node& each : editor.decorations)
        if (each.opcode == spv::OpDecorate && each.operand(1) == spv::DecorationNonUniform)
            mNonUniform.insert(each.operand(0));
    for (const Node& each : editor.names) {
        if (each.opcode == spv::OpName)
            mNames[each.operand(0)] = &each;
        if (each.opcode == spv::OpMemberName)
            mMemberNames[{each.operand(0), each.operand(1)}] = &each;
    }
    mReportSet = nextSet();
}

// Entry points of other kinds have no invocations that a report could name.
void CheckContext::keepCompute() {
    std::unordered_set<uint32_t> removed;
    for (const Node& each : editor.entryPoints)
        if (each.operand(0) != spv::ExecutionModelGLCompute)
            removed.insert(each.operand(1));
    for (const Node& each : editor.entryPoints)
        if (each.operand(0) == spv::ExecutionModelGLCompute)
            removed.erase(each.operand(1));
    std::erase_if(editor.entryPoints,
                  [](const Node& each) { return each.operand(0) != spv::ExecutionModelGLCompute; });
    std::erase_if(editor.executionModes,
                  [&](const Node& each) { return removed.contains(each.operand(0)); });
}

uint32_t CheckContext::nextSet() const {
    uint32_t next = 0;
    for (const Node& each : editor.decorations)
        if (each.opcode == spv::OpDecorate && each.operand(1) == spv::DecorationDescriptorSet)
            next = std::max(next, each.operand(2) + 1);
    return next;
}

const Node* CheckContext::definition(uint32_t id) const {
    const auto found = mResults.find(id);
    return found != mResults.end() ? &found->second : editor.global(id);
}

uint32_t CheckContext::typeOf(uint32_t id) const {
    const Node* const node = definition(id);
    return node ? node->type : 0;
}

bool CheckContext::isConstant(uint32_t id) const {
    const Node* const node = editor.global(id);
    return node && node->opcode >= spv::OpConstantTrue && node->opcode <= spv::OpSpecConstantOp;
}

bool CheckContext::isKnown(uint32_t id, uint32_t& value) const {
    const Node* const node = editor.global(id);
    if (node && node->opcode == spv::OpConstantNull && intType(node->type)) {
        value = 0;
        return true;
    }
    if (!node || node->opcode != spv::OpConstant || node->operands.size() != 1)
        return false;
    value = node->operand(0);
    return true;
}

const Node* CheckContext::intType(uint32_t type) const {
    const Node* node = editor.global(type);
    if (node && node->opcode == spv::OpTypeVector)
        node = editor.global(node->operand(0));
    return node && node->opcode == spv::OpTypeInt ? node : nullptr;
}

bool CheckContext::isStoredOnly(uint32_t type) const {
    const Node* node = editor.global(type);
    if (node && node->opcode == spv::OpTypeVector)
        node = editor.global(node->operand(0));
    if (!node || (node->opcode != spv::OpTypeInt && node->opcode != spv::OpTypeFloat) ||
        node->operand(0) >= 32)
        return false;
    const spv::Capability needed = node->opcode == spv::OpTypeFloat ? spv::CapabilityFloat16
                                   : node->operand(0) == 8          ? spv::CapabilityInt8
                                                                    : spv::CapabilityInt16;
    return !editor.hasCapability(static_cast<uint32_t>(needed));
}

bool CheckContext::holdsStoredOnly(uint32_t type) const {
    const Node* const node = editor.global(type);
    if (!node || (node->opcode != spv::OpTypeStruct && node->opcode != spv::OpTypeArray))
        return false;
    const size_t parts = node->opcode == spv::OpTypeStruct ? node->operands.size() : 1;
    for (size_t i = 0; i < parts; ++i)
        if (isStoredOnly(node->operands[i]) || holdsStoredOnly(node->operands[i]))
            return true;
    return false;
}

uint32_t CheckContext::widened(uint32_t type) {
    const Node node = *editor.global(type);
    if (node.opcode == spv::OpTypeVector)
        return editor.vectorType(widened(node.operand(0)), node.operand(1));
    return node.opcode == spv::OpTypeFloat ? editor.floatType(32)
                                           : editor.intType(32, node.operand(1) != 0);
}

spv::Op CheckContext::widening(uint32_t type) const {
    const Node* const number = intType(type);
    return !number ? spv::OpFConvert : number->operand(1) != 0 ? spv::OpSConvert : spv::OpUConvert;
}

const Node* CheckContext::decoration(uint32_t id, spv::Decoration wanted) const {
    for (const Node& each : editor.decorations)
        if (each.opcode == spv::OpDecorate && each.operand(0) == id &&
            each.operand(1) == static_cast<uint32_t>(wanted))
            return &each;
    return nullptr;
}

const Node* CheckContext::memberDecoration(uint32_t type, uint32_t member,
                                           spv::Decoration wanted) const {
    for (const Node& each : editor.decorations)
        if (each.opcode == spv::OpMemberDecorate && each.operand(0) == type &&
            each.operand(1) == member && each.operand(2) == static_cast<uint32_t>(wanted))
            return &each;
    return nullptr;
}

std::string CheckContext::name(uint32_t id) const {
    const auto found = mNames.find(id);
    return found == mNames.end() ? std::string() : textOf(*found->second, 1);
}

std::string CheckContext::memberName(uint32_t type, uint32_t member) const {
    const auto found = mMemberNames.find({type, member});
    return found == mMemberNames.end() ? std::string() : textOf(*found->second, 2);
}

uint32_t CheckContext::addSite(CheckSite site) {
    site.file = lines.file();
    site.line = lines.line();
    site.text = lines.text();
    sites.push_back(std::move(site));
    return editor.uintConstant(static_cast<uint32_t>(sites.size()));
}

const uint32_t* CheckContext::known(const std::vector<uint32_t>& key) const {
    const auto found = mFunctions.find(key);
    return found == mFunctions.end() ? nullptr : &found->second;
}

uint32_t CheckContext::add(const std::vector<uint32_t>& key, FunctionWriter& code, uint32_t value) {
    const uint32_t id = code.id();
    const std::vector<Node> body = code.finish(value);
    mBodies.insert(mBodies.end(), body.begin(), body.end());
    mFunctions.emplace(key, id);
    return id;
}

bool CheckContext::isWordPair(uint32_t type) const {
    const Node* const node = editor.global(type);
    const Node* const shape = intType(type);
    return shape && node->opcode == spv::OpTypeVector && node->operand(1) == 2 &&
           shape->operand(0) == 32;
}

std::pair<uint32_t, uint32_t> CheckContext::wordsOf(FunctionWriter& code, uint32_t value,
                                                    uint32_t type) {
    const Node* const shape = intType(type);
    const uint32_t width = shape->operand(0);
    const bool isSigned = shape->operand(1) != 0;
    const uint32_t word = uintType();
    if (isWordPair(type)) {
        const uint32_t component = editor.intType(32, isSigned);
        const auto part = [&](uint32_t index) {
            const uint32_t bits = code.extract(component, value, index);
            return isSigned ? code.add(spv::OpBitcast, word, {bits}) : bits;
        };
        const uint32_t low = part(0);
        return {low, part(1)};
    }
    if (width == 64) {
        const uint32_t wide = editor.intType(64, false);
        const uint32_t bits = isSigned ? code.add(spv::OpBitcast, wide, {value}) : value;
        const uint32_t upper =
            code.add(spv::OpShiftRightLogical, wide, {bits, editor.uintConstant(32)});
        return {code.add(spv::OpUConvert, word, {bits}), code.add(spv::OpUConvert, word, {upper})};
    }
    if (!isSigned)
        return {width == 32 ? value : code.add(spv::OpUConvert, word, {value}), zero()};
    const uint32_t number = editor.intType(32, true);
    const uint32_t full = width == 32 ? value : code.add(spv::OpSConvert, number, {value});
    const uint32_t bits = code.add(spv::OpBitcast, word, {full});
    const uint32_t sign =
        code.add(spv::OpShiftRightArithmetic, number, {full, editor.uintConstant(31)});
    return {bits, code.add(spv::OpBitcast, word, {sign})};
}

FaultValue CheckContext::valueKind(uint32_t type) const {
    const Node* const node = editor.global(type);
    if (!node || node->operand(0) != 32)
        return FaultValue::eNone;
    if (node->opcode == spv::OpTypeFloat)
        return FaultValue::eFloat;
    if (node->opcode != spv::OpTypeInt)
        return FaultValue::eNone;
    return node->operand(1) != 0 ? FaultValue::eInt : FaultValue::eUint;
}

uint32_t CheckContext::bitsOf(FunctionWriter& code, uint32_t value, uint32_t type) {
    switch (valueKind(type)) {
    case FaultValue::eNone:
        return zero();
    case FaultValue::eUint:
        return value;
    default:
        return code.add(spv::OpBitcast, uintType(), {value});
    }
}

Node CheckContext::callReport(const Fault& fault) {
    if (mReport == 0)
        mReport = reportFunction();
    std::vector<uint32_t> arguments{mReport};
    for (const uint32_t word :
         {fault.site, fault.check, fault.low, fault.high, fault.extent, fault.value})
        arguments.push_back(word == 0 ? zero() : word);
    return nodeOf(spv::OpFunctionCall, uintType(), editor.newId(), arguments);
}

uint32_t CheckContext::report(FunctionWriter& code, const Fault& fault) {
    return code.add(callReport(fault));
}

uint32_t CheckContext::reportBuffer() {
    if (mBuffer == 0)
        mBuffer = wordBuffer(0, kReportBufferWords);
    return mBuffer;
}

uint32_t CheckContext::wordBuffer(uint32_t binding, uint32_t count) {
    if (editor.version < kVersionWithStorageBuffers) {
        const std::vector<uint32_t> name = wordsOfText("SPV_KHR_storage_buffer_storage_class");
        if (std::ranges::find(editor.extensions, name, &Node::operands) == editor.extensions.end())
            editor.extensions.push_back(literalNode(spv::OpExtension, 0, 0, name));
    }
    const uint32_t words = editor.define(
        count == 0 ? nodeOf(spv::OpTypeRuntimeArray, 0, 0, {uintType()})
                   : nodeOf(spv::OpTypeArray, 0, 0, {uintType(), editor.uintConstant(count)}));
    editor.decorate(words, spv::DecorationArrayStride, {4});
    const uint32_t block = editor.define(nodeOf(spv::OpTypeStruct, 0, 0, {words}));
    editor.decorate(block, spv::DecorationBlock);
    Node offset = literalNode(spv::OpMemberDecorate, 0, 0, {block, 0, spv::DecorationOffset, 0});
    offset.ids[0] = true;
    editor.decorations.push_back(offset);
    const uint32_t pointer = editor.pointerType(spv::StorageClassStorageBuffer, block);
    const uint32_t variable =
        editor.define(literalNode(spv::OpVariable, pointer, 0, {spv::StorageClassStorageBuffer}));
    editor.decorate(variable, spv::DecorationDescriptorSet, {mReportSet});
    editor.decorate(variable, spv::DecorationBinding, {binding});
    if (editor.version >= kVersionWithAllInterfaces)
        addToInterface(variable);
    return variable;
}

uint32_t CheckContext::counter() {
    const uint32_t pointer = editor.pointerType(spv::StorageClassPrivate, uintType());
    const uint32_t variable = editor.define(
        {spv::OpVariable, pointer, 0, {spv::StorageClassPrivate, zero()}, {false, true}});
    if (editor.version >= kVersionWithAllInterfaces)
        addToInterface(variable);
    return variable;
}

void CheckContext::requireCapability(spv::Capability capability) {
    const auto wanted = static_cast<uint32_t>(capability);
    if (!editor.hasCapability(wanted))
        editor.capabilities.push_back(literalNode(spv::OpCapability, 0, 0, {wanted}));
}

uint32_t CheckContext::deviceScope() {
    // The Vulkan memory model has the scope Device with a capability alone.
    const bool vulkanModel = !editor.memoryModel.empty() &&
                             editor.memoryModel.front().operand(1) == spv::MemoryModelVulkan;
    return editor.uintConstant(vulkanModel ? spv::ScopeQueueFamily : spv::ScopeDevice);
}

uint32_t CheckContext::builtin(FunctionWriter& code, spv::BuiltIn kind, uint32_t axis) {
    const uint32_t variable = builtinVariable(kind);
    uint32_t type = editor.global(editor.global(variable)->type)->operand(1);
    uint32_t value = code.add(spv::OpLoad, type, {variable});
    if (editor.global(type)->opcode == spv::OpTypeVector) {
        type = editor.global(type)->operand(0);
        value = code.extract(type, value, axis);
    }
    return type == uintType() ? value : code.add(spv::OpBitcast, uintType(), {value});
}

uint32_t CheckContext::builtinVariable(spv::BuiltIn kind) {
    for (const Node& each : editor.decorations)
        if (each.opcode == spv::OpDecorate && each.operand(1) == spv::DecorationBuiltIn &&
            each.operand(2) == static_cast<uint32_t>(kind)) {
            const uint32_t variable = each.operand(0);
            addToInterface(variable);
            return variable;
        }
    if (kind == spv::BuiltInSubgroupId)
        requireCapability(spv::CapabilityGroupNonUniform);
    const bool isNumber =
        kind == spv::BuiltInLocalInvocationIndex || kind == spv::BuiltInSubgroupId;
    const uint32_t pointer = editor.pointerType(
        spv::StorageClassInput, isNumber ? uintType() : editor.vectorType(uintType(), 3));
    const uint32_t variable =
        editor.define(literalNode(spv::OpVariable, pointer, 0, {spv::StorageClassInput}));
    editor.decorate(variable, spv::DecorationBuiltIn, {static_cast<uint32_t>(kind)});
    addToInterface(variable);
    return variable;
}

void CheckContext::addToInterface(uint32_t variable) {
    for (Node& entry : editor.entryPoints) {
        bool known = false;
        for (size_t i = 2; i < entry.operands.size(); ++i)
            known |= entry.ids[i] && entry.operands[i] == variable;
        if (known)
            continue;
        entry.operands.push_back(variable);
        entry.ids.push_back(true);
    }
}

uint32_t CheckContext::reportFunction() {
    const uint32_t word = uintType();
    const uint32_t buffer = reportBuffer();
    const uint32_t pointer = editor.pointerType(spv::StorageClassStorageBuffer, word);
    FunctionWriter code(editor, word, std::vector<uint32_t>(6, word));
    const auto place = [&](uint32_t index) {
        return code.add(spv::OpAccessChain, pointer, {buffer, zero(), index});
    };
    const uint32_t scope = deviceScope();
    const uint32_t one = editor.uintConstant(1);
    const uint32_t slot = code.add(spv::OpAtomicIAdd, word, {place(zero()), scope, zero(), one});
    const uint32_t fits =
        code.add(spv::OpULessThan, editor.boolType(), {slot, editor.uintConstant(kMaxFaults)});
    const auto store = [&] {
        std::vector<uint32_t> values;
        for (size_t i = 0; i < 6; ++i)
            values.push_back(code.parameter(i));
        for (const spv::BuiltIn each :
             {spv::BuiltInGlobalInvocationId, spv::BuiltInLocalInvocationId})
            for (uint32_t axis = 0; axis < 3; ++axis)
                values.push_back(builtin(code, each, axis));
        const uint32_t begin =
            code.add(spv::OpIMul, word, {slot, editor.uintConstant(kFaultWords)});
        for (uint32_t i = 0; i < values.size(); ++i)
            code.add(spv::OpStore, 0,
                     {place(code.add(spv::OpIAdd, word, {begin, editor.uintConstant(i + 1)})),
                      values[i]});
        return 0u;
    };
    code.choose(fits, 0, store, [] { return 0u; });
    const uint32_t id = code.id();
    const std::vector<Node> body = code.finish(slot);
    mBodies.insert(mBodies.end(), body.begin(), body.end());
    return id;
}

CheckedModule CheckContext::finish() {
    editor.functions.insert(editor.functions.end(), mBodies.begin(), mBodies.end());
    return {editor.words(), mReportSet, std::move(sites)};
}

} // namespace kp::shader
