// SPDX-License-Identifier: Apache-2.0
#include "shader/interpret/FunctionCompiler.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "shader/interpret/FunctionCode.hpp"
#include "shader/module/StraightCode.hpp"

namespace kp::shader {
namespace {

class FunctionCompiler : FunctionCode {
public:
    FunctionCompiler(Interpretation& interpretation, uint32_t function)

        : FunctionCode(function), mAll(interpretation),
          mNodes(interpretation.functions.find(function)),
          mUses(interpretation.editor, mNodes, interpretation.types), mDying(mNodes.size() + 1) {}

    std::optional<InterpretedFunction> compile() {
        if (mNodes.empty() || !mUses.understood())
            return std::nullopt;
        mCode.registers = 1; // the place to return to
        for (size_t place = mNodes.size(); place-- > 0;)
            shareParts(place);
        for (mPlace = 0; mPlace < mNodes.size(); ++mPlace) {
            if (mFused) {
                mFused = false;
                endOfLives();
                continue;
            }
            if (!compile(mNodes[mPlace]))
                return std::nullopt;
            endOfLives();
        }
        return std::move(mCode);
    }

private:
    const RegisterTypes& types() const { return mAll.types; }
    uint32_t typeOf(uint32_t value) const { return mAll.functions.typeOf(value); }
    uint32_t countOf(uint32_t value) const { return types().count(typeOf(value)); }

    // --- Registers ---

    uint32_t take(uint32_t count) {
        if (count == 1 && !mFree.empty()) {
            const uint32_t index = mFree.back();
            mFree.pop_back();
            return index;
        }
        return std::exchange(mCode.registers, mCode.registers + count);
    }

    /// Parts of values are where these are, which live as long.
    void shareParts(size_t place) {
        const Node& node = mNodes[place];
        if (node.opcode != spv::OpCompositeExtract)
            return;
        const uint32_t whole = node.operand(0);
        if (isShared(node) && mUses.isLocal(node.result) && mUses.isLocal(whole))
            mUses.extend(whole, node.result, place);
    }

    /// Returns true for parts of values in several registers.
    bool isShared(const Node& node) const {
        return !types().isSingle(typeOf(node.operand(0))) && !types().constant(node.operand(0));
    }

    /// Gives a value that the current instruction computes its registers.
    uint32_t placeResult(const Node& node) {
        const uint32_t count = types().count(node.type);
        const uint32_t first = take(count);
        hold(node.result, first, count);
        return first;
    }

    void hold(uint32_t value, uint32_t first, uint32_t count) {
        mPlaces[value] = first;
        if (mUses.isLocal(value))
            mDying[mUses.lastUse(value, mPlace)].push_back({value, first, count});
    }

    void endOfLives() {
        for (const auto& [value, first, count] : mDying[mPlace]) {
            mPlaces.erase(value);
            for (uint32_t i = 0; i < count; ++i)
                mFree.push_back(first + i);
        }
    }

    /// Returns the first register of a value. Constants get one for the rest of a block.
    std::optional<uint32_t> registerOf(uint32_t value) {
        if (const auto found = mPlaces.find(value); found != mPlaces.end())
            return found->second;
        const auto words = types().constant(value);
        if (!words || words->empty())
            return std::nullopt;
        const auto count = static_cast<uint32_t>(words->size());
        const uint32_t first = take(count);
        for (uint32_t i = 0; i < count; ++i)
            constant(first + i, (*words)[i]);
        mPlaces[value] = first;
        mDying[mUses.lastUse(value, mPlace)].push_back({value, first, count});
        return first;
    }

    // --- Computations ---

    /// Adds a computation of values in one register each. @return false if that is impossible
    bool compute(const Node& node, const std::vector<bool>& isValue, uint32_t result,
                 const std::vector<uint32_t>& registers, std::vector<uint32_t> operandTypes) {
        if (registers.size() > Bytecode::kMaxValues || !types().isSingle(node.type) ||
            !std::ranges::all_of(operandTypes,
                                 [&](uint32_t each) { return types().isSingle(each); }))
            return false;
        Computation computation{node, isValue, std::move(operandTypes)};
        computation.node.result = 0;
        Operation made;
        made.opcode = mAll.bytecode.opcodeOf(std::move(computation));
        made.result = own(result);
        Register* const places[] = {&made.a, &made.b, &made.c};
        for (size_t i = 0; i < registers.size(); ++i)
            *places[i] = own(registers[i]);
        add(made);
        return true;
    }

