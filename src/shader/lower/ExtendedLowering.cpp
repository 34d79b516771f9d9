// SPDX-License-Identifier: Apache-2.0
#include "shader/lower/ExtendedLowering.hpp"

#include <vector>

#include <spirv_cross/GLSL.std.450.h>

#include "shader/lower/Doubles.hpp"
#include "shader/lower/WideIntegers.hpp"

namespace kp::shader {
namespace {

/// Returns true for functions that give a half exactly for halves.
bool isExact(uint32_t instruction) {
    switch (instruction) {
    case GLSLstd450Round:
    case GLSLstd450RoundEven:
    case GLSLstd450Trunc:
    case GLSLstd450FAbs:
    case GLSLstd450FSign:
    case GLSLstd450Floor:
    case GLSLstd450Ceil:
    case GLSLstd450Modf:
    case GLSLstd450Frexp:
    case GLSLstd450FMin:
    case GLSLstd450FMax:
    case GLSLstd450FClamp:
    case GLSLstd450NMin:
    case GLSLstd450NMax:
    case GLSLstd450NClamp:
    case GLSLstd450Step:
        return true;
    default:
        return false;
    }
}

std::vector<uint32_t> newIds(const LoweringContext& context, const Node& node, size_t first) {
    std::vector<uint32_t> ids;
    for (size_t i = first; i < node.operands.size(); ++i)
        ids.push_back(context.newIdOf(node.operands[i]));
    return ids;
}

/// Emits the instruction as it is, and then makes each component one of the narrow type again.
void keepNarrow(LoweringContext& context, const Node& node, const NumberShape& result) {
    const uint32_t raw =
        context.extended(context.newIdOf(node.type), node.operand(1), newIds(context, node, 2));
    context.perComponent(node, [&](uint32_t i) {
        const uint32_t one = result.count == 1
                                 ? raw
                                 : context.extract(context.newTypeFor(result.component()), raw, i);
        return result.isFloat() ? context.roundedToHalf(one)
                                : context.wrapped(one, result.component());
    });
}

/// Replaces functions that change between doubles and other types, or that have two results.
bool lowerDoubleParts(LoweringContext& context, const Node& node) {
    const uint32_t value = node.operand(2);
    switch (node.operand(1)) {
    case GLSLstd450PackDouble2x32: // the pair itself
        context.finish(node, context.newIdOf(value));
        return true;
    case GLSLstd450UnpackDouble2x32:
        context.finish(node, context.newIdOf(value));
        return true;
    case GLSLstd450Ldexp: {
        const NumberShape exponent = context.shapeOf(node.operand(3)).component();
        context.perComponent(node, [&](uint32_t i) {
            return context.call(
                "kp_f64_ldexp",
                {context.component(value, i),
                 context.asInt32(context.component(node.operand(3), i), exponent, true)});
        });
        return true;
    }
    case GLSLstd450FrexpStruct: {
        const Node& members = context.definitionOf(node.type);
        if (context.shapeOf(value).count != 1 || members.operands.size() != 2)
            context.refuse("frexp of vectors of doubles");
        const uint32_t fraction =
            context.call("kp_f64_frexp_significand", {context.newIdOf(value)});
        const uint32_t exponent =
            context.bitcast(context.newIdOf(members.operand(1)),
                            context.call("kp_f64_frexp_exponent", {context.newIdOf(value)}));
        context.finish(node, context.construct(context.newIdOf(node.type), {fraction, exponent}));
        return true;
    }
    case GLSLstd450Modf:
    case GLSLstd450Frexp:
    case GLSLstd450ModfStruct:
        context.refuse("modf or frexp of doubles through a pointer");
    default:
        return false;
    }
}

} // namespace

bool lowerExtended(LoweringContext& context, const Node& node) {
    const uint32_t instruction = node.operand(1);
    const NumberShape result = context.shapeOfType(node.type);
    const NumberShape first = context.shapeOf(node.operand(2));
    const bool ofDoubles =
        (first.isLoweredWide() && first.isFloat()) || (result.isLoweredWide() && result.isFloat());
    if (ofDoubles && lowerDoubleParts(context, node))
        return true;
    const bool isWide = first.isLoweredWide() || result.isLoweredWide();
    if (isWide) {
        if (first.count != result.count)
            context.refuse("length, distance or another function of vectors of doubles");
        context.perComponent(node, [&](uint32_t i) {
            std::vector<uint32_t> values;
            for (size_t operand = 2; operand < node.operands.size(); ++operand)
                values.push_back(context.component(node.operands[operand], i));
            return ofDoubles ? doubleFunction(context, instruction, values)
                             : wideFunction(context, instruction, values);
        });
        return true;
    }
    if (!result.isLowered || (result.isFloat() && isExact(instruction)))
        return false;
    keepNarrow(context, node, result);
    return true;
}

} // namespace kp::shader
