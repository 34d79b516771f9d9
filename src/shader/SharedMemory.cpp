// SPDX-License-Identifier: Apache-2.0
#include "shader/SharedMemory.hpp"

#include <algorithm>
#include <unordered_map>

#include "shader/SpirvModule.hpp"
#include "shader/SpirvOpcodes.hpp"

namespace kp::shader {
namespace {

using namespace spirv;

/// Sizes above this are over every limit; arithmetic stays far from its bounds.
constexpr uint64_t kMaxBytes = uint64_t{1} << 40;
constexpr int kMaxDepth = 64;

struct TypeSize {
    uint64_t bytes = 0;
    uint64_t alignment = 1;
};

class Sizes {
public:
    Sizes(const SpirvModule& module, const std::map<uint32_t, uint64_t>& specialization)
        : mGiven(specialization) {
        for (const Instruction& each : module.instructions) {
            if (each.opcode == OpDecorate && each.word(2) == DecorationSpecId)
                mSpecIds[each.word(1)] = each.word(3);
            else if (each.opcode >= OpTypeBool && each.opcode <= OpTypePointer)
                mTypes.try_emplace(each.word(1), each);
            else if (each.opcode >= OpConstantTrue && each.opcode <= OpSpecConstantOp)
                mConstants.try_emplace(each.word(2), each);
        }
    }

    // Each is worked out once: a small module can make a deep tree of few parts.
    std::optional<TypeSize> sizeOf(uint32_t type, int depth = 0) {
        if (const auto known = mSizes.find(type); known != mSizes.end())
            return known->second;
        const std::optional<TypeSize> size = findSize(type, depth);
        mSizes[type] = size;
        return size;
    }

    /// What a pointer type points to; 0 where it is no pointer.
    uint32_t pointeeOf(uint32_t type) const {
        const auto found = mTypes.find(type);
        return found != mTypes.end() && found->second.opcode == OpTypePointer
                   ? found->second.word(3)
                   : 0;
    }

    static void append(TypeSize& whole, const TypeSize& part) {
        whole.alignment = std::max(whole.alignment, part.alignment);
        whole.bytes = (whole.bytes + part.alignment - 1) / part.alignment * part.alignment;
        whole.bytes = std::min(whole.bytes + part.bytes, kMaxBytes);
    }

private:
    std::optional<TypeSize> findSize(uint32_t type, int depth) {
        const auto found = mTypes.find(type);
        if (found == mTypes.end() || depth > kMaxDepth)
            return std::nullopt;
        const Instruction& is = found->second;
        switch (is.opcode) {
        case OpTypeBool:
            return TypeSize{4, 4};
        case OpTypeInt:
        case OpTypeFloat:
            return TypeSize{is.word(2) / 8, std::max(is.word(2) / 8, 1u)};
        case OpTypeVector:
        case OpTypeMatrix:
            return repeated(sizeOf(is.word(2), depth + 1), is.word(3));
        case OpTypeArray: {
            const std::optional<uint64_t> count = valueOf(is.word(3), depth + 1);
            return count ? repeated(sizeOf(is.word(2), depth + 1), *count) : std::nullopt;
        }
        case OpTypeStruct: {
            TypeSize whole;
            for (size_t member = 2; member < is.size(); ++member) {
                const std::optional<TypeSize> part = sizeOf(is.word(member), depth + 1);
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
        element->bytes = stride != 0 && count > kMaxBytes / stride ? kMaxBytes : stride * count;
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
        const Instruction& is = found->second;
        if (const auto specId = mSpecIds.find(id); specId != mSpecIds.end())
            if (const auto given = mGiven.find(specId->second); given != mGiven.end())
                return given->second;
        switch (is.opcode) {
        case OpConstantTrue:
        case OpSpecConstantTrue:
            return 1;
        case OpConstantFalse:
        case OpSpecConstantFalse:
            return 0;
        case OpConstant:
        case OpSpecConstant:
            return is.word(3) | uint64_t{is.word(4)} << 32;
        case OpSpecConstantOp:
            return evaluate(is, depth);
        default:
            return std::nullopt;
        }
    }

    std::optional<uint64_t> evaluate(const Instruction& is, int depth) {
        const uint32_t operation = is.word(3);
        if (operation == OpCompositeExtract) {
            const auto composite = mConstants.find(is.word(4));
            if (composite == mConstants.end() || is.size() != 6)
                return std::nullopt;
            return valueOf(composite->second.word(3 + size_t{is.word(5)}), depth + 1);
        }
        const std::optional<uint64_t> a = valueOf(is.word(4), depth + 1);
        if (operation == OpSelect) {
            if (!a)
                return std::nullopt;
            return valueOf(is.word(*a ? 5 : 6), depth + 1);
        }
        if (a && (operation == OpUConvert || operation == OpSConvert))
            return a;
        const std::optional<uint64_t> b = valueOf(is.word(5), depth + 1);
        if (!a || !b)
            return std::nullopt;
        return evaluate(operation, static_cast<uint32_t>(*a), static_cast<uint32_t>(*b));
    }

    /// Sizes have 32 bits, and the arithmetic wraps as a shader's does.
    static std::optional<uint64_t> evaluate(uint32_t operation, uint32_t a, uint32_t b) {
        switch (operation) {
        case OpIAdd:
            return a + b;
        case OpISub:
            return a - b;
        case OpIMul:
            return static_cast<uint32_t>(uint64_t{a} * b);
        case OpUDiv:
        case OpSDiv:
            return b ? std::optional<uint64_t>(a / b) : std::nullopt;
        case OpUMod:
        case OpSRem:
        case OpSMod:
            return b ? std::optional<uint64_t>(a % b) : std::nullopt;
        case OpShiftRightLogical:
        case OpShiftRightArithmetic:
            return b < 32 ? a >> b : 0;
        case OpShiftLeftLogical:
            return b < 32 ? a << b : 0;
        case OpBitwiseOr:
            return a | b;
        case OpBitwiseXor:
            return a ^ b;
        case OpBitwiseAnd:
            return a & b;
        case OpIEqual:
            return a == b;
        case OpINotEqual:
            return a != b;
        case OpUGreaterThan:
        case OpSGreaterThan:
            return a > b;
        case OpUGreaterThanEqual:
        case OpSGreaterThanEqual:
            return a >= b;
        case OpULessThan:
        case OpSLessThan:
            return a < b;
        case OpULessThanEqual:
        case OpSLessThanEqual:
            return a <= b;
        default:
            return std::nullopt;
        }
    }

    const std::map<uint32_t, uint64_t>& mGiven;
    std::unordered_map<uint32_t, uint32_t> mSpecIds;
    std::unordered_map<uint32_t, Instruction> mTypes;
    std::unordered_map<uint32_t, Instruction> mConstants;
    std::unordered_map<uint32_t, std::optional<TypeSize>> mSizes;
    std::unordered_map<uint32_t, std::optional<uint64_t>> mValues;
};

} // namespace

std::optional<uint64_t> sharedMemoryBytes(std::span<const uint32_t> spirv,
                                          const std::map<uint32_t, uint64_t>& specialization) {
    const SpirvModule module = parseSpirv(spirv);
    Sizes sizes(module, specialization);
    TypeSize all;
    for (const Instruction& each : module.instructions) {
        if (each.opcode != OpVariable || each.word(3) != StorageWorkgroup)
            continue;
        const std::optional<TypeSize> size = sizes.sizeOf(sizes.pointeeOf(each.word(1)));
        if (!size)
            return std::nullopt;
        Sizes::append(all, *size);
    }
    return all.bytes;
}

} // namespace kp::shader
