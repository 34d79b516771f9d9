// SPDX-License-Identifier: Apache-2.0
#include "shader/check/values/FiniteChecks.hpp"

#include <algorithm>
#include <string>
#include <string_view>

#include <spirv_cross/GLSL.std.450.h>

namespace kp::shader {
namespace {

constexpr std::string_view kLibraryPrefix = "kp_";
constexpr uint32_t kExponent = 0x7f800000; ///< all ones in NaN and infinity

const char* functionName(uint32_t function) {
    switch (function) {
    case GLSLstd450Sqrt:
        return "square root";
    case GLSLstd450InverseSqrt:
        return "inverse square root";
    case GLSLstd450Log:
    case GLSLstd450Log2:
        return "logarithm";
    case GLSLstd450Determinant:
        return "determinant";
    case GLSLstd450MatrixInverse:
        return "inverse";
    case GLSLstd450Reflect:
        return "reflection";
    case GLSLstd450Refract:
        return "refraction";
    case GLSLstd450Cross:
        return "cross product";
    case GLSLstd450Ldexp:
        return "product with a power of 2";
    case GLSLstd450FMix:
        return "mix";
    case GLSLstd450SmoothStep:
        return "smooth step";
    case GLSLstd450Degrees:
        return "conversion to degrees";
    case GLSLstd450Tan:
        return "tangent";
    case GLSLstd450Exp:
    case GLSLstd450Exp2:
        return "exponential";
    case GLSLstd450Pow:
        return "power";
    case GLSLstd450Asin:
    case GLSLstd450Acos:
    case GLSLstd450Acosh:
    case GLSLstd450Atanh:
        return "inverse of a trigonometric or hyperbolic function";
    case GLSLstd450Sinh:
    case GLSLstd450Cosh:
        return "hyperbolic function";
    case GLSLstd450Fma:
        return "sum of a product";
    case GLSLstd450Length:
    case GLSLstd450Distance:
        return "length";
    case GLSLstd450Normalize:
        return "normalized vector";
    default:
        return nullptr;
    }
}

} // namespace

FiniteChecks::FiniteChecks(CheckContext& context) : mContext(context) {
    for (const Node& each : context.editor.imports)
        if (textOf(each, 0) == "GLSL.std.450")
            mFunctions = each.result;
    for (const Node& each : context.editor.functions)
        if (each.opcode == spv::OpFunction && context.name(each.result).starts_with(kLibraryPrefix))
            mLibrary.insert(each.result);
}

const char* FiniteChecks::nameOf(const Node& node) const {
    switch (node.opcode) {
    case spv::OpFAdd:
        return "sum";
    case spv::OpFSub:
        return "difference";
    case spv::OpFMul:
    case spv::OpVectorTimesScalar:
    case spv::OpMatrixTimesScalar:
    case spv::OpVectorTimesMatrix:
    case spv::OpMatrixTimesVector:
    case spv::OpMatrixTimesMatrix:
    case spv::OpOuterProduct:
        return "product";
    case spv::OpFDiv:
        return "quotient";
    case spv::OpFRem:
    case spv::OpFMod:
        return "remainder";
    case spv::OpDot:
        return "dot product";
    case spv::OpExtInst:
        return node.operand(0) == mFunctions ? functionName(node.operand(1)) : nullptr;
    default:
        return nullptr;
    }
}

bool FiniteChecks::isFloat(uint32_t type) const {
    const Node* node = mContext.editor.global(type);
    while (node && (node->opcode == spv::OpTypeVector || node->opcode == spv::OpTypeMatrix))
        node = mContext.editor.global(node->operand(0));
    return node && node->opcode == spv::OpTypeFloat && node->operand(0) == 32;
}

void FiniteChecks::check(Node& node, std::vector<Node>& before) {
    if (node.opcode == spv::OpFunction)
        mInLibrary = mLibrary.contains(node.result);
    if (mInLibrary)
        return;
    if (node.opcode == spv::OpFunctionCall) {
        checkCall(node, before);
        return;
    }
    const char* const name = nameOf(node);
    if (!name || !isFloat(node.type))
        return;
    std::vector<Operand> operands;
    for (size_t i = node.opcode == spv::OpExtInst ? 2 : 0; i < node.operands.size(); ++i)
        operands.push_back({node.operand(i), mContext.typeOf(node.operand(i))});
    if (!isFloat(operands[0].type))
        return;
    CheckSite site;
    site.kind = FaultKind::eNan;
    site.operation = name;
    site.value = FaultValue::eFloat;
    std::vector<uint32_t> arguments{function(node, operands), mContext.addSite(std::move(site))};
    for (const Operand& each : operands)
        arguments.push_back(each.id);
    std::erase_if(mContext.editor.decorations, [&](const Node& each) {
        return each.operand(0) == node.result && each.operand(1) == spv::DecorationNoContraction;
    });
    node = nodeOf(spv::OpFunctionCall, node.type, node.result, arguments);
}

void FiniteChecks::checkCall(Node& node, std::vector<Node>& before) {
    if (!mLibrary.contains(node.operand(0)) || !isFloat(node.type))
        return;
    std::vector<Operand> operands{{mContext.editor.newId(), node.type}}; // the result is the first
    for (size_t i = 1; i < node.operands.size(); ++i) {
        Operand given{node.operand(i), mContext.typeOf(node.operand(i))};
        const Node* const type = mContext.editor.global(given.type);
        if (type && type->opcode == spv::OpTypePointer && isFloat(type->operand(1))) {
            const uint32_t loaded = mContext.editor.newId();
            before.push_back(nodeOf(spv::OpLoad, type->operand(1), loaded, {given.id}));
            given = {loaded, type->operand(1)};
        }
        if (isFloat(given.type))
            operands.push_back(given);
    }
    if (operands.size() == 1)
        return;
    const std::string name = mContext.name(node.operand(0));
    CheckSite site;
    site.kind = FaultKind::eNan;
    site.operation =
        name.substr(kLibraryPrefix.size(), name.find('(') - kLibraryPrefix.size()) + "()";
    site.value = FaultValue::eFloat;
    const uint32_t checked = function(node, operands);
    std::vector<uint32_t> arguments{checked, mContext.addSite(std::move(site))};
    for (const Operand& each : operands)
        arguments.push_back(each.id);
    const uint32_t result = node.result;
    node.result = operands[0].id;
    before.push_back(node);
    node = nodeOf(spv::OpFunctionCall, node.type, result, arguments);
}

void FiniteChecks::addParts(FunctionWriter& code, uint32_t value, uint32_t type,
                            std::vector<uint32_t>& parts) {
    const Node* const shape = mContext.editor.global(type);
    if (shape->opcode == spv::OpTypeFloat) {
        parts.push_back(value);
        return;
    }
    for (uint32_t i = 0; i < shape->operand(1); ++i)
        addParts(code, code.extract(shape->operand(0), value, i), shape->operand(0), parts);
}

std::pair<uint32_t, uint32_t> FiniteChecks::finite(FunctionWriter& code, uint32_t value,
                                                   uint32_t type) {
    ModuleEditor& editor = mContext.editor;
    std::vector<uint32_t> parts;
    addParts(code, value, type, parts);
    const uint32_t word = mContext.uintType();
    const uint32_t exponent = editor.uintConstant(kExponent);
    uint32_t all = 0;
    uint32_t chosen = 0;
    for (size_t i = parts.size(); i-- > 0;) {
        const uint32_t bits = code.add(spv::OpBitcast, word, {parts[i]});
        const uint32_t masked = code.add(spv::OpBitwiseAnd, word, {bits, exponent});
        const uint32_t good = code.add(spv::OpINotEqual, editor.boolType(), {masked, exponent});
        chosen = all == 0 ? bits : code.add(spv::OpSelect, word, {good, chosen, bits});
        all = all == 0 ? good : code.add(spv::OpLogicalAnd, editor.boolType(), {all, good});
    }
    return {all, chosen};
}

uint32_t FiniteChecks::function(const Node& node, const std::vector<Operand>& operands) {
    const bool isExtended = node.opcode == spv::OpExtInst;
    const bool isCall = node.opcode == spv::OpFunctionCall;
    std::vector<uint32_t> key{node.opcode, node.type, isExtended ? node.operand(1) : 0};
    std::vector<uint32_t> types{mContext.uintType()};
    for (const Operand& each : operands)
        types.push_back(each.type);
    key.insert(key.end(), types.begin(), types.end());
    if (const uint32_t* const known = mContext.known(key))
        return *known;
    ModuleEditor& editor = mContext.editor;
    const uint32_t boolean = editor.boolType();
    FunctionWriter code(editor, node.type, types);
    uint32_t finiteOperands = 0;
    std::vector<uint32_t> given; // the bits of operands, for the report
    for (size_t i = isCall ? 1 : 0; i < operands.size(); ++i) {
        if (!isFloat(operands[i].type))
            continue;
        const auto [good, bits] = finite(code, code.parameter(i + 1), operands[i].type);
        finiteOperands =
            given.empty() ? good : code.add(spv::OpLogicalAnd, boolean, {finiteOperands, good});
        given.push_back(bits);
    }
    uint32_t result = code.parameter(1);
    if (!isCall) {
        Node operation = node;
        operation.result = 0;
        const size_t first = operation.operands.size() - operands.size();
        for (size_t i = 0; i < operands.size(); ++i)
            operation.operands[first + i] = code.parameter(i + 1);
        result = code.add(operation);
        if (!isExtended)
            editor.decorate(result, spv::DecorationNoContraction);
    }
    const auto checked = finite(code, result, node.type);
    const uint32_t finiteResult = checked.first;
    const uint32_t bits = checked.second;
    const uint32_t inherited = code.add(spv::OpLogicalNot, boolean, {finiteOperands});
    const uint32_t good = code.add(spv::OpLogicalOr, boolean, {finiteResult, inherited});
    const auto refuse = [&] {
        mContext.report(
            code, {code.parameter(0), editor.uintConstant(static_cast<uint32_t>(given.size())),
                   given[0], given.size() > 1 ? given[1] : mContext.zero(), mContext.zero(), bits});
        return 0u;
    };
    code.choose(
        good, 0, [] { return 0u; }, refuse);
    return mContext.add(key, code, result);
}

} // namespace kp::shader
