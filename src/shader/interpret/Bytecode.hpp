// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <unordered_map>
#include <vector>

#include "shader/module/ModuleEditor.hpp"

namespace kp::shader {

/// The operation of an interpreter's instruction. Numbers from eFirstComputed on are the
/// computations that a Bytecode has, each an instruction of SPIR-V.
enum class Opcode : uint32_t {
    eMove,          ///< result = a
    eConstant,      ///< result = the next entry
    eJump,          ///< to the next entry's place
    eJumpIfZero,    ///< likewise, if a is 0
    eCall,          ///< likewise; result = the place behind the entry
    eReturn,        ///< to the place in a
    eLoadIndexed,   ///< result = the register at the next entry's number + a
    eStoreIndexed,  ///< the register at the next entry's number + b = a
    eFirstComputed, ///< result = computation(a, b, c)
};

/// A register of a function. The register without a function takes values that nothing reads.
struct Register {
    uint32_t function = 0; ///< id
    uint32_t index = 0;
    bool operator==(const Register&) const = default;
};

/// An instruction whose registers and places have no numbers yet.
struct Operation {
    enum class Next { eNone, eWords, eLabel, eFunction, eRegister };
    Opcode opcode = Opcode::eMove;
    Register result, a, b, c;
    Next next = Next::eNone;            ///< the contents of the next entry
    std::array<uint32_t, 2> words = {}; ///< the constant, or the label's or function's id
    Register at;                        ///< the first register of an array
};

/// A function's instructions. Register 0 has the place to return to.
struct InterpretedFunction {
    std::vector<Operation> code;
    std::unordered_map<uint32_t, size_t> labels; ///< places in the code
    std::vector<uint32_t> parameters;            ///< first registers, of pointers those pointed to
    uint32_t result = 0;                         ///< first register
    uint32_t registers = 0;                      ///< how many there are
    std::vector<uint32_t> calls;                 ///< functions
};

/// A computation: an instruction of SPIR-V whose values are registers.
struct Computation {
    Node node;                   ///< without operands that are values
    std::vector<bool> isValue;   ///< of each operand
    std::vector<uint32_t> types; ///< of the values
};

/// The table of an interpreter: pairs of words, of which the first is not an instruction. An
/// instruction has its opcode in the lowest 8 bits of the first word, then the result and a in 12
/// bits each, and b and c in the second word.
class Bytecode {
public:
    static constexpr uint32_t kMaxRegisters = 1u << 12;
    static constexpr uint32_t kMaxOpcodes = 1u << 8;
    static constexpr uint32_t kMaxValues = 3;

    std::map<uint32_t, InterpretedFunction> functions; ///< by id
    std::vector<Computation> computations;

    /// Returns the opcode of a computation.
    Opcode opcodeOf(Computation computation);

    /// Gives registers and places their numbers. Registers of functions of which one calls the
    /// other differ. Returns false if there is more than the encoding has room for.
    [[nodiscard]] bool place();
    uint32_t registers() const { return mRegisters; } ///< in all
    uint32_t numberOf(const Register& of) const;
    uint32_t placeOf(uint32_t function) const { return mPlaces.at(function); }
    const std::vector<std::array<uint32_t, 2>>& table() const { return mTable; }

private:
    void placeRegisters(uint32_t function, uint32_t first);

    std::map<std::vector<uint32_t>, Opcode> mOpcodes;
    std::map<uint32_t, uint32_t> mFirst;  ///< registers, by function
    std::map<uint32_t, uint32_t> mPlaces; ///< by function
    std::vector<std::array<uint32_t, 2>> mTable;
    uint32_t mRegisters = 1;
};

} // namespace kp::shader
