// SPDX-License-Identifier: Apache-2.0
#include "shader/lower/Doubles.hpp"

#include <spirv_cross/GLSL.std.450.h>

#include "base/Text.hpp"

namespace kp::shader {
namespace {

uint32_t no(LoweringContext& context, uint32_t condition) {
    return context.emit(spv::OpLogicalNot, context.boolType(), {condition});
}

uint32_t less(LoweringContext& context, uint32_t a, uint32_t b) {
    return context.call("kp_f64_less", {a, b});
}

uint32_t lessEqual(LoweringContext& context, uint32_t a, uint32_t b) {
    return context.call("kp_f64_less_equal", {a, b});
}

/// True if one is less than the other: neither equal nor unordered.
uint32_t differ(LoweringContext& context, uint32_t a, uint32_t b) {
    return context.emit(spv::OpLogicalOr, context.boolType(),
                        {less(context, a, b), less(context, b, a)});
}

uint32_t unordered(LoweringContext& context, uint32_t a, uint32_t b) {
    return context.emit(spv::OpLogicalOr, context.boolType(),
                        {context.call("kp_f64_is_nan", {a}), context.call("kp_f64_is_nan", {b})});
}

uint32_t wholeDouble(LoweringContext& context, uint32_t highWord) {
    return context.pair(context.word(0), context.word(highWord));
}

} // namespace

uint32_t doubleOperation(LoweringContext& context, spv::Op opcode,
                         const std::vector<uint32_t>& values) {
    const uint32_t a = values[0];
    const uint32_t b = values.size() > 1 ? values[1] : 0;
    switch (opcode) {
    case spv::OpFNegate:
        return context.call("kp_f64_neg", {a});
    case spv::OpFAdd:
        return context.call("kp_f64_add", {a, b});
    case spv::OpFSub:
        return context.call("kp_f64_sub", {a, b});
    case spv::OpFMul:
        return context.call("kp_f64_mul", {a, b});
    case spv::OpFDiv:
        return context.call("kp_f64_div", {a, b});
    case spv::OpFRem:
        return context.call("kp_f64_rem", {a, b});
    case spv::OpFMod:
        return context.call("kp_f64_mod", {a, b});
    case spv::OpIsNan:
        return context.call("kp_f64_is_nan", {a});
    case spv::OpIsInf:
        return context.call("kp_f64_is_inf", {a});
    case spv::OpFOrdEqual:
        return context.call("kp_f64_equal", {a, b});
    case spv::OpFUnordNotEqual:
        return no(context, context.call("kp_f64_equal", {a, b}));
    case spv::OpFOrdNotEqual:
        return differ(context, a, b);
    case spv::OpFUnordEqual:
        return no(context, differ(context, a, b));
    case spv::OpFOrdLessThan:
        return less(context, a, b);
    case spv::OpFOrdGreaterThan:
        return less(context, b, a);
    case spv::OpFOrdLessThanEqual:
        return lessEqual(context, a, b);
    case spv::OpFOrdGreaterThanEqual:
        return lessEqual(context, b, a);
    case spv::OpFUnordLessThan:
        return no(context, lessEqual(context, b, a));
    case spv::OpFUnordGreaterThan:
        return no(context, lessEqual(context, a, b));
    case spv::OpFUnordLessThanEqual:
        return no(context, less(context, b, a));
    case spv::OpFUnordGreaterThanEqual:
        return no(context, less(context, a, b));
    case spv::OpOrdered:
        return no(context, unordered(context, a, b));
    case spv::OpUnordered:
        return unordered(context, a, b);
    default:
        context.refuse(
            formatted("the SPIR-V instruction {} with doubles", static_cast<uint32_t>(opcode)));
    }
}

uint32_t doubleFunction(LoweringContext& context, uint32_t instruction,
                        const std::vector<uint32_t>& values) {
    const uint32_t a = values[0];
    const auto called = [&](const char* name) { return context.call(name, values); };
    switch (instruction) {
    case GLSLstd450FAbs:
        return called("kp_f64_abs");
    case GLSLstd450FSign:
        return called("kp_f64_sign");
    case GLSLstd450Floor:
        return called("kp_f64_floor");
    case GLSLstd450Ceil:
        return called("kp_f64_ceil");
    case GLSLstd450Trunc:
        return called("kp_f64_trunc");
    case GLSLstd450Round:
    case GLSLstd450RoundEven:
        return called("kp_f64_round_even");
    case GLSLstd450Fract:
        return called("kp_f64_fract");
    case GLSLstd450Sqrt:
        return called("kp_f64_sqrt");
    case GLSLstd450InverseSqrt:
        return context.call("kp_f64_div",
                            {wholeDouble(context, 0x3ff00000u), called("kp_f64_sqrt")});
    case GLSLstd450Fma:
        return called("kp_f64_fma");
    case GLSLstd450FMin:
    case GLSLstd450NMin:
        return called("kp_f64_min");
    case GLSLstd450FMax:
    case GLSLstd450NMax:
        return called("kp_f64_max");
    case GLSLstd450FClamp:
    case GLSLstd450NClamp:
        return context.call("kp_f64_min", {context.call("kp_f64_max", {a, values[1]}), values[2]});
    case GLSLstd450FMix: {
        const uint32_t rest =
            context.call("kp_f64_sub", {wholeDouble(context, 0x3ff00000u), values[2]});
        return context.call("kp_f64_add", {context.call("kp_f64_mul", {a, rest}),
                                           context.call("kp_f64_mul", {values[1], values[2]})});
    }
    case GLSLstd450Step:
        return context.select(context.pairType(), less(context, values[1], a),
                              wholeDouble(context, 0), wholeDouble(context, 0x3ff00000u));
    default:
        context.refuse(formatted("the function {} of GLSL.std.450 with doubles", instruction));
    }
}

} // namespace kp::shader
