// SPDX-License-Identifier: Apache-2.0
#include "shader/check/MemoryLayout.hpp"

#include <algorithm>

namespace kp::shader {
namespace {

constexpr size_t kMaxOffsets = 16; ///< of one access

bool isNumber(uint32_t opcode) {
    return opcode == spv::OpTypeInt || opcode == spv::OpTypeFloat || opcode == spv::OpTypeBool;
}

/// Reads the layout of types. Memory without one has its numbers one after the other.
class LayoutReader {
public:
    LayoutReader(const CheckContext& context, uint32_t elementBytes)
        : mContext(context), mElementBytes(elementBytes) {}

    bool failed() const { return mFailed; }

    /// Returns how many numbers a type has.
    uint32_t count(uint32_t type) {
        const Node* const node = mContext.editor.global(type);
        uint32_t total = 0;
        if (!node || mFailed) {
            mFailed = true;
        } else if (isNumber(node->opcode)) {
            total = 1;
        } else if (node->opcode == spv::OpTypeVector || node->opcode == spv::OpTypeMatrix) {
            total = node->operand(1) * count(node->operand(0));
        } else if (node->opcode == spv::OpTypeStruct) {
            for (const uint32_t member : node->operands)
                total += count(member);
        } else {
            uint32_t extent = 0;
            mFailed |=
                node->opcode != spv::OpTypeArray || !mContext.isKnown(node->operand(1), extent);
            total = mFailed ? 0 : extent * count(node->operand(0));
        }
        return total;
    }

    /// Goes from a type to what an index of it gives.
    /// @param member  of a struct
    /// @return the type
    uint32_t step(uint32_t type, uint32_t index, uint32_t member, AccessedNumbers& numbers) {
        const Node& node = *mContext.editor.global(type);
        ScaledIndex scaled{index, 1, {}};
        switch (node.opcode) {
        case spv::OpTypeStruct:
            numbers.first += memberOffset(node, member);
            return node.operand(member);
        case spv::OpTypeArray:
        case spv::OpTypeRuntimeArray:
            arrayStride(node, scaled);
            break;
        case spv::OpTypeMatrix:
            scaled.factor = columnStride(node);
            break;
        case spv::OpTypeVector:
            scaled.factor = componentStride(node);
            break;
        default:
            mFailed = true;
            return 0;
        }
        numbers.indices.push_back(std::move(scaled));
        return node.operand(0);
    }

    /// Appends the numbers of a type.
    void append(uint32_t type, uint32_t offset, std::vector<uint32_t>& part,
                AccessedNumbers& numbers) {
        const Node* const node = mContext.editor.global(type);
        if (mFailed || !node || numbers.offsets.size() >= kMaxOffsets) {
            mFailed = true;
            return;
        }
        if (isNumber(node->opcode)) {
            numbers.offsets.push_back(offset);
            numbers.bytes.push_back(node->opcode == spv::OpTypeBool ? 4 : node->operand(0) / 8);
            numbers.parts.push_back(part);
            return;
        }
        uint32_t count = 0;
        uint32_t stride = 0;
        ScaledIndex scaled;
        switch (node->opcode) {
        case spv::OpTypeStruct:
            for (uint32_t i = 0; i < node->operands.size(); ++i) {
                part.push_back(i);
                append(node->operand(i), offset + memberOffset(*node, i), part, numbers);
                part.pop_back();
            }
            return;
        case spv::OpTypeArray:
            arrayStride(*node, scaled);
            stride = scaled.factor;
            mFailed |= !scaled.extents.empty() || !mContext.isKnown(node->operand(1), count);
            break;
        case spv::OpTypeMatrix:
            count = node->operand(1);
            stride = columnStride(*node);
            break;
        case spv::OpTypeVector:
            count = node->operand(1);
            stride = componentStride(*node);
            break;
        default:
            mFailed = true;
        }
        for (uint32_t i = 0; i < count && !mFailed; ++i) {
            part.push_back(i);
            append(node->operand(0), offset + i * stride, part, numbers);
            part.pop_back();
        }
    }

private:
    uint32_t elements(uint32_t bytes) {
        mFailed |= bytes % mElementBytes != 0;
        return bytes / mElementBytes;
    }

