// SPDX-License-Identifier: Apache-2.0
#include "shader/reflect/VariableSizes.hpp"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "base/Text.hpp"
#include "shader/SpirvModule.hpp"
#include "shader/compile/LruCache.hpp"

namespace kp::shader {
namespace {

/// Larger sizes exceed every device's limit. They saturate, so that arithmetic cannot overflow.
constexpr uint64_t kMaxBytes = uint64_t{1} << 40;
constexpr size_t kMaxCachedBytes = 256 << 10;
/// validate() allows as much.
constexpr int kMaxDepth = 1000;

struct TypeSize {
    uint64_t bytes = 0;
    uint64_t alignment = 1;
};

class VariableSizes {
public:
    /// @param opaque  the size of types that have none in SPIR-V; if nothing, such sizes are
    ///                unknown
    VariableSizes(const SpirvModule& module, const std::map<uint32_t, uint64_t>& specialization,
                  std::optional<TypeSize> opaque = std::nullopt)
        : mGiven(specialization), mOpaque(opaque) {
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

    /// Returns true for arrays, and for structs with an array somewhere inside.
    bool hasArray(uint32_t type, int depth = 0) {
        const auto found = mTypes.find(type);
        if (found == mTypes.end() || depth > kMaxDepth)
            return false;
        if (found->second.opcode != spv::OpTypeStruct)
            return found->second.opcode == spv::OpTypeArray;
        const auto [known, isNew] = mHasArray.try_emplace(type, false);
        if (isNew) {
            bool any = false;
            for (size_t member = 2; member < found->second.size() && !any; ++member)
                any = hasArray(found->second.word(member), depth + 1);
            mHasArray[type] = any;
        }
        return mHasArray[type];
    }

    bool isConstant(uint32_t id) const { return mConstants.contains(id); }

    /// Whether a type is laid out by the shader (GL_EXT_shared_memory_block).
    bool isBlock(uint32_t type) const { return mBlocks.contains(type); }

    static void append(TypeSize& whole, const TypeSize& part) {
        whole.alignment = std::max(whole.alignment, part.alignment);
        whole.bytes = (whole.bytes + part.alignment - 1) / part.alignment * part.alignment;
        whole.bytes = std::min(whole.bytes + part.bytes, kMaxBytes);
    }

private:
    std::optional<TypeSize> findSize(uint32_t type, int depth) {
        const auto found = mTypes.find(type);
        if (depth > kMaxDepth)
            return std::nullopt;
        if (found == mTypes.end())
            return mOpaque;
        const Instruction& instruction = found->second;
        switch (instruction.opcode) {
        case spv::OpTypePointer:
            return TypeSize{8, 8};
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
            return mOpaque;
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
        if (!a || !isWord(instruction.word(1)))
            return std::nullopt;
        if (operation == spv::OpUConvert || operation == spv::OpSConvert)
            return bitsOf(instruction.word(4)) < 32 ? std::nullopt
                                                    : std::optional(*a & 0xffffffffu);
        if (!isWord(typeOf(instruction.word(4))))
            return std::nullopt;
        const uint32_t first = static_cast<uint32_t>(*a);
        switch (operation) {
        case spv::OpSNegate:
            return uint32_t{0} - first;
        case spv::OpNot:
            return static_cast<uint32_t>(~first);
        case spv::OpLogicalNot:
            return first == 0;
        default:
            break;
        }
        const std::optional<uint64_t> b = valueOf(instruction.word(5), depth + 1);
        if (!b || !isWord(typeOf(instruction.word(5))))
            return std::nullopt;
        return evaluate(operation, first, static_cast<uint32_t>(*b));
    }

    /// Returns the type of a constant, or 0.
    uint32_t typeOf(uint32_t constant) const {
        const auto found = mConstants.find(constant);
        return found == mConstants.end() ? 0 : found->second.word(1);
    }
    uint32_t bitsOf(uint32_t constant) const {
        const auto type = mTypes.find(typeOf(constant));
        return type == mTypes.end() ? 0 : type->second.word(2);
    }
    /// Whether a type is bool or an integer of 32 bits.
    bool isWord(uint32_t type) const {
        const auto found = mTypes.find(type);
        return found != mTypes.end() &&
               (found->second.opcode == spv::OpTypeBool ||
                (found->second.opcode == spv::OpTypeInt && found->second.word(2) == 32));
    }

    /// Wraps like 32-bit arithmetic in a shader.
    static std::optional<uint64_t> evaluate(uint32_t operation, uint32_t a, uint32_t b) {
        const int64_t signedA = static_cast<int32_t>(a);
        const int64_t signedB = static_cast<int32_t>(b);
        const auto wrapped = [](int64_t value) { return static_cast<uint32_t>(value); };
        switch (operation) {
        case spv::OpIAdd:
            return a + b;
        case spv::OpISub:
            return a - b;
        case spv::OpIMul:
            return static_cast<uint32_t>(uint64_t{a} * b);
        case spv::OpUDiv:
            return b ? std::optional<uint64_t>(a / b) : std::nullopt;
        case spv::OpSDiv:
            return b ? std::optional<uint64_t>(wrapped(signedA / signedB)) : std::nullopt;
        case spv::OpUMod:
            return b ? std::optional<uint64_t>(a % b) : std::nullopt;
        case spv::OpSRem:
            return b ? std::optional<uint64_t>(wrapped(signedA % signedB)) : std::nullopt;
        case spv::OpSMod: // has the sign of b
            return b ? std::optional<uint64_t>(wrapped((signedA % signedB + signedB) % signedB))
                     : std::nullopt;
        case spv::OpShiftRightLogical:
            return b < 32 ? a >> b : 0;
        case spv::OpShiftRightArithmetic:
            return wrapped(signedA >> std::min(b, 31u));
        case spv::OpShiftLeftLogical:
            return b < 32 ? a << b : 0;
        case spv::OpBitwiseOr:
            return a | b;
        case spv::OpBitwiseXor:
            return a ^ b;
        case spv::OpBitwiseAnd:
            return a & b;
        case spv::OpLogicalOr:
            return (a | b) != 0;
        case spv::OpLogicalAnd:
            return a != 0 && b != 0;
        case spv::OpLogicalEqual:
            return (a != 0) == (b != 0);
        case spv::OpLogicalNotEqual:
            return (a != 0) != (b != 0);
        case spv::OpIEqual:
            return a == b;
        case spv::OpINotEqual:
            return a != b;
        case spv::OpUGreaterThan:
            return a > b;
        case spv::OpSGreaterThan:
            return signedA > signedB;
        case spv::OpUGreaterThanEqual:
            return a >= b;
        case spv::OpSGreaterThanEqual:
            return signedA >= signedB;
        case spv::OpULessThan:
            return a < b;
        case spv::OpSLessThan:
            return signedA < signedB;
        case spv::OpULessThanEqual:
            return a <= b;
        case spv::OpSLessThanEqual:
            return signedA <= signedB;
        default:
            return std::nullopt;
        }
    }

    const std::map<uint32_t, uint64_t>& mGiven;
    const std::optional<TypeSize> mOpaque;
    std::unordered_map<uint32_t, uint32_t> mSpecIds;
    std::unordered_set<uint32_t> mBlocks;
    std::unordered_map<uint32_t, Instruction> mTypes;
    std::unordered_map<uint32_t, Instruction> mConstants;
    std::unordered_map<uint32_t, std::optional<TypeSize>> mSizes;
    std::unordered_map<uint32_t, std::optional<uint64_t>> mValues;
    std::unordered_map<uint32_t, bool> mHasArray;
};

/// An array of one invocation.
struct PrivateArray {
    uint32_t type = 0;
    uint32_t table = 0;   ///< the constant that is stored to all of it
    bool changes = false; ///< or may; it is more than a table then
};

struct PrivateFunction {
    std::vector<uint32_t> variables;
    std::vector<uint32_t> calls;
    double callers = 0; ///< how often it is reached
};

/// The variables and callees of a module's functions.
struct PrivateVariables {
    std::unordered_map<uint32_t, PrivateFunction> functions;
    std::unordered_map<uint32_t, PrivateArray> arrays;
    std::vector<uint32_t> global;

    PrivateVariables(const SpirvModule& module, VariableSizes& sizes);
    std::vector<uint32_t> calleesFirst(uint32_t function);
};

PrivateVariables::PrivateVariables(const SpirvModule& module, VariableSizes& sizes) {
    std::unordered_map<uint32_t, uint32_t> elements; // pointers into arrays
    const auto arrayOf = [&](uint32_t pointer) {
        const auto element = elements.find(pointer);
        const auto found = arrays.find(element == elements.end() ? pointer : element->second);
        return found == arrays.end() ? nullptr : &found->second;
    };
    PrivateFunction* current = nullptr;
    for (const Instruction& each : module.instructions) {
        switch (each.opcode) {
        case spv::OpFunction:
            current = &functions[each.word(2)];
            continue;
        case spv::OpVariable: {
            const uint32_t type = sizes.pointeeOf(each.word(1));
            const bool isLocal = each.word(3) == spv::StorageClassFunction;
            if (!sizes.hasArray(type) || (!isLocal && each.word(3) != spv::StorageClassPrivate) ||
                (isLocal && current == nullptr))
                continue;
            arrays[each.word(2)] = {type, each.word(4), false};
            (isLocal ? current->variables : global).push_back(each.word(2));
            continue;
        }
        default:
            break;
        }
        if (current == nullptr)
            continue;
        switch (each.opcode) {
        case spv::OpLoad:
            break;
        case spv::OpAccessChain:
        case spv::OpInBoundsAccessChain:
            if (arrayOf(each.word(3)) != nullptr) {
                const auto outer = elements.find(each.word(3));
                elements[each.word(2)] = outer == elements.end() ? each.word(3) : outer->second;
            }
            break;
        case spv::OpStore:
            if (PrivateArray* array = arrayOf(each.word(1))) {
                const bool isFirst = array->table == 0 && arrays.contains(each.word(1));
                if (isFirst && sizes.isConstant(each.word(2)))
                    array->table = each.word(2);
                else
                    array->changes = true;
            }
            break;
        default:
            if (each.opcode == spv::OpFunctionCall)
                current->calls.push_back(each.word(3));
            for (size_t i = 1; i < each.size(); ++i)
                if (PrivateArray* array = arrayOf(each.word(i)))
                    array->changes = true;
        }
    }
}

/// Returns the functions that one reaches, itself last. Without recursion, since a module may have
/// a chain of a million functions.
std::vector<uint32_t> PrivateVariables::calleesFirst(uint32_t function) {
    std::vector<uint32_t> order;
    std::unordered_set<uint32_t> seen{function};
    std::vector<std::pair<uint32_t, size_t>> stack{{function, 0}};
    while (!stack.empty()) {
        auto& [id, next] = stack.back();
        const std::vector<uint32_t>& calls = functions[id].calls;
        if (next == calls.size()) {
            order.push_back(id);
            stack.pop_back();
        } else if (const uint32_t callee = calls[next++]; seen.insert(callee).second) {
            stack.emplace_back(callee, 0);
        }
    }
    return order;
}

} // namespace

std::optional<uint64_t> sharedMemoryBytes(std::span<const uint32_t> spirv,
                                          const std::map<uint32_t, uint64_t>& specialization) {
    return sharedMemoryBytes(parseSpirv(spirv), specialization);
}

std::optional<uint64_t> sharedMemoryBytes(const SpirvModule& module,
                                          const std::map<uint32_t, uint64_t>& specialization) {
    VariableSizes sizes(module, specialization);
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
            VariableSizes::append(all, *size);
    }
    return all.bytes + blocks;
}

std::optional<uint64_t> privateArrayBytes(const SpirvModule& module, uint32_t function,
                                          const std::map<uint32_t, uint64_t>& specialization) {
    // Cooperative matrices, ray queries and the like: their size per invocation is not known.
    VariableSizes sizes(module, specialization, TypeSize{64, 4});
    PrivateVariables variables(module, sizes);
    std::unordered_set<uint32_t> tables;
    double bytes = 0;
    bool known = true;
    const auto add = [&](uint32_t variable, double count) {
        const PrivateArray& array = variables.arrays[variable];
        if (array.table != 0 && !array.changes)
            count = tables.insert(array.table).second ? 1 : 0;
        const std::optional<TypeSize> size = sizes.sizeOf(array.type);
        known = known && size;
        bytes += size ? count * static_cast<double>(size->bytes) : 0;
    };
    for (const uint32_t variable : variables.global)
        add(variable, 1);
    std::vector<uint32_t> order = variables.calleesFirst(function);
    std::ranges::reverse(order);
    variables.functions[function].callers = 1;
    for (const uint32_t id : order) {
        const PrivateFunction& each = variables.functions[id];
        for (const uint32_t callee : each.calls)
            variables.functions[callee].callers += each.callers;
        for (const uint32_t variable : each.variables)
            add(variable, each.callers);
    }
    if (!known)
        return std::nullopt;
    return static_cast<uint64_t>(std::min(bytes, static_cast<double>(kMaxBytes)));
}

VariableBytes variableBytesCached(std::span<const uint32_t> spirv, const Hash& contentKey,
                                  const std::string& entryPoint,
                                  const std::map<uint32_t, uint64_t>& specialization) {
    static auto& cache = *new LruCache<VariableBytes>(kMaxCachedBytes);
    std::string text = entryPoint;
    for (const auto& [id, bits] : specialization)
        text += formatted(" {}={}", id, bits);
    const Hash key{contentKey.low, hashBytes(text.data(), text.size(), contentKey.high).low};
    if (const auto found = cache.get(key))
        return *found;
    const SpirvModule module = parseSpirv(spirv);
    const VariableBytes made{
        sharedMemoryBytes(module, specialization),
        privateArrayBytes(module, module.compute(entryPoint)->function, specialization)};
    cache.put(key, made, sizeof made);
    return made;
}

} // namespace kp::shader
