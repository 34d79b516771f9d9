// SPDX-License-Identifier: Apache-2.0
#include <kompute/sparse/Solvers.hpp>

#include <algorithm>
#include <vector>

#include <kompute/Error.hpp>
#include <kompute/arrays/Engine.hpp>

#include "base/Text.hpp"
#include "sparse/Convergence.hpp"
#include "sparse/Krylov.hpp"
#include "sparse/LibraryMap.hpp"
#include "sparse/SolverSteps.hpp"

namespace kp::sparse {
namespace {

/// Dispatches of a step, more than which take too long to record.
constexpr int64_t kMaxDispatches = 10000;
/// Dispatches of a step without the maps, about.
constexpr int64_t kOwnDispatches = 12;

/// Returns true if the device can repeat a step by itself. Functions of the program may launch
/// other work each time.
/// @param times  that it applies the maps
bool repeatable(const LinearMap& a, const SolverOptions& options, int64_t times = 1) {
    int64_t dispatches = kOwnDispatches;
    for (const LinearMap* const map : {&a, &options.preconditioner}) {
        const auto* const known = map->target<LibraryMap>();
        if (*map && !known)
            return false;
        dispatches += known ? known->dispatches : 0;
    }
    return dispatches <= kMaxDispatches / times;
}

Array mapped(const LinearMap& map, const Array& x) {
    return map ? map(x) : x;
}

/// Returns a right side in a type that solvers compute with.
Array sideOf(const Array& b) {
    const bool isNumber = b.dtype() >= DType::eFloat32;
    return isNumber ? b : b.astype(defaultFloat(b.manager()));
}

} // namespace

Solution cg(const LinearMap& a, const Array& given, const SolverOptions& options) {
    const Array b = sideOf(given);
    Beginning begun("cg", a, b, options);
    if (begun.solved)
        return {begun.x, 0};
    const SolverSteps steps(begun, options, repeatable(a, options));
    Array& x = begun.x;
    Array& r = begun.residual;
    Array norm = normOf(r).copy();
    Array rho = zeros({}, b.dtype(), &b.manager()).copy();
    Array p = zeros(b.shape(), b.dtype(), &b.manager()).copy();
    const auto step = [&] {
        const Array z = mapped(options.preconditioner, r).evaluate();
        const Array next =
            options.preconditioner ? innerProduct(r, z) : square(norm).astype(b.dtype());
        next.evaluate();
        steps.set({{&p, z + quotient(next, rho) * p}});
        steps.set({{&rho, next}});
        const Array q = a(p).evaluate();
        // Once it has converged, nothing moves.
        const Array alpha =
            where(greater(norm, begun.limit), quotient(next, innerProduct(p, q)), 0).evaluate();
        steps.set({{&x, x + alpha * p}, {&r, r - alpha * q}});
        steps.set({{&norm, normOf(r)}});
    };
    return steps.run(norm, step);
}

Solution bicgstab(const LinearMap& a, const Array& given, const SolverOptions& options) {
    const Array b = sideOf(given);
    Beginning begun("bicgstab", a, b, options);
    if (begun.solved)
        return {begun.x, 0};
    const SolverSteps steps(begun, options, repeatable(a, options));
    Array& x = begun.x;
    Array& r = begun.residual;
    const Array shadow = r.copy();
    Array norm = normOf(r).copy();
    const auto blank = [&](const Shape& shape) {
        return zeros(shape, b.dtype(), &b.manager()).copy();
    };
    Array rho = blank({});
    Array alpha = blank({});
    Array omega = blank({});
    Array p = blank(b.shape());
    Array v = blank(b.shape());
    const auto step = [&] {
        const Array next = innerProduct(shadow, r).evaluate();
        const Array beta = (quotient(next, rho) * quotient(alpha, omega)).evaluate();
        steps.set({{&p, r + beta * (p - omega * v)}});
        steps.set({{&rho, next}});
        const Array nearP = mapped(options.preconditioner, p).evaluate();
        steps.set({{&v, a(nearP)}});
        const Array active = greater(norm, begun.limit).evaluate();
        steps.set({{&alpha, where(active, quotient(next, innerProduct(shadow, v)), 0)}});
        const Array s = (r - alpha * v).evaluate();
        const Array nearS = mapped(options.preconditioner, s).evaluate();
        const Array t = a(nearS).evaluate();
        steps.set({{&omega, where(active, quotient(innerProduct(t, s), innerProduct(t, t)), 0)}});
        steps.set({{&x, x + alpha * nearP + omega * nearS}, {&r, s - omega * t}});
        steps.set({{&norm, normOf(r)}});
    };
    return steps.run(norm, step);
}

Solution minres(const LinearMap& a, const Array& given, const SolverOptions& options) {
    const Array b = sideOf(given);
    Beginning begun("minres", a, b, options);
    if (begun.solved)
        return {begun.x, 0};
    const SolverSteps steps(begun, options, repeatable(a, options));
    Array& x = begun.x;
    Array& residual = begun.residual;
    Array norm = normOf(residual).copy();
    const DType real = norm.dtype();
    const auto number = [&](double value) { return full({}, value, real, &b.manager()).copy(); };
    const auto blank = [&] { return zeros(b.shape(), b.dtype(), &b.manager()).copy(); };
    // Lanczos's method: next is the vector of this step times beta, and near that preconditioned.
    Array last = blank();
    Array next = residual.copy();
    Array preconditioned;
    if (options.preconditioner)
        preconditioned = options.preconditioner(next).copy();
    Array& near = options.preconditioner ? preconditioned : next;
    if (const auto square = kp::real(innerProduct(next, near)).item<double>(); square < 0)
        fail<InvalidArgument>(
            "minres() takes a positive definite preconditioner M, but r* M r is {} "
            "for the residual r at the start",
            square);
    const auto lengthOf = [&] { return sqrt(maximum(kp::real(innerProduct(next, near)), 0)); };
    Array beta = lengthOf().copy();
    Array lastBeta = number(0);
    // The rotations that make the tridiagonal matrix triangular.
    Array cosine = number(-1);
    Array sine = number(0);
    Array above = number(0);  // two above the diagonal, in the next column
    Array turned = number(0); // one above it, before this step's rotation
    Array rest = beta.copy(); // of the right side
    Array direction = blank();
    Array lastDirection = blank();
    const auto step = [&] {
        const Array v = (quotient(ones({}, real, &b.manager()), beta) * near).evaluate();
        const Array image = (a(v) - quotient(beta, lastBeta) * last).evaluate();
        const Array alpha = kp::real(innerProduct(v, image)).evaluate();
        const Array after = (image - quotient(alpha, beta) * next).evaluate();
        steps.set({{&last, next}});
        steps.set({{&next, after}});
        if (options.preconditioner)
            steps.set({{&near, options.preconditioner(next)}});
        const Array found = lengthOf().evaluate();
        const Array first = cosine * turned + sine * alpha;
        const Array before = sine * turned - cosine * alpha; // on the diagonal, not yet rotated
        const Array onDiagonal = sqrt(square(before) + square(found)).evaluate();
        // Once all vectors were found, rounding leaves this much of a singular matrix: then the
        // residual stays. The first beta is not an element of the tridiagonal matrix.
        const Array element = where(greater(lastBeta, 0), beta, 0);
        const Array least =
            sqrt(square(alpha) + square(element) + square(found)) * (100 * epsilonOf(real));
        const Array isSingular = lessEqual(onDiagonal, least).evaluate();
        const Array length = where(isSingular, 0, found).evaluate();
        const Array scale = where(isSingular, 0, reciprocal(onDiagonal));
        const Array nextCosine = before * scale;
        const Array nextSine = where(isSingular, 1, length * scale);
        // Once it has converged, nothing moves.
        const Array isActive = greater(norm, begun.limit);
        const Array phi = where(isActive, nextCosine * rest, 0);
        const Array left = nextSine * rest;
        const Array kept = where(isActive, square(nextSine), 1);
        const Array moved = where(isActive, quotient(nextCosine * left, length), 0);
        const Array nextAbove = sine * length;
        const Array nextTurned = negative(cosine * length);
        compute(
            {first, phi, scale, left, kept, moved, nextAbove, nextTurned, nextCosine, nextSine});
        steps.set({{&lastBeta, beta}});
        steps.set({{&beta, length},
                   {&cosine, nextCosine},
                   {&sine, nextSine},
                   {&turned, nextTurned},
                   {&rest, left}});
        const Array made = (scale * (v - above * lastDirection - first * direction)).evaluate();
        steps.set({{&lastDirection, direction}, {&above, nextAbove}});
        steps.set({{&direction, made}});
        steps.set({{&x, x + phi * made}, {&residual, kept * residual - moved * next}});
        steps.set({{&norm, normOf(residual)}});
    };
    return steps.run(norm, step);
}

Solution gmres(const LinearMap& a, const Array& given, int64_t restart,
               const SolverOptions& options) {
    const Array b = sideOf(given);
    if (restart < 1)
        fail<InvalidArgument>("gmres() restarts after at least 1 step, not {}", restart);
    Beginning begun("gmres", a, b, options);
    if (begun.solved)
        return {begun.x, 0};
    const int64_t size = std::min(restart, b.size());
    const SolverSteps steps(begun, options, repeatable(a, options, size));
    Array& x = begun.x;
    Array& r = begun.residual;
    Array norm = normOf(r).copy();
    Array ended = zeros({}, DType::eBool, &b.manager()).copy();
    Krylov space(b, norm.dtype(), size);
    const auto cycle = [&] {
        space.begin(r, norm, begun.limit);
        for (int64_t j = 0; j < space.size(); ++j) {
            steps.skipRestIf(space.isEnough());
            space.extend(j, a(mapped(options.preconditioner, space.vector(j))));
        }
        steps.skipRestIf({});
        const Array change = space.change(norm);
        steps.set({{&x, x + mapped(options.preconditioner, change)}});
        steps.set({{&r, b - a(x)}});
        const Array left = normOf(r).evaluate();
        // A cycle that gains nothing would be repeated: so are those with NaN.
        const Array gains = logicalAnd(greater(left, begun.limit), less(left, norm));
        steps.set({{&ended, logicalNot(gains)}});
        steps.set({{&norm, left}});
    };
    return steps.runCycles(norm, ended, cycle);
}

} // namespace kp::sparse