    /// Returns the variable's register if the next instruction stores the result there, and nothing
    /// else uses it; else new ones.
    uint32_t resultOrVariable(const Node& node) {
        const Node& next = mNodes[mPlace + 1];
        const LocalPointer* const to =
            next.opcode == spv::OpStore ? mUses.pointer(next.operand(0)) : nullptr;
        if (!to || next.operand(1) != node.result || mUses.countOf(node.result) != 1 ||
            to->dynamic != 0 || to->component >= 0)
            return placeResult(node);
        mFused = true;
        return mPlaces.at(to->variable) + to->offset;
    }

    bool computed(const Node& node) {
        std::vector<bool> isValue;
        std::vector<uint32_t> registers, operandTypes;
        for (size_t i = 0; i < node.operands.size(); ++i) {
            const uint32_t type = node.ids[i] ? typeOf(node.operands[i]) : 0;
            const bool isFunction = node.opcode == spv::OpFunctionCall && i == 0;
            isValue.push_back(type != 0 && !isFunction);
            if (!isValue.back())
                continue;
            const auto at = registerOf(node.operands[i]);
            if (!at)
                return false;
            registers.push_back(*at);
            operandTypes.push_back(type);
        }
        return compute(node, isValue, resultOrVariable(node), registers, std::move(operandTypes));
    }

    // --- Memory ---

    bool load(const Node& node) {
        const LocalPointer* const from = mUses.pointer(node.operand(0));
        if (!from)
            return false;
        const uint32_t count = types().count(from->type);
        const uint32_t first = mPlaces.at(from->variable) + from->offset;
        if (from->component >= 0) {
            Node part{spv::OpCompositeExtract,
                      node.type,
                      0,
                      {0, static_cast<uint32_t>(from->component)},
                      {true, false}};
            return compute(part, {true, false}, resultOrVariable(node), {first}, {from->type});
        }
        if (from->dynamic != 0) {
            const auto index = registerOf(from->dynamic);
            if (!index)
                return false;
            indexed(Opcode::eLoadIndexed, own(placeResult(node)), own(*index), {}, first);
            return true;
        }
        // The value is read where it is, unless the variable changes before that.
        if (mUses.isLocal(node.result) &&
            !mUses.isWritten(from->variable, mPlace, mUses.lastUse(node.result, mPlace)))
            mPlaces[node.result] = first;
        else
            move(own(placeResult(node)), own(first), count);
        return count != 0;
    }

    bool store(const Node& node) {
        const LocalPointer* const to = mUses.pointer(node.operand(0));
        if (!to)
            return false;
        const uint32_t first = mPlaces.at(to->variable) + to->offset;
        if (to->component < 0 && to->dynamic == 0)
            if (const auto words = types().constant(node.operand(1))) {
                for (uint32_t i = 0; i < words->size(); ++i)
                    constant(first + i, (*words)[i]);
                return true;
            }
        const auto value = registerOf(node.operand(1));
        if (!value)
            return false;
        if (to->component >= 0) {
            Node part{spv::OpCompositeInsert,
                      to->type,
                      0,
                      {0, 0, static_cast<uint32_t>(to->component)},
                      {true, true, false}};
            return compute(part, {true, true, false}, first, {*value, first},
                           {typeOf(node.operand(1)), to->type});
        }
        if (to->dynamic != 0) {
            const auto index = registerOf(to->dynamic);
            if (!index)
                return false;
            indexed(Opcode::eStoreIndexed, {}, own(*value), own(*index), first);
            return true;
        }
        move(own(first), own(*value), countOf(node.operand(1)));
        return true;
    }

    // --- Values of several registers ---

    bool construct(const Node& node) {
        if (types().isSingle(node.type))
            return computed(node);
        uint32_t at = placeResult(node);
        for (const uint32_t part : node.operands) {
            const auto from = registerOf(part);
            const uint32_t count = countOf(part);
            if (!from || count == 0)
                return false;
            move(own(at), own(*from), count);
            at += count;
        }
        return at == mPlaces.at(node.result) + types().count(node.type);
    }

