// SPDX-License-Identifier: Apache-2.0
#include "shader/lower/ConversionLowering.hpp"

#include <vector>

namespace kp::shader {
namespace {

uint32_t floatType(LoweringContext& context) {
    return context.editor.floatType(32);
}

/// Returns any integer as a pair of words, read as signed or not.
uint32_t asPair(LoweringContext& context, uint32_t value, const NumberShape& from, bool isSigned) {
    if (from.isWide())
        return context.bitcast(context.pairType(), value);
    const uint32_t word = context.asInt32(value, from, isSigned);
    const uint32_t low = context.bitcast(context.wordType(), word);
    if (!isSigned)
        return context.pair(low, context.word(0));
    const uint32_t sign = context.emit(spv::OpShiftRightArithmetic,
                                       context.editor.intType(32, true), {word, context.word(31)});
    return context.pair(low, context.bitcast(context.wordType(), sign));
}

uint32_t integerToInteger(LoweringContext& context, const NumberShape& result, uint32_t value,
                          const NumberShape& from, bool isSigned) {
    const uint32_t type = context.newTypeFor(result);
    if (result.isWide())
        return context.bitcast(type, asPair(context, value, from, isSigned));
    const uint32_t word = from.isLoweredWide() ? context.low(value)
                          : from.isWide()
                              ? context.emit(spv::OpUConvert, context.wordType(), {value})
                              : context.asInt32(value, from, isSigned);
    if (result.isLowered || result.width == 32)
        return context.wrapped(word, result);
    const uint32_t narrow =
        context.emit(spv::OpUConvert, context.editor.intType(result.width, false),
                     {context.bitcast(context.wordType(), word)});
    return context.bitcast(type, narrow);
}

/// Returns a float of 16 or 32 bits, or a double, that has the value of an integer.
uint32_t integerToFloat(LoweringContext& context, const NumberShape& result, uint32_t value,
                        const NumberShape& from, bool isSigned) {
    const uint32_t type = context.newTypeFor(result);
    const spv::Op opcode = isSigned ? spv::OpConvertSToF : spv::OpConvertUToF;
    if (result.isWide()) {
        if (result.isLowered && !from.isWide())
            return context.call(isSigned ? "kp_i32_to_f64" : "kp_u32_to_f64",
                                {context.asInt32(value, from, isSigned)});
        if (!result.isLowered && !from.isWide())
            return context.emit(opcode, type, {context.asInt32(value, from, isSigned)});
        return context.bitcast(type, context.call(isSigned ? "kp_i64_to_f64" : "kp_u64_to_f64",
                                                  {asPair(context, value, from, isSigned)}));
    }
    const uint32_t made =
        from.isLoweredWide() ? context.call(isSigned ? "kp_i64_to_f32" : "kp_u64_to_f32", {value})
        : from.isWide()
            ? context.emit(opcode, floatType(context), {value})
            : context.emit(opcode, floatType(context), {context.asInt32(value, from, isSigned)});
    if (result.width == 32)
        return made;
    return result.isLowered ? context.roundedToHalf(made)
                            : context.emit(spv::OpFConvert, type, {made});
}

uint32_t floatToInteger(LoweringContext& context, const NumberShape& result, uint32_t value,
                        const NumberShape& from, bool isSigned) {
    const uint32_t type = context.newTypeFor(result);
    const uint32_t word = context.editor.intType(32, isSigned);
    const spv::Op opcode = isSigned ? spv::OpConvertFToS : spv::OpConvertFToU;
    if (from.width == 16 && !from.isLowered)
        value = context.emit(spv::OpFConvert, floatType(context), {value});
    if (result.isWide()) {
        if (!result.isLowered && !from.isLowered)
            return context.emit(opcode, type, {value});
        const uint32_t made =
            from.isWide() ? context.call(isSigned ? "kp_f64_to_i64" : "kp_f64_to_u64",
                                         {context.bitcast(context.pairType(), value)})
                          : context.call(isSigned ? "kp_f32_to_i64" : "kp_f32_to_u64", {value});
        return context.bitcast(type, made);
    }
    const uint32_t made = from.isLoweredWide()
                              ? context.call(isSigned ? "kp_f64_to_i32" : "kp_f64_to_u32", {value})
                              : context.emit(opcode, word, {value});
    NumberShape whole = result;
    whole.width = 32;
    whole.isSigned = isSigned;
    return integerToInteger(context, result, made, whole, isSigned);
}

uint32_t floatToFloat(LoweringContext& context, const NumberShape& result, uint32_t value,
                      const NumberShape& from) {
    const uint32_t type = context.newTypeFor(result);
    if (from.isWide()) {
        const uint32_t bits = context.bitcast(context.pairType(), value);
        if (result.isWide())
            return context.bitcast(type, bits);
        if (result.width == 16) {
            const uint32_t half = context.call("kp_f64_to_f16", {bits});
            NumberShape lowered = result;
            return context.ofWords({half}, lowered);
        }
        return context.call("kp_f64_to_f32", {bits});
    }
    const uint32_t single = from.width == 16 && !from.isLowered
                                ? context.emit(spv::OpFConvert, floatType(context), {value})
                                : value;
    if (result.isWide())
        return result.isLowered ? context.call("kp_f32_to_f64", {single})
                                : context.emit(spv::OpFConvert, type, {single});
    if (result.width == 32 || from.width == 16)
        return single;
    return result.isLowered ? context.roundedToHalf(single)
                            : context.emit(spv::OpFConvert, type, {single});
}

uint32_t converted(LoweringContext& context, spv::Op opcode, const NumberShape& result,
                   uint32_t value, const NumberShape& from) {
    switch (opcode) {
    case spv::OpConvertFToU:
    case spv::OpConvertFToS:
        return floatToInteger(context, result, value, from, opcode == spv::OpConvertFToS);
    case spv::OpConvertSToF:
    case spv::OpConvertUToF:
        return integerToFloat(context, result, value, from, opcode == spv::OpConvertSToF);
    case spv::OpUConvert:
    case spv::OpSConvert:
        return integerToInteger(context, result, value, from, opcode == spv::OpSConvert);
    default:
        return floatToFloat(context, result, value, from);
    }
}

} // namespace

void lowerConversion(LoweringContext& context, const Node& node) {
    const NumberShape result = context.shapeOfType(node.type).component();
    const NumberShape from = context.shapeOf(node.operand(0)).component();
    context.perComponent(node, [&](uint32_t i) {
        return converted(context, static_cast<spv::Op>(node.opcode), result,
                         context.component(node.operand(0), i), from);
    });
}

bool lowerBitcast(LoweringContext& context, const Node& node) {
    const uint32_t operand = node.operand(0);
    const NumberShape result = context.shapeOfType(node.type);
    const NumberShape from = context.shapeOf(operand);
    if (!result.isNumber() || !from.isNumber()) // pointers from or to pairs of words
        return false;
    if (result.width == from.width) {
        context.perComponent(node, [&](uint32_t i) {
            const uint32_t value = context.component(operand, i);
            return context.ofWords(context.wordsOf(value, from.component()), result.component());
        });
        return true;
    }
    // All bits, as words with the first component in the low bits.
    std::vector<uint32_t> words;
    for (uint32_t i = 0; i < from.count; ++i) {
        const std::vector<uint32_t> bits =
            context.wordsOf(context.component(operand, i), from.component());
        const uint32_t at = i * from.width % 32;
        if (at == 0) {
            words.insert(words.end(), bits.begin(), bits.end());
            continue;
        }
        const uint32_t shifted =
            context.emit(spv::OpShiftLeftLogical, context.wordType(), {bits[0], context.word(at)});
        words.back() = context.emit(spv::OpBitwiseOr, context.wordType(), {words.back(), shifted});
    }
    context.perComponent(node, [&](uint32_t i) {
        const uint32_t bit = i * result.width;
        if (result.isWide())
            return context.ofWords({words[bit / 32], words[bit / 32 + 1]}, result.component());
        uint32_t word = words[bit / 32];
        if (result.width < 32)
            word = context.emit(spv::OpBitFieldUExtract, context.wordType(),
                                {word, context.word(bit % 32), context.word(result.width)});
        return context.ofWords({word}, result.component());
    });
    return true;
}

} // namespace kp::shader
