// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>

#include <kompute/Array.hpp>

#include "arrays/engine/KernelCode.hpp"
#include "arrays/memory/HostWord.hpp"

namespace kp::arrays {

/// A number that kernels set where a condition is true, which is rare, and the host reads without
/// a copy.
class Mark {
public:
    /// @throws OutOfMemory, DeviceLost
    explicit Mark(const std::shared_ptr<Home>& home);

    /// Returns the write of a kernel of a shape that sets the mark.
    Write where(const NodePtr& condition, const Shape& shape) const;
    /// Returns what later kernels read: whether the mark is not set.
    NodePtr isAbsent() const;
    /// Waits for kernels that set the mark. Returns whether it may be set: memory that was used
    /// before may have had it.
    bool maybeSet() const;

private:
    HostWord mWord;
    uint32_t mNumber; ///< no other mark has it
};

/// Returns whether a condition is true for any element, which is rare: one kernel looks, and the
/// host waits.
bool holdsAnywhere(const Array& condition);

} // namespace kp::arrays