    /// Returns the place of a part among the registers of a value, or nothing.
    std::optional<uint32_t> offsetOf(uint32_t type, std::span<const uint32_t> indices) const {
        uint32_t offset = 0;
        for (const uint32_t index : indices) {
            const Node* const whole = mAll.editor.global(type);
            if (types().isSingle(type) || !whole)
                return std::nullopt;
            for (uint32_t i = 0; i < index; ++i)
                offset += types().count(whole->opcode == spv::OpTypeArray ? whole->operand(0)
                                                                          : whole->operand(i));
            type = whole->opcode == spv::OpTypeArray ? whole->operand(0) : whole->operand(index);
        }
        return offset;
    }

    bool extract(const Node& node) {
        const uint32_t whole = node.operand(0);
        if (types().isSingle(typeOf(whole)))
            return computed(node);
        const auto from = registerOf(whole);
        const auto offset = offsetOf(typeOf(whole), std::span(node.operands).subspan(1));
        const uint32_t count = types().count(node.type);
        if (!from || !offset || count == 0)
            return false;
        if (isShared(node) && mUses.isLocal(node.result) && mUses.isLocal(whole))
            mPlaces[node.result] = *from + *offset;
        else
            move(own(placeResult(node)), own(*from + *offset), count);
        return true;
    }

    bool insert(const Node& node) {
        if (types().isSingle(node.type))
            return computed(node);
        const auto part = registerOf(node.operand(0));
        const auto whole = registerOf(node.operand(1));
        const auto offset = offsetOf(node.type, std::span(node.operands).subspan(2));
        if (!part || !whole || !offset)
            return false;
        const uint32_t first = placeResult(node);
        move(own(first), own(*whole), types().count(node.type));
        move(own(first + *offset), own(*part), countOf(node.operand(0)));
        return true;
    }

    bool copy(const Node& node) {
        const auto from = registerOf(node.operand(0));
        if (from)
            move(own(placeResult(node)), own(*from), types().count(node.type));
        return from.has_value();
    }

    // --- Calls and branches ---

    bool call(const Node& node) {
        const uint32_t callee = node.operand(0);
        if (mAll.computed.contains(callee))
            return computed(node);
        if (!compileFunction(mAll, callee))
            return false;
        mCode.calls.push_back(callee);
        const InterpretedFunction& called = mAll.bytecode.functions.at(callee);
        std::vector<std::pair<const LocalPointer*, uint32_t>> written;
        for (size_t i = 1; i < node.operands.size(); ++i) {
            const Register parameter{callee, called.parameters[i - 1]};
            if (const LocalPointer* const to = mUses.pointer(node.operands[i])) {
                if (to->dynamic != 0 || to->component >= 0)
                    return false;
                const uint32_t first = mPlaces.at(to->variable) + to->offset;
                move(parameter, own(first), types().count(to->type));
                written.emplace_back(to, called.parameters[i - 1]);
                continue;
            }
            const auto from = registerOf(node.operands[i]);
            if (!from)
                return false;
            move(parameter, own(*from), countOf(node.operands[i]));
        }
        enter(callee);
        for (const auto& [to, parameter] : written)
            move(own(mPlaces.at(to->variable) + to->offset), {callee, parameter},
                 types().count(to->type));
        if (const uint32_t count = types().count(node.type))
            move(own(resultOrVariable(node)), {callee, called.result}, count);
        return true;
    }

    /// Sets the values that later blocks choose by the block that they come from. Loops that have
    /// such values may need the ones before, too.
    bool moveToPhis() {
        uint32_t block = 0;
        for (const Node& node : mNodes) {
            if (node.opcode == spv::OpLabel)
                block = node.result;
            for (size_t i = 0; node.opcode == spv::OpPhi && i + 1 < node.operands.size(); i += 2) {
                if (node.operands[i + 1] != mBlock)
                    continue;
                const auto from = registerOf(node.operands[i]);
                if (!from || mCode.labels.contains(block))
                    return false;
                move(own(mPlaces.at(node.result)), own(*from), types().count(node.type));
            }
        }
        return true;
    }

    bool branch(const Node& node) {
        if (!moveToPhis())
            return false;
        const Node& next = mNodes[mPlace + 1];
        const auto follows = [&](uint32_t label) {
            return next.opcode == spv::OpLabel && next.result == label;
        };
        uint32_t target = node.operand(0);
        if (node.opcode == spv::OpBranchConditional) {
            const auto condition = registerOf(target);
            if (!condition)
                return false;
            jump(Opcode::eJumpIfZero, node.operand(2), own(*condition));
            target = node.operand(1);
        }
        if (!follows(target))
            jump(Opcode::eJump, target);
        return true;
    }

