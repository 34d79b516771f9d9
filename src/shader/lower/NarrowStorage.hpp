// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "shader/lower/LoweringContext.hpp"

namespace kp::shader {

/// Buffers and push constants with 8- or 16-bit members, as words. Each becomes a block of one
/// array of words, and a pointer into it an offset in bytes, which the lowering knows while it
/// reads the shader. A store changes only its own bytes, with atomics.
class NarrowStorage {
public:
    explicit NarrowStorage(LoweringContext& context) : mContext(context) {}

    /// Returns true for variables in memory with a layout that hold lowered narrow numbers.
    bool takes(const Node& variable) const;
    /// Defines such a variable as words.
    void declare(const Node& variable);
    /// Replaces an instruction on such memory. @return false if it is on none
    bool lower(const Node& node);
    /// Returns true for decorations of such a variable that words must not have.
    bool drops(const Node& decoration) const;
    /// Returns true if a storage buffer is accessed as words.
    bool hasBuffers() const { return mHasBuffers; }

private:
    struct Block {
        uint32_t variable = 0;
        uint32_t type = 0; ///< as it was
        uint32_t storageClass = 0;
        bool byFours = false; ///< an array of uvec4, as uniform buffers need
    };
    struct Place {
        Block block;
        uint32_t type = 0;              ///< the original type at the place
        uint32_t constant = 0;          ///< bytes
        std::optional<uint32_t> offset; ///< bytes to add: a value
    };

    uint32_t sizeOf(uint32_t type) const; ///< bytes, without the padding of its end
    uint32_t strideOf(uint32_t array) const;
    bool chain(const Node& node, Place place);
    uint32_t arrayLength(const Node& node, const Block& block);
    void atomic(const Node& node, const Place& place);
    Place at(const Place& place, uint32_t bytes, uint32_t type) const;
    uint32_t offsetOf(const Place& place);
    uint32_t wordPointer(const Place& place);
    uint32_t load(const Place& place, const Node& node);
    void store(const Place& place, uint32_t value, const Node& node);
    uint32_t loadScalar(const Place& place, const NumberShape& shape, const Node& node);
    void storeScalar(const Place& place, const NumberShape& shape, uint32_t value,
                     const Node& node);

    LoweringContext& mContext;
    std::unordered_map<uint32_t, Block> mBlocks; ///< by variable
    std::unordered_map<uint32_t, Place> mPlaces; ///< of pointers
    bool mHasBuffers = false;
};

} // namespace kp::shader
