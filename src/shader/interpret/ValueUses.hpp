// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "shader/interpret/RegisterTypes.hpp"

namespace kp::shader {

/// A pointer to a variable or a parameter, or to a part of it.
struct LocalPointer {
    uint32_t variable = 0;
    uint32_t offset = 0;  ///< in registers
    uint32_t dynamic = 0; ///< id of an index to add to it; 0 for none
    int component = -1;   ///< of the pair in the register; -1 for the whole
    uint32_t type = 0;    ///< of its target
};

/// Where a function's values are used. Places are indices of its instructions.
class ValueUses {
public:
    ValueUses(const ModuleEditor& editor, std::span<const Node> nodes, const RegisterTypes& types);

    /// False if the function has unsupported pointers.
    bool understood() const { return mUnderstood; }
    /// Returns where a pointer points to; null for ids of other things.
    const LocalPointer* pointer(uint32_t id) const;
    /// Returns true if all uses of a value are in the block that computes it.
    bool isLocal(uint32_t value) const { return !mSpread.contains(value); }
    /// Returns the last place in the block of @p place where a value or constant is used.
    size_t lastUse(uint32_t value, size_t place) const;
    uint32_t countOf(uint32_t value) const;
    /// Returns true if a variable is written between two places, both excluded.
    bool isWritten(uint32_t variable, size_t after, size_t before) const;
    /// Extends the life of a value to the last use of another one of the block.
    void extend(uint32_t value, uint32_t by, size_t place);

private:
    void use(uint32_t value, size_t place);
    void addPointer(const Node& node);

    const ModuleEditor& mEditor;
    const RegisterTypes& mTypes;
    bool mUnderstood = true;
    std::vector<uint32_t> mBlocks; ///< of places
    std::unordered_map<uint32_t, LocalPointer> mPointers;
    std::unordered_map<uint32_t, uint32_t> mDefinedIn; ///< blocks of values
    std::unordered_map<uint32_t, uint32_t> mCounts;
    std::unordered_set<uint32_t> mSpread;                  ///< values that other blocks use
    std::map<std::pair<uint32_t, uint32_t>, size_t> mLast; ///< by block and value
    std::map<uint32_t, std::vector<size_t>> mWrites;       ///< places, by variable
};

} // namespace kp::shader
