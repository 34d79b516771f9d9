// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>

#include "shader/interpret/Bytecode.hpp"

namespace kp::shader {

/// The instructions of an interpreted function while it is compiled.
class FunctionCode {
protected:
    explicit FunctionCode(uint32_t function) : mId(function) {}

    Register own(uint32_t index) const { return {mId, index}; }

    void add(Operation operation) { mCode.code.push_back(operation); }

    void constant(uint32_t result, std::array<uint32_t, 2> words) {
        Operation made;
        made.opcode = Opcode::eConstant;
        made.result = own(result);
        made.next = Operation::Next::eWords;
        made.words = words;
        add(made);
    }

    void move(Register result, Register from, uint32_t count) {
        for (uint32_t i = 0; i < count; ++i) {
            Operation made;
            made.result = {result.function, result.index + i};
            made.a = {from.function, from.index + i};
            if (!(made.result == made.a))
                add(made);
        }
    }

    void jump(Opcode opcode, uint32_t label, Register condition = {}) {
        Operation made;
        made.opcode = opcode;
        made.a = condition;
        made.next = Operation::Next::eLabel;
        made.words[0] = label;
        add(made);
    }

    /// Accesses an array, from a register on.
    void indexed(Opcode opcode, Register result, Register a, Register b, uint32_t first) {
        Operation made;
        made.opcode = opcode;
        made.result = result;
        made.a = a;
        made.b = b;
        made.next = Operation::Next::eRegister;
        made.at = own(first);
        add(made);
    }

    void enter(uint32_t function) {
        Operation made;
        made.opcode = Opcode::eCall;
        made.result = {function, 0};
        made.next = Operation::Next::eFunction;
        made.words[0] = function;
        add(made);
    }

    void leave() {
        Operation made;
        made.opcode = Opcode::eReturn;
        made.a = own(0);
        add(made);
    }

    const uint32_t mId;
    InterpretedFunction mCode;
};

} // namespace kp::shader
