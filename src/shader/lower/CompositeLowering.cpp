// SPDX-License-Identifier: Apache-2.0
#include "shader/lower/CompositeLowering.hpp"

#include <algorithm>
#include <vector>

namespace kp::shader {
namespace {

bool isWideVector(const NumberShape& shape) {
    return shape.isLoweredWide() && shape.count > 1;
}

std::vector<uint32_t> componentsOf(LoweringContext& context, uint32_t value) {
    std::vector<uint32_t> parts;
    for (uint32_t i = 0; i < context.shapeOf(value).count; ++i)
        parts.push_back(context.component(value, i));
    return parts;
}

uint32_t isAt(LoweringContext& context, uint32_t index, uint32_t place) {
    const NumberShape shape = context.shapeOf(index);
    const uint32_t word = shape.isLoweredWide() ? context.low(context.newIdOf(index))
                          : shape.isWide()      ? context.emit(spv::OpUConvert, context.wordType(),
                                                               {context.newIdOf(index)})
                                           : context.asInt32(context.newIdOf(index), shape, false);
    return context.emit(spv::OpIEqual, context.boolType(), {word, context.word(place)});
}

} // namespace

bool lowerComposite(LoweringContext& context, const Node& node) {
    const NumberShape result = context.shapeOfType(node.type);
    const uint32_t first = node.operand(0);
    switch (node.opcode) {
    case spv::OpVectorShuffle: {
        if (!result.isLoweredWide())
            return false;
        std::vector<uint32_t> parts = componentsOf(context, first);
        const std::vector<uint32_t> others = componentsOf(context, node.operand(1));
        parts.insert(parts.end(), others.begin(), others.end());
        context.perComponent(node, [&](uint32_t i) {
            const uint32_t chosen = node.operand(2 + i);
            return chosen < parts.size() ? parts[chosen] : parts[0];
        });
        return true;
    }
    case spv::OpVectorExtractDynamic: {
        const bool lowIndex = context.shapeOf(node.operand(1)).isLoweredWide();
        if (!result.isLoweredWide() && !lowIndex)
            return false;
        const std::vector<uint32_t> parts = componentsOf(context, first);
        uint32_t chosen = parts[0];
        for (uint32_t i = 1; i < parts.size(); ++i)
            chosen = context.select(context.newIdOf(node.type), isAt(context, node.operand(1), i),
                                    parts[i], chosen);
        context.finish(node, chosen);
        return true;
    }
    case spv::OpVectorInsertDynamic: {
        if (!result.isLoweredWide())
            return false;
        context.perComponent(node, [&](uint32_t i) {
            return context.select(context.pairType(), isAt(context, node.operand(2), i),
                                  context.newIdOf(node.operand(1)), context.component(first, i));
        });
        return true;
    }
    case spv::OpCompositeConstruct: {
        const bool joins = std::ranges::any_of(
            node.operands, [&](uint32_t each) { return isWideVector(context.shapeOf(each)); });
        if (!isWideVector(result) || !joins)
            return false;
        std::vector<uint32_t> parts;
        for (const uint32_t each : node.operands) {
            const std::vector<uint32_t> of = componentsOf(context, each);
            parts.insert(parts.end(), of.begin(), of.end());
        }
        context.finish(node, context.construct(context.newIdOf(node.type), std::move(parts)));
        return true;
    }
    default:
        return false;
    }
}

} // namespace kp::shader
