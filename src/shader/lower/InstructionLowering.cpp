// SPDX-License-Identifier: Apache-2.0
#include "shader/lower/InstructionLowering.hpp"

#include <algorithm>
#include <vector>

#include "base/Text.hpp"
#include "shader/SpirvModule.hpp"
#include "shader/lower/CompositeLowering.hpp"
#include "shader/lower/ConversionLowering.hpp"
#include "shader/lower/Doubles.hpp"
#include "shader/lower/ExtendedLowering.hpp"
#include "shader/lower/NarrowIntegers.hpp"
#include "shader/lower/WideIntegers.hpp"

namespace kp::shader {
namespace {

/// Returns true for instructions that move values of any type.
bool movesValues(uint32_t opcode) {
    switch (opcode) {
    case spv::OpPhi:
    case spv::OpLoad:
    case spv::OpStore:
    case spv::OpVariable:
    case spv::OpCopyMemory:
    case spv::OpCopyObject:
    case spv::OpCopyLogical:
    case spv::OpUndef:
    case spv::OpFunction:
    case spv::OpFunctionParameter:
    case spv::OpFunctionCall:
    case spv::OpReturnValue:
    case spv::OpGroupNonUniformAllEqual:
    case spv::OpGroupNonUniformBroadcast:
    case spv::OpGroupNonUniformBroadcastFirst:
    case spv::OpGroupNonUniformShuffle:
    case spv::OpGroupNonUniformShuffleXor:
    case spv::OpGroupNonUniformShuffleUp:
    case spv::OpGroupNonUniformShuffleDown:
    case spv::OpGroupNonUniformQuadBroadcast:
    case spv::OpGroupNonUniformQuadSwap:
        return true;
    default:
        return false;
    }
}

bool isOfSubgroup(uint32_t opcode) {
    return opcode >= spv::OpGroupNonUniformElect && opcode <= spv::OpGroupNonUniformQuadSwap;
}

bool isConversion(uint32_t opcode) {
    return opcode >= spv::OpConvertFToU && opcode <= spv::OpFConvert;
}

bool isComposite(uint32_t opcode) {
    return opcode >= spv::OpVectorExtractDynamic && opcode <= spv::OpCompositeInsert;
}

/// Returns true for instructions with floats that give the nearest half if their float is rounded.
bool isRounded(uint32_t opcode) {
    return opcode == spv::OpFAdd || opcode == spv::OpFSub || opcode == spv::OpFMul ||
           opcode == spv::OpFDiv || opcode == spv::OpFRem || opcode == spv::OpFMod ||
           opcode == spv::OpDot || opcode == spv::OpVectorTimesScalar;
}

std::vector<uint32_t> valuesOf(LoweringContext& context, const Node& node, uint32_t index) {
    std::vector<uint32_t> values;
    for (const uint32_t each : node.operands)
        values.push_back(context.component(each, index));
    return values;
}

/// Multiplies vectors, or a vector by a number, of doubles.
bool lowerDoubleProduct(LoweringContext& context, const Node& node) {
    const uint32_t first = node.operand(0);
    const uint32_t second = node.operand(1);
    if (node.opcode == spv::OpVectorTimesScalar) {
        context.perComponent(node, [&](uint32_t i) {
            return context.call("kp_f64_mul",
                                {context.component(first, i), context.newIdOf(second)});
        });
        return true;
    }
    uint32_t sum = 0;
    for (uint32_t i = 0; i < context.shapeOf(first).count; ++i) {
        const uint32_t product =
            context.call("kp_f64_mul", {context.component(first, i), context.component(second, i)});
        sum = i == 0 ? product : context.call("kp_f64_add", {sum, product});
    }
    context.finish(node, sum);
    return true;
}

bool lowerSelect(LoweringContext& context, const Node& node, const NumberShape& result) {
    if (!result.isLoweredWide())
        return false;
    context.perComponent(node, [&](uint32_t i) {
        return context.select(context.pairType(), context.component(node.operand(0), i),
                              context.component(node.operand(1), i),
                              context.component(node.operand(2), i));
    });
    return true;
}

bool lowerAccessChain(LoweringContext& context, const Node& node) {
    const auto isWide = [&](uint32_t id) { return context.shapeOf(id).isLoweredWide(); };
    if (std::ranges::none_of(node.operands, isWide))
        return false;
    std::vector<uint32_t> operands{context.newIdOf(node.operand(0))};
    for (size_t i = 1; i < node.operands.size(); ++i)
        operands.push_back(context.asIndex(node.operands[i]));
    context.keep(nodeOf(static_cast<spv::Op>(node.opcode), context.newIdOf(node.type), node.result,
                        std::move(operands)));
    return true;
}

/// Rounds the result of a subgroup or an arithmetic instruction to its narrow type.
bool roundResult(LoweringContext& context, const Node& node, const NumberShape& result) {
    const std::vector<uint32_t> operands = [&] {
        std::vector<uint32_t> ids;
        for (size_t i = 0; i < node.operands.size(); ++i)
            ids.push_back(node.ids[i] ? context.newIdOf(node.operands[i]) : node.operands[i]);
        return ids;
    }();
    const uint32_t raw =
        context.emit(static_cast<spv::Op>(node.opcode), context.newIdOf(node.type), operands);
    context.lastIds(node.ids);
    context.perComponent(node, [&](uint32_t i) {
        const uint32_t one = result.count == 1
                                 ? raw
                                 : context.extract(context.newTypeFor(result.component()), raw, i);
        return result.isFloat() ? context.roundedToHalf(one)
                                : context.wrapped(one, result.component());
    });
    return true;
}

bool lowerArithmetic(LoweringContext& context, const Node& node, const NumberShape& result,
                     const NumberShape& first) {
    const auto opcode = static_cast<spv::Op>(node.opcode);
    const NumberShape& number = first.isNumber() ? first : result;
    if (number.isFloat() && !number.isWide()) {
        if (result.isLowered && isRounded(node.opcode))
            return roundResult(context, node, result);
        return false; // unchanged floats give halves, or compare them
    }
    if (number.isFloat() && (opcode == spv::OpDot || opcode == spv::OpVectorTimesScalar))
        return lowerDoubleProduct(context, node);
    std::vector<NumberShape> shapes;
    for (const uint32_t each : node.operands)
        shapes.push_back(context.shapeOf(each).component());
    context.perComponent(node, [&](uint32_t i) {
        const std::vector<uint32_t> values = valuesOf(context, node, i);
        if (number.isFloat())
            return doubleOperation(context, opcode, values);
        if (number.isWide() && number.isLowered)
            return wideOperation(context, opcode, values, shapes);
        return narrowOperation(context, opcode, result.component(), values, shapes);
    });
    return true;
}

} // namespace

bool lowerInstruction(LoweringContext& context, const Node& node) {
    const NumberShape result = context.shapeOfType(node.type);
    bool usesLowered = result.isLowered;
    bool usesWide = result.isLoweredWide();
    NumberShape first;
    for (size_t i = 0; i < node.operands.size(); ++i) {
        if (!node.ids[i])
            continue;
        const NumberShape shape = context.shapeOf(node.operands[i]);
        usesLowered = usesLowered || shape.isLowered;
        usesWide = usesWide || shape.isLoweredWide();
        if (i == 0)
            first = shape;
    }
    if (!usesLowered)
        return false;
    const bool wideVector = usesWide && (result.count > 1 || first.count > 1);
    switch (node.opcode) {
    case spv::OpAccessChain:
    case spv::OpInBoundsAccessChain:
        return lowerAccessChain(context, node);
    case spv::OpSelect:
        return lowerSelect(context, node, result);
    case spv::OpBitcast:
        return lowerBitcast(context, node);
    case spv::OpExtInst:
        return lowerExtended(context, node);
    case spv::OpConvertUToPtr:
    case spv::OpConvertPtrToU:
        if (!usesWide)
            break;
        context.keep(nodeOf(spv::OpBitcast, context.newIdOf(node.type), node.result,
                            {context.newIdOf(node.operand(0))}));
        return true;
    default:
        break;
    }
    if (isConversion(node.opcode)) {
        lowerConversion(context, node);
        return true;
    }
    if (isComposite(node.opcode))
        return lowerComposite(context, node);
    if (isAtomic(node.opcode) && usesWide)
        context.refuse("atomics of 64 bits");
    if (isOfSubgroup(node.opcode) && !movesValues(node.opcode)) {
        if (usesWide)
            context.refuse("subgroup arithmetic of 64 bits");
        return result.isLowered && roundResult(context, node, result);
    }
    if (isOfSubgroup(node.opcode) && wideVector)
        context.refuse("subgroup operations on vectors of 64-bit numbers");
    if (movesValues(node.opcode))
        return false;
    if (node.opcode >= spv::OpSNegate && node.opcode <= spv::OpFUnordGreaterThanEqual)
        return lowerArithmetic(context, node, result, first);
    if (node.opcode >= spv::OpShiftRightLogical && node.opcode <= spv::OpNot)
        return lowerArithmetic(context, node, result, first);
    context.refuse(formatted("the SPIR-V instruction {} with numbers", node.opcode));
}

} // namespace kp::shader
