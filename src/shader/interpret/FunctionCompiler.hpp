// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "shader/interpret/Bytecode.hpp"
#include "shader/interpret/ModuleFunctions.hpp"
#include "shader/interpret/RegisterTypes.hpp"
#include "shader/interpret/ValueUses.hpp"

namespace kp::shader {

/// Shared state of compiling functions to an interpreter's instructions.
struct Interpretation {
    ModuleEditor& editor;
    ModuleFunctions& functions;
    const RegisterTypes types;
    /// Functions of which a call is one instruction of the interpreter.
    std::unordered_set<uint32_t> computed;
    Bytecode bytecode;
};

/// Compiles a function, and those that it calls, to instructions of an interpreter. Returns false
/// if it contains anything that an interpreter cannot do, such as accesses to buffers; nothing is
/// added then.
bool compileFunction(Interpretation& interpretation, uint32_t function);

} // namespace kp::shader
