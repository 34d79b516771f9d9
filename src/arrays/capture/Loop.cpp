// SPDX-License-Identifier: Apache-2.0
#include "arrays/capture/Loop.hpp"

#include <algorithm>
#include <memory>
#include <mutex>
#include <utility>

#include <kompute/Error.hpp>
#include <kompute/arrays/Capture.hpp>
#include <kompute/arrays/Engine.hpp>
#include <kompute/arrays/Promotion.hpp>
#include <kompute/operations/OpRepeat.hpp>

#include "arrays/ArrayState.hpp"
#include "arrays/capture/CapturedLaunches.hpp"
#include "arrays/engine/Evaluate.hpp"
#include "base/Text.hpp"
#include "core/queue/QueueImpl.hpp"
#include "core/queue/Repeater.hpp"

namespace kp {
namespace arrays {
namespace {

/// Steps of a submission. Those after the last one take the device a few microseconds each.
constexpr uint32_t kBlock = 16;
/// Operations of a submission, unless one step has more: recording takes time and memory.
constexpr size_t kMaxOperations = 4096;

using Operations = std::vector<std::shared_ptr<OpBase>>;

/// Notes at which operation of a capture each part begins.
class PartsOfCapture final : public LoopParts {
public:
    PartsOfCapture(const CapturedLaunches& capture, Array stops)
        : mCapture(capture), mStops(std::move(stops)) {
        begin({});
    }
    void begin(const Array& flag) override {
        mParts.push_back({mCapture.operations().size(), flag.isNull() ? mStops : flag});
    }

