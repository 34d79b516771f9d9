// SPDX-License-Identifier: Apache-2.0
#include "shader/interpret/InterpreterWriter.hpp"

#include <algorithm>
#include <utility>

namespace kp::shader {
namespace {

bool mayBeContracted(uint32_t opcode) {
    return opcode == spv::OpFAdd || opcode == spv::OpFSub || opcode == spv::OpFMul ||
           opcode == spv::OpFDiv || opcode == spv::OpFNegate;
}

} // namespace

InterpreterWriter::InterpreterWriter(Interpretation& interpretation)
    : mAll(interpretation), mEditor(interpretation.editor) {
    CodeWriter code(mEditor);
    const uint32_t registers = mEditor.define(
        nodeOf(spv::OpTypeArray, 0, 0,
               {code.pair(), mEditor.uintConstant(std::max(2u, mAll.bytecode.registers()))}));
    const uint32_t pointer = mEditor.pointerType(spv::StorageClassPrivate, registers);
    mRegisters =
        mEditor.define(literalNode(spv::OpVariable, pointer, 0, {spv::StorageClassPrivate}));
    if (mEditor.version >= 0x00010400)
        for (Node& entry : mEditor.entryPoints) {
            entry.operands.push_back(mRegisters);
            entry.ids.push_back(true);
        }
    mFunction = mEditor.newId();
    const uint32_t nothing = mEditor.voidType();
    mFunctionType = mEditor.define(nodeOf(spv::OpTypeFunction, 0, 0, {nothing, code.word()}));
}

uint32_t InterpreterWriter::registerAt(CodeWriter& code, uint32_t index) {
    return code.emit(spv::OpAccessChain, mEditor.pointerType(spv::StorageClassPrivate, code.pair()),
                     {mRegisters, index});
}

uint32_t InterpreterWriter::value(CodeWriter& code, const Computation& computation,
                                  const std::vector<uint32_t>& registers) {
    Node node = computation.node;
    size_t value = 0;
    for (size_t i = 0; i < node.operands.size(); ++i)
        if (computation.isValue[i]) {
            node.operands[i] =
                RegisterTypes::fromRegister(code, computation.types[value], registers[value]);
            ++value;
        }
    const uint32_t type = node.type;
    const bool isExact = mayBeContracted(node.opcode);
    const uint32_t result = code.emit(std::move(node));
    if (isExact)
        mEditor.decorate(result, spv::DecorationNoContraction);
    return RegisterTypes::toRegister(code, type, result);
}

std::vector<Node> InterpreterWriter::interpreter() {
    CodeWriter code(mEditor);
    const uint32_t word = code.word(), pair = code.pair();
    const auto number = [&](uint32_t each) { return mEditor.uintConstant(each); };
    const Node signature = *mEditor.global(mFunctionType);
    const uint32_t ofWord = mEditor.pointerType(spv::StorageClassFunction, word);
    const uint32_t ofPair = mEditor.pointerType(spv::StorageClassFunction, pair);

    std::vector<uint32_t> entries;
    for (const auto& [first, second] : mAll.bytecode.table())
        entries.push_back(mEditor.define(
            nodeOf(spv::OpConstantComposite, pair, 0, {number(first), number(second)})));
    const uint32_t tableType = mEditor.define(
        nodeOf(spv::OpTypeArray, 0, 0, {pair, number(static_cast<uint32_t>(entries.size()))}));
    const uint32_t tableValue =
        mEditor.define(nodeOf(spv::OpConstantComposite, tableType, 0, std::move(entries)));

    const uint32_t start = mEditor.newId();
    code.nodes.push_back(
        {spv::OpFunction, signature.operand(0), mFunction, {0, mFunctionType}, {false, true}});
    code.nodes.push_back(nodeOf(spv::OpFunctionParameter, word, start, {}));
    code.label(mEditor.newId());
    const auto variable = [&](uint32_t pointer) {
        return code.emit(literalNode(spv::OpVariable, pointer, 0, {spv::StorageClassFunction}));
    };
    const uint32_t place = variable(ofWord);
    const uint32_t result = variable(ofPair);
    const uint32_t table = code.emit({spv::OpVariable,
                                      mEditor.pointerType(spv::StorageClassFunction, tableType),
                                      0,
                                      {spv::StorageClassFunction, tableValue},
                                      {false, true}});
    code.store(place, start);

    const uint32_t header = mEditor.newId(), test = mEditor.newId(), body = mEditor.newId(),
                   done = mEditor.newId(), next = mEditor.newId(), end = mEditor.newId();
    code.add(spv::OpBranch, {header});
    code.label(header);
    // This avoids unrolled loops.
    code.nodes.push_back(
        {spv::OpLoopMerge, 0, 0, {end, next, spv::LoopControlDontUnrollMask}, {true, true, false}});
    code.add(spv::OpBranch, {test});
    code.label(test);
    const uint32_t at = code.load(word, place);
    const uint32_t runs = code.emit(spv::OpINotEqual, mEditor.boolType(), {at, number(0)});
    code.add(spv::OpBranchConditional, {runs, body, end});

    code.label(body);
    const auto entryAt = [&](uint32_t index) {
        return code.load(pair, code.emit(spv::OpAccessChain, ofPair, {table, index}));
    };
    const auto bitsOf = [&](uint32_t of, uint32_t shift, uint32_t count) {
        return code.emit(spv::OpBitFieldUExtract, word, {of, number(shift), number(count)});
    };
    const auto contentOf = [&](uint32_t index) { return code.load(pair, registerAt(code, index)); };
    const uint32_t entry = entryAt(at);
    const uint32_t first = code.extract(word, entry, 0), second = code.extract(word, entry, 1);
    const uint32_t following = code.emit(spv::OpIAdd, word, {at, number(1)});
    const uint32_t beyond = code.emit(spv::OpIAdd, word, {at, number(2)});
    code.store(place, following);
    const uint32_t opcode = bitsOf(first, 0, 8), target = bitsOf(first, 8, 12);
    const uint32_t a = contentOf(bitsOf(first, 20, 12)), b = contentOf(bitsOf(second, 0, 12)),
                   c = contentOf(bitsOf(second, 12, 12));
    code.store(result, a);

    const size_t count =
        static_cast<size_t>(Opcode::eFirstComputed) + mAll.bytecode.computations.size();
    std::vector<uint32_t> labels;
    code.nodes.push_back({spv::OpSelectionMerge, 0, 0, {done, 0}, {true, false}});
    Node choice = nodeOf(spv::OpSwitch, 0, 0, {opcode, done});
    for (size_t each = 1; each < count; ++each) { // eMove remains
        labels.push_back(mEditor.newId());
        choice.operands.insert(choice.operands.end(), {static_cast<uint32_t>(each), labels.back()});
        choice.ids.insert(choice.ids.end(), {false, true});
    }
    code.nodes.push_back(std::move(choice));
    const uint32_t zero = number(0);
    for (size_t each = 1; each < count; ++each) {
        code.label(labels[each - 1]);
        switch (static_cast<Opcode>(each)) {
        case Opcode::eMove:
            break;
        case Opcode::eConstant:
            code.store(result, entryAt(following));
            code.store(place, beyond);
            break;
        case Opcode::eCall:
            code.store(result, code.construct(pair, {beyond, zero}));
            code.store(place, code.extract(word, entryAt(following), 0));
            break;
        case Opcode::eJump:
            code.store(place, code.extract(word, entryAt(following), 0));
            break;
        case Opcode::eJumpIfZero: {
            const uint32_t isZero =
                code.emit(spv::OpIEqual, mEditor.boolType(), {code.extract(word, a, 0), zero});
            code.store(place,
                       code.emit(spv::OpSelect, word,
                                 {isZero, code.extract(word, entryAt(following), 0), beyond}));
            break;
        }
        case Opcode::eReturn:
            code.store(place, code.extract(word, a, 0));
            break;
        case Opcode::eLoadIndexed:
        case Opcode::eStoreIndexed: {
            const bool loads = static_cast<Opcode>(each) == Opcode::eLoadIndexed;
            const uint32_t index = code.emit(
                spv::OpIAdd, word,
                {code.extract(word, entryAt(following), 0), code.extract(word, loads ? a : b, 0)});
            if (loads)
                code.store(result, contentOf(index));
            else
                code.store(registerAt(code, index), a);
            code.store(place, beyond);
            break;
        }
        default:
            code.store(
                result,
                value(
                    code,
                    mAll.bytecode.computations[each - static_cast<size_t>(Opcode::eFirstComputed)],
                    {a, b, c}));
            break;
        }
        code.add(spv::OpBranch, {done});
    }
    code.label(done);
    code.store(registerAt(code, target), code.load(pair, result));
    code.add(spv::OpBranch, {next});
    code.label(next);
    code.add(spv::OpBranch, {header});
    code.label(end);
    code.add(spv::OpReturn, {});
    code.add(spv::OpFunctionEnd, {});
    return std::move(code.nodes);
}

uint32_t InterpreterWriter::assembled(CodeWriter& code, uint32_t type, uint32_t& first) {
    if (mAll.types.isSingle(type))
        return RegisterTypes::fromRegister(
            code, type, code.load(code.pair(), registerAt(code, mEditor.uintConstant(first++))));
    const Node whole = *mEditor.global(type);
    std::vector<uint32_t> parts;
    const uint32_t count = whole.opcode == spv::OpTypeStruct
                               ? static_cast<uint32_t>(whole.operands.size())
                               : mEditor.global(whole.operand(1))->operand(0);
    for (uint32_t i = 0; i < count; ++i)
        parts.push_back(
            assembled(code, whole.operand(whole.opcode == spv::OpTypeStruct ? i : 0), first));
    return code.construct(type, std::move(parts));
}

void InterpreterWriter::taken(CodeWriter& code, uint32_t type, uint32_t value, uint32_t& first) {
    if (mAll.types.isSingle(type)) {
        const uint32_t words = RegisterTypes::toRegister(code, type, value);
        code.store(registerAt(code, mEditor.uintConstant(first++)), words);
        return;
    }
    const Node whole = *mEditor.global(type);
    const bool isStruct = whole.opcode == spv::OpTypeStruct;
    const uint32_t count = isStruct ? static_cast<uint32_t>(whole.operands.size())
                                    : mEditor.global(whole.operand(1))->operand(0);
    for (uint32_t i = 0; i < count; ++i) {
        const uint32_t member = whole.operand(isStruct ? i : 0);
        taken(code, member, code.extract(member, value, i), first);
    }
}

std::vector<Node> InterpreterWriter::entrance(uint32_t function) {
    CodeWriter code(mEditor);
    const InterpretedFunction& interpreted = mAll.bytecode.functions.at(function);
    const auto placeOf = [&](uint32_t index) { return mAll.bytecode.numberOf({function, index}); };
    struct Parameter {
        uint32_t id, type, first;
        bool isPointer;
    };
    std::vector<Parameter> parameters;
    uint32_t returned = 0;
    for (const Node& node : mAll.functions.find(function)) {
        if (node.opcode == spv::OpLabel)
            break;
        code.nodes.push_back(node);
        if (node.opcode == spv::OpFunction)
            returned = node.type;
        if (node.opcode != spv::OpFunctionParameter)
            continue;
        const Node& type = *mEditor.global(node.type);
        const bool isPointer = type.opcode == spv::OpTypePointer;
        parameters.push_back({node.result, isPointer ? type.operand(1) : node.type,
                              placeOf(interpreted.parameters[parameters.size()]), isPointer});
    }
    code.label(mEditor.newId());
    for (const Parameter& each : parameters) {
        uint32_t first = each.first;
        taken(code, each.type, each.isPointer ? code.load(each.type, each.id) : each.id, first);
    }
    const uint32_t zero = mEditor.uintConstant(0);
    const uint32_t nowhere =
        mEditor.define(nodeOf(spv::OpConstantComposite, code.pair(), 0, {zero, zero}));
    code.store(registerAt(code, mEditor.uintConstant(placeOf(0))), nowhere);
    code.emit(spv::OpFunctionCall, mEditor.global(mFunctionType)->operand(0),
              {mFunction, mEditor.uintConstant(mAll.bytecode.placeOf(function))});
    for (const Parameter& each : parameters) {
        uint32_t first = each.first;
        if (each.isPointer)
            code.store(each.id, assembled(code, each.type, first));
    }
    uint32_t first = placeOf(interpreted.result);
    if (mEditor.global(returned)->opcode == spv::OpTypeVoid)
        code.add(spv::OpReturn, {});
    else
        code.add(spv::OpReturnValue, {assembled(code, returned, first)});
    code.add(spv::OpFunctionEnd, {});
    return std::move(code.nodes);
}

} // namespace kp::shader
