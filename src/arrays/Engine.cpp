// SPDX-License-Identifier: Apache-2.0
#include <kompute/arrays/Engine.hpp>

#include <mutex>
#include <utility>

#include <kompute/Error.hpp>

#include "arrays/ArrayState.hpp"
#include "arrays/Bounds.hpp"
#include "arrays/capture/CapturedLaunches.hpp"
#include "arrays/engine/Evaluate.hpp"
#include "arrays/large/LargeIndexing.hpp"
#include "base/Text.hpp"
#include "core/manager/ManagerImpl.hpp"
#include "core/memory/MemoryImpl.hpp"
#include "vulkan/device/Device.hpp"

namespace kp::arrays {
namespace {

std::vector<NodePtr> nodesOf(const std::vector<Array>& given) {
    std::vector<NodePtr> nodes;
    for (const Array& each : given)
        nodes.push_back(stateOf(each).node());
    return nodes;
}

void requireSteps(const std::vector<Array>& indices, const std::vector<Step>& steps) {
    if (indices.size() != steps.size())
        fail<InvalidArgument>("{} {} given for {}", counted(steps.size(), "step"),
                              steps.size() == 1 ? "was" : "were", counted(indices.size(), "index"));
}

/// Returns a write that happens only if a number without axes is true, too.
Write masked(Write write, const NodePtr& condition) {
    static const std::string* const both = interned("({0} && {1})");
    write.mask = write.mask ? text(both, DType::eBool, write.mask->shape, {write.mask, condition})
                            : condition;
    return write;
}

} // namespace

Array addresses(Manager& manager, const Shape& shape, int64_t offset, const Shape& strides,
                DType dtype) {
    const std::shared_ptr<Home> home = Home::of(manager);
    home->require(dtype);
    return arrayOf(address(home, shape, offset, strides, dtype));
}

Array call(const Function& function, DType dtype, const Shape& shape,
           const std::vector<Operand>& operands, const std::vector<DType>& types) {
    std::vector<NodePtr> nodes;
    for (size_t i = 0; i < operands.size(); ++i)
        nodes.push_back(nodeOf(operands[i], types[i]));
    NodePtr node = call(function, dtype, shape, std::move(nodes));
    if (!node->home)
        throw InvalidArgument("a function is one of arrays, and none was given");
    return arrayOf(std::move(node));
}

Array take(const Array& base, const std::vector<Array>& indices, const std::vector<Step>& steps) {
    requireSteps(indices, steps);
    const View view = stateOf(base).evaluated();
    const std::shared_ptr<Home>& home = view.storage->home();
    Bounds bounds(home, indices, steps);
    if (reachBeyondBinding(view, steps)) {
        bounds.require();
        const std::lock_guard lock(engineLock());
        return arrayOf(takeByParts(view, view.shape, nodesOf(indices), steps));
    }
    const NodePtr value = take(view, view.shape, nodesOf(indices), steps);
    if (const Write note = bounds.beside(value); note.value) {
        // One kernel for both: reading the indices twice takes longer than the checks.
        const View taken = View::blank(home, view.shape, view.dtype());
        run(home, view.shape, {{taken, value, {}, {}, nullptr}, note});
        bounds.require();
        return arrayOf(taken);
    }
    bounds.require();
    return arrayOf(value);
}

void put(const Array& target, const Array& value, const std::vector<Array>& indices,
         const std::vector<Step>& steps, const Array& mask) {
    requireSteps(indices, steps);
    const View view = stateOf(target).evaluated();
    if (!view.writable)
        throw InvalidArgument("the array is read-only, because it repeats elements; assign to a "
                              "copy()");
    const std::shared_ptr<Home>& home = view.storage->home();
    Bounds bounds(home, indices, steps);
    const bool byParts = reachBeyondBinding(view, steps);
    if (byParts)
        bounds.require();
    // Other kernels set elements if the checks before them passed, and the host waits once for
    // both.
    const NodePtr passed = byParts ? nullptr : bounds.passed();
    Write write;
    {
        const std::lock_guard lock(engineLock());
        write = {view, cast(stateOf(value).node(), view.dtype()), nodesOf(indices), steps,
                 mask.isNull() ? nullptr : stateOf(mask).node()};
        beforeWrite(view.storage);
        if (byParts) {
            writeByParts(std::move(write));
            return;
        }
        Write first = passed ? masked(write, passed) : write;
        fitBuffers(first);
        run(home, view.shape, {first});
    }
    if (passed && !bounds.require()) {
        fitBuffers(write);
        run(home, view.shape, {write});
    }
}

void together(const std::vector<Array>& given) {
    together(nodesOf(given));
}

void become(const Array& target, const Array& value) {
    stateOf(target).become(stateOf(value).node());
}

bool isAlone(const Array& array) {
    const std::lock_guard lock(engineLock());
    Array::State& state = stateOf(array);
    LaunchCapture* const capture = LaunchCapture::current();
    if (capture && !(state.pending && LaunchCapture::find(state.pending->capture) == capture))
        state.evaluated(); // other memory stays where it is while launches of it are captured
    const View& view = state.view;
    if (!view)
        return true;
    const bool isOwn = !capture || LaunchCapture::find(view.storage->capture) == capture;
    return isOwn && view.storage->isPooled() && view.writable && view.storage->arrays() == 1;
}

void beforeWrite(const Array& array) {
    beforeWrite(stateOf(array).evaluated().storage);
}

Array hostNumber(Manager& manager, DType dtype) {
    return arrayOf(HostWord::make(Home::of(manager), dtype));
}

Array whole(const Array& array) {
    const View view = stateOf(array).evaluated();
    return view.isWhole() ? array : arrayOf(whole(view));
}

Array contiguous(const Array& array) {
    const View view = stateOf(array).evaluated();
    return view.isContiguous() ? array : arrayOf(contiguous(view));
}

Array owning(const std::shared_ptr<Tensor>& tensor, Manager& manager, const Shape& shape,
             DType dtype) {
    return arrayOf(View{std::make_shared<Storage>(Home::of(manager), dtype, tensor), 0, shape,
                        contiguousStrides(shape)});
}

std::shared_ptr<Tensor> memoryOf(const Array& array) {
    const std::shared_ptr<Tensor>& tensor = stateOf(array).evaluated().storage->tensor();
    implOf(*tensor).memory().setFollowsLaunches(true);
    return tensor;
}

const void* memoryKeyOf(const Array& array) {
    return stateOf(array).evaluated().storage->memory();
}

void keepMemory(const Array& array) {
    stateOf(array).evaluated().storage->keep();
}

void launch(Manager& manager, std::vector<std::shared_ptr<OpBase>> operations) {
    Home::of(manager)->launch(std::move(operations));
}

std::string unsupportedReason(Manager& manager, DType dtype) {
    return Home::of(manager)->unsupportedReason(dtype);
}

void require(Manager& manager, DType dtype) {
    Home::of(manager)->require(dtype);
}

void pretendRange(Manager& manager, uint64_t bytes) {
    Home::of(manager)->pretendRange(bytes);
}

void pretendLack(Manager& manager, DType dtype, std::string reason) {
    Home::of(manager)->pretendLack(dtype, std::move(reason));
}

void setOwner(Manager& manager, std::weak_ptr<void> owner) {
    Home::of(manager)->setOwner(std::move(owner));
}

std::shared_ptr<void> ownerOf(const Array& array) {
    return stateOf(array).owner;
}

void setHandle(const Array& array, std::shared_ptr<void> handle) {
    const std::lock_guard lock(engineLock());
    stateOf(array).evaluated().storage->handle = std::move(handle);
}

std::shared_ptr<void> handleOf(const Array& array) {
    const std::lock_guard lock(engineLock());
    return stateOf(array).evaluated().storage->handle;
}

} // namespace kp::arrays
