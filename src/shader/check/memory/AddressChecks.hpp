// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "shader/check/CheckContext.hpp"

namespace kp::shader {

/// Replaces accesses through buffer addresses by calls of functions that compare the address with
/// the ranges in the report buffer first; see kAddressWord. Numbers that the module can only load
/// and store are left out.
class AddressChecks {
public:
    /// @param context  must outlive this
    explicit AddressChecks(CheckContext& context) : mContext(context) {}

    /// Replaces an instruction if it is such an access.
    void check(Node& node);

private:
    uint32_t accessFunction(const Node& node);
    uint32_t insideFunction();
    uint32_t bytesOf(uint32_t type) const;

    CheckContext& mContext;
};

} // namespace kp::shader
