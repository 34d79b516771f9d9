// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "shader/check/CheckContext.hpp"

namespace kp::shader {

/// Replaces operations on 32-bit floats by calls of functions that report a result which is NaN or
/// infinite although no operand is. The result stays.
class FiniteChecks {
public:
    /// @param context  must outlive this
    explicit FiniteChecks(CheckContext& context);

    /// Replaces an instruction if it can make NaN or infinity.
    void check(Node& node);

private:
    const char* nameOf(const Node& node) const;
    bool isFloat(uint32_t type) const;
    uint32_t function(const Node& node, const std::vector<uint32_t>& operands);
    /// Returns true if all components are finite, and the bits of the first that is not, or the
    /// first one.
    std::pair<uint32_t, uint32_t> finite(FunctionWriter& code, uint32_t value, uint32_t type);

    CheckContext& mContext;
    uint32_t mFunctions = 0; ///< GLSL.std.450
};

} // namespace kp::shader
