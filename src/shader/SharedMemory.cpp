// SPDX-License-Identifier: Apache-2.0
#include "shader/SharedMemory.hpp"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "shader/SpirvModule.hpp"

namespace kp::shader {
namespace {

/// Larger sizes exceed every device's limit. They saturate, so that arithmetic cannot overflow.
constexpr uint64_t kMaxSharedBytes = uint64_t{1} << 40;
constexpr int kMaxDepth = 64;

struct TypeSize {
    uint64_t bytes = 0;
    uint64_t alignment = 1;
};

class SharedSizes {
public:
    SharedSizes(const SpirvModule& module, const std::map<uint32_t, uint64_t>& specialization)
        : mGiven(specialization) {
        for (const Instruction& each : module.instructions) {
            if (each.opcode == spv::OpDecorate && each.word(2) == spv::DecorationSpecId)
                mSpecIds[each.word(1)] = each.word(3);
            else if (each.opcode == spv::OpDecorate && each.word(2) == spv::DecorationBlock)
                mBlocks.insert(each.word(1));
            else if (each.opcode >= spv::OpTypeBool && each.opcode <= spv::OpTypePointer)
                mTypes.try_emplace(each.word(1), each);
            else if (each.opcode >= spv::OpConstantTrue && each.opcode <= spv::OpSpecConstantOp)
                mConstants.try_emplace(each.word(2), each);
        }
    }

    // Sizes are cached: a small module can define a huge tree of shared parts.
    std::optional<TypeSize> sizeOf(uint32_t type, int depth = 0) {
        if (const auto known = mSizes.find(type); known != mSizes.end())
            return known->second;
        const std::optional<TypeSize> size = findSize(type, depth);
        mSizes[type] = size;
        return size;
    }

    /// Returns the pointee of a pointer type; 0 for other types.
    uint32_t pointeeOf(uint32_t type) const {
        const auto found = mTypes.find(type);
        return found != mTypes.end() && found->second.opcode == spv::OpTypePointer
                   ? found->second.word(3)
                   : 0;
    }

    /// Whether a type is laid out by the shader (GL_EXT_shared_memory_block).
    bool isBlock(uint32_t type) const { return mBlocks.contains(type); }

    static void append(TypeSize& whole, const TypeSize& part) {
        whole.alignment = std::max(whole.alignment, part.alignment);
        whole.bytes = (whole.bytes + part.alignment - 1) / part.alignment * part.alignment;
        whole.bytes = std::min(whole.bytes + part.bytes, kMaxSharedBytes);
    }

private:
    std::optional<TypeSize> findSize(uint32_t type, int depth) {
        const auto found = mTypes.find(type);
        if (found == mTypes.end() || depth > kMaxDepth)
            return std::nullopt;
        const Instruction& instruction = found->second;
        switch (instruction.opcode) {
        case spv::OpTypeBool:
            return TypeSize{4, 4};
        case spv::OpTypeInt:
        case spv::OpTypeFloat:
            return TypeSize{instruction.word(2) / 8, std::max(instruction.word(2) / 8, 1u)};
        case spv::OpTypeVector:
        case spv::OpTypeMatrix:
            return repeated(sizeOf(instruction.word(2), depth + 1), instruction.word(3));
        case spv::OpTypeArray: {
            const std::optional<uint64_t> count = valueOf(instruction.word(3), depth + 1);
            return count ? repeated(sizeOf(instruction.word(2), depth + 1), *count) : std::nullopt;
        }
        case spv::OpTypeStruct: {
            TypeSize whole;
            for (size_t member = 2; member < instruction.size(); ++member) {
                const std::optional<TypeSize> part = sizeOf(instruction.word(member), depth + 1);
                if (!part)
                    return std::nullopt;
                append(whole, *part);
            }
            return whole;
        }
        default:
            return std::nullopt;
        }
    }

    static std::optional<TypeSize> repeated(std::optional<TypeSize> element, uint64_t count) {
        if (!element)
            return std::nullopt;
        const uint64_t stride =
            (element->bytes + element->alignment - 1) / element->alignment * element->alignment;
        element->bytes =
            stride != 0 && count > kMaxSharedBytes / stride ? kMaxSharedBytes : stride * count;
        return element;
    }

    std::optional<uint64_t> valueOf(uint32_t id, int depth) {
        if (const auto known = mValues.find(id); known != mValues.end())
            return known->second;
        const std::optional<uint64_t> value = findValue(id, depth);
        mValues[id] = value;
        return value;
    }

