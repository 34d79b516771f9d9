// SPDX-License-Identifier: Apache-2.0
#include <kompute/sparse/Solvers.hpp>

#include <algorithm>
#include <cmath>
#include <complex>
#include <type_traits>
#include <vector>

#include <kompute/Error.hpp>
#include <kompute/arrays/Engine.hpp>

#include "base/Text.hpp"
#include "sparse/Convergence.hpp"
#include "sparse/LeastSquares.hpp"
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
bool repeatable(const LinearMap& a, const SolverOptions& options) {
    int64_t dispatches = kOwnDispatches;
    for (const LinearMap* const map : {&a, &options.preconditioner}) {
        const auto* const known = map->target<LibraryMap>();
        if (*map && !known)
            return false;
        dispatches += known ? known->dispatches : 0;
    }
    return dispatches <= kMaxDispatches;
}

Array mapped(const LinearMap& map, const Array& x) {
    return map ? map(x) : x;
}

/// Computes vectors of a step in one kernel.
void compute(const std::vector<Array>& vectors) {
    arrays::together(vectors);
    for (const Array& vector : vectors)
        vector.evaluate();
}

template <typename T>
std::vector<std::complex<double>> read(const Array& x) {
    std::vector<T> values(static_cast<size_t>(x.size()));
    x.read(values.data());
    return {values.begin(), values.end()};
}

/// Returns floating-point or complex numbers of the device.
std::vector<std::complex<double>> numbersOf(const Array& x) {
    switch (x.dtype()) {
    case DType::eFloat32:
        return read<float>(x);
    case DType::eFloat64:
        return read<double>(x);
    case DType::eComplex64:
        return read<std::complex<float>>(x);
    default:
        return read<std::complex<double>>(x);
    }
}

/// Returns numbers as an array of a type.
Array uploaded(const std::vector<std::complex<double>>& numbers, DType dtype, Manager& manager) {
    const Shape shape{static_cast<int64_t>(numbers.size())};
    const auto as = [&](auto number) {
        using T = decltype(number);
        std::vector<T> values(numbers.size());
        for (size_t i = 0; i < numbers.size(); ++i) {
            if constexpr (std::is_floating_point_v<T>)
                values[i] = static_cast<T>(numbers[i].real());
            else
                values[i] = T(numbers[i]);
        }
        return Array::ofBytes(values.data(), values.size(), dtype, shape, &manager);
    };
    switch (dtype) {
    case DType::eFloat32:
        return as(float());
    case DType::eFloat64:
        return as(double());
    case DType::eComplex64:
        return as(std::complex<float>());
    default:
        return as(std::complex<double>());
    }
}

/// An orthonormal basis of the Krylov space of a residual, and the map in it.
struct Krylov {
    Array vectors; ///< rows
    Array map;     ///< row j is the image of vector j
};

