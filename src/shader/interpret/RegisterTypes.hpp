// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "shader/interpret/CodeWriter.hpp"

namespace kp::shader {

/// Says how an interpreter's registers, of two words each, hold values: booleans, numbers of 32 and
/// 64 bits and pairs of 32 bits in one register, and arrays and structs of these in several.
class RegisterTypes {
public:
    explicit RegisterTypes(ModuleEditor& editor) : mEditor(editor) {}

    /// Returns how many registers hold a value; 0 if none can.
    uint32_t count(uint32_t type) const;
    /// Returns true for values of one register which instructions compute as a whole.
    bool isSingle(uint32_t type) const { return formOf(type) != Form::eNone; }

    /// Returns the words of a constant, register by register; nothing for other values.
    std::optional<std::vector<std::array<uint32_t, 2>>> constant(uint32_t id) const;

    /// Writes the conversion of a single value to a register's pair of words.
    static uint32_t toRegister(CodeWriter& code, uint32_t type, uint32_t value);
    static uint32_t fromRegister(CodeWriter& code, uint32_t type, uint32_t pair);

private:
    enum class Form { eNone, eBool, eWord, eWide, eBools, eWords, eStruct };

    static Form formOf(const ModuleEditor& editor, uint32_t type);
    Form formOf(uint32_t type) const { return formOf(mEditor, type); }

    ModuleEditor& mEditor;
};

} // namespace kp::shader
