// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <initializer_list>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include <spirv_cross/spirv.hpp>

namespace kp::shader {

/// One instruction that can be changed. Knows which of its operands are ids.
struct Node {
    uint32_t opcode = 0;
    uint32_t type = 0;   ///< id; 0 for none
    uint32_t result = 0; ///< id; 0 for none
    std::vector<uint32_t> operands;
    std::vector<bool> ids; ///< for each operand, true if it is an id

    /// Returns an operand; 0 beyond the last.
    uint32_t operand(size_t index) const { return index < operands.size() ? operands[index] : 0; }
};

/// Returns an instruction whose operands are all ids.
Node nodeOf(spv::Op opcode, uint32_t type, uint32_t result, std::vector<uint32_t> ids);
/// Returns an instruction whose operands are all literals.
Node literalNode(spv::Op opcode, uint32_t type, uint32_t result, std::vector<uint32_t> literals);
/// Returns the operands of a literal text.
std::vector<uint32_t> wordsOfText(std::string_view text);
/// Returns the text that operands hold from @p first on.
std::string textOf(const Node& node, size_t first);

/// A SPIR-V module taken apart into the sections of its logical layout, to be changed and written
/// again. Types and constants can be asked for; equal ones are shared, as SPIR-V requires. For one
/// thread at a time.
class ModuleEditor {
public:
    /// @throws ShaderError for words that are not a module of a known grammar
    explicit ModuleEditor(std::span<const uint32_t> spirv);

    std::vector<uint32_t> words() const;

    uint32_t version = 0; ///< as in the header
    std::vector<Node> capabilities;
    std::vector<Node> extensions;
    std::vector<Node> imports; ///< of instruction sets
    std::vector<Node> memoryModel;
    std::vector<Node> entryPoints;
    std::vector<Node> executionModes;
    std::vector<Node> names; ///< and other debug instructions
    std::vector<Node> decorations;
    std::vector<Node> globals; ///< types, constants and variables; changed by take() and define()
    std::vector<Node> functions;

    uint32_t newId() { return mBound++; }
    uint32_t bound() const { return mBound; } ///< above all ids

    /// Returns the globals and leaves none, so that they can be defined anew.
    std::vector<Node> takeGlobals();
    /// Appends a global, unless an equal type or constant exists.
    /// @return its id. A result of 0 gets a new id.
    uint32_t define(Node node);
    /// Returns the definition of a type or constant; null if the globals have none of the id.
    const Node* global(uint32_t id) const;

    uint32_t voidType();
    uint32_t boolType();
    uint32_t intType(uint32_t width, bool isSigned);
    uint32_t floatType(uint32_t width);
    uint32_t vectorType(uint32_t component, uint32_t count);
    uint32_t pointerType(uint32_t storageClass, uint32_t pointee);
    uint32_t constant(uint32_t type, uint32_t word);
    uint32_t uintConstant(uint32_t value) { return constant(intType(32, false), value); }
    /// Returns the id of an imported instruction set, which is added if it is missing.
    uint32_t instructionSet(const std::string& name);

    bool hasCapability(uint32_t capability) const;
    void removeCapability(uint32_t capability);
    void decorate(uint32_t id, spv::Decoration decoration, std::vector<uint32_t> literals = {});

private:
    std::vector<Node>& sectionOf(uint32_t opcode, bool inFunctions);

    uint32_t mBound = 1;
    uint32_t mGenerator = 0;
    std::map<std::vector<uint32_t>, uint32_t> mShared; ///< ids of types and constants by content
    std::unordered_map<uint32_t, size_t> mPlaces;      ///< of globals by id
};

} // namespace kp::shader