/// Makes a basis by Gram and Schmidt's method, twice. The host does not wait.
Krylov krylov(const LinearMap& a, const LinearMap& preconditioner, const Array& residual,
              const Array& norm, int64_t size) {
    Manager& manager = residual.manager();
    Krylov made{zeros({size + 1, residual.size()}, residual.dtype(), &manager),
                zeros({size, size + 1}, residual.dtype(), &manager)};
    made.vectors(0).assign(residual * quotient(Array(ones({}, norm.dtype(), &manager)), norm));
    for (int64_t j = 0; j < size; ++j) {
        const Array basis = made.vectors(Slice(0, j + 1));
        const Array adjoint = conj(basis);
        Array w = a(mapped(preconditioner, made.vectors(j)));
        Array parts;
        for (const bool again : {false, true}) {
            const Array more = matmul(adjoint, w).evaluate();
            w = (w - matmul(more, basis)).evaluate();
            parts = again ? parts + more : more;
        }
        const Array length = normOf(w).evaluate();
        const Array row = made.map(j);
        row(Slice(0, j + 1)).assign(parts);
        row(j + 1).assign(length.astype(residual.dtype()));
        made.vectors(j + 1).assign(w * quotient(ones({}, length.dtype(), &manager), length));
    }
    return made;
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
    const SolverSteps steps(begun, options, false);
    Array& x = begun.x;
    Array residual = begun.residual;
    Array norm = normOf(residual).evaluate();
    // Lanczos's method: next is the vector of this step times beta, and near that preconditioned.
    Array last = zeros(b.shape(), b.dtype(), &b.manager());
    Array next = residual;
    Array near = mapped(options.preconditioner, next).evaluate();
    const auto lengthOf = [&] {
        return sqrt(maximum(real(innerProduct(next, near)), 0)).evaluate();
    };
    Array beta = lengthOf();
    const Array zero = zeros({}, beta.dtype(), &b.manager());
    Array lastBeta = zero;
    // The rotations that make the tridiagonal matrix triangular.
    Array cosine = negative(ones({}, beta.dtype(), &b.manager()));
    Array sine = zero;
    Array above = zero;  // two above the diagonal, in the next column
    Array turned = zero; // one above it, before this step's rotation
    Array rest = beta;   // of the right side
    Array direction = zeros(b.shape(), b.dtype(), &b.manager());
    Array lastDirection = direction;
    const auto step = [&] {
        const Array v = (quotient(ones({}, beta.dtype(), &b.manager()), beta) * near).evaluate();
        Array image = a(v);
        image = image - quotient(beta, lastBeta) * last;
        const Array alpha = real(innerProduct(v, image)).evaluate();
        last = next;
        lastBeta = beta;
        next = (image - quotient(alpha, beta) * last).evaluate();
        near = mapped(options.preconditioner, next).evaluate();
        beta = lengthOf();
        const Array second = above;
        const Array first = cosine * turned + sine * alpha;
        const Array diagonalBefore = sine * turned - cosine * alpha;
        above = sine * beta;
        turned = negative(cosine * beta);
        const Array length = sqrt(square(diagonalBefore) + square(beta));
        cosine = quotient(diagonalBefore, length);
        sine = quotient(beta, length);
        const Array phi = where(greater(norm, begun.limit), cosine * rest, 0);
        const Array left = sine * rest;
        const Array scale = quotient(ones({}, beta.dtype(), &b.manager()), length);
        compute({first, above, turned, cosine, sine, phi, left, scale});
        rest = left;
        const Array made = scale * (v - second * lastDirection - first * direction);
        lastDirection = direction;
        direction = made;
        x = x + phi * made;
        const Array moved = square(sine) * residual - quotient(cosine * rest, beta) * next;
        residual = where(greater(norm, begun.limit), moved, residual);
        compute({direction, x, residual});
        norm = normOf(residual).evaluate();
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
    Array& x = begun.x;
    Array r = begun.residual;
    const int64_t size = std::min(restart, b.size());
    Array norm = normOf(r).evaluate();
    for (int64_t step = 1; step <= begun.maxSteps; ++step) {
        const Krylov space = krylov(a, options.preconditioner, r, norm, size);
        const std::vector<std::complex<double>> y = leastSquares(
            {static_cast<size_t>(size), numbersOf(space.map), norm.item<double>()}, begun.limit);
        if (!y.empty()) {
            const Array used = space.vectors(Slice(0, static_cast<int64_t>(y.size())));
            const Array change = matmul(uploaded(y, b.dtype(), b.manager()), used);
            x = (x + mapped(options.preconditioner, change)).evaluate();
        }
        r = (b - a(x)).evaluate();
        norm = normOf(r).evaluate();
        if (options.callback)
            options.callback(x);
        const auto left = norm.item<double>();
        if (left <= begun.limit)
            return {x, 0};
        if (!std::isfinite(left) || y.empty())
            return {x, step};
    }
    return {x, begun.maxSteps};
}

} // namespace kp::sparse
