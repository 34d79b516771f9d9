// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "shader/module/ModuleEditor.hpp"

namespace kp::shader {

/// The functions of a module, taken out of it to be replaced. Values of theirs have types.
class ModuleFunctions {
public:
    explicit ModuleFunctions(ModuleEditor& editor);

    const std::vector<uint32_t>& ids() const { return mIds; }
    /// Returns a function's instructions, from OpFunction to OpFunctionEnd; none for other ids.
    std::span<const Node> find(uint32_t function) const;
    /// Returns the type of a value or constant; 0 if it has none.
    uint32_t typeOf(uint32_t value) const;
    /// Returns how many instructions a function has once its callees are inlined.
    size_t length(uint32_t function);

private:
    std::vector<Node> mNodes;
    std::vector<uint32_t> mIds;
    std::unordered_map<uint32_t, std::span<const Node>> mFunctions;
    std::unordered_map<uint32_t, uint32_t> mTypes;
    std::unordered_map<uint32_t, size_t> mLengths;
};

} // namespace kp::shader
