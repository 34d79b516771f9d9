// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <unordered_set>
#include <vector>

#include "shader/check/AccessPath.hpp"
#include "shader/check/access/MeasuredLengths.hpp"

namespace kp::shader {

/// Replaces accesses by calls of functions that compare their indices with the extents first.
/// Coordinates of storage images are only compared, because Vulkan defines accesses beyond an
/// image.
class AccessChecks {
public:
    /// @param context  must outlive this
    explicit AccessChecks(CheckContext& context);

    /// Replaces an instruction if it accesses memory, or takes an address for something else.
    /// @param before  gets what must come before it
    void check(Node& node, std::vector<Node>& before);
    const std::vector<MeasuredBuffer>& measured() const { return mLengths.all(); }

private:
    void checkAccess(Node& node, std::vector<Node>& before);
    void checkChain(Node& node, std::vector<Node>& before);
    void checkVector(Node& node, std::vector<Node>& before);
    void checkImage(Node& node, std::vector<Node>& before);
    uint32_t accessFunction(const Node& node, const AccessPath& path);
    uint32_t indexFunction(uint32_t indexType, uint32_t comparedType);
    /// Returns an index that is 0 if it is beyond the extent.
    uint32_t checkedIndex(uint32_t index, uint32_t type, uint32_t extent, const CheckSite& site,
                          std::vector<Node>& before);
    void noteAddresses();

    CheckContext& mContext;
    MeasuredLengths mLengths;
    /// Pointers that are used by more than accesses that check() replaces.
    std::unordered_set<uint32_t> mAddresses;
};

} // namespace kp::shader
