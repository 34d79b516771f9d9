// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include <kompute/Array.hpp>
#include <kompute/sparse/Csr.hpp>
#include <kompute/sparse/Preconditioners.hpp>

namespace kp::sparse {

/// The arguments of SciPy's lsqr(), whose names are in parentheses.
struct LeastSquaresOptions {
    double damp = 0;                 ///< the norm of damp (x - start) is minimized, too
    double matrix = 1e-6;            ///< relative error of A's elements (atol)
    double side = 1e-6;              ///< relative error of b's elements (btol)
    double condition = 1e8;          ///< of A, above which it stops (conlim); 0: no limit
    std::optional<int64_t> maxSteps; ///< none: twice the number of columns (iter_lim)
    bool variance = false;           ///< LeastSquares::variance is computed (calc_var)
    Array start;                     ///< where to begin (x0). No array: at 0
};

/// The results of SciPy's lsqr(), whose names are in parentheses.
struct LeastSquares {
    Array x;
    /// Why it stopped (istop). 0: b, or A's adjoint times b, is 0. 1: A x = b within the errors. 2:
    /// the least squares are found within the errors. 3: the condition is above the limit. 4, 5, 6:
    /// as 1, 2, 3, within rounding errors. 7: after the most steps.
    int64_t reason = 0;
    int64_t steps = 0;       ///< (itn)
    double residualNorm = 0; ///< of b - A x (r1norm)
    double dampedNorm = 0;   ///< same, with damp (x - start) (r2norm)
    double matrixNorm = 0;   ///< an estimate of A's Frobenius norm (anorm)
    double condition = 0;    ///< an estimate of A's condition (acond)
    double gradientNorm = 0; ///< an estimate of the norm of A's adjoint times the residual (arnorm)
    double changeNorm = 0;   ///< of x - start (xnorm)
    Array variance;          ///< estimates of the diagonal of the inverse of A* A + damp^2, or 0
};

/// Returns x that minimizes the norm of b - A x, for A of any shape, by LSQR (Paige and Saunders,
/// 1982). Steps are launched without waiting; the last few may be more than needed.
/// @param a, adjoint  the map and its adjoint
/// @param b           of one axis, of the type of results
/// @throws InvalidArgument for shapes that do not fit
KOMPUTE_API LeastSquares lsqr(const LinearMap& a, const LinearMap& adjoint, const Array& b,
                              const LeastSquaresOptions& options = {});
/// Same, in the type to which the matrix and b promote.
KOMPUTE_API LeastSquares lsqr(const Csr& a, const Array& b,
                              const LeastSquaresOptions& options = {});

} // namespace kp::sparse