    uint32_t memberOffset(const Node& type, uint32_t member) {
        if (mElementBytes == 0) {
            uint32_t offset = 0;
            for (uint32_t i = 0; i < member; ++i)
                offset += count(type.operand(i));
            return offset;
        }
        const Node* const stride =
            mContext.memberDecoration(type.result, member, spv::DecorationMatrixStride);
        mMatrixStride = stride ? stride->operand(3) : 0;
        mRowMajor =
            mContext.memberDecoration(type.result, member, spv::DecorationRowMajor) != nullptr;
        const Node* const offset =
            mContext.memberDecoration(type.result, member, spv::DecorationOffset);
        mFailed |= !offset;
        return offset ? elements(offset->operand(3)) : 0;
    }
    void arrayStride(const Node& type, ScaledIndex& scaled) {
        if (mElementBytes != 0) {
            const Node* const stride = mContext.decoration(type.result, spv::DecorationArrayStride);
            mFailed |= !stride;
            scaled.factor = stride ? elements(stride->operand(2)) : 0;
            return;
        }
        uint32_t inner = type.operand(0);
        while (const Node* const node = mContext.editor.global(inner)) {
            if (node->opcode != spv::OpTypeArray)
                break;
            scaled.extents.push_back(node->operand(1));
            inner = node->operand(0);
        }
        scaled.factor = count(inner);
        foldExtents(scaled);
    }
    /// Multiplies known numbers.
    void foldExtents(ScaledIndex& scaled) const {
        std::erase_if(scaled.extents, [&](uint32_t extent) {
            uint32_t known = 0;
            if (!mContext.isKnown(extent, known))
                return false;
            scaled.factor *= known;
            return true;
        });
    }
    uint32_t columnStride(const Node& matrix) {
        if (mElementBytes == 0)
            return count(matrix.operand(0));
        mFailed |= mMatrixStride == 0;
        mInMatrix = true;
        return mRowMajor ? numberElements(matrix.operand(0)) : elements(mMatrixStride);
    }
    uint32_t componentStride(const Node& vector) {
        if (mElementBytes == 0)
            return 1;
        return mInMatrix && mRowMajor ? elements(mMatrixStride) : numberElements(vector.result);
    }
    uint32_t numberElements(uint32_t vector) {
        const Node* const number =
            mContext.editor.global(mContext.editor.global(vector)->opcode == spv::OpTypeVector
                                       ? mContext.editor.global(vector)->operand(0)
                                       : vector);
        return elements(number->operand(0) / 8);
    }

    const CheckContext& mContext;
    const uint32_t mElementBytes;
    uint32_t mMatrixStride = 0; ///< of the last struct's member
    bool mRowMajor = false;
    bool mInMatrix = false;
    bool mFailed = false;
};

} // namespace

std::optional<uint32_t> smallestNumber(const CheckContext& context, uint32_t type) {
    const Node* const node = context.editor.global(type);
    if (!node)
        return std::nullopt;
    std::vector<uint32_t> parts;
    switch (node->opcode) {
    case spv::OpTypeInt:
    case spv::OpTypeFloat:
        return node->operand(0) / 8;
    case spv::OpTypeStruct:
        parts = node->operands;
        break;
    case spv::OpTypeVector:
    case spv::OpTypeMatrix:
    case spv::OpTypeArray:
    case spv::OpTypeRuntimeArray:
        parts = {node->operand(0)};
        break;
    default:
        return std::nullopt;
    }
    uint32_t smallest = 8;
    for (const uint32_t part : parts) {
        const std::optional<uint32_t> bytes = smallestNumber(context, part);
        if (!bytes)
            return std::nullopt;
        smallest = std::min(smallest, *bytes);
    }
    return smallest;
}

std::optional<uint32_t> numberCount(const CheckContext& context, uint32_t type) {
    LayoutReader reader(context, 0);
    const uint32_t count = reader.count(type);
    return reader.failed() ? std::nullopt : std::optional(count);
}

std::optional<AccessedNumbers> numbersOf(CheckContext& context, const AccessPath& path,
                                         uint32_t elementBytes) {
    LayoutReader reader(context, elementBytes);
    AccessedNumbers numbers;
    uint32_t type = context.editor.global(context.typeOf(path.base))->operand(1);
    for (const PathStep& step : path.steps) {
        if (type == 0)
            return std::nullopt;
        type = reader.step(type, step.index, step.member, numbers);
    }
    std::vector<uint32_t> part;
    reader.append(type, 0, part, numbers);
    const auto isIndex = [&](const ScaledIndex& each) {
        return context.intType(context.typeOf(each.index)) != nullptr;
    };
    if (reader.failed() || !std::ranges::all_of(numbers.indices, isIndex))
        return std::nullopt;
    return numbers;
}

} // namespace kp::shader
