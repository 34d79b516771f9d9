// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <utility>
#include <vector>

#include <kompute/Array.hpp>
#include <kompute/sparse/Solvers.hpp>

#include "arrays/capture/Loop.hpp"
#include "sparse/Convergence.hpp"

namespace kp::sparse {

/// The steps of a solver. A step launches its work and does not wait. What a step leaves to the
/// next one are arrays that it changes by set().
class SolverSteps {
public:
    /// @param repeatable  a step launches the same each time, so that the device can repeat it by
    ///                    itself
    SolverSteps(Beginning& begun, const SolverOptions& options, bool repeatable)
        : mBegun(begun), mOptions(options), mOnDevice(repeatable && !options.callback) {}

    /// Sets arrays to values of the same shape and type, which are computed from what the arrays
    /// were before. No value is one of the arrays itself, and nothing that is still needed is an
    /// expression of them.
    void set(const std::vector<std::pair<Array*, Array>>& values) const;

    /// Runs steps until a norm is small or no number. If they are repeatable, the device stops
    /// them, and the host looks now and then.
    /// @param norm  of the residual; a step sets it
    Solution run(const Array& norm, const std::function<void()>& step) const;
    /// Runs cycles, which consist of many launches. The host waits for each, unless the device
    /// stops them.
    /// @param ended  set by a cycle: whether it was the last one
    Solution runCycles(const Array& norm, const Array& ended,
                       const std::function<void()>& cycle) const;
    /// Lets the device skip what a step launches from here on, up to the next call, if an eUint32
    /// is not 0. No array: if no step is to run. The host launches it nevertheless.
    void skipRestIf(const Array& flag) const;

private:
    Solution runOnDevice(const Array& norm, const std::function<Array()>& step) const;
    Solution solution(const Array& norm, int64_t steps) const;

    Beginning& mBegun;
    const SolverOptions& mOptions;
    const bool mOnDevice;
    mutable arrays::LoopParts* mParts = nullptr; ///< of the step that is being captured
};

} // namespace kp::sparse
