// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "shader/check/CheckContext.hpp"

namespace kp::shader {

/// Ends loops when an invocation's loops have had too many iterations. Loops that this would leave
/// without values which later code needs stay as they are.
class LoopChecks {
public:
    /// @param context  must outlive this
    explicit LoopChecks(CheckContext& context);

    /// Changes the end of a loop's first block, which is the branch after its OpLoopMerge.
    /// @param before  gets what must come before the OpLoopMerge
    void check(Node& branch, const Node& merge, std::vector<Node>& before);

private:
    uint32_t function();
    bool canEnd(const Node& merge) const;

    CheckContext& mContext;
    // Places are indices of instructions in functions.
    std::unordered_map<uint32_t, size_t> mLabels;   ///< places of blocks
    std::unordered_map<uint32_t, size_t> mMerges;   ///< places of OpLoopMerge, by merge block
    std::unordered_map<uint32_t, size_t> mDefined;  ///< places of results
    std::vector<std::pair<size_t, uint32_t>> mUses; ///< place and id
    std::unordered_set<size_t> mPhis;               ///< places
    uint32_t mFunction = 0;
};

} // namespace kp::shader
