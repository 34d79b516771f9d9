// SPDX-License-Identifier: Apache-2.0
#include "shader/lower/WideIntegers.hpp"

#include <spirv_cross/GLSL.std.450.h>

#include "base/Text.hpp"

namespace kp::shader {
namespace {

/// Adds, or subtracts, the low words with a carry into the high ones.
uint32_t sumOf(LoweringContext& context, bool subtracts, uint32_t a, uint32_t b) {
    const uint32_t word = context.wordType();
    const uint32_t both = context.resultPairType();
    const uint32_t carried = context.emit(subtracts ? spv::OpISubBorrow : spv::OpIAddCarry, both,
                                          {context.low(a), context.low(b)});
    const spv::Op opcode = subtracts ? spv::OpISub : spv::OpIAdd;
    const uint32_t high = context.emit(opcode, word, {context.high(a), context.high(b)});
    return context.pair(context.extract(word, carried, 0),
                        context.emit(opcode, word, {high, context.extract(word, carried, 1)}));
}

uint32_t negated(LoweringContext& context, uint32_t value) {
    return sumOf(context, true, context.pair(context.word(0), context.word(0)), value);
}

uint32_t lessThan(LoweringContext& context, bool isSigned, uint32_t a, uint32_t b) {
    return context.call(isSigned ? "kp_i64_less" : "kp_u64_less", {a, b});
}

uint32_t inverse(LoweringContext& context, uint32_t condition) {
    return context.emit(spv::OpLogicalNot, context.boolType(), {condition});
}

} // namespace

uint32_t wideOperation(LoweringContext& context, spv::Op opcode,
                       const std::vector<uint32_t>& values,
                       const std::vector<NumberShape>& shapes) {
    const uint32_t a = values[0];
    const uint32_t b = values.size() > 1 ? values[1] : 0;
    const uint32_t booleans = context.editor.vectorType(context.boolType(), 2);
    const auto count = [&] {
        return shapes[1].isLoweredWide() ? context.low(b)
               : shapes[1].isWide()      ? context.emit(spv::OpUConvert, context.wordType(), {b})
                                         : context.asInt32(b, shapes[1], false);
    };
    switch (opcode) {
    case spv::OpIAdd:
    case spv::OpISub:
        return sumOf(context, opcode == spv::OpISub, a, b);
    case spv::OpSNegate:
        return negated(context, a);
    case spv::OpIMul:
        return context.call("kp_i64_mul", {a, b});
    case spv::OpUDiv:
        return context.call("kp_u64_div", {a, b});
    case spv::OpSDiv:
        return context.call("kp_i64_div", {a, b});
    case spv::OpUMod:
        return context.call("kp_u64_rem", {a, b});
    case spv::OpSRem:
        return context.call("kp_i64_rem", {a, b});
    case spv::OpSMod:
        return context.call("kp_i64_mod", {a, b});
    case spv::OpShiftLeftLogical:
        return context.call("kp_i64_shl", {a, count()});
    case spv::OpShiftRightLogical:
        return context.call("kp_u64_shr", {a, count()});
    case spv::OpShiftRightArithmetic:
        return context.call("kp_i64_shr", {a, count()});
    case spv::OpBitwiseAnd:
    case spv::OpBitwiseOr:
    case spv::OpBitwiseXor:
        return context.emit(opcode, context.pairType(), {a, b});
    case spv::OpNot:
        return context.emit(opcode, context.pairType(), {a});
    case spv::OpIEqual:
        return context.emit(spv::OpAll, context.boolType(),
                            {context.emit(opcode, booleans, {a, b})});
    case spv::OpINotEqual:
        return context.emit(spv::OpAny, context.boolType(),
                            {context.emit(opcode, booleans, {a, b})});
    case spv::OpSLessThan:
    case spv::OpULessThan:
        return lessThan(context, opcode == spv::OpSLessThan, a, b);
    case spv::OpSGreaterThan:
    case spv::OpUGreaterThan:
        return lessThan(context, opcode == spv::OpSGreaterThan, b, a);
    case spv::OpSLessThanEqual:
    case spv::OpULessThanEqual:
        return inverse(context, lessThan(context, opcode == spv::OpSLessThanEqual, b, a));
    case spv::OpSGreaterThanEqual:
    case spv::OpUGreaterThanEqual:
        return inverse(context, lessThan(context, opcode == spv::OpSGreaterThanEqual, a, b));
    default:
        context.refuse(formatted("the SPIR-V instruction {} with 64-bit integers",
                                 static_cast<uint32_t>(opcode)));
    }
}

uint32_t wideFunction(LoweringContext& context, uint32_t instruction,
                      const std::vector<uint32_t>& values) {
    const uint32_t pair = context.pairType();
    const uint32_t zero = context.pair(context.word(0), context.word(0));
    const auto least = [&](bool isSigned, uint32_t a, uint32_t b) {
        return context.select(pair, lessThan(context, isSigned, b, a), b, a);
    };
    const auto greatest = [&](bool isSigned, uint32_t a, uint32_t b) {
        return context.select(pair, lessThan(context, isSigned, a, b), b, a);
    };
    const uint32_t a = values[0];
    switch (instruction) {
    case GLSLstd450SAbs:
        return context.select(pair, lessThan(context, true, a, zero), negated(context, a), a);
    case GLSLstd450SSign: {
        const uint32_t minus = context.pair(context.word(~0u), context.word(~0u));
        const uint32_t one = context.pair(context.word(1), context.word(0));
        const uint32_t positive = context.select(pair, lessThan(context, true, zero, a), one, zero);
        return context.select(pair, lessThan(context, true, a, zero), minus, positive);
    }
    case GLSLstd450SMin:
    case GLSLstd450UMin:
        return least(instruction == GLSLstd450SMin, a, values[1]);
    case GLSLstd450SMax:
    case GLSLstd450UMax:
        return greatest(instruction == GLSLstd450SMax, a, values[1]);
    case GLSLstd450SClamp:
    case GLSLstd450UClamp: {
        const bool isSigned = instruction == GLSLstd450SClamp;
        return least(isSigned, greatest(isSigned, a, values[1]), values[2]);
    }
    default:
        context.refuse(
            formatted("the function {} of GLSL.std.450 with 64-bit integers", instruction));
    }
}

} // namespace kp::shader
