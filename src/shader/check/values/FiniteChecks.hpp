// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <unordered_set>
#include <utility>
#include <vector>

#include "shader/check/CheckContext.hpp"

namespace kp::shader {

/// Replaces operations on 32-bit floats by calls of functions that report a result which is NaN or
/// infinite although no operand is. The result stays. A function of the library, whose name begins
/// with kp_, is one operation, whose intermediate values may be anything.
class FiniteChecks {
public:
    /// @param context  must outlive this
    explicit FiniteChecks(CheckContext& context);

    /// Replaces an instruction if it can make NaN or infinity. To be called for all in their order.
    /// @param before  receives what must precede it
    void check(Node& node, std::vector<Node>& before);

private:
    struct Operand {
        uint32_t id;
        uint32_t type;
    };

    void checkCall(Node& node, std::vector<Node>& before);
    const char* nameOf(const Node& node) const;
    /// Returns true for 32-bit floats, and vectors and matrices of them.
    bool isFloat(uint32_t type) const;
    uint32_t function(const Node& node, const std::vector<Operand>& operands);
    /// Returns true if all components are finite, and the bits of the first that is not, or the
    /// first one.
    std::pair<uint32_t, uint32_t> finite(FunctionWriter& code, uint32_t value, uint32_t type);
    /// Appends the components of a value.
    void addParts(FunctionWriter& code, uint32_t value, uint32_t type,
                  std::vector<uint32_t>& parts);

    CheckContext& mContext;
    uint32_t mFunctions = 0;               ///< GLSL.std.450
    std::unordered_set<uint32_t> mLibrary; ///< functions
    bool mInLibrary = false;
};

} // namespace kp::shader
