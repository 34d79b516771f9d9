// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "shader/module/ModuleEditor.hpp"

namespace kp::shader {

/// Copies functions of one module, with their callees, into another. The functions are found
/// by the names that GLSL compilers give them: "kp_name(vu2;vu2;" is kp_name.
class FunctionImport {
public:
    /// @param library  a module with names, whose functions use no resources
    /// @param target   must outlive this
    FunctionImport(std::span<const uint32_t> library, ModuleEditor& target);

    /// Returns the id of the function in the target. Its body is appended by finish().
    /// @throws ShaderError if the library has no function of the name
    uint32_t use(std::string_view name);
    /// Returns the id of the type that the function returns, in the target.
    uint32_t resultType(uint32_t function) const { return mResultTypes.at(function); }
    /// Returns the ids of all used functions in the target, and of their callees.
    std::unordered_set<uint32_t> used() const;
    /// Appends the bodies of all used functions to the target.
    void finish();

private:
    uint32_t useFunction(uint32_t id);
    uint32_t idOf(uint32_t id);
    Node remapped(const Node& node);

    ModuleEditor mLibrary;
    ModuleEditor& mTarget;
    std::unordered_map<std::string, uint32_t> mByName;      ///< in the library
    std::unordered_map<uint32_t, size_t> mBegins;           ///< of functions in the library
    std::unordered_map<uint32_t, uint32_t> mIds;            ///< library to target
    std::unordered_map<uint32_t, uint32_t> mResultTypes;    ///< by function in the target
    std::unordered_map<uint32_t, std::vector<Node>> mMarks; ///< decorations by library id
    std::vector<Node> mBodies;
};

} // namespace kp::shader
