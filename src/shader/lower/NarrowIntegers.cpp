// SPDX-License-Identifier: Apache-2.0
#include "shader/lower/NarrowIntegers.hpp"

#include "base/Text.hpp"

namespace kp::shader {
namespace {

/// How an operation reads its operands.
enum class Reading { eAny, eSigned, eUnsigned };

Reading readingOf(spv::Op opcode) {
    switch (opcode) {
    case spv::OpSDiv:
    case spv::OpSRem:
    case spv::OpSMod:
    case spv::OpShiftRightArithmetic:
    case spv::OpSLessThan:
    case spv::OpSLessThanEqual:
    case spv::OpSGreaterThan:
    case spv::OpSGreaterThanEqual:
        return Reading::eSigned;
    case spv::OpUDiv:
    case spv::OpUMod:
    case spv::OpShiftRightLogical:
    case spv::OpULessThan:
    case spv::OpULessThanEqual:
    case spv::OpUGreaterThan:
    case spv::OpUGreaterThanEqual:
        return Reading::eUnsigned;
    default:
        return Reading::eAny;
    }
}

bool isShift(spv::Op opcode) {
    return opcode >= spv::OpShiftRightLogical && opcode <= spv::OpShiftLeftLogical;
}

} // namespace

uint32_t narrowOperation(LoweringContext& context, spv::Op opcode, const NumberShape& result,
                         const std::vector<uint32_t>& values,
                         const std::vector<NumberShape>& shapes) {
    const Reading reading = readingOf(opcode);
    const bool isSigned =
        reading == Reading::eAny ? shapes[0].isSigned : reading == Reading::eSigned;
    std::vector<uint32_t> operands;
    for (size_t i = 0; i < values.size(); ++i) {
        if (i == 1 && isShift(opcode))
            operands.push_back(shapes[1].isLoweredWide() ? context.low(values[1])
                               : shapes[1].isWide()
                                   ? context.emit(spv::OpUConvert, context.wordType(), {values[1]})
                                   : context.asInt32(values[1], shapes[1], false));
        else if (shapes[i].isWide() || (!shapes[0].isLowered && isShift(opcode)))
            operands.push_back(values[i]); // a native number, shifted by a lowered one
        else
            operands.push_back(context.asInt32(values[i], shapes[i], isSigned));
    }
    if (result.kind == NumberShape::Kind::eBool)
        return context.emit(opcode, context.boolType(), operands);
    if (!result.isLowered)
        return context.emit(opcode, context.newTypeFor(result), operands);
    const uint32_t computed = context.emit(opcode, context.editor.intType(32, isSigned), operands);
    return context.wrapped(computed, result);
}

} // namespace kp::shader
