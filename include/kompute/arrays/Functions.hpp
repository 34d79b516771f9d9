// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include <kompute/arrays/DType.hpp>

namespace kp {

/// An elementwise function of arrays, with the results of NumPy.
struct Function {
    std::string_view name;
    std::array<std::string, 14> texts; ///< by DType of the first operand

    /// Returns its GLSL, of operands `{0}` and `{1}`, which are names or stand in brackets. It may
    /// name functions of shader::LibraryText. Empty if devices cannot compute it for this type.
    std::string_view textFor(DType first) const { return texts[static_cast<size_t>(first)]; }
};

/// Returns all functions. They last as long as the program.
KOMPUTE_API const std::vector<Function>& functions();

/// Returns a function by its name, such as "sin"; nullptr if there is none.
KOMPUTE_API const Function* findFunction(std::string_view name);

} // namespace kp
