// SPDX-License-Identifier: Apache-2.0
#include <kompute/sparse/Eigenvalues.hpp>

#include <algorithm>
#include <cmath>
#include <complex>
#include <numeric>
#include <random>
#include <vector>

#include <kompute/Error.hpp>

#include "base/Text.hpp"
#include "sparse/Convergence.hpp"
#include "sparse/HermitianEigen.hpp"
#include "sparse/Krylov.hpp"

namespace kp::sparse {
namespace {

using Complex = std::complex<double>;
using Places = std::vector<size_t>;

template <typename Element>
std::vector<Complex> numbersOf(const Array& x) {
    std::vector<Element> values(static_cast<size_t>(x.size()));
    x.read(values.data());
    return {values.begin(), values.end()};
}

std::vector<Complex> hostNumbers(const Array& x) {
    switch (x.dtype()) {
    case DType::eFloat32:
        return numbersOf<float>(x);
    case DType::eFloat64:
        return numbersOf<double>(x);
    case DType::eComplex64:
        return numbersOf<std::complex<float>>(x);
    default:
        return numbersOf<Complex>(x);
    }
}

/// Returns eigenvectors as rows, in a type that the device has.
Array rowsOf(const HermitianEigen& pairs, const Places& chosen, DType dtype, Manager& manager) {
    const size_t size = pairs.values.size();
    const Shape shape{static_cast<int64_t>(chosen.size()), static_cast<int64_t>(size)};
    const auto uploaded = [&](auto convert) {
        std::vector<decltype(convert(Complex()))> values;
        values.reserve(chosen.size() * size);
        for (const size_t i : chosen)
            for (size_t j = 0; j < size; ++j)
                values.push_back(convert(pairs.vectors[i * size + j]));
        return Array::ofBytes(values.data(), values.size(), dtype, shape, &manager);
    };
    switch (dtype) {
    case DType::eFloat32:
        return uploaded([](const Complex& x) { return static_cast<float>(x.real()); });
    case DType::eFloat64:
        return uploaded([](const Complex& x) { return x.real(); });
    case DType::eComplex64:
        return uploaded([](const Complex& x) { return std::complex<float>(x); });
    default:
        return uploaded([](const Complex& x) { return x; });
    }
}

Array onDevice(const std::vector<double>& values, DType real, Manager& manager) {
    if (real == DType::eFloat64)
        return Array::of(values, &manager);
    return Array::of(std::vector<float>(values.begin(), values.end()), &manager);
}

/// Returns the numbers of the values that are wanted, among values in ascending order.
Places wanted(const std::vector<double>& values, Spectrum which, size_t count) {
    Places places(values.size());
    std::iota(places.begin(), places.end(), size_t{0});
    if (which == Spectrum::eBothEnds) {
        const size_t low = count / 2;
        places.erase(places.begin() + static_cast<std::ptrdiff_t>(low),
                     places.end() - static_cast<std::ptrdiff_t>(count - low));
        return places;
    }
    std::ranges::stable_sort(places, {}, [&](size_t i) {
        switch (which) {
        case Spectrum::eLargestMagnitude:
            return -std::abs(values[i]);
        case Spectrum::eSmallestMagnitude:
            return std::abs(values[i]);
        case Spectrum::eLargest:
            return -values[i];
        default:
            return values[i];
        }
    });
    places.resize(count);
    std::ranges::sort(places);
    return places;
}

/// An orthonormal basis, and the images of its vectors in it.
class Basis {
public:
    Basis(const LinearMap& map, const Array& start, int64_t size) : mMap(map), mSize(size) {
        mVectors = zeros({size + 1, start.size()}, start.dtype(), &start.manager()).copy();
        mVectors(0).assign(quotient(start, normOf(start)));
        mProducts = zeros({size, size + 1}, start.dtype(), &start.manager()).copy();
    }

    /// Makes the vectors after number @p first. If the images of some are combinations of them, a
    /// random vector is the next one.
    /// @return rows: the products of a vector's image with all vectors, and the length of the rest
    std::vector<Complex> complete(int64_t first) {
        for (;;) {
            for (int64_t j = first; j < mSize; ++j)
                extend(j);
            std::vector<Complex> products = hostNumbers(mProducts);
            double largest = 0;
            for (const Complex& x : products) {
                if (!std::isfinite(x.real()) || !std::isfinite(x.imag()))
                    throw InvalidArgument("eigsh(): the map gives NaN or an infinity");
                largest = std::max(largest, std::abs(x));
            }
            const double limit = 100 * epsilon() * largest;
            int64_t ended = first;
            while (ended < mSize - 1 &&
                   std::abs(products[static_cast<size_t>(ended * (mSize + 1) + ended + 1)]) > limit)
                ++ended;
            if (ended >= mSize - 1)
                return products;
            first = ended + 1;
            mProducts(ended, first).assign(0);
            mVectors(first).assign(other(first));
        }
    }

    /// Returns combinations of the vectors.
    Array combined(const Array& rows) const {
        return matmul(rows, mVectors(Slice(0, mSize))).evaluate();
    }

    /// Replaces the vectors by combinations of them and the last one.
    void restart(const Array& rows) {
        const int64_t count = rows.shape()[0];
        const Array made = combined(rows);
        const Array last = mVectors(mSize).copy().evaluate();
        mVectors(Slice(0, count)).assign(made);
        mVectors(count).assign(last);
    }

