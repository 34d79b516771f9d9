// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "shader/SpirvModule.hpp"
#include "shader/check/CheckContext.hpp"

namespace kp::shader {

/// An index that a flat index was computed from.
struct PathAxis {
    uint32_t index = 0;  ///< id
    uint32_t extent = 0; ///< id
};

/// One index of an access.
struct PathStep {
    uint32_t index = 0;         ///< id
    uint32_t extent = 0;        ///< id of a constant; 0 if there is none
    bool runtimeArray = false;  ///< the extent is the length of the block's last member
    bool checked = false;       ///< the index may be beyond the extent
    uint32_t member = 0;        ///< of a struct
    std::string text;           ///< the indexed object, such as "particles.items"
    uint32_t compared = 0;      ///< id of the index before kp_narrow()
    std::vector<PathAxis> axes; ///< of the index, if it is made by kp_element()
};

/// How an access gets from a variable, or a parameter that is a pointer, to the memory that it
/// reads or writes.
struct AccessPath {
    uint32_t base = 0;    ///< id
    uint32_t storage = 0; ///< spv::StorageClass
    std::vector<PathStep> steps;

    bool checked() const;
};

/// Returns true for the instructions that index memory.
inline bool isAccessChain(uint32_t opcode) {
    return opcode == spv::OpAccessChain || opcode == spv::OpInBoundsAccessChain;
}

/// Returns true for instructions whose first operand is the address that they access.
inline bool isAccess(uint32_t opcode) {
    return opcode == spv::OpLoad || opcode == spv::OpStore || isAtomic(opcode);
}

/// Returns the kind of an access outside of its memory.
inline FaultKind kindOf(uint32_t opcode) {
    if (opcode == spv::OpLoad)
        return FaultKind::eRead;
    return opcode == spv::OpStore ? FaultKind::eWrite : FaultKind::eAtomic;
}

/// Returns the path of a pointer; nothing if it does not begin at a variable or parameter, or goes
/// through types that have no known extents.
std::optional<AccessPath> pathOf(CheckContext& context, uint32_t pointer);

/// Returns the integer of 64 bits that kp_narrow() of @kp.jit was given, if an
/// index is its result; else the index.
uint32_t comparedOf(const CheckContext& context, uint32_t index);

/// Returns the instruction that a pointer begins at, before all access chains; null if there is
/// none.
const Node* rootOf(const CheckContext& context, uint32_t pointer);
/// Returns the variable that a pointer begins at; 0 for others.
uint32_t variableOf(const CheckContext& context, uint32_t pointer);

/// Returns a site for an access, with the names of the indexed objects.
CheckSite siteOf(const CheckContext& context, const AccessPath& path, FaultKind kind);

} // namespace kp::shader
