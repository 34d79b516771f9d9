// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "shader/module/ModuleEditor.hpp"

namespace kp::shader {

/// Throws the ShaderError for an access of floats that words do not allow.
[[noreturn]] void refuseFloatAtomic(std::string_view what);

/// Keeps the 32-bit floats of some variables as words. Their types change, and so do the accesses
/// to them, except atomics of floats.
class FloatWords {
public:
    /// Defines the variables, which are global, anew.
    FloatWords(ModuleEditor& editor, const std::unordered_set<uint32_t>& variables);

    /// Appends an instruction to the code, changed if it accesses one of the variables. The code
    /// that precedes it was given to this before.
    void append(Node node);
    std::vector<Node> code;

    uint32_t wordType() { return mEditor.intType(32, false); }
    /// Appends an instruction with a new result. @return the result
    uint32_t add(spv::Op opcode, uint32_t type, std::vector<uint32_t> ids);

private:
    /// Returns a type with words in the place of 32-bit floats; itself if it has none.
    uint32_t wordsFor(uint32_t type);
    void copyDecorations(uint32_t from, uint32_t to);
    void changeVariables(const std::unordered_set<uint32_t>& variables);
    /// What a changed pointer points to.
    struct Pointee {
        uint32_t floats = 0; ///< the type as it was
        uint32_t words = 0;
    };
    /// Returns the type of an element of a type with words.
    uint32_t elementType(uint32_t type, const std::vector<uint32_t>& indices) const;
    /// Returns a value as one of the other type, which has words for floats or the other way round.
    uint32_t converted(uint32_t value, uint32_t from, uint32_t to);
    void load(Node node, const Pointee& pointee);

    ModuleEditor& mEditor;
    std::unordered_map<uint32_t, uint32_t> mWords;   ///< types with words, by the type with floats
    std::unordered_map<uint32_t, Pointee> mPointees; ///< of changed pointers
};

} // namespace kp::shader