    double epsilon() const { return epsilonOf(kp::real(mVectors).dtype()); }

private:
    void extend(int64_t j) {
        const Array image = mMap(mVectors(j));
        if (!(image.shape() == mVectors(j).shape()))
            fail<InvalidArgument>("eigsh() begins with {}, but the map gives a vector of shape {}",
                                  counted(mVectors.shape()[1], "number"), toString(image.shape()));
        const auto [rest, parts] =
            orthogonalized(mVectors(Slice(0, j + 1)), image.astype(mVectors.dtype()));
        const Array length = normOf(rest).evaluate();
        mProducts(j, Slice(0, j + 1)).assign(parts);
        mProducts(j, j + 1).assign(length);
        mVectors(j + 1).assign(quotient(rest, length));
    }

    /// Returns a vector that is orthogonal to the first ones.
    Array other(int64_t count) const;

    const LinearMap& mMap;
    const int64_t mSize;
    Array mVectors; ///< rows
    Array mProducts;
};

/// Returns numbers from -0.5 to 0.5, the same ones for a seed each time.
Array randomVector(int64_t size, uint32_t seed, DType dtype, Manager& manager) {
    std::mt19937 generator(seed);
    std::vector<float> values(static_cast<size_t>(size));
    for (float& value : values)
        value = static_cast<float>(generator() >> 8) / 16777216.0f - 0.5f;
    return Array::of(values, &manager).astype(dtype);
}

Array Basis::other(int64_t count) const {
    const Array random = randomVector(mVectors.shape()[1], static_cast<uint32_t>(count),
                                      mVectors.dtype(), mVectors.manager());
    const Array rest = orthogonalized(mVectors(Slice(0, count)), random).rest;
    return quotient(rest, normOf(rest));
}

} // namespace

EigenPairs eigsh(const LinearMap& a, const Array& given, const EigenOptions& options) {
    if (given.ndim() != 1)
        fail<InvalidArgument>("eigsh() begins with a vector of one axis, not of shape {}",
                              toString(given.shape()));
    const Array start =
        given.dtype() >= DType::eFloat32 ? given : given.astype(defaultFloat(given.manager()));
    const int64_t n = start.size();
    if (options.count < 1 || options.count >= n)
        fail<InvalidArgument>("k is from 1 to n - 1 = {}, not {}; eigh() finds all", n - 1,
                              options.count);
    const int64_t size =
        options.basis.value_or(std::min(n, std::max<int64_t>(2 * options.count + 1, 20)));
    if (size <= options.count || size > n)
        fail<InvalidArgument>("ncv is more than k = {} and at most n = {}, not {}", options.count,
                              n, size);
    const int64_t restarts = options.maxRestarts.value_or(10 * n);
    if (restarts < 1)
        fail<InvalidArgument>("maxiter is at least 1, not {}", restarts);
    Basis basis(a, start, size);
    const auto count = static_cast<size_t>(options.count);
    const auto extent = static_cast<size_t>(size);
    const double epsilon = basis.epsilon();
    const double limit = options.tolerance != 0 ? options.tolerance : epsilon;
    const DType real = kp::real(start).dtype();
    std::vector<double> diagonal; // of the vectors that are kept
    for (int64_t cycle = 1;; ++cycle) {
        const size_t first = diagonal.size();
        const auto products = basis.complete(static_cast<int64_t>(first));
        std::vector<Complex> small(extent * extent);
        for (size_t i = 0; i < first; ++i)
            small[i * extent + i] = diagonal[i];
        for (size_t j = first; j < extent; ++j)
            for (size_t i = 0; i <= j; ++i) {
                const Complex x = products[j * (extent + 1) + i];
                small[i * extent + j] = i == j ? Complex(x.real()) : x;
                small[j * extent + i] = std::conj(small[i * extent + j]);
            }
        const HermitianEigen pairs = hermitianEigen(std::move(small), extent);
        const double largest =
            std::max(std::abs(pairs.values.front()), std::abs(pairs.values.back()));
        const double left = std::abs(products[extent * (extent + 1) - 1]);
        Places found = wanted(pairs.values, options.which, count);
        // Rounding alone leaves this much, however small a value is.
        const auto isFar = [&](size_t i) {
            const double rest = left * std::abs(pairs.vectors[i * extent + extent - 1]);
            const double scale = std::max(std::abs(pairs.values[i]), std::pow(epsilon, 2.0 / 3));
            return rest > std::max(limit * scale, epsilon * largest);
        };
        const auto far = static_cast<size_t>(std::ranges::count_if(found, isFar));
        const bool converged = far == 0 || size == n;
        if (converged || cycle == restarts) {
            if (!converged)
                std::erase_if(found, isFar);
            std::vector<double> values;
            for (const size_t i : found)
                values.push_back(pairs.values[i]);
            const Array all = onDevice(values, real, start.manager());
            if (converged && !options.vectors)
                return {all, {}, true};
            const Array vectors =
                found.empty() ? zeros({n, 0}, start.dtype(), &start.manager())
                              : basis.combined(rowsOf(pairs, found, start.dtype(), start.manager()))
                                    .transpose()
                                    .copy();
            return {all, vectors, converged};
        }
        // Some more than wanted are kept, so that they do not have to be found anew.
        const Places kept = wanted(pairs.values, options.which,
                                   std::min(count + (count - far) / 2 + 1, extent - 1));
        basis.restart(rowsOf(pairs, kept, start.dtype(), start.manager()));
        diagonal.clear();
        for (const size_t i : kept)
            diagonal.push_back(pairs.values[i]);
    }
}

EigenPairs eigsh(const Csr& a, const EigenOptions& options) {
    if (a.rows() != a.columns())
        fail<InvalidArgument>("eigsh() takes a square matrix, not of shape {}",
                              toString(a.shape()));
    return eigsh(mapOf(a), randomVector(a.rows(), 0, a.dtype(), a.manager()), options);
}

} // namespace kp::sparse
