// SPDX-License-Identifier: Apache-2.0
#include "shader/module/StraightFunctions.hpp"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "shader/SpirvModule.hpp"
#include "shader/module/StraightCode.hpp"

namespace kp::shader {
namespace {

constexpr size_t kBoundWord = 3; // of the header

using Words = std::vector<uint32_t>;

/// A function of the module, and its straight code if it has that.
struct StraightFunction {
    std::span<const Instruction> instructions;
    bool isTried = false;
    bool isStraight = false;
    std::vector<uint32_t> parameters;
    std::vector<Words> code;
    uint32_t returned = 0; ///< id
};

/// The variables of a function and the values that they have at a place in its code.
struct LocalVariables {
    struct Part {
        uint32_t variable;
        uint32_t index; ///< constant, of the component
    };
    std::unordered_map<uint32_t, uint32_t> values; ///< by variable; 0 before the first store
    std::unordered_map<uint32_t, Part> parts;      ///< by the pointer to a component
    std::unordered_map<uint32_t, uint32_t> types;  ///< of values, by variable
};

class Straightener {
public:
    explicit Straightener(std::span<const uint32_t> spirv)
        : mModule(parseSpirv(spirv)), mHeader(spirv.first(kSpirvHeaderWords)),
          mGlobals(spirv[kBoundWord]) {
        const std::vector<Instruction>& all = mModule.instructions;
        for (size_t i = 0; i < all.size(); ++i) {
            if (all[i].opcode != spv::OpFunction) {
                mGlobals.add(all[i]);
                continue;
            }
            mFirst = std::min(mFirst, i);
            size_t end = i;
            while (all[end].opcode != spv::OpFunctionEnd)
                ++end;
            mOrder.push_back(all[i].word(2));
            mFunctions[all[i].word(2)].instructions = {&all[i], end + 1 - i};
            i = end;
        }
    }

    Words words() {
        for (const uint32_t id : mOrder)
            straight(id);
        Words made(mHeader.begin(), mHeader.end());
        const auto append = [&](std::span<const uint32_t> more) {
            made.insert(made.end(), more.begin(), more.end());
        };
        for (size_t i = 0; i < std::min(mFirst, mModule.instructions.size()); ++i)
            if (const Instruction& each = mModule.instructions[i];
                each.opcode != spv::OpName || !mReplaced.contains(each.word(1)))
                append(each.words);
        append(mGlobals.added());
        for (const uint32_t id : mOrder) {
            const StraightFunction& function = mFunctions.at(id);
            for (const Instruction& each : function.instructions) {
                if (!function.isStraight || each.opcode == spv::OpFunction ||
                    each.opcode == spv::OpFunctionParameter || each.opcode == spv::OpFunctionEnd)
                    append(each.words);
                if (!function.isStraight || each.opcode != spv::OpLabel)
                    continue;
                append(each.words);
                for (const Words& line : function.code)
                    append(line);
                append(Words{instructionWord(spv::OpReturnValue, 2), function.returned});
            }
        }
        made[kBoundWord] = mGlobals.bound();
        return made;
    }

private:
    /// Returns a function with straight code; null if it cannot have that.
    const StraightFunction* straight(uint32_t id) {
        const auto found = mFunctions.find(id);
        if (found == mFunctions.end())
            return nullptr;
        StraightFunction& function = found->second;
        if (!function.isTried) {
            function.isTried = true; // also ends recursion
            function.isStraight = make(function);
            if (function.isStraight)
                for (const Instruction& each : function.instructions)
                    if (isPureOperation(each.opcode) || each.opcode == spv::OpVariable ||
                        each.opcode == spv::OpLoad || each.opcode == spv::OpAccessChain ||
                        each.opcode == spv::OpFunctionCall)
                        mReplaced.insert(each.word(2));
        }
        return function.isStraight ? &function : nullptr;
    }

