// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "shader/interpret/FunctionCompiler.hpp"

namespace kp::shader {

/// Writes the function that interprets a table, which has its numbers already, and functions with
/// the parameters of interpreted ones that call it.
class InterpreterWriter {
public:
    explicit InterpreterWriter(Interpretation& interpretation);

    /// Returns the interpreter: a loop with a case for each opcode.
    std::vector<Node> interpreter();
    /// Returns a function that calls the interpreter, with the id and the parameters of one.
    std::vector<Node> entrance(uint32_t function);

private:
    uint32_t registerAt(CodeWriter& code, uint32_t index);
    uint32_t value(CodeWriter& code, const Computation& computation,
                   const std::vector<uint32_t>& registers);
    uint32_t assembled(CodeWriter& code, uint32_t type, uint32_t& first);
    void taken(CodeWriter& code, uint32_t type, uint32_t value, uint32_t& first);

    Interpretation& mAll;
    ModuleEditor& mEditor;
    uint32_t mRegisters = 0; ///< variable
    uint32_t mFunction = 0;
    uint32_t mFunctionType = 0;
};

} // namespace kp::shader
