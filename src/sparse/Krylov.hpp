// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <kompute/Array.hpp>

namespace kp::sparse {

/// A vector without its components in a basis, and these.
struct Orthogonal {
    Array rest;
    Array parts;
};
/// Orthogonalizes a vector against the orthonormal rows of a basis: Gram and Schmidt's method,
/// twice.
Orthogonal orthogonalized(const Array& basis, const Array& vector);

/// A cycle of GMRES: an orthonormal basis v of the Krylov space of a residual, the map H in it, and
/// the least squares |norm e1 - H y|, all on the device. Nothing waits, and memory stays in place.
///
/// The matrix (e1 H) is upper triangular. Its inverse grows by a column per step, and its first row
/// n has n H = 0. So what the least squares leave is norm n* / |n|^2, without rotations (Ayachour,
/// "A fast implementation for GMRES method", 2003).
class Krylov {
public:
    /// @param b     gives the shape and the type of vectors
    /// @param real  the type of norms
    /// @param size  steps of a cycle
    Krylov(const Array& b, DType real, int64_t size);

    int64_t size() const { return mSize; }
    Array vector(int64_t j) const { return mVectors(j); }
    /// An eUint32 in memory of its own: not 0 once further vectors gain nothing.
    const Array& isEnough() const { return mEnough; }

    /// Begins with a residual that is not 0.
    void begin(const Array& residual, const Array& norm, double limit);
    /// Adds vector j + 1.
    /// @param image  of vector j
    void extend(int64_t j, const Array& image);
    /// Returns the combination of vectors whose image is nearest to the residual.
    Array change(const Array& norm) const;

private:
    const int64_t mSize;
    Array mVectors; ///< rows
    Array mInverse; ///< row j is column j of the inverse of (e1 H)
    Array mEnough;
    Array mNorm;  ///< of the residual
    Array mLimit; ///< of what the least squares leave
};

} // namespace kp::sparse