    bool make(StraightFunction& function) {
        StraightCode code(mGlobals);
        LocalVariables variables;
        std::unordered_map<uint32_t, uint32_t> values; // of the function's own ids
        for (const Instruction& each : function.instructions) {
            switch (each.opcode) {
            case spv::OpFunction:
            case spv::OpLabel:
            case spv::OpLine:
            case spv::OpNoLine:
            case spv::OpFunctionEnd:
                break;
            case spv::OpFunctionParameter:
                function.parameters.push_back(each.word(2));
                code.addParameter(each.word(2), each.word(1));
                break;
            case spv::OpReturnValue:
                if (function.returned != 0)
                    return false;
                function.returned = valueOf(values, each.word(1));
                function.code = code.neededFor(function.returned);
                break;
            case spv::OpFunctionCall:
                if (!inlined(each, code, values))
                    return false;
                break;
            default:
                if (isPureOperation(each.opcode))
                    values[each.word(2)] = code.add(withValues(each.words, values));
                else if (!move(each, code, variables, values))
                    return false;
            }
        }
        return function.returned != 0;
    }

    static uint32_t valueOf(const std::unordered_map<uint32_t, uint32_t>& values, uint32_t id) {
        const auto found = values.find(id);
        return found == values.end() ? id : found->second;
    }

    static Words withValues(std::span<const uint32_t> words,
                            const std::unordered_map<uint32_t, uint32_t>& values) {
        Words made(words.begin(), words.end());
        const size_t literal = firstLiteral(made);
        const bool isExtended = (made[0] & 0xffff) == spv::OpExtInst;
        for (size_t i = 3; i < made.size(); ++i)
            if (i < literal || (isExtended && i > literal))
                made[i] = valueOf(values, made[i]);
        return made;
    }

    bool inlined(const Instruction& call, StraightCode& code,
                 std::unordered_map<uint32_t, uint32_t>& values) {
        const StraightFunction* const called = straight(call.word(3));
        if (!called)
            return false;
        std::unordered_map<uint32_t, uint32_t> inner;
        for (size_t i = 0; i < called->parameters.size(); ++i)
            inner[called->parameters[i]] = valueOf(values, call.word(4 + i));
        for (const Words& each : called->code)
            inner[each[2]] = code.add(withValues(each, inner));
        values[call.word(2)] = valueOf(inner, called->returned);
        return true;
    }

    /// Tracks the values of variables. @return false for other instructions
    bool move(const Instruction& each, StraightCode& code, LocalVariables& variables,
              std::unordered_map<uint32_t, uint32_t>& values) {
        switch (each.opcode) {
        case spv::OpVariable: {
            const Words* const pointer = mGlobals.find(each.word(1));
            if (!pointer || each.size() != 4)
                return false;
            variables.values[each.word(2)] = 0;
            variables.types[each.word(2)] = (*pointer)[3];
            return true;
        }
        case spv::OpAccessChain: {
            uint32_t index = 0;
            if (each.size() != 5 || !variables.values.contains(each.word(3)) ||
                !mGlobals.isConstant(each.word(4), index))
                return false;
            variables.parts[each.word(2)] = {each.word(3), index};
            return true;
        }
        case spv::OpLoad:
        case spv::OpStore: {
            const bool isLoad = each.opcode == spv::OpLoad;
            const uint32_t pointer = each.word(isLoad ? 3 : 1);
            const auto part = variables.parts.find(pointer);
            const bool isPart = part != variables.parts.end();
            const uint32_t name = isPart ? part->second.variable : pointer;
            const auto variable = variables.values.find(name);
            if (variable == variables.values.end())
                return false;
            uint32_t& held = variable->second;
            if (held == 0 && (isLoad || isPart))
                return false; // of a variable that nothing was stored to
            if (isLoad && isPart)
                values[each.word(2)] = code.add({instructionWord(spv::OpCompositeExtract, 5),
                                                 each.word(1), 0, held, part->second.index});
            else if (isLoad)
                values[each.word(2)] = held;
            else if (isPart)
                held =
                    code.add({instructionWord(spv::OpCompositeInsert, 6), variables.types.at(name),
                              0, valueOf(values, each.word(2)), held, part->second.index});
            else
                held = valueOf(values, each.word(2));
            return true;
        }
        default:
            return false;
        }
    }

    SpirvModule mModule;
    std::span<const uint32_t> mHeader;
    GlobalValues mGlobals;
    size_t mFirst = SIZE_MAX; ///< place of the first function
    std::vector<uint32_t> mOrder;
    std::unordered_map<uint32_t, StraightFunction> mFunctions;
    std::unordered_set<uint32_t> mReplaced; ///< ids that the module had
};

} // namespace

Words withStraightFunctions(std::span<const uint32_t> spirv) {
    return Straightener(spirv).words();
}

} // namespace kp::shader
