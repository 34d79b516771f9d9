// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "shader/module/ModuleEditor.hpp"

namespace kp::shader {

/// Writes a function of a module, instruction by instruction.
class FunctionWriter {
public:
    /// @param editor  must outlive this
    FunctionWriter(ModuleEditor& editor, uint32_t resultType,
                   const std::vector<uint32_t>& parameterTypes);

    uint32_t id() const { return mId; }
    uint32_t parameter(size_t index) const { return mParameters[index]; }
    /// Appends an instruction, with a new result if it has a type. @return the result
    uint32_t add(Node node);
    /// Appends an instruction whose operands are ids. @return its result
    uint32_t add(spv::Op opcode, uint32_t type, std::vector<uint32_t> ids) {
        return add(nodeOf(opcode, type, 0, std::move(ids)));
    }
    /// Returns a component of a vector.
    uint32_t extract(uint32_t type, uint32_t composite, uint32_t index) {
        return add({spv::OpCompositeExtract, type, 0, {composite, index}, {true, false}});
    }
    /// Returns zeros of a type that is loaded. Modules have no null constants of types with buffer
    /// addresses, so these are put together.
    uint32_t zeros(uint32_t type);
    /// Appends code for both cases of a condition. Each returns a value of the type, or anything if
    /// the type is 0. @return the value of the case that ran
    uint32_t choose(uint32_t condition, uint32_t type, const std::function<uint32_t()>& then,
                    const std::function<uint32_t()>& otherwise);
    /// Ends the function. @param value  0 for none
    /// @return its instructions
    std::vector<Node> finish(uint32_t value);

private:
    void begin(uint32_t label);
    void branch(uint32_t label);

    ModuleEditor& mEditor;
    uint32_t mId;
    uint32_t mBlock = 0; ///< label of the current one
    std::vector<uint32_t> mParameters;
    std::vector<Node> mCode;
};

} // namespace kp::shader
