// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include <kompute/Array.hpp>
#include <kompute/arrays/Engine.hpp>

#include "arrays/Mark.hpp"
#include "arrays/engine/KernelCode.hpp"

namespace kp::arrays {

/// Finds indices beyond the extents of their axes: kernels note them, and the host waits for that.
class Bounds {
public:
    Bounds(const std::shared_ptr<Home>& home, const std::vector<Array>& indices,
           const std::vector<Step>& steps);

    /// Returns the additional write of a kernel that checks the only index; a write without a
    /// value if several have to be checked, the value has no elements, or one kernel cannot do
    /// both.
    Write beside(const NodePtr& value);
    /// Starts the checks. Returns what later kernels read: false if an index is beyond. Null if no
    /// index has to be checked.
    NodePtr passed();
    /// Checks the pending indices, and waits.
    /// @return whether passed() was true to kernels that ran before
    /// @throws OutOfBounds
    bool require();

private:
    void launch();

    const std::vector<Array>& mIndices;
    const std::vector<Step>& mSteps;
    std::vector<size_t> mChecked; ///< numbers of the indices
    std::vector<NodePtr> mWrong;  ///< whether their elements are beyond
    std::optional<Mark> mMark;    ///< that kernels set if they find such an index
    bool mLaunched = false;
};

/// Checks what Bounds cannot, because there is no view to take from.
/// @throws OutOfBounds if there are indices, and the axis of the step has no elements
void requireElements(const Array& indices, const Step& step);

} // namespace kp::arrays
