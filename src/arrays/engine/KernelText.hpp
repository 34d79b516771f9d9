// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <kompute/arrays/NumberType.hpp>
#include <kompute/shader/ShaderLibrary.hpp>

#include "arrays/engine/KernelCode.hpp"

namespace kp::arrays {

/// Invocations of a work group. Every device has 128.
inline constexpr uint32_t kLocalSize = 128;

/// Parameters that fit into the push constants of every device, in words. The others are a uniform
/// block of vectors of kBlockWords words.
inline constexpr size_t kPushedWords = 32;
inline constexpr size_t kBlockWords = 4;

/// Puts values in place of {0}, {1}, ... in a text. "{{" and "}}" are braces.
/// @throws InvalidArgument if there are fewer values
std::string filledAll(std::string_view text, const std::vector<std::string>& values);

/// Writes the GLSL of a program.
class KernelText {
public:
    /// @param header  number of parameters before the layout's
    /// @param used    values with uses that the program does not know
    /// @param wide    bindings that are accessed in vectors of neighbouring elements, as bits
    KernelText(const KernelCode& program, const Layout& layout, size_t header,
               const std::vector<int>& used = {}, uint64_t wide = 0);

    /// Notes the needs of a type.
    void use(DType dtype);
    /// Notes the functions of the library in a text, for a type of registers. Returns the text.
    std::string calling(std::string text, std::string_view computed);
    /// Adds a definition after the library's.
    void define(std::string definition) { mDefinitions += definition; }

    /// Returns the statements that split an index into one per axis: kept0, kept1, ...
    std::string coordinates(std::string_view index, Part part, std::string_view indent);
    /// Returns the index of an element in its memory, from the indices of both parts.
    std::string placeText(int place, std::string_view kept, std::string_view reduced) const;
    /// Returns the statement of one instruction.
    std::string statement(size_t number, std::string_view kept, std::string_view reduced);

    struct Neighbours {
        std::string computed;
        std::string stores;
    };
    /// Returns the statements that compute kWide elements from an index on, whose values end with
    /// _0, _1, ..., and those that store them.
    Neighbours neighbours(std::string_view index, Part part, std::string_view indent);

    /// Returns the statement that stores a value of a type's registers into memory.
    std::string storing(int binding, std::string_view where, DType dtype, std::string_view value);
    /// Returns the value of an element in memory.
    std::string loading(int binding, std::string_view where, DType dtype);

    /// Returns the whole shader. Its parts are complete already.
    /// @param declarations  follow the memory's
    std::string source(std::string_view name, std::string_view body,
                       std::string_view declarations = {}) const;
    /// Returns the functions of the library that the statements so far call.
    const std::string& functions() const { return mLibrary.text(); }
    /// Returns the number of parameters.
    size_t words() const { return mWords; }

private:
    std::string valueOf(const Instruction& instruction, size_t number, std::string_view kept,
                        std::string_view reduced);
    std::string parameter(size_t position) const;
    std::string beyond(const std::vector<int>& indices, int position) const;
    std::string called(const Instruction& instruction, const std::vector<std::string>& names);

    const KernelCode& mProgram;
    const Layout& mLayout;
    const size_t mHeader;
    const uint64_t mWide;
    std::vector<bool> mObserved;     ///< values that another type is made of
    std::vector<bool> mComputedWith; ///< values that others are computed of, not only stored
    std::vector<size_t> mPositions;  ///< of the places among the parameters
    size_t mConstants = 0;           ///< position of the program's constants
    size_t mWords = 0;
    std::set<std::string_view> mExtensions;
    shader::LibraryText mLibrary;
    std::string mDefinitions;
};

/// Returns statements with a suffix at the names of values and of the coordinates of a part.
std::string renamed(std::string_view statements, Part part, std::string_view suffix);

} // namespace kp::arrays