    std::optional<uint64_t> findValue(uint32_t id, int depth) {
        const auto found = mConstants.find(id);
        if (found == mConstants.end() || depth > kMaxDepth)
            return std::nullopt;
        const Instruction& instruction = found->second;
        if (const auto specId = mSpecIds.find(id); specId != mSpecIds.end()) {
            if (const auto given = mGiven.find(specId->second); given != mGiven.end())
                return given->second;
        }
        switch (instruction.opcode) {
        case spv::OpConstantTrue:
        case spv::OpSpecConstantTrue:
            return 1;
        case spv::OpConstantFalse:
        case spv::OpSpecConstantFalse:
            return 0;
        case spv::OpConstant:
        case spv::OpSpecConstant:
            return instruction.word(3) | uint64_t{instruction.word(4)} << 32;
        case spv::OpSpecConstantOp:
            return evaluate(instruction, depth);
        default:
            return std::nullopt;
        }
    }

    std::optional<uint64_t> evaluate(const Instruction& instruction, int depth) {
        const uint32_t operation = instruction.word(3);
        if (operation == spv::OpCompositeExtract) {
            const auto composite = mConstants.find(instruction.word(4));
            if (composite == mConstants.end() || instruction.size() != 6)
                return std::nullopt;
            return valueOf(composite->second.word(3 + size_t{instruction.word(5)}), depth + 1);
        }
        const std::optional<uint64_t> a = valueOf(instruction.word(4), depth + 1);
        if (operation == spv::OpSelect) {
            if (!a)
                return std::nullopt;
            return valueOf(instruction.word(*a ? 5 : 6), depth + 1);
        }
        if (a && (operation == spv::OpUConvert || operation == spv::OpSConvert))
            return a;
        const std::optional<uint64_t> b = valueOf(instruction.word(5), depth + 1);
        if (!a || !b)
            return std::nullopt;
        return evaluate(operation, static_cast<uint32_t>(*a), static_cast<uint32_t>(*b));
    }

    /// Wraps like 32-bit arithmetic in a shader.
    static std::optional<uint64_t> evaluate(uint32_t operation, uint32_t a, uint32_t b) {
        switch (operation) {
        case spv::OpIAdd:
            return a + b;
        case spv::OpISub:
            return a - b;
        case spv::OpIMul:
            return static_cast<uint32_t>(uint64_t{a} * b);
        case spv::OpUDiv:
        case spv::OpSDiv:
            return b ? std::optional<uint64_t>(a / b) : std::nullopt;
        case spv::OpUMod:
        case spv::OpSRem:
        case spv::OpSMod:
            return b ? std::optional<uint64_t>(a % b) : std::nullopt;
        case spv::OpShiftRightLogical:
        case spv::OpShiftRightArithmetic:
            return b < 32 ? a >> b : 0;
        case spv::OpShiftLeftLogical:
            return b < 32 ? a << b : 0;
        case spv::OpBitwiseOr:
            return a | b;
        case spv::OpBitwiseXor:
            return a ^ b;
        case spv::OpBitwiseAnd:
            return a & b;
        case spv::OpIEqual:
            return a == b;
        case spv::OpINotEqual:
            return a != b;
        case spv::OpUGreaterThan:
        case spv::OpSGreaterThan:
            return a > b;
        case spv::OpUGreaterThanEqual:
        case spv::OpSGreaterThanEqual:
            return a >= b;
        case spv::OpULessThan:
        case spv::OpSLessThan:
            return a < b;
        case spv::OpULessThanEqual:
        case spv::OpSLessThanEqual:
            return a <= b;
        default:
            return std::nullopt;
        }
    }

    const std::map<uint32_t, uint64_t>& mGiven;
    std::unordered_map<uint32_t, uint32_t> mSpecIds;
    std::unordered_set<uint32_t> mBlocks;
    std::unordered_map<uint32_t, Instruction> mTypes;
    std::unordered_map<uint32_t, Instruction> mConstants;
    std::unordered_map<uint32_t, std::optional<TypeSize>> mSizes;
    std::unordered_map<uint32_t, std::optional<uint64_t>> mValues;
};

} // namespace

std::optional<uint64_t> sharedMemoryBytes(std::span<const uint32_t> spirv,
                                          const std::map<uint32_t, uint64_t>& specialization) {
    return sharedMemoryBytes(parseSpirv(spirv), specialization);
}

std::optional<uint64_t> sharedMemoryBytes(const SpirvModule& module,
                                          const std::map<uint32_t, uint64_t>& specialization) {
    SharedSizes sizes(module, specialization);
    TypeSize all;
    uint64_t blocks = 0;
    for (const Instruction& each : module.instructions) {
        if (each.opcode != spv::OpVariable || each.word(3) != spv::StorageClassWorkgroup)
            continue;
        const uint32_t type = sizes.pointeeOf(each.word(1));
        const std::optional<TypeSize> size = sizes.sizeOf(type);
        if (!size)
            return std::nullopt;
        if (sizes.isBlock(type))
            blocks = std::max(blocks, size->bytes);
        else
            SharedSizes::append(all, *size);
    }
    return all.bytes + blocks;
}

} // namespace kp::shader
