// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "shader/check/AccessPath.hpp"
#include "shader/check/MemoryLayout.hpp"
#include "shader/check/races/RaceFunctions.hpp"

namespace kp::shader {

/// Reports accesses of two invocations to one number of shared memory or a storage buffer, if one
/// writes, not both are atomics, and no barrier is between them; and reads of shared memory that
/// the group has not written. Memory that the module only reads is left out. So are buffers
/// of modules that order groups by atomics with memory barriers.
class RaceChecks {
public:
    /// @param context  must outlive this
    explicit RaceChecks(CheckContext& context);

    /// Adds the comparison with other accesses before one, and counts barriers.
    /// @param before  gets what must come before the instruction
    void check(const Node& node, std::vector<Node>& before);

    const std::vector<ShadowedBuffer>& shadowed() const { return mShadowed; }
    bool shadowsShared() const { return mShadowsShared; }

private:
    /// Memory that is compared.
    struct Target {
        uint32_t elementBytes = 0; ///< of a buffer; 0 of shared memory
        uint32_t slot = 0;         ///< of a buffer
        uint32_t first = 0;        ///< number of shared memory
        bool initialised = true;   ///< shared memory has contents when a group begins
    };

    /// How invocations of the module order their accesses, besides by barriers of their group.
    struct Orders;

    RaceChecks(CheckContext& context, const Orders& orders);
    void noteWritten();
    void placeShared();
    std::optional<Target> targetOf(const AccessPath& path);
    void countBarrier(std::vector<Node>& before);
    void checkAccess(const Node& node, AccessKind kind, std::vector<Node>& before);
    uint32_t bitsOf(std::vector<Node>& before, uint32_t value, const std::vector<uint32_t>& part);

    CheckContext& mContext;
    const bool mOrdersGroups;
    std::unordered_set<uint32_t> mWritten;
    bool mWritesBuffers = false; ///< some of them               ///< variables
    std::unordered_map<uint32_t, uint32_t> mSharedFirst; ///< number, by variable
    std::unordered_map<uint32_t, uint32_t> mSlots;       ///< by variable
    std::vector<ShadowedBuffer> mShadowed;
    bool mShadowsShared = false;
    RaceFunctions mFunctions;
};

} // namespace kp::shader