    bool giveBack(const Node& node) {
        if (node.opcode == spv::OpReturnValue) {
            const auto from = registerOf(node.operand(0));
            if (!from)
                return false;
            move(own(mCode.result), own(*from), countOf(node.operand(0)));
        }
        leave();
        return true;
    }

    bool begin(const Node& node) {
        mCode.result = take(types().count(node.type));
        // Values that other blocks set have registers from the start. Copies between several ones
        // of a block may be circular.
        uint32_t block = 0, last = 0;
        for (const Node& each : mNodes) {
            if (each.opcode == spv::OpLabel)
                block = each.result;
            if (each.opcode != spv::OpPhi)
                continue;
            const uint32_t count = types().count(each.type);
            if (count == 0 || block == last)
                return false;
            last = block;
            mPlaces[each.result] = take(count);
        }
        return true;
    }

    bool variable(const Node& node) {
        const uint32_t count = types().count(mUses.pointer(node.result)->type);
        mPlaces[node.result] = take(count);
        if (node.operands.size() < 2)
            return count != 0;
        const auto words = types().constant(node.operand(1));
        for (uint32_t i = 0; words && i < count; ++i)
            constant(mPlaces.at(node.result) + i, (*words)[i]);
        return words.has_value();
    }

    bool parameter(const Node& node) {
        const LocalPointer* const to = mUses.pointer(node.result);
        const uint32_t count = types().count(to ? to->type : node.type);
        mPlaces[node.result] = take(count);
        mCode.parameters.push_back(mPlaces.at(node.result));
        return count != 0;
    }

    bool compile(const Node& node) {
        switch (node.opcode) {
        case spv::OpFunction:
            return begin(node);
        case spv::OpFunctionParameter:
            return parameter(node);
        case spv::OpLabel:
            mBlock = node.result;
            mCode.labels[node.result] = mCode.code.size();
            return true;
        case spv::OpFunctionEnd:
        case spv::OpLine:
        case spv::OpNoLine:
        case spv::OpNop:
        case spv::OpPhi:
        case spv::OpSelectionMerge:
        case spv::OpLoopMerge:
        case spv::OpAccessChain:
        case spv::OpInBoundsAccessChain:
            return true;
        case spv::OpVariable:
            return variable(node);
        case spv::OpLoad:
            return load(node);
        case spv::OpStore:
            return store(node);
        case spv::OpCompositeConstruct:
            return construct(node);
        case spv::OpCompositeExtract:
            return extract(node);
        case spv::OpCompositeInsert:
            return insert(node);
        case spv::OpCopyObject:
            return copy(node);
        case spv::OpUndef:
            return types().count(node.type) != 0 && placeResult(node) != 0;
        case spv::OpFunctionCall:
            return call(node);
        case spv::OpBranch:
        case spv::OpBranchConditional:
            return branch(node);
        case spv::OpReturn:
        case spv::OpReturnValue:
        case spv::OpUnreachable:
            return giveBack(node);
        case spv::OpIAddCarry:
        case spv::OpISubBorrow:
            return computed(node);
        default:
            return isPureOperation(node.opcode) && computed(node);
        }
    }

    struct Dying {
        uint32_t value, first, count;
    };

    Interpretation& mAll;
    const std::span<const Node> mNodes;
    ValueUses mUses;
    size_t mPlace = 0; ///< of the current instruction
    uint32_t mBlock = 0;
    bool mFused = false;                            ///< the next instruction is done already
    std::unordered_map<uint32_t, uint32_t> mPlaces; ///< first registers of values and variables
    std::vector<std::vector<Dying>> mDying;         ///< by place
    std::vector<uint32_t> mFree;
};

} // namespace

bool compileFunction(Interpretation& interpretation, uint32_t function) {
    if (interpretation.bytecode.functions.contains(function))
        return true;
    auto made = FunctionCompiler(interpretation, function).compile();
    if (made)
        interpretation.bytecode.functions.emplace(function, std::move(*made));
    return made.has_value();
}

} // namespace kp::shader
