// SPDX-License-Identifier: Apache-2.0
#include <kompute/arrays/Reductions.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

#include <kompute/Error.hpp>
#include <kompute/arrays/NumberType.hpp>
#include <kompute/arrays/Promotion.hpp>
#include <kompute/primitives/reduce/OpReduce.hpp>
#include <kompute/queue/Queue.hpp>

#include "arrays/ArrayState.hpp"
#include "arrays/TotalTypes.hpp"
#include "arrays/Views.hpp"
#include "arrays/engine/Reduce.hpp"
#include "base/Text.hpp"

namespace kp {
namespace {

using arrays::arrayOf;
using arrays::atLeastSingle;
using arrays::axesOf;
using arrays::Reduction;
using arrays::stateOf;
using arrays::totalType;
using arrays::View;

/// From this many elements on, sums and extremes of memory are left to the primitive.
constexpr int64_t kMany = 1 << 16;

struct Limits {
    std::string lowest;
    std::string highest;
};

/// Returns the smallest and the largest value of a type in GLSL.
Limits limitsOf(DType dtype) {
    const std::string_view computed = numberType(dtype).computed;
    if (computed == "bool")
        return {"false", "true"};
    if (computed == "float")
        return {"uintBitsToFloat(0xff800000u)", "uintBitsToFloat(0x7f800000u)"};
    if (computed == "double")
        return {"packDouble2x32(uvec2(0u, 0xfff00000u))", "packDouble2x32(uvec2(0u, 0x7ff00000u))"};
    const size_t bits = 8 * itemSize(dtype);
    if (numberType(dtype).family == 'u')
        return {formatted("{}(0)", computed),
                formatted("{}{}", ~uint64_t{0} >> (64 - bits), bits == 64 ? "ul" : "u")};
    const uint64_t largest = (uint64_t{1} << (bits - 1)) - 1;
    const char* const suffix = bits == 64 ? "l" : "";
    return {formatted("(-{}{} - 1{})", largest, suffix, suffix),
            formatted("{}{}", largest, suffix)};
}

Reduction reductionOf(ReduceOperation operation, DType dtype) {
    const NumberType& of = numberType(dtype);
    switch (operation) {
    case ReduceOperation::eSum:
        return {"{0} + {1}", formatted("{}(0)", of.computed), "{0}", "sum"};
    case ReduceOperation::eProduct:
        return of.family == 'c'
                   ? Reduction("kp_cmul({0}, {1})", formatted("{}(1, 0)", of.computed), "{0}",
                               "prod")
                   : Reduction("{0} * {1}", formatted("{}(1)", of.computed), "{0}", "prod");
    case ReduceOperation::eAny:
        return {"{0} || {1}", "false", "{0}", "any"};
    case ReduceOperation::eAll:
        return {"{0} && {1}", "true", "{0}", "all"};
    case ReduceOperation::eMinimum:
    case ReduceOperation::eMaximum: {
        const bool smallest = operation == ReduceOperation::eMinimum;
        const char* const name = smallest ? "min" : "max";
        const Limits limits = limitsOf(dtype);
        const std::string& identity = smallest ? limits.highest : limits.lowest;
        if (of.family == 'b')
            return {smallest ? "{0} && {1}" : "{0} || {1}", identity, "{0}", name};
        if (of.family == 'f')
            return {smallest ? "kp_minimum({0}, {1})" : "kp_maximum({0}, {1})", identity, "{0}",
                    name};
        if (of.family == 'c')
            throw InvalidArgument("complex numbers have no order, so there is no smallest or "
                                  "largest");
        return {smallest ? "min({0}, {1})" : "max({0}, {1})", identity, "{0}", name};
    }
    default:
        throw InvalidArgument("arrays reduce by sum, product, minimum, maximum, any and all");
    }
}

int64_t lengthOf(const Array& x, const Axes& axes) {
    int64_t length = 1;
    for (const size_t axis : axesOf(axes, x.ndim()))
        length *= x.shape()[axis];
    return length;
}

Array finished(View view, const Shape& shape, const std::vector<size_t>& axes, bool keepAxes) {
    if (keepAxes) {
        for (const size_t axis : axes)
            view.strides.insert(axis, 0);
        view.shape = shape;
        for (const size_t axis : axes)
            view.shape[axis] = 1;
    }
    return arrayOf(std::move(view));
}

/// Reduces many elements in memory by the primitive, which is the fastest for them. Returns no view
/// if they are not.
View byPrimitive(const Array& x, ReduceOperation operation, size_t axes, DType accumulated,
                 DType result) {
    const bool named = operation == ReduceOperation::eSum ||
                       operation == ReduceOperation::eMinimum ||
                       operation == ReduceOperation::eMaximum;
    Array::State& state = stateOf(x);
    const std::lock_guard lock(arrays::engineLock());
    if (!named || x.size() < kMany || axes != x.ndim() || accumulated != result ||
        x.dtype() != result || result >= DType::eComplex64 || !state.view ||
        !state.home->rules().trees || !state.view.isWhole() || state.view.storage->large())
        return {};
    View out = View::blank(state.home, {}, result);
    state.home->launch(
        std::make_shared<OpReduce>(state.view.storage->tensor(), out.storage->tensor(), operation));
    return out;
}

DType meanType(const Array& x) {
    return x.dtype() < DType::eFloat16 ? defaultFloat(x.manager()) : x.dtype();
}

} // namespace

Array reduce(const Array& x, ReduceOperation operation, const Axes& given, DType accumulated,
             DType result, bool keepAxes) {
    const Array::State& state = stateOf(x);
    const std::vector<size_t> axes = axesOf(given, state.shape.size());
    const bool extreme =
        operation == ReduceOperation::eMinimum || operation == ReduceOperation::eMaximum;
    if (extreme && lengthOf(x, given) == 0)
        throw InvalidArgument("no elements have no smallest or largest one");
    state.home->require(accumulated);
    state.home->require(result);
    View view = byPrimitive(x, operation, axes.size(), accumulated, result);
    if (!view)
        view = arrays::reduce(arrays::cast(stateOf(x).node(), accumulated), axes, result,
                              reductionOf(operation, accumulated));
    return finished(std::move(view), state.shape, axes, keepAxes);
}

Array reduce(const Array& x, const Axes& given, DType dtype, std::string_view combine,
             std::string_view identity, std::string_view finish, bool keepAxes,
             std::string_view name) {
    const std::vector<size_t> axes = axesOf(given, x.ndim());
    const Reduction reduction(combine, identity, finish, *arrays::interned(name));
    return finished(arrays::reduce(stateOf(x).node(), axes, dtype, reduction), x.shape(), axes,
                    keepAxes);
}

Array sum(const Array& x, const Axes& axes, bool keepAxes) {
    const DType result = totalType(x.dtype());
    return reduce(x, ReduceOperation::eSum, axes, atLeastSingle(result), result, keepAxes);
}

Array prod(const Array& x, const Axes& axes, bool keepAxes) {
    const DType result = totalType(x.dtype());
    return reduce(x, ReduceOperation::eProduct, axes, atLeastSingle(result), result, keepAxes);
}

Array min(const Array& x, const Axes& axes, bool keepAxes) {
    return reduce(x, ReduceOperation::eMinimum, axes, x.dtype(), x.dtype(), keepAxes);
}

Array max(const Array& x, const Axes& axes, bool keepAxes) {
    return reduce(x, ReduceOperation::eMaximum, axes, x.dtype(), x.dtype(), keepAxes);
}

Array any(const Array& x, const Axes& axes, bool keepAxes) {
    return reduce(x, ReduceOperation::eAny, axes, DType::eBool, DType::eBool, keepAxes);
}

Array all(const Array& x, const Axes& axes, bool keepAxes) {
    return reduce(x, ReduceOperation::eAll, axes, DType::eBool, DType::eBool, keepAxes);
}

Array countNonzero(const Array& x, const Axes& axes, bool keepAxes) {
    return reduce(x.astype(DType::eBool), ReduceOperation::eSum, axes, DType::eInt64, DType::eInt64,
                  keepAxes);
}

Array mean(const Array& x, const Axes& axes, bool keepAxes) {
    const DType result = meanType(x);
    const DType wide = atLeastSingle(result);
    const auto length = static_cast<double>(lengthOf(x, axes));
    const Array total = reduce(x, ReduceOperation::eSum, axes, wide, wide, keepAxes);
    return (total / length).astype(result);
}

Array var(const Array& x, const Axes& axes, double correction, bool keepAxes) {
    const DType result = meanType(x);
    const Array source = x.astype(atLeastSingle(result));
    Array distance = source - mean(source, axes, true);
    if (source.dtype() >= DType::eComplex64)
        distance = abs(distance);
    const DType real = distance.dtype();
    const Array total = reduce(square(distance), ReduceOperation::eSum, axes, real, real, keepAxes);
    const double count = static_cast<double>(lengthOf(x, axes)) - correction;
    return (total / std::max(count, 0.0)).astype(realOf(result));
}

Array stddev(const Array& x, const Axes& axes, double correction, bool keepAxes) {
    return sqrt(var(x, axes, correction, keepAxes));
}

} // namespace kp
