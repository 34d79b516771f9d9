// SPDX-License-Identifier: Apache-2.0
#include "sparse/SolverSteps.hpp"

#include <algorithm>
#include <limits>
#include <memory>
#include <mutex>

#include <kompute/arrays/Engine.hpp>
#include <kompute/operations/OpRepeat.hpp>

#include "arrays/ArrayState.hpp"
#include "arrays/capture/CapturedLaunches.hpp"
#include "arrays/engine/Evaluate.hpp"
#include "core/queue/QueueImpl.hpp"
#include "core/queue/Repeater.hpp"

namespace kp::sparse {
namespace {

/// Steps of a submission. Those after the last one take the device a few microseconds each.
constexpr uint32_t kBlock = 16;

} // namespace

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
    const std::lock_guard lock(arrays::engineLock());
    std::vector<std::pair<arrays::View, arrays::NodePtr>> stores;
    for (const auto& [target, value] : values)
        stores.emplace_back(arrays::stateOf(*target).evaluated(), arrays::stateOf(value).node());
    arrays::storeAll(stores);
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
    Manager& manager = norm.manager();
    const std::shared_ptr<arrays::Home> home = arrays::Home::of(manager);
    const auto most = static_cast<uint32_t>(
        std::min<int64_t>(mBegun.maxSteps, std::numeric_limits<uint32_t>::max()));
    Array stops = zeros({}, DType::eUint32, &manager).copy();
    Array steps = zeros({}, DType::eUint32, &manager).copy();
    std::shared_ptr<OpRepeat> block;
    {
        arrays::CapturedLaunches captured(*home);
        step();
        const Array next = steps + Operand(DType::eUint32, 1);
        const Array done = logicalOr(logicalNot(greater(norm, mBegun.limit)),
                                     greaterEqual(next, Operand(DType::eUint32, most)));
        set({{&stops, done.astype(DType::eUint32)}, {&steps, next}});
        captured.end();
        block = std::make_shared<OpRepeat>(
            captured.operations(), arrays::stateOf(stops).evaluated().storage->tensor(), kBlock);
    }
    const auto repeater = std::make_shared<Repeater>(implOf(*home->queue()).device);
    Array seen; // whether the steps had stopped before the last block
    for (uint64_t launched = 0; launched < most; launched += kBlock) {
        launchRepeated(home->queue(), repeater, {block}, "solver");
        const Array earlier = seen;
        seen = arrays::hostNumber(manager, DType::eUint32);
        seen.assign(stops);
        if (!earlier.isNull() && earlier.item<uint32_t>() != 0)
            break;
    }
    const bool converged = norm.item<double>() <= mBegun.limit;
    return {mBegun.x, converged ? 0 : static_cast<int64_t>(steps.item<uint32_t>())};
}

} // namespace kp::sparse
