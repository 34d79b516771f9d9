// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include <kompute/primitives/TensorRange.hpp>

#include "primitives/move/MovePlan.hpp"
#include "primitives/plan/BoundPlan.hpp"

namespace kp::primitives {

/// An operation that gives the elements of an array new places (OpReverse, OpTranspose).
class MoveOperation {
public:
    /// Checks the arguments.
    /// @param operation  "OpReverse"
    /// @param shape      empty for one dimension
    /// @throws InvalidArgument
    MoveOperation(const TensorRange& in, const TensorRange& out, const std::vector<uint64_t>& shape,
                  const char* operation);

    const std::vector<uint64_t>& extents() const { return mExtents; }
    /// Returns the problem with room for as many axes as extents.
    MoveProblem problem() const;
    std::unique_ptr<BoundPlan> bind(const MoveProblem& problem);

private:
    const char* mOperation;
    std::vector<Argument> mArguments;
    std::shared_ptr<vulkan::Device> mDevice;
    std::vector<uint64_t> mExtents;
};

} // namespace kp::primitives
