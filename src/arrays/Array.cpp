// SPDX-License-Identifier: Apache-2.0
#include <kompute/Array.hpp>

#include <cmath>
#include <cstring>
#include <mutex>
#include <type_traits>
#include <utility>

#include <kompute/Error.hpp>
#include <kompute/arrays/NumberType.hpp>
#include <kompute/arrays/Promotion.hpp>

#include "arrays/ArrayState.hpp"
#include "arrays/Numbers.hpp"
#include "arrays/Views.hpp"
#include "arrays/capture/CapturedLaunches.hpp"
#include "arrays/engine/Evaluate.hpp"
#include "base/Text.hpp"
#include "core/memory/MemoryImpl.hpp"
#include "core/queue/QueueImpl.hpp"

namespace kp {

using arrays::arrayOf;
using arrays::engineLock;
using arrays::Home;
using arrays::NodePtr;
using arrays::stateOf;
using arrays::View;

arrays::View& Array::State::evaluated() {
    const std::lock_guard lock(engineLock());
    if (pending) {
        // Expressions from before a capture are computed now, and not when the capture is launched.
        const LaunchCapture::Pause pause(LaunchCapture::find(pending->capture));
        setView(arrays::materialize(pending));
        pending.reset();
    }
    arrays::CapturedLaunches::noteUse(view.storage);
    return view;
}

NodePtr Array::State::node() {
    const std::lock_guard lock(engineLock());
    const bool earlier =
        pending && LaunchCapture::find(pending->capture) != LaunchCapture::current();
    if (pending && pending->op != arrays::Op::eLeaf && !earlier)
        return pending;
    return arrays::leaf(evaluated());
}

void Array::State::become(const NodePtr& node) {
    const std::lock_guard lock(engineLock());
    pending = node;
    setView({});
}

namespace arrays {

Array::State& stateOf(const Array& array) {
    const std::shared_ptr<Array::State>& state = sharedImplOf(array);
    if (!state)
        throw InvalidArgument("this array is null; make one with kp::zeros() and other functions");
    return *state;
}

Array arrayOf(NodePtr node) {
    const bool atOnce = node->shared;
    const std::shared_ptr<Home> home = node->home;
    Array array = Internals::handle<Array>(std::make_shared<Array::State>(std::move(node), home));
    if (atOnce)
        array.evaluate();
    return array;
}

Array arrayOf(View view) {
    return Internals::handle<Array>(std::make_shared<Array::State>(std::move(view)));
}

std::shared_ptr<Home> homeOf(const Operand* operands, size_t count) {
    for (size_t i = 0; i < count; ++i)
        if (operands[i].isArray())
            return stateOf(operands[i].array()).home;
    return Home::of(defaultManager());
}

NodePtr nodeOf(const Operand& operand, DType dtype) {
    if (operand.isArray())
        return cast(stateOf(operand.array()).node(), dtype);
    return constant(dtype, constantWords(operand, dtype));
}

/// Calls a function with the only element, as a number of its type; a Half as a float.
template <typename Use>
auto withItem(const Array& array, const Use& use) {
    if (array.size() != 1)
        fail<InvalidArgument>("item() needs an array of one element, not of shape {}",
                              toString(array.shape()));
    unsigned char bytes[16];
    const auto as = [&]<typename T>(T value) {
        std::memcpy(&value, bytes, sizeof(T));
        return use(value);
    };
    array.read(bytes);
    switch (array.dtype()) {
    case DType::eBool:
    case DType::eUint8:
        return as(uint8_t{});
    case DType::eInt8:
        return as(int8_t{});
    case DType::eInt16:
        return as(int16_t{});
    case DType::eUint16:
        return as(uint16_t{});
    case DType::eInt32:
        return as(int32_t{});
    case DType::eUint32:
        return as(uint32_t{});
    case DType::eInt64:
        return as(int64_t{});
    case DType::eUint64:
        return as(uint64_t{});
    case DType::eFloat16: {
        Half half;
        std::memcpy(&half, bytes, sizeof(half));
        return use(static_cast<float>(half));
    }
    case DType::eFloat32:
        return as(float{});
    case DType::eFloat64:
        return as(double{});
    default:
        throw InvalidArgument("item() is a real number; take kp::real() or kp::imag() first");
    }
}

} // namespace arrays

Array Array::ofBytes(const void* values, size_t count, DType dtype, const Shape& shape,
                     Manager* manager) {
    arrays::requireExtents(shape);
    if (static_cast<uint64_t>(shape.product()) != count)
        fail<InvalidArgument>("{} {} given for an array of shape {}, which has {}",
                              counted(count, "value"), count == 1 ? "was" : "were", toString(shape),
                              shape.product());
    const std::shared_ptr<Home> home = Home::of(manager ? *manager : defaultManager());
    View view;
    {
        const LaunchCapture::Pause pause;
        view = View::blank(home, shape, dtype, arrays::Writer::eHost);
        if (count)
            view.storage->tensor()->upload(values, count * itemSize(dtype));
    }
    Array array = arrayOf(std::move(view));
    // A captured function begins with these numbers each time, even if it changes the array.
    return LaunchCapture::current() ? array.copy() : array;
}

Array Array::in(const std::shared_ptr<Tensor>& tensor, Manager& manager) {
    if (!tensor)
        throw InvalidArgument("the tensor is null");
    return in(tensor, manager, {static_cast<int64_t>(tensor->size())}, dtypeOf(tensor->dataType()));
}

Array Array::in(const std::shared_ptr<Tensor>& tensor, Manager& manager, const Shape& shape,
                DType dtype) {
    if (!tensor)
        throw InvalidArgument("the tensor is null");
    arrays::requireExtents(shape);
    if (static_cast<uint64_t>(shape.product()) * itemSize(dtype) != tensor->memorySize())
        fail<InvalidArgument>("an array of {} of shape {} has {} bytes, but the tensor {}",
                              toString(dtype), toString(shape),
                              static_cast<uint64_t>(shape.product()) * itemSize(dtype),
                              tensor->memorySize());
    const std::shared_ptr<Home> home = Home::of(manager);
    home->require(dtype);
    auto storage = std::make_shared<arrays::Storage>(home, dtype, tensor);
    storage->give();
    return arrayOf(View{std::move(storage), 0, shape, contiguousStrides(shape)});
}

const Shape& Array::shape() const {
    return stateOf(*this).shape;
}

DType Array::dtype() const {
    return stateOf(*this).dtype;
}

Manager& Array::manager() const {
    return stateOf(*this).home->manager();
}

Shape Array::strides() const {
    State& state = stateOf(*this);
    const std::lock_guard lock(engineLock());
    return state.view ? state.view.strides : contiguousStrides(state.shape);
}

const Array& Array::evaluate() const {
    stateOf(*this).evaluated();
    return *this;
}

bool Array::isEvaluated() const {
    State& state = stateOf(*this);
    const std::lock_guard lock(engineLock());
    return static_cast<bool>(state.view);
}

std::string Array::glsl() const {
    return arrays::sourceOf(stateOf(*this).node());
}

void Array::requireType(DType wanted) const {
    if (dtype() != wanted)
        fail<InvalidArgument>("the elements are {}, not {}; use astype()", toString(dtype()),
                              toString(wanted));
}

void Array::read(void* elements) const {
    const auto count = static_cast<uint64_t>(size());
    if (count == 0)
        return;
    const View view = arrays::contiguous(stateOf(*this).evaluated());
    implOf(*view.storage->home()->queue()).waitUntilSubmitted(); // throws if it was destroyed
    if (!view.storage->tensor()->isInit())
        throw InvalidArgument("this tensor was destroyed, and with it the array's memory");
    const uint64_t item = itemSize(dtype());
    view.storage->tensor()->download(elements, count * item,
                                     static_cast<uint64_t>(view.offset) * item);
}

double Array::floatItem() const {
    return arrays::withItem(*this, [](auto value) { return static_cast<double>(value); });
}

int64_t Array::integerItem(size_t bits, bool isSigned) const {
    const auto checked = [&](auto value) {
        bool fits = false;
        if constexpr (std::is_floating_point_v<decltype(value)>) {
            const double highest = std::ldexp(1.0, static_cast<int>(bits) - isSigned);
            const double whole = std::trunc(static_cast<double>(value));
            fits = whole >= (isSigned ? -highest : 0.0) && whole < highest;
            if (fits && !isSigned)
                return static_cast<int64_t>(static_cast<uint64_t>(whole));
        } else {
            const uint64_t highest = ~uint64_t{0} >> (64 - bits + isSigned);
            fits = std::cmp_less_equal(value, highest) &&
                   std::cmp_greater_equal(value, isSigned ? -static_cast<int64_t>(highest) - 1
                                                          : int64_t{0});
        }
        if (!fits)
            fail<InvalidArgument>("the element {} is not within {}int{}_t; take another type",
                                  value, isSigned ? "" : "u", bits);
        return static_cast<int64_t>(value);
    };
    return arrays::withItem(*this, checked);
}

std::shared_ptr<Tensor> Array::tensor() const {
    if (size() == 0)
        throw InvalidArgument("an array without elements has no tensor");
    LaunchCapture::refuse("the tensor of an array");
    State& state = stateOf(*this);
    const std::lock_guard lock(engineLock());
    const View view = arrays::whole(state.evaluated());
    if (!view.storage->isShared())
        arrays::beforeWrite(view.storage);
    const std::shared_ptr<Tensor>& tensor = view.storage->give();
    implOf(*tensor).memory().setFollowsLaunches(true);
    return tensor;
}

Array Array::astype(DType wanted) const {
    if (dtype() == wanted)
        return *this;
    return arrayOf(cast(stateOf(*this).node(), wanted));
}

Array Array::copy() const {
    State& state = stateOf(*this);
    const std::lock_guard lock(engineLock());
    const NodePtr node = state.node();
    if (node->op != arrays::Op::eLeaf)
        evaluate();
    View view = View::blank(state.home, state.shape, state.dtype);
    arrays::store(view, state.node());
    return arrayOf(std::move(view));
}

const Array& Array::assign(const Operand& value) const {
    State& state = stateOf(*this);
    const std::lock_guard lock(engineLock());
    const View view = state.evaluated();
    if (!view.writable)
        throw InvalidArgument("the array is read-only, because it repeats elements; assign to a "
                              "copy()");
    if (value.isArray())
        arrays::requireBroadcast("a value", value.array().shape(), state.shape);
    const NodePtr node = arrays::nodeOf(value, state.dtype);
    arrays::beforeWrite(view.storage);
    arrays::store(view, node);
    return *this;
}

} // namespace kp
