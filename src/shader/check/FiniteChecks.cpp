// SPDX-License-Identifier: Apache-2.0
#include "shader/check/FiniteChecks.hpp"

#include <algorithm>

#include <spirv_cross/GLSL.std.450.h>

namespace kp::shader {
namespace {

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
}

const char* FiniteChecks::nameOf(const Node& node) const {
    switch (node.opcode) {
    case spv::OpFAdd:
        return "sum";
    case spv::OpFSub:
        return "difference";
    case spv::OpFMul:
    case spv::OpVectorTimesScalar:
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
    if (node && node->opcode == spv::OpTypeVector)
        node = mContext.editor.global(node->operand(0));
    return node && node->opcode == spv::OpTypeFloat && node->operand(0) == 32;
}

void FiniteChecks::check(Node& node) {
    const char* const name = nameOf(node);
    if (!name || !isFloat(node.type))
        return;
    const size_t first = node.opcode == spv::OpExtInst ? 2 : 0;
    const std::vector<uint32_t> operands(node.operands.begin() + static_cast<ptrdiff_t>(first),
                                         node.operands.end());
    if (!std::ranges::all_of(operands, [&](uint32_t id) { return isFloat(mContext.typeOf(id)); }))
        return;
    CheckSite site;
    site.kind = FaultKind::eNan;
    site.operation = name;
    site.value = FaultValue::eFloat;
    std::vector<uint32_t> arguments{function(node, operands), mContext.addSite(std::move(site))};
    arguments.insert(arguments.end(), operands.begin(), operands.end());
    std::erase_if(mContext.editor.decorations, [&](const Node& each) {
        return each.operand(0) == node.result && each.operand(1) == spv::DecorationNoContraction;
    });
    node = nodeOf(spv::OpFunctionCall, node.type, node.result, arguments);
}

std::pair<uint32_t, uint32_t> FiniteChecks::finite(FunctionWriter& code, uint32_t value,
                                                   uint32_t type) {
    ModuleEditor& editor = mContext.editor;
    const Node* const shape = editor.global(type);
    const bool isVector = shape->opcode == spv::OpTypeVector;
    const uint32_t count = isVector ? shape->operand(1) : 1;
    const uint32_t component = isVector ? shape->operand(0) : type;
    const uint32_t word = mContext.uintType();
    const uint32_t exponent = editor.uintConstant(kExponent);
    uint32_t all = 0;
    uint32_t chosen = 0;
    for (uint32_t i = count; i-- > 0;) {
        const uint32_t part = isVector ? code.extract(component, value, i) : value;
        const uint32_t bits = code.add(spv::OpBitcast, word, {part});
        const uint32_t masked = code.add(spv::OpBitwiseAnd, word, {bits, exponent});
        const uint32_t good = code.add(spv::OpINotEqual, editor.boolType(), {masked, exponent});
        chosen = all == 0 ? bits : code.add(spv::OpSelect, word, {good, chosen, bits});
        all = all == 0 ? good : code.add(spv::OpLogicalAnd, editor.boolType(), {all, good});
    }
    return {all, chosen};
}

uint32_t FiniteChecks::function(const Node& node, const std::vector<uint32_t>& operands) {
    const bool calls = node.opcode == spv::OpExtInst;
    std::vector<uint32_t> key{node.opcode, node.type, calls ? node.operand(1) : 0};
    std::vector<uint32_t> types{mContext.uintType()};
    for (const uint32_t each : operands)
        types.push_back(mContext.typeOf(each));
    key.insert(key.end(), types.begin(), types.end());
    if (const uint32_t* const known = mContext.known(key))
        return *known;
    ModuleEditor& editor = mContext.editor;
    const uint32_t boolean = editor.boolType();
    FunctionWriter code(editor, node.type, types);
    Node operation = node;
    operation.result = 0;
    uint32_t finiteOperands = 0;
    uint32_t first = mContext.zero();
    uint32_t second = mContext.zero();
    for (size_t i = 0; i < operands.size(); ++i) {
        operation.operands[operation.operands.size() - operands.size() + i] = code.parameter(i + 1);
        const auto [good, bits] = finite(code, code.parameter(i + 1), types[i + 1]);
        finiteOperands =
            i == 0 ? good : code.add(spv::OpLogicalAnd, boolean, {finiteOperands, good});
        (i == 0 ? first : second) = bits;
    }
    const uint32_t result = code.add(operation);
    if (!calls)
        editor.decorate(result, spv::DecorationNoContraction);
    const auto checked = finite(code, result, node.type);
    const uint32_t finiteResult = checked.first;
    const uint32_t bits = checked.second;
    const uint32_t inherited = code.add(spv::OpLogicalNot, boolean, {finiteOperands});
    const uint32_t good = code.add(spv::OpLogicalOr, boolean, {finiteResult, inherited});
    const auto refuse = [&] {
        mContext.report(code, {code.parameter(0),
                               editor.uintConstant(static_cast<uint32_t>(operands.size())), first,
                               second, mContext.zero(), bits});
        return 0u;
    };
    code.choose(
        good, 0, [] { return 0u; }, refuse);
    return mContext.add(key, code, result);
}

} // namespace kp::shader
