// SPDX-License-Identifier: Apache-2.0
#include <kompute/arrays/Creation.hpp>

#include <memory>
#include <mutex>

#include <kompute/Error.hpp>
#include <kompute/arrays/Engine.hpp>

#include "arrays/ArrayState.hpp"
#include "arrays/Numbers.hpp"
#include "arrays/Views.hpp"
#include "base/Text.hpp"

namespace kp {
namespace {

using arrays::arrayOf;
using arrays::Home;
using arrays::NodePtr;
using arrays::requireExtents;

std::shared_ptr<Home> homeFor(Manager* manager) {
    return Home::of(manager ? *manager : defaultManager());
}

/// Returns the type of a number, or of floats if none is given, on the manager of new arrays.
DType typeOn(Manager* manager, const Operand& value = 0.0) {
    if (value.adapts() && value.kind() >= Operand::Kind::eFloat) {
        const DType real = defaultFloat(manager ? *manager : defaultManager());
        return value.kind() == Operand::Kind::eFloat ? real
               : real == DType::eFloat64             ? DType::eComplex128
                                                     : DType::eComplex64;
    }
    return commonType(&value, 1);
}

Array filledWith(const std::shared_ptr<Home>& home, const Shape& shape, const NodePtr& value) {
    static const std::string* const same = arrays::interned("{0}");
    home->require(value->dtype);
    NodePtr node = arrays::text(same, value->dtype, shape, {value});
    node->home = home;
    return arrayOf(std::move(node));
}

struct DefaultManager {
    std::mutex mutex;
    std::unique_ptr<Manager> manager;
};

DefaultManager& defaultOf() {
    // Never destroyed: layers may destroy their own static objects before this one. The library
    // ends the work of every manager when the process ends.
    static DefaultManager& kept = *new DefaultManager;
    return kept;
}

} // namespace

Manager& defaultManager() {
    DefaultManager& kept = defaultOf();
    const std::lock_guard lock(kept.mutex);
    if (!kept.manager)
        kept.manager = std::make_unique<Manager>();
    return *kept.manager;
}

void arrays::dropDefaultManager() {
    const std::lock_guard lock(defaultOf().mutex);
    defaultOf().manager.reset();
}

Array empty(const Shape& shape, DType dtype, Manager* manager) {
    requireExtents(shape);
    return arrayOf(arrays::View::blank(homeFor(manager), shape, dtype));
}

Array empty(const Shape& shape, Manager* manager) {
    return empty(shape, typeOn(manager), manager);
}

Array zeros(const Shape& shape, DType dtype, Manager* manager) {
    return full(shape, 0, dtype, manager);
}

Array zeros(const Shape& shape, Manager* manager) {
    return zeros(shape, typeOn(manager), manager);
}

Array ones(const Shape& shape, DType dtype, Manager* manager) {
    return full(shape, 1, dtype, manager);
}

Array ones(const Shape& shape, Manager* manager) {
    return ones(shape, typeOn(manager), manager);
}

Array full(const Shape& shape, const Operand& value, DType dtype, Manager* manager) {
    requireExtents(shape);
    if (value.isArray())
        return arrayOf(arrays::cast(arrays::stateOf(value.array()).node(), dtype))
            .broadcastTo(shape)
            .copy();
    return filledWith(homeFor(manager), shape,
                      arrays::constant(dtype, arrays::constantWords(value, dtype)));
}

Array full(const Shape& shape, const Operand& value, Manager* manager) {
    return full(shape, value, typeOn(manager, value), manager);
}

Array arange(int64_t stop, Manager* manager) {
    return arange(0, stop, 1, DType::eInt64, manager);
}

Array arange(int64_t start, int64_t stop, int64_t step, DType dtype, Manager* manager) {
    if (step == 0)
        throw InvalidArgument("the step of arange() is not 0");
    const int64_t length = step > 0 ? stop - start : start - stop;
    const int64_t size = step > 0 ? step : -step;
    const int64_t count = length <= 0 ? 0 : (length + size - 1) / size;
    const Array index = indices({count}, 0, dtype, manager);
    return step == 1 && start == 0 ? index : (index * step + start).astype(dtype);
}

Array linspace(double start, double stop, int64_t count, DType dtype, Manager* manager) {
    if (count < 0)
        fail<InvalidArgument>("linspace() makes a number of elements that is not negative, not {}",
                              count);
    const Array index = indices({count}, 0, dtype, manager);
    if (count < 2)
        return index + start;
    const double step = (stop - start) / static_cast<double>(count - 1);
    return where(equal(index, static_cast<double>(count - 1)), stop, index * step + start)
        .astype(dtype);
}

Array linspace(double start, double stop, int64_t count, Manager* manager) {
    return linspace(start, stop, count, typeOn(manager), manager);
}

Array eye(int64_t rows, int64_t columns, int64_t k, Manager* manager) {
    return eye(rows, columns, k, typeOn(manager), manager);
}

Array eye(int64_t rows, int64_t columns, int64_t k, DType dtype, Manager* manager) {
    const Shape shape{rows, columns};
    return equal(indices(shape, 1, DType::eInt32, manager),
                 indices(shape, 0, DType::eInt32, manager) + k)
        .astype(dtype);
}

Array indices(const Shape& shape, int64_t axis, DType dtype, Manager* manager) {
    requireExtents(shape);
    Shape strides = Shape::filled(shape.size(), 0);
    strides[arrays::axisOf(axis, shape.size())] = 1;
    const std::shared_ptr<Home> home = homeFor(manager);
    home->require(dtype);
    return arrayOf(arrays::address(home, shape, 0, strides, dtype));
}

} // namespace kp
