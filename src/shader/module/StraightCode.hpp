// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <unordered_map>
#include <vector>

#include "shader/SpirvModule.hpp"

namespace kp::shader {

/// Types and constants of a module, which get new constants. For one thread at a time.
class GlobalValues {
public:
    /// @param bound  above all ids of the module
    explicit GlobalValues(uint32_t bound) : mBound(bound) {}

    /// Notes a global of the module.
    void add(const Instruction& global);

    uint32_t newId() { return mBound++; }
    uint32_t bound() const { return mBound; }

    /// Returns the definition of a type or constant; null for other ids.
    const std::vector<uint32_t>* find(uint32_t id) const;
    /// Returns the id of a constant of 32 bits, or of type bool.
    uint32_t constant(uint32_t type, uint32_t value);
    /// Returns true if an id is a constant of 32 bits or of type bool, and its value.
    bool isConstant(uint32_t id, uint32_t& value) const;
    bool isBool(uint32_t type) const;

    /// The constants that were added, as instructions.
    const std::vector<uint32_t>& added() const { return mAdded; }

private:
    uint32_t mBound;
    std::unordered_map<uint32_t, std::vector<uint32_t>> mGlobals;
    std::map<std::pair<uint32_t, uint32_t>, uint32_t> mConstants; ///< by type and value
    std::vector<uint32_t> mAdded;
};

/// A function's code without branches, calls and memory, while it is made: equal instructions are
/// shared, vectors are split, and constants are folded. For one thread at a time.
class StraightCode {
public:
    explicit StraightCode(GlobalValues& globals) : mGlobals(globals) {}

    /// Notes the type of a parameter.
    void addParameter(uint32_t id, uint32_t type) { mTypes[id] = type; }

    /// Adds an instruction with a new result.
    /// @param words  the instruction with its first word; the word of the result is not looked at
    /// @return the id of a value that equals the result
    uint32_t add(std::vector<uint32_t> words);

    /// Returns the instructions that a value needs, in order.
    std::vector<std::vector<uint32_t>> neededFor(uint32_t value) const;

private:
    uint32_t append(std::vector<uint32_t> words);
    uint32_t extracted(uint32_t type, uint32_t composite, uint32_t index);
    uint32_t scalars(const std::vector<uint32_t>& words);
    uint32_t decided(const std::vector<uint32_t>& words);
    uint32_t componentType(uint32_t type) const;
    uint32_t components(uint32_t type) const; ///< of a vector; 1 for others
    uint32_t typeOf(uint32_t id) const;
    const std::vector<uint32_t>* definition(uint32_t id) const;

    GlobalValues& mGlobals;
    std::vector<std::vector<uint32_t>> mCode;
    std::unordered_map<uint32_t, size_t> mPlaces;     ///< of results in the code
    std::unordered_map<uint32_t, uint32_t> mTypes;    ///< of parameters
    std::map<std::vector<uint32_t>, uint32_t> mKnown; ///< results of instructions
};

/// Returns the first word of an instruction of that many words.
uint32_t instructionWord(uint32_t opcode, size_t count);

/// Returns the place of the first operand that is a literal; the number of words if none is. An
/// instruction of an extended set has one at 4 that ids follow.
size_t firstLiteral(const std::vector<uint32_t>& words);

/// Returns true for operations whose result depends only on their operands, and whose operands are
/// ids as firstLiteral() says.
bool isPureOperation(uint32_t opcode);

} // namespace kp::shader
