// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace kp::vulkan {

/// Kinds of work. A barrier between two of them covers all accesses of both.
enum class WorkKind : uint8_t {
    eCompute,  ///< shader reads and writes of a dispatch
    eTransfer, ///< copies and fills
    eIndirect, ///< reading the group counts of an indirect dispatch
    eCount
};

/// A set of WorkKinds, one bit each.
using WorkKinds = uint8_t;

constexpr WorkKinds bit(WorkKind kind) {
    return static_cast<WorkKinds>(1u << static_cast<uint8_t>(kind));
}
constexpr size_t kWorkKinds = static_cast<size_t>(WorkKind::eCount);

/// The closing barrier of a submission orders its work of these kinds against later work of these
/// kinds. Submissions with indirect reads order those themselves.
constexpr WorkKinds kClosedKinds =
    static_cast<WorkKinds>(bit(WorkKind::eCompute) | bit(WorkKind::eTransfer));

/// One use of one memory by one operation.
struct HazardAccess {
    uint32_t memory = 0; ///< numbered from 0
    WorkKind kind = WorkKind::eCompute;
    bool reads = false;
    bool writes = false;
};

/// A barrier to record before an operation: from all earlier work of the kinds in `before` to all
/// later work of the kinds in `after`. There is none if both are 0.
struct HazardBarrier {
    WorkKinds before = 0;
    WorkKinds after = 0;
    bool everything = false; ///< against commands of unknown kind: a full barrier

    bool needed() const { return everything || (before != 0 && after != 0); }
};

/// Decides which barrier each operation of a command buffer needs: one for a read-after-write,
/// write-after-read or write-after-write that no earlier barrier covers, and no other. A barrier is
/// global, so one covers the hazards of many memories at once. Calls no Vulkan. Not thread-safe.
class HazardTracker {
public:
    /// Starts a new command buffer. Earlier ones are not the tracker's business.
    void reset();

    /// Adds the next operation.
    /// @return the barrier to record before it
    HazardBarrier next(std::span<const HazardAccess> accesses);

    /// Adds an operation that may access any memory in any way.
    /// @return the barrier to record before it
    HazardBarrier nextUnknown();

private:
    struct MemoryState {
        std::array<uint32_t, kWorkKinds> lastWrite{}; ///< number of the operation, 0 = none
        std::array<uint32_t, kWorkKinds> lastRead{};
    };

    bool covered(size_t before, WorkKind after, uint32_t operation) const {
        return std::max(mFullBarrier, mBarriers[before][static_cast<size_t>(after)]) > operation;
    }
    void noteBarrier(const HazardBarrier& barrier);

    uint32_t mOperation = 0;      ///< number of the last one; a command buffer has below 2^32
    bool mUnknownPending = false; ///< an operation of unknown kind ran since the last full barrier
    uint32_t mFullBarrier = 0;    ///< last operation with a full barrier before it
    /// [before][after]: last operation with a barrier between these kinds before it.
    std::array<std::array<uint32_t, kWorkKinds>, kWorkKinds> mBarriers{};
    std::vector<MemoryState> mMemory; ///< by number; beyond its end: not used yet
};

} // namespace kp::vulkan
