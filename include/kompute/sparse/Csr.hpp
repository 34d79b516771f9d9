// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>

#include <kompute/Array.hpp>

namespace kp::sparse {

/// A sparse matrix in compressed rows (CSR). Row i has the elements from number offsets[i] up to,
/// but without, offsets[i + 1]: `data`, and their columns `indices`. Elements of one place add up.
///
///     kp::sparse::Csr a(data, indices, offsets, {rows, columns});
///     kp::Array y = kp::sparse::matmul(a, x);
///
/// Elements are float32, float64, complex64 or complex128. Offsets and indices have 32 bits if they
/// can count rows, columns and elements, and 64 otherwise.
///
/// A handle to a value: copies share its arrays, and no function changes them. A program that
/// changes the arrays that a matrix was made of changes the matrix: new values are fine, but new
/// indices and offsets are not checked again. Wrong ones give wrong results; nothing is accessed
/// out of bounds.
///
/// Thread safety and errors: as Array.
class KOMPUTE_API Csr {
public:
    /// No matrix. Every function but assignment throws InvalidArgument.
    Csr() = default;
    /// Takes arrays of one axis, which stay as they are if they have the right types. Checks
    /// offsets and indices, and waits for that.
    /// @param shape  rows and columns, each below 2^31
    /// @throws InvalidArgument that names the first wrong offset or index
    Csr(const Array& data, const Array& indices, const Array& offsets, const Shape& shape);
    /// Same, without a check: for arrays that the library or a checked matrix made.
    static Csr trusted(const Array& data, const Array& indices, const Array& offsets,
                       const Shape& shape);

    bool isNull() const { return mState == nullptr; }
    const Array& data() const;
    const Array& indices() const;
    const Array& offsets() const;
    const Shape& shape() const;
    int64_t rows() const { return shape()[0]; }
    int64_t columns() const { return shape()[1]; }
    int64_t nonzeros() const { return data().size(); }
    DType dtype() const { return data().dtype(); }
    Manager& manager() const { return data().manager(); }

    /// Returns the most elements of a row. Waits for it at the first call.
    int64_t longestRow() const;
    /// Returns true if the indices of each row ascend, none twice. Waits at the first call.
    bool isCanonical() const;
    /// Returns a matrix with other elements at the same places.
    Csr withData(const Array& data) const;

private:
    struct State;
    const State& state() const;
    std::shared_ptr<State> mState;
};

/// Returns the type of offsets and indices of a matrix: eInt32, or eInt64 if that is too small.
KOMPUTE_API DType indexType(const Shape& shape, int64_t nonzeros);

} // namespace kp::sparse
