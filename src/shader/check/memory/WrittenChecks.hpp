// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "shader/check/AccessPath.hpp"

namespace kp::shader {

/// Notes which bytes of storage buffers are written, and reports reads of others. Each buffer has a
/// shadow with a byte for each of its bytes, which is 1 once that is written. Left out are arrays
/// of buffers, buffers that are written in other ways than by stores and atomics, such as through
/// pointers that go to functions, and stores of many numbers at once.
class WrittenChecks {
public:
    /// @param context  must outlive this
    explicit WrittenChecks(CheckContext& context);

    /// Adds the note of an access before it.
    /// @param before  gets what must come before the instruction
    void check(const Node& node, std::vector<Node>& before);

    const std::vector<FollowedBuffer>& followed() const { return mFollowed; }

private:
    enum class Access : uint32_t { eRead = 1, eWrite = 2, eBoth = 3 };

    void findBuffers();
    uint32_t shadowOf(uint32_t variable);
    uint32_t function(uint32_t variable, Access access, uint32_t bytes);

    CheckContext& mContext;
    std::unordered_set<uint32_t> mVariables;         ///< that are followed
    std::unordered_map<uint32_t, uint32_t> mShadows; ///< variables, by the buffer's
    std::vector<FollowedBuffer> mFollowed;
};

} // namespace kp::shader
