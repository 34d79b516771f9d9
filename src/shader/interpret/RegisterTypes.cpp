// SPDX-License-Identifier: Apache-2.0
#include "shader/interpret/RegisterTypes.hpp"

namespace kp::shader {
namespace {

using RegisterWords = std::vector<std::array<uint32_t, 2>>;

bool isWord(const Node* type) {
    return type && (type->opcode == spv::OpTypeInt || type->opcode == spv::OpTypeFloat) &&
           type->operand(0) == 32;
}

} // namespace

RegisterTypes::Form RegisterTypes::formOf(const ModuleEditor& editor, uint32_t type) {
    const Node* const node = editor.global(type);
    if (!node)
        return Form::eNone;
    switch (node->opcode) {
    case spv::OpTypeBool:
        return Form::eBool;
    case spv::OpTypeInt:
    case spv::OpTypeFloat:
        return node->operand(0) == 32   ? Form::eWord
               : node->operand(0) == 64 ? Form::eWide
                                        : Form::eNone;
    case spv::OpTypeVector: {
        const Node* const component = editor.global(node->operand(0));
        if (node->operand(1) != 2)
            return Form::eNone;
        if (component && component->opcode == spv::OpTypeBool)
            return Form::eBools;
        return isWord(component) ? Form::eWords : Form::eNone;
    }
    case spv::OpTypeStruct: // such as that of OpUMulExtended
        return node->operands.size() == 2 && isWord(editor.global(node->operand(0))) &&
                       isWord(editor.global(node->operand(1)))
                   ? Form::eStruct
                   : Form::eNone;
    default:
        return Form::eNone;
    }
}

std::vector<uint32_t> RegisterTypes::parts(uint32_t type) const {
    if (isSingle(type))
        return {type};
    const Node* const node = mEditor.global(type);
    std::vector<uint32_t> members;
    if (node && node->opcode == spv::OpTypeArray) {
        const Node* const length = mEditor.global(node->operand(1));
        if (length && length->opcode == spv::OpConstant)
            members.assign(length->operand(0), node->operand(0));
    } else if (node && node->opcode == spv::OpTypeStruct) {
        members = node->operands;
    }
    std::vector<uint32_t> all;
    for (const uint32_t member : members) {
        const std::vector<uint32_t> inner = parts(member);
        if (inner.empty())
            return {};
        all.insert(all.end(), inner.begin(), inner.end());
    }
    return all;
}

uint32_t RegisterTypes::count(uint32_t type) const {
    return static_cast<uint32_t>(parts(type).size());
}

std::optional<RegisterWords> RegisterTypes::constant(uint32_t id) const {
    const Node* const node = mEditor.global(id);
    if (!node)
        return std::nullopt;
    switch (node->opcode) {
    case spv::OpConstantTrue:
        return RegisterWords{{1, 0}};
    case spv::OpConstantFalse:
        return RegisterWords{{0, 0}};
    case spv::OpConstant:
        return isSingle(node->type) ? RegisterWords{{node->operand(0), node->operand(1)}}
                                    : RegisterWords{};
    case spv::OpConstantNull:
    case spv::OpUndef:
        return RegisterWords(count(node->type), {0, 0});
    case spv::OpConstantComposite: {
        RegisterWords all;
        for (const uint32_t each : node->operands) {
            const std::optional<RegisterWords> part = constant(each);
            if (!part)
                return std::nullopt;
            all.insert(all.end(), part->begin(), part->end());
        }
        if (isSingle(node->type) && all.size() == 2)
            return RegisterWords{{all[0][0], all[1][0]}};
        return all;
    }
    default:
        return std::nullopt;
    }
}

uint32_t RegisterTypes::toRegister(CodeWriter& code, uint32_t type, uint32_t value) {
    ModuleEditor& editor = code.editor;
    const uint32_t zero = editor.uintConstant(0);
    const auto asWord = [&](uint32_t of, uint32_t given) {
        return of == code.word() ? given : code.emit(spv::OpBitcast, code.word(), {given});
    };
    switch (formOf(editor, type)) {
    case Form::eBool:
        return code.construct(
            code.pair(),
            {code.emit(spv::OpSelect, code.word(), {value, editor.uintConstant(1), zero}), zero});
    case Form::eWord:
        return code.construct(code.pair(), {asWord(type, value), zero});
    case Form::eBools: {
        const auto both = [&](uint32_t each) {
            return editor.define(nodeOf(spv::OpConstantComposite, code.pair(), 0, {each, each}));
        };
        return code.emit(spv::OpSelect, code.pair(),
                         {value, both(editor.uintConstant(1)), both(zero)});
    }
    case Form::eStruct: {
        const std::vector<uint32_t> members = editor.global(type)->operands;
        return code.construct(code.pair(),
                              {asWord(members[0], code.extract(members[0], value, 0)),
                               asWord(members[1], code.extract(members[1], value, 1))});
    }
    default:
        return type == code.pair() ? value : code.emit(spv::OpBitcast, code.pair(), {value});
    }
}

uint32_t RegisterTypes::fromRegister(CodeWriter& code, uint32_t type, uint32_t pair) {
    ModuleEditor& editor = code.editor;
    const uint32_t zero = editor.uintConstant(0);
    const auto wordAt = [&](uint32_t of, uint32_t index) {
        const uint32_t word = code.extract(code.word(), pair, index);
        return of == code.word() ? word : code.emit(spv::OpBitcast, of, {word});
    };
    switch (formOf(editor, type)) {
    case Form::eBool:
        return code.emit(spv::OpINotEqual, type, {wordAt(code.word(), 0), zero});
    case Form::eWord:
        return wordAt(type, 0);
    case Form::eBools:
        return code.emit(
            spv::OpINotEqual, type,
            {pair, editor.define(nodeOf(spv::OpConstantComposite, code.pair(), 0, {zero, zero}))});
    case Form::eStruct: {
        const std::vector<uint32_t> members = editor.global(type)->operands;
        return code.construct(type, {wordAt(members[0], 0), wordAt(members[1], 1)});
    }
    default:
        return type == code.pair() ? pair : code.emit(spv::OpBitcast, type, {pair});
    }
}

} // namespace kp::shader
