// SPDX-License-Identifier: Apache-2.0
#include "sparse/SolverSteps.hpp"

#include <algorithm>
#include <limits>

#include <kompute/Error.hpp>
#include <kompute/arrays/Engine.hpp>

#include "arrays/capture/Loop.hpp"
#include "base/Text.hpp"

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
    for (const auto& [target, value] : values) {
        if (value.dtype() >= DType::eComplex64 && target->dtype() < DType::eComplex64)
            fail<InvalidArgument>(
                "the solver's matrix or preconditioner makes {} of the right side, "
                "which is {}; convert the right side",
                toString(value.dtype()), toString(target->dtype()));
        stores.emplace_back(*target, value);
    }
    arrays::storeInPlace(stores);
}

Solution SolverSteps::run(const Array& norm, const std::function<void()>& step) const {
    if (mOnDevice)
        return runOnDevice(norm, [&] {
            step();
            return logicalNot(greater(norm, mBegun.limit));
        });
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

Solution SolverSteps::runCycles(const Array& norm, const Array& ended,
                                const std::function<void()>& cycle) const {
    if (mOnDevice)
        return runOnDevice(norm, [&] {
            cycle();
            return ended;
        });
    for (int64_t steps = 1; steps <= mBegun.maxSteps; ++steps) {
        cycle();
        if (mOptions.callback)
            mOptions.callback(mBegun.x);
        if (ended.item<bool>())
            return solution(norm, steps);
    }
    return solution(norm, mBegun.maxSteps);
}

void SolverSteps::skipRestIf(const Array& flag) const {
    if (mParts)
        mParts->begin(flag);
}

Solution SolverSteps::runOnDevice(const Array& norm, const std::function<Array()>& step) const {
    const auto most = static_cast<uint32_t>(
        std::min<int64_t>(mBegun.maxSteps, std::numeric_limits<uint32_t>::max()));
    const Array stops = zeros({}, DType::eUint32, &norm.manager()).copy();
    const Array steps = arrays::repeatSteps(
        stops, most,
        [&](arrays::LoopParts& parts) {
            mParts = &parts;
            Array isLast = step();
            mParts = nullptr;
            return isLast;
        },
        "solver");
    return solution(norm, steps.item<uint32_t>());
}

Solution SolverSteps::solution(const Array& norm, int64_t steps) const {
    return {mBegun.x, norm.item<double>() <= mBegun.limit ? 0 : steps};
}

} // namespace kp::sparse
