// SPDX-License-Identifier: Apache-2.0
#include "sparse/HermitianEigen.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include <kompute/Error.hpp>

namespace kp::sparse {
namespace {

using Complex = std::complex<double>;

/// Products without the standard library's tests for NaN, which take most of the time.
Complex times(const Complex& a, const Complex& b) {
    return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
}

Complex phaseOf(const Complex& x) {
    const double length = std::abs(x);
    return length == 0 ? Complex(1) : x / length;
}

/// A = Q T Q*, with T real and tridiagonal.
struct Tridiagonal {
    std::vector<double> diagonal;
    std::vector<double> beside; ///< of size elements, the last one 0
    std::vector<Complex> q;     ///< column i of Q from i * size on
};

Tridiagonal reduced(std::vector<Complex> a, size_t n) {
    Tridiagonal made{std::vector<double>(n), std::vector<double>(n), std::vector<Complex>(n * n)};
    std::vector<Complex>& q = made.q;
    for (size_t i = 0; i < n; ++i)
        q[i * n + i] = 1;
    std::vector<Complex> v(n);
    std::vector<Complex> w(n);
    for (size_t k = 0; k + 2 < n; ++k) {
        double square = 0;
        for (size_t i = k + 2; i < n; ++i)
            square += std::norm(a[i * n + k]);
        if (square == 0)
            continue;
        const Complex first = a[(k + 1) * n + k];
        const Complex image = -phaseOf(first) * std::sqrt(square + std::norm(first));
        v[k + 1] = first - image;
        const double scale = std::sqrt(2 / (square + std::norm(v[k + 1])));
        v[k + 1] *= scale;
        for (size_t i = k + 2; i < n; ++i)
            v[i] = a[i * n + k] * scale;
        a[(k + 1) * n + k] = image;
        // With H = 1 - v v*: H A H = A - v w* - w v*.
        Complex half = 0;
        for (size_t i = k + 1; i < n; ++i) {
            w[i] = 0;
            for (size_t j = k + 1; j < n; ++j)
                w[i] += times(a[i * n + j], v[j]);
            half += times(std::conj(v[i]), w[i]);
        }
        half /= 2;
        for (size_t i = k + 1; i < n; ++i)
            w[i] -= times(half, v[i]);
        for (size_t i = k + 1; i < n; ++i)
            for (size_t j = k + 1; j < n; ++j)
                a[i * n + j] -= times(v[i], std::conj(w[j])) + times(w[i], std::conj(v[j]));
        std::fill(w.begin(), w.end(), Complex(0));
        for (size_t j = k + 1; j < n; ++j)
            for (size_t i = 0; i < n; ++i)
                w[i] += times(q[j * n + i], v[j]);
        for (size_t j = k + 1; j < n; ++j)
            for (size_t i = 0; i < n; ++i)
                q[j * n + i] -= times(w[i], std::conj(v[j]));
    }
    // The phases of the elements beside the diagonal move to Q.
    Complex phase = 1;
    for (size_t i = 0; i < n; ++i) {
        made.diagonal[i] = a[i * n + i].real();
        for (size_t j = 0; j < n; ++j)
            q[i * n + j] = times(q[i * n + j], phase);
        if (i + 1 < n) {
            made.beside[i] = std::abs(a[(i + 1) * n + i]);
            phase *= phaseOf(a[(i + 1) * n + i]);
        }
    }
    return made;
}

/// Makes the tridiagonal matrix diagonal by rotations.
void diagonalize(Tridiagonal& of, size_t n) {
    std::vector<double>& d = of.diagonal;
    std::vector<double>& e = of.beside;
    constexpr double kEpsilon = std::numeric_limits<double>::epsilon();
    size_t steps = 60 * n;
    for (size_t l = 0; l < n; ++l)
        for (;;) {
            size_t m = l;
            while (m + 1 < n && std::abs(e[m]) > kEpsilon * (std::abs(d[m]) + std::abs(d[m + 1])))
                ++m;
            if (m == l)
                break;
            if (steps-- == 0)
                throw InvalidArgument("eigsh(): the small eigenvalue problem has not converged; "
                                      "give another ncv");
            const double slope = (d[l + 1] - d[l]) / (2 * e[l]);
            double g = d[m] - d[l] + e[l] / (slope + std::copysign(std::hypot(slope, 1.0), slope));
            double sine = 1;
            double cosine = 1;
            double shift = 0;
            bool split = false;
            for (size_t i = m; i-- > l && !split;) {
                const double f = sine * e[i];
                const double b = cosine * e[i];
                const double r = std::hypot(f, g);
                e[i + 1] = r;
                split = r == 0;
                if (split) {
                    d[i + 1] -= shift;
                    e[m] = 0;
                    break;
                }
                sine = f / r;
                cosine = g / r;
                g = d[i + 1] - shift;
                const double more = (d[i] - g) * sine + 2 * cosine * b;
                shift = sine * more;
                d[i + 1] = g + shift;
                g = cosine * more - b;
                Complex* const one = &of.q[i * n];
                Complex* const other = one + n;
                for (size_t k = 0; k < n; ++k) {
                    const Complex x = other[k];
                    other[k] = sine * one[k] + cosine * x;
                    one[k] = cosine * one[k] - sine * x;
                }
            }
            if (split)
                continue;
            d[l] -= shift;
            e[l] = g;
            e[m] = 0;
        }
}

} // namespace

HermitianEigen hermitianEigen(std::vector<Complex> a, size_t size) {
    Tridiagonal made = reduced(std::move(a), size);
    diagonalize(made, size);
    std::vector<size_t> order(size);
    std::iota(order.begin(), order.end(), size_t{0});
    std::ranges::stable_sort(order, {}, [&](size_t i) { return made.diagonal[i]; });
    HermitianEigen sorted;
    for (const size_t i : order) {
        sorted.values.push_back(made.diagonal[i]);
        const auto column = made.q.begin() + static_cast<std::ptrdiff_t>(i * size);
        sorted.vectors.insert(sorted.vectors.end(), column,
                              column + static_cast<std::ptrdiff_t>(size));
    }
    return sorted;
}

} // namespace kp::sparse
