// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <kompute/Export.hpp>

namespace kp::shader {

/// The definitions of functions of the library (shaders/lib) that a shader needs. Their results
/// match NumPy's on every device, for special values, too. Not thread-safe; different objects are
/// independent.
class KOMPUTE_API LibraryText {
public:
    /// Adds the definitions of the functions that a text names, once each and after the functions
    /// that they call. Unknown names are ignored.
    /// @param text      GLSL
    /// @param computed type in which it computes: float, double, bool, a type of
    ///                  integers, or vec2 or dvec2 for complex numbers
    void use(std::string_view text, std::string_view computed);

    /// Adds a function for vectors, by their components, or for matrices, by their columns, after
    /// the function for numbers.
    /// @param name    function of the library
    /// @param number  type of the numbers
    /// @param whole   type that the function takes for the type of its first parameter
    /// @param result  type that it returns
    /// @param count   number of components or columns
    /// @throws InvalidArgument if the library does not have the function
    void useByPart(std::string_view name, std::string_view number, std::string_view whole,
                   std::string_view result, uint32_t count);

    /// Returns all definitions.
    const std::string& text() const { return mText; }

private:
    void define(std::string_view name, std::string_view computed);

    std::string mText;
    std::set<std::pair<size_t, std::string>> mDefined; // place in the library, and T
};

} // namespace kp::shader
