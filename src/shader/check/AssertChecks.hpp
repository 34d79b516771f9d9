// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "shader/check/CheckContext.hpp"

namespace kp::shader {

/// Replaces the messages of kp_assert() in <kompute/check.glsl> by reports.
class AssertChecks {
public:
    /// @param context  must outlive this
    explicit AssertChecks(CheckContext& context);

    /// Replaces an instruction if it is such a message.
    /// @param before  gets what must come before it
    void check(Node& node, std::vector<Node>& before);
    /// Removes the instruction set if nothing uses it any more.
    void finish(const std::vector<Node>& functions);

private:
    CheckContext& mContext;
    uint32_t mPrintf = 0; ///< the instruction set; 0 if the module has none
};

} // namespace kp::shader
