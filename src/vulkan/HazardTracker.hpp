// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace kp::vulkan {

/// Kinds of work that order against each other. Barriers between two of them cover all accesses of
/// both.
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

/// What a submission's closing barrier orders: its work of these kinds against later work of these
/// kinds. Indirect reads are left to the submissions that have some.
constexpr WorkKinds kClosedKinds =
    static_cast<WorkKinds>(bit(WorkKind::eCompute) | bit(WorkKind::eTransfer));

/// One use of one memory by one operation.
struct HazardAccess {
    uint32_t memory = 0; ///< its number; numbers count up from 0
    WorkKind kind = WorkKind::eCompute;
    bool reads = false;
    bool writes = false;
};

/// A barrier to record before an operation: from all earlier work of the kinds in `before` to all
/// later work of the kinds in `after`. None where both are 0.
struct HazardBarrier {
    WorkKinds before = 0;
    WorkKinds after = 0;
    bool everything = false; ///< against commands of unknown kind: a full barrier

    bool needed() const { return everything || (before != 0 && after != 0); }
};

/// Decides, operation by operation, which barrier a command buffer needs: one for every
/// read-after-write, write-after-read and write-after-write that no earlier barrier covers, and no
/// other. A barrier is global (it covers every memory), so one barrier can settle the hazards of
/// many memories at once. Pure: calls nothing, knows no Vulkan. Not thread-safe.
class HazardTracker {
public:
    /// Forgets everything; a new command buffer starts. What came before it is not the tracker's.
    void reset();

    /// Notes the next operation.
    /// @return the barrier that must stand before it
    HazardBarrier next(std::span<const HazardAccess> accesses);

    /// Notes an operation that may touch anything, in any way.
    /// @return the barrier that must stand before it
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

    uint32_t mOperation = 0;      ///< number of the last one; a command buffer has fewer than 2^32
    bool mUnknownPending = false; ///< an operation of unknown kind ran since the last full barrier
    uint32_t mFullBarrier = 0;    ///< last operation that a full barrier stands before
    /// [before][after]: last operation that a barrier between these kinds stands before.
    std::array<std::array<uint32_t, kWorkKinds>, kWorkKinds> mBarriers{};
    std::vector<MemoryState> mMemory; ///< by number; memory beyond its end was not used yet
};

} // namespace kp::vulkan
