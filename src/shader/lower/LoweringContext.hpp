// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "shader/lower/NumberTypes.hpp"
#include "shader/module/FunctionImport.hpp"
#include "shader/module/ModuleEditor.hpp"

namespace kp::shader {

/// The state of one lowering: the module as it was, for types, and as it will be. A value keeps its
/// id, with another type. Wide numbers become uvec2, vectors of them arrays of uvec2, and narrow
/// numbers become 32-bit ones that always hold a value of the narrow type.
class LoweringContext {
public:
    LoweringContext(ModuleEditor& editor, const LoweredTypes& lowered);
    LoweringContext(const LoweringContext&) = delete;

    // --- The module as it was ---

    const Node& definitionOf(uint32_t id) const; ///< a type or constant
    uint32_t typeOf(uint32_t value) const;       ///< 0 if it has none
    NumberShape shapeOfType(uint32_t type) const;
    NumberShape shapeOf(uint32_t value) const { return shapeOfType(typeOf(value)); }
    /// Returns true if a type has components or members that are lowered and narrow.
    bool holdsNarrow(uint32_t type) const;
    /// Returns the value of a constant integer; nothing for other values.
    std::optional<uint32_t> constantValue(uint32_t id) const;
    /// Returns the first literal of a decoration of an id or, with @p member, of a member.
    std::optional<uint32_t> decoration(uint32_t id, spv::Decoration decoration,
                                       std::optional<uint32_t> member = {}) const;

    // --- The module as it will be ---

    ModuleEditor& editor;
    const LoweredTypes lowered;
    /// Returns the new id of a type, constant or variable.
    uint32_t newIdOf(uint32_t id) const;
    uint32_t newTypeOfValue(uint32_t value) const; ///< an old or a new one
    uint32_t newTypeFor(const NumberShape& shape);
    uint32_t wordType() { return editor.intType(32, false); }
    uint32_t pairType() { return editor.vectorType(wordType(), 2); }
    uint32_t resultPairType(); ///< the result type of OpIAddCarry for words
    uint32_t boolType() { return editor.boolType(); }

    /// Appends an instruction to the function at hand. @return its new id
    uint32_t emit(spv::Op opcode, uint32_t type, std::vector<uint32_t> ids);
    /// Appends an instruction with a new result. @return its id
    uint32_t emit(Node node);
    /// Sets which operands of the instruction emitted last are ids.
    void lastIds(std::vector<bool> ids) { mBody.back().ids = std::move(ids); }
    uint32_t extract(uint32_t type, uint32_t composite, uint32_t index);
    uint32_t construct(uint32_t type, std::vector<uint32_t> parts);
    uint32_t call(std::string_view function, std::vector<uint32_t> arguments);
    uint32_t extended(uint32_t type, uint32_t instruction, std::vector<uint32_t> arguments);
    /// Returns a value with its bits in another type, unless it has that type.
    uint32_t bitcast(uint32_t type, uint32_t value);
    uint32_t select(uint32_t type, uint32_t condition, uint32_t yes, uint32_t no);
    uint32_t word(uint32_t value) { return editor.uintConstant(value); }
    uint32_t pair(uint32_t low, uint32_t high) { return construct(pairType(), {low, high}); }
    uint32_t low(uint32_t wide) { return extract(wordType(), wide, 0); }
    uint32_t high(uint32_t wide) { return extract(wordType(), wide, 1); }
    /// Appends an instruction that was, with its operands' new ids.
    void keep(Node node) { mBody.push_back(std::move(node)); }
    /// Gives the value @p id, which was emitted, the id of the result of @p node.
    void finish(const Node& node, uint32_t id);
    /// Calls scalar(component) for each component and makes them the result of @p node.
    void perComponent(const Node& node, const std::function<uint32_t(uint32_t)>& scalar);
    /// Returns a component of a value of the module as it was.
    uint32_t component(uint32_t value, uint32_t index);

    /// Returns a lowered narrow value or a 32-bit integer as one of 32 bits, read as signed or not.
    uint32_t asInt32(uint32_t value, const NumberShape& shape, bool isSigned);
    /// Returns a 32-bit integer as a number of a narrow lowered type, wrapped.
    uint32_t wrapped(uint32_t value, const NumberShape& shape);
    /// Returns a float rounded to the nearest half.
    uint32_t roundedToHalf(uint32_t value) {
        return call("kp_f16_to_f32", {call("kp_f32_to_f16", {value})});
    }
    /// Returns an index, of any integer type, as one that access chains take.
    uint32_t asIndex(uint32_t value);
    /// Returns the bits of a scalar as words: one, or two for wide ones.
    std::vector<uint32_t> wordsOf(uint32_t value, const NumberShape& shape);
    uint32_t ofWords(const std::vector<uint32_t>& words, const NumberShape& shape);

    /// Throws the error for an instruction that cannot be lowered.
    [[noreturn]] void refuse(std::string_view what) const;

protected:
    Node remapped(Node node) const;
    uint32_t wideArray(uint32_t count);

    std::unordered_map<uint32_t, uint32_t> mAliases; ///< of globals that became others
    std::vector<Node> mOldDecorations;
    std::vector<Node> mBody;                  ///< of the functions so far
    std::unique_ptr<FunctionImport> mLibrary; ///< null until a function is called

private:
    const uint32_t mFirstNew; ///< the first id that the module did not have
    std::unordered_map<uint32_t, Node> mDefinitions;
    std::unordered_map<uint32_t, uint32_t> mTypes;      ///< of values, by their old types
    std::unordered_map<uint32_t, uint32_t> mNewTypes;   ///< of emitted values
    std::unordered_map<uint32_t, uint32_t> mWideArrays; ///< by count
    uint32_t mResultPair = 0;
};

} // namespace kp::shader
