// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <unordered_set>
#include <vector>

#include "shader/check/CheckContext.hpp"

namespace kp::shader {

/// Replaces operations on integers that have no defined result by calls of functions which report
/// that and give 0: division by zero, and shifts by the width or more. Signed additions,
/// subtractions and products that an index is computed from report an overflow.
class ArithmeticChecks {
public:
    /// @param context  must outlive this
    explicit ArithmeticChecks(CheckContext& context);

    /// Replaces an instruction if it can fail.
    void check(Node& node);

private:
    void checkSecond(Node& node, FaultKind kind, const char* operation);
    void checkOverflow(Node& node);
    uint32_t secondFunction(const Node& node, FaultKind kind, uint32_t secondType);
    uint32_t overflowFunction(const Node& node);
    /// A number of 64 bits, and whether it fits into 32. Ids.
    struct Wide {
        uint32_t low = 0;
        uint32_t high = 0;
        uint32_t fits = 0;
    };
    /// Computes a sum, difference or product of signed numbers of 32 bits.
    Wide computed(FunctionWriter& code, uint32_t opcode, uint32_t a, uint32_t b);

    /// Checks a call of kp_divisor() of shaders/lib/Integers.glsl, whose result is the argument.
    void checkDivisor(Node& node);
    uint32_t divisorFunction(uint32_t type);

    CheckContext& mContext;
    const std::unordered_set<uint32_t> mIndices; ///< see indexSources()
};

} // namespace kp::shader
