// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "shader/check/AccessPath.hpp"
#include "shader/check/MemoryLayout.hpp"

namespace kp::shader {

/// Writes instructions before an access that compute which element it touches.
class IndexWords {
public:
    /// @param context, before  must outlive this
    IndexWords(CheckContext& context, std::vector<Node>& before)
        : mContext(context), mBefore(before) {}

    /// Returns an instruction's result, after adding it.
    uint32_t add(spv::Op opcode, uint32_t type, std::vector<uint32_t> ids);
    /// Converts an integer to a word.
    uint32_t wordOf(uint32_t index);
    /// Returns a number plus multiples of indices.
    uint32_t sum(uint32_t first, const std::vector<ScaledIndex>& all);
    /// Returns a word plus a constant.
    uint32_t plus(uint32_t begin, uint32_t offset);
    /// Returns the index of an element in its array, and the array's name.
    uint32_t shown(const AccessPath& path, std::string& name);

private:
    CheckContext& mContext;
    std::vector<Node>& mBefore;
};

} // namespace kp::shader
