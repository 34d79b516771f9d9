// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "shader/check/CheckedModule.hpp"
#include "shader/check/FunctionWriter.hpp"
#include "shader/check/SourceLines.hpp"
#include "shader/module/ModuleEditor.hpp"

namespace kp::shader {

/// The contents of a report, as ids of 32-bit words.
struct Fault {
    uint32_t site = 0;
    uint32_t check = 0; ///< which of the site's indices
    uint32_t low = 0;   ///< of the index or operand
    uint32_t high = 0;
    uint32_t extent = 0;
    uint32_t value = 0;
};

/// The module that checks are added to: its types, names and lines, the report buffer, and the
/// functions that checks share.
class CheckContext {
public:
    CheckContext(std::span<const uint32_t> spirv, const CheckKinds& kinds);

    ModuleEditor editor;
    const CheckKinds kinds;
    SourceLines lines;
    std::vector<CheckSite> sites;

    /// Returns the type of a value; 0 if it has none.
    uint32_t typeOf(uint32_t id) const;
    /// Returns the instruction of a result, in functions or among the globals; null if there is
    /// none.
    const Node* definition(uint32_t id) const;
    /// Returns true for constants and specialization constants.
    bool isConstant(uint32_t id) const;
    /// Returns true and the value if an id is a 32-bit constant that nothing can change.
    bool isKnown(uint32_t id, uint32_t& value) const;
    bool isNonUniform(uint32_t id) const { return mNonUniform.contains(id); }
    /// Returns the OpTypeInt of a scalar or vector; null for other types.
    const Node* intType(uint32_t type) const;
    /// Returns true for numbers, and vectors of them, of 8 or 16 bits that the module can only
    /// load, store and convert: it must not pass them to functions.
    bool isStoredOnly(uint32_t type) const;
    /// Returns true for aggregates with such numbers.
    bool holdsStoredOnly(uint32_t type) const;
    /// Returns the type with 32 bits of such numbers.
    uint32_t widened(uint32_t type);
    /// Returns the conversion between both.
    spv::Op widening(uint32_t type) const;
    /// Returns the decoration of an id, or of a struct's member; null if there is none.
    const Node* decoration(uint32_t id, spv::Decoration wanted) const;
    const Node* memberDecoration(uint32_t type, uint32_t member, spv::Decoration wanted) const;
    std::string name(uint32_t id) const;
    /// Returns a variable of each invocation that begins as 0.
    uint32_t counter();
    /// Returns a component of a built-in vector, or a built-in number, as a word.
    uint32_t builtin(FunctionWriter& code, spv::BuiltIn kind, uint32_t axis = 0);
    /// Returns the variable of the report buffer, whose block is an array of words.
    uint32_t reportBuffer();
    /// Returns a variable of a buffer in the report set, whose block is an array of words.
    /// @param words  of the array; 0 for as many as are bound
    uint32_t wordBuffer(uint32_t binding, uint32_t words);
    /// Returns the scope of all invocations of a dispatch.
    uint32_t deviceScope();
    void requireCapability(spv::Capability capability);
    std::string memberName(uint32_t type, uint32_t member) const;

    /// Adds a site at the current line. @return a constant with its number, from 1
    uint32_t addSite(CheckSite site);
    /// Returns the function of a key; null if there is none yet.
    const uint32_t* known(const std::vector<uint32_t>& key) const;
    /// Ends a function with the value that it returns, or 0, and adds it to the module.
    /// @return its id
    uint32_t add(const std::vector<uint32_t>& key, FunctionWriter& code, uint32_t value);

    uint32_t uintType() { return editor.intType(32, false); }
    uint32_t zero() { return editor.uintConstant(0); }
    /// Returns true for the vector that integers of 64 bits are in programs that were saved on a
    /// device which lacks them.
    bool isWordPair(uint32_t type) const;
    /// Converts an integer of any width to the low and the high word of 64 bits.
    std::pair<uint32_t, uint32_t> wordsOf(FunctionWriter& code, uint32_t value, uint32_t type);
    /// Returns the bits of a 32-bit scalar, else 0.
    uint32_t bitsOf(FunctionWriter& code, uint32_t value, uint32_t type);
    FaultValue valueKind(uint32_t type) const;
    /// @return a word with the number of the fault, from 0; some are over kMaxFaults
    uint32_t report(FunctionWriter& code, const Fault& fault);
    /// Returns an instruction that reports a fault. Words that are 0 are zero.
    Node callReport(const Fault& fault);

    /// Returns the words, with the report buffer if anything reports.
    CheckedModule finish();

private:
    void keepCompute();
    uint32_t reportFunction();
    uint32_t builtinVariable(spv::BuiltIn kind);
    void addToInterface(uint32_t variable);
    uint32_t nextSet() const;

    std::unordered_map<uint32_t, Node> mResults; ///< of functions
    std::unordered_set<uint32_t> mNonUniform;
    std::unordered_map<uint32_t, const Node*> mNames;
    std::map<std::pair<uint32_t, uint32_t>, const Node*> mMemberNames;
    std::map<std::vector<uint32_t>, uint32_t> mFunctions;
    std::vector<Node> mBodies;
    uint32_t mReport = 0; ///< the function
    uint32_t mBuffer = 0; ///< of the reports
    uint32_t mReportSet = 0;
};

} // namespace kp::shader
