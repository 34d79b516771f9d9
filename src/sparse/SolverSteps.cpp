// SPDX-License-Identifier: Apache-2.0
#include "sparse/SolverSteps.hpp"

#include <algorithm>
#include <limits>

#include <kompute/arrays/Engine.hpp>

#include "arrays/capture/Loop.hpp"

namespace kp::sparse {
void SolverSteps::set(const std::vector<std::pair<Array*, Array>>& values) const {
    if (!mOnDevice) {
        std::vector<Array> made;
        for (const auto& [target, value] : values)
            made.push_back(value);
        arrays::together(made);
        for (const auto& [target, value] : values)
            *target = value.evaluate();
        return;
    }
    // In place, because the next step finds them where this one did.
    std::vector<std::pair<Array, Array>> stores;
    for (const auto& [target, value] : values)
        stores.emplace_back(*target, value);
    arrays::storeInPlace(stores);
}

Solution SolverSteps::run(const Array& norm, const std::function<void()>& step) const {
    if (mOnDevice)
        return runOnDevice(norm, step);
    Convergence convergence(norm.manager(), norm.dtype(), mBegun.limit,
                            mOptions.callback != nullptr);
    int64_t steps = 0;
    while (steps < mBegun.maxSteps) {
        step();
        ++steps;
        if (mOptions.callback)
            mOptions.callback(mBegun.x);
        if (convergence.isDone(norm))
            break;
    }
    return {mBegun.x, convergence.hasConverged(norm) ? 0 : steps};
}

Solution SolverSteps::runOnDevice(const Array& norm, const std::function<void()>& step) const {
    const auto most = static_cast<uint32_t>(
        std::min<int64_t>(mBegun.maxSteps, std::numeric_limits<uint32_t>::max()));
    const Array stops = zeros({}, DType::eUint32, &norm.manager()).copy();
    const Array steps = arrays::repeatSteps(
        stops, most,
        [&](arrays::LoopParts&) {
            step();
            return logicalNot(greater(norm, mBegun.limit));
        },
        "solver");
    const bool converged = norm.item<double>() <= mBegun.limit;
    return {mBegun.x, converged ? 0 : static_cast<int64_t>(steps.item<uint32_t>())};
}

} // namespace kp::sparse
