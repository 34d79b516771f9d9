// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>

#include <kompute/Array.hpp>
#include <kompute/sparse/Csr.hpp>

namespace kp::sparse {

struct TriangleOptions {
    bool upper = false;        ///< all elements are on or above the diagonal, else on or below it
    bool unitDiagonal = false; ///< the diagonal counts as 1; its stored elements are ignored
};

/// A triangular matrix, prepared for solving equations. The rows are sorted into levels: rows of
/// one level need no results of each other, and one product computes them all (Anderson and Saad,
/// "Solving sparse triangular linear systems on parallel computers", 1989).
///
///     kp::sparse::Triangle lower(a);
///     kp::Array x = lower.solve(b);
///
/// A handle to a value, as Csr. Thread safety and errors: as Array.
class KOMPUTE_API Triangle {
public:
    /// Sorts the rows, on the host. Waits.
    /// @throws InvalidArgument if the matrix is not square; that names the first element on the
    ///         wrong side, or the first row whose diagonal is 0
    explicit Triangle(const Csr& a, const TriangleOptions& options = {});

    /// Returns the number of levels: a solution takes two dispatches for each.
    int64_t levels() const;
    /// Returns the solution x of A x = b, in the type to which both promote. Does not wait.
    /// @param b  of one or two axes, with as many rows as the matrix
    /// @throws InvalidArgument for other shapes
    Array solve(const Array& b) const;

private:
    struct State;
    std::shared_ptr<const State> mState;
};

} // namespace kp::sparse
