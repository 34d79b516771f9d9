// SPDX-License-Identifier: Apache-2.0
#include "sparse/Convergence.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <kompute/Error.hpp>
#include <kompute/arrays/Engine.hpp>
#include <kompute/arrays/Promotion.hpp>

#include "base/Text.hpp"

namespace kp::sparse {
namespace {

/// Maximum steps between two checks, which a converged solver wastes.
constexpr int64_t kMostSteps = 32;

bool isComplex(const Array& x) {
    return x.dtype() >= DType::eComplex64;
}

} // namespace

Array innerProduct(const Array& x, const Array& y) {
    return sum(multiply(isComplex(x) ? conj(x) : x, y));
}

Array normOf(const Array& x) {
    return sqrt(isComplex(x) ? sum(square(real(x)) + square(imag(x))) : sum(square(x)));
}

double epsilonOf(DType real) {
    return real == DType::eFloat32 ? std::numeric_limits<float>::epsilon()
                                   : std::numeric_limits<double>::epsilon();
}

Array quotient(const Array& a, const Array& b) {
    const Array isZero = equal(b, 0);
    return where(isZero, 0, divide(a, where(isZero, 1, b)));
}

void compute(const std::vector<Array>& values) {
    arrays::together(values);
    for (const Array& value : values)
        value.evaluate();
}

Beginning::Beginning(const char* solver, const LinearMap& a, const Array& b,
                     const SolverOptions& options) {
    if (b.ndim() != 1)
        fail<InvalidArgument>("{}() takes a right side of one axis, not of shape {}", solver,
                              toString(b.shape()));
    if (!options.start.isNull() && !(options.start.shape() == b.shape()))
        fail<InvalidArgument>("{}() begins at a vector of shape {}, like the right side, not {}",
                              solver, toString(b.shape()), toString(options.start.shape()));
    const double norm = normOf(b).item<double>();
    limit = std::max(options.absolute, options.relative * norm);
    maxSteps = options.maxSteps > 0 ? options.maxSteps : 10 * b.size();
    if (norm == 0) {
        x = zeros(b.shape(), b.dtype(), &b.manager());
        solved = true;
        return;
    }
    if (options.start.isNull()) {
        x = zeros(b.shape(), b.dtype(), &b.manager());
        residual = b.copy();
    } else {
        x = options.start.astype(b.dtype()).copy();
        const Array image = a(x);
        if (!(image.shape() == b.shape()))
            fail<InvalidArgument>(
                "{}(): the map gives a vector of shape {}, but the right side has "
                "{}",
                solver, toString(image.shape()), toString(b.shape()));
        residual = (b - image).copy();
        solved = normOf(residual).item<double>() <= limit;
    }
}

Convergence::Convergence(Manager& manager, DType real, double limit, bool eachStep)
    : mManager(manager), mReal(real), mLimit(limit), mEachStep(eachStep) {}

bool Convergence::look(const Array& seen) {
    const auto value = seen.item<double>();
    return value <= mLimit || !std::isfinite(value);
}

bool Convergence::isDone(const Array& norm) {
    ++mStep;
    if (mEachStep)
        return look(norm);
    if (mStep < mNext)
        return false;
    // The device has the steps since the last look to do while the host waits for that one.
    mNext = mStep + std::clamp<int64_t>(mStep / 8, 1, kMostSteps);
    const Array earlier = mSeen;
    mSeen = arrays::hostNumber(mManager, mReal);
    mSeen.assign(norm);
    return !earlier.isNull() && look(earlier);
}

bool Convergence::hasConverged(const Array& norm) {
    return norm.item<double>() <= mLimit;
}

} // namespace kp::sparse