    /// Returns an operation for each part.
    /// @param most  steps of an operation, if there is one part
    Operations operations(uint32_t most) const {
        const Operations& all = mCapture.operations();
        Operations made;
        for (size_t i = 0; i < mParts.size(); ++i) {
            const size_t end = i + 1 < mParts.size() ? mParts[i + 1].first : all.size();
            if (end == mParts[i].first)
                continue;
            const auto first = all.begin();
            made.push_back(std::make_shared<OpRepeat>(
                Operations(first + static_cast<ptrdiff_t>(mParts[i].first),
                           first + static_cast<ptrdiff_t>(end)),
                stateOf(mParts[i].flag).evaluated().storage->tensor(),
                mParts.size() == 1 ? most : 1));
        }
        return made;
    }
    size_t count() const { return mParts.size(); }

private:
    struct Part {
        size_t first;
        Array flag;
    };
    const CapturedLaunches& mCapture;
    const Array mStops;
    std::vector<Part> mParts;
};

/// Steps of a submission, as operations.
struct Block {
    Operations operations;
    uint32_t steps;
};

/// @param isWhole  the block has all steps, unless they have several parts
Block captured(Home& home, const Array& stops, const Array& steps, uint32_t most, bool isWhole,
               const std::function<Array(LoopParts&)>& step) {
    CapturedLaunches capture(home, CapturedLaunches::Part::eStep);
    PartsOfCapture parts(capture, stops);
    {
        const Array isLast = step(parts);
        const Array next = steps + Operand(DType::eUint32, 1);
        const Array ends =
            logicalOr(isLast, greaterEqual(next, Operand(DType::eUint32, most))).reshape({});
        storeInPlace({{stops, ends.astype(DType::eUint32)}, {steps, next}});
    }
    if (!capture.refusal().empty())
        throw InvalidArgument(capture.refusal());
    if (capture.nodes() != 0 || capture.storages() != 0)
        throw InvalidArgument("a step of a loop keeps an array that it made; make it a part of the "
                              "loop's state instead, because each step computes it anew");
    capture.endAsPart();
    const size_t fit = kMaxOperations / std::max<size_t>(capture.operations().size(), 1);
    const uint32_t size =
        isWhole ? most : std::clamp<uint32_t>(static_cast<uint32_t>(fit), 1, kBlock);
    return {parts.operations(size), parts.count() == 1 ? size : 1};
}

} // namespace

void storeInPlace(const std::vector<std::pair<Array, Array>>& values) {
    const std::lock_guard lock(engineLock());
    std::vector<std::pair<View, NodePtr>> stores;
    for (const auto& [target, value] : values)
        stores.emplace_back(stateOf(target).evaluated(), stateOf(value).node());
    storeAll(stores);
}

Array repeatSteps(const Array& stops, uint32_t most, const std::function<Array(LoopParts&)>& step,
                  const char* name) {
    const CapturedLaunches* const whole = CapturedLaunches::current();
    if (whole && whole->part() == CapturedLaunches::Part::eStep)
        throw InvalidArgument(
            "a loop began within another loop, but the device can repeat only "
            "one; write the inner steps with a loop of the host (a Python for, or "
            "kp.where() for steps that may not be needed), or make one loop whose "
            "state has both");
    Manager& manager = stops.manager();
    const std::shared_ptr<Home> home = Home::of(manager);
    const Array steps = zeros({}, DType::eUint32, &manager).copy();
    stateOf(steps).evaluated();
    const Block block = captured(*home, stops, steps, most, whole != nullptr, step);
    if (whole) {
        for (uint32_t launched = 0; launched < most; launched += block.steps)
            launch(manager, block.operations);
        return steps;
    }
    const auto repeater = std::make_shared<Repeater>(implOf(*home->queue()).device);
    Array seen; // whether the steps had stopped before the last block
    for (uint64_t launched = 0; launched < most; launched += block.steps) {
        launchRepeated(home->queue(), repeater, block.operations, name);
        const Array earlier = seen;
        seen = hostNumber(manager, DType::eUint32);
        seen.assign(stops);
        if (!earlier.isNull() && earlier.item<uint32_t>() != 0)
            break;
    }
    return steps;
}

} // namespace arrays

namespace {

/// Returns an eUint32 without axes: not 0 if a condition does not hold.
Array endOf(const LoopCondition& condition, const std::vector<Array>& state) {
    const Array holds = condition(state);
    if (holds.size() != 1)
        fail<InvalidArgument>("the condition of a loop is one element, not an array of shape {}; "
                              "use kp::all() or kp::any()",
                              toString(holds.shape()));
    return logicalNot(holds).reshape({}).astype(DType::eUint32);
}

void requireLike(const std::vector<Array>& next, const std::vector<Array>& state) {
    if (next.size() != state.size())
        fail<InvalidArgument>("the loop's state has {}, but its body returns {}",
                              counted(state.size(), "array"), next.size());
    for (size_t i = 0; i < state.size(); ++i)
        if (!(next[i].shape() == state[i].shape()) || next[i].dtype() != state[i].dtype())
            fail<InvalidArgument>("array {} of the loop's state has the shape {} and the type {}, "
                                  "but the body returns {} and {}; convert it, or begin with such "
                                  "an array",
                                  i, toString(state[i].shape()), toString(state[i].dtype()),
                                  toString(next[i].shape()), toString(next[i].dtype()));
}

/// Moves what a step has computed into the memory of the state.
void carry(const std::vector<Array>& next, const std::vector<Array>& state) {
    arrays::together(next);
    std::vector<std::pair<Array, Array>> values;
    for (size_t i = 0; i < state.size(); ++i) {
        if (&arrays::stateOf(next[i]) == &arrays::stateOf(state[i]))
            continue; // the body has changed it in place, or not at all
        const bool isOfState = std::ranges::any_of(state, [&](const Array& each) {
            return arrays::memoryKeyOf(each) == arrays::memoryKeyOf(next[i]);
        });
        values.emplace_back(state[i], isOfState ? next[i].copy().evaluate() : next[i]);
    }
    arrays::storeInPlace(values);
}

} // namespace

std::vector<Array> whileLoop(const LoopCondition& condition, const ArrayFunction& body,
                             const std::vector<Array>& start, uint32_t most) {
    if (!condition || !body)
        throw InvalidArgument("a loop takes a condition and a body, but one of them is empty");
    if (start.empty())
        throw InvalidArgument("a loop begins with its state, at least one array, but none was "
                              "given");
    if (most == 0)
        throw InvalidArgument("a loop takes the number of steps that may run, at least 1, not 0");
    std::vector<Array> state;
    for (const Array& each : start) {
        if (&each.manager() != &start[0].manager())
            throw InvalidArgument("the arrays of a loop's state are of one manager, but two were "
                                  "given");
        state.push_back(each.copy().evaluate());
    }
    const Array stops = endOf(condition, state).copy().evaluate();
    const auto step = [&](arrays::LoopParts&) {
        const std::vector<Array> next = body(state);
        requireLike(next, state);
        carry(next, state);
        return endOf(condition, state);
    };
    arrays::repeatSteps(stops, most, step, "loop");
    return state;
}

} // namespace kp
