// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include <kompute/Array.hpp>
#include <kompute/sparse/Csr.hpp>
#include <kompute/sparse/Preconditioners.hpp>

namespace kp::sparse {

/// Which eigenvalues eigsh() returns. In SciPy: "LM", "SM", "LA", "SA" and "BE".
enum class Spectrum {
    eLargestMagnitude,
    eSmallestMagnitude,
    eLargest,
    eSmallest,
    eBothEnds ///< the larger half at the upper end
};

/// The arguments of SciPy's eigsh(), whose names are in parentheses.
struct EigenOptions {
    int64_t count = 6; ///< from 1 to n - 1 (k)
    Spectrum which = Spectrum::eLargestMagnitude;
    std::optional<int64_t>
        basis; ///< vectors that are kept (ncv). None: max(2 count + 1, 20), at most n
    std::optional<int64_t> maxRestarts; ///< (maxiter) None: 10 n
    double tolerance = 0;               ///< relative to each value (tol). 0: the distance of floats
    bool vectors = true;                ///< eigenvectors are computed (return_eigenvectors)
};

/// Eigenvalues in ascending order, and an eigenvector in each column.
struct EigenPairs {
    Array values;
    Array vectors;         ///< null unless asked for
    bool converged = true; ///< else these are the pairs that have converged, with vectors
};

/// Returns some eigenvalues of a Hermitian map of n elements, by Lanczos's method with restarts (Wu
/// and Simon, 2000). Waits once per restart.
/// @param start  n numbers, best random ones, of the type of vectors
/// @throws InvalidArgument for other numbers than the options allow, and if the map gives NaN or
///         an infinity
KOMPUTE_API EigenPairs eigsh(const LinearMap& a, const Array& start,
                             const EigenOptions& options = {});
/// Same, of a matrix and from random numbers, the same ones each time.
KOMPUTE_API EigenPairs eigsh(const Csr& a, const EigenOptions& options = {});

} // namespace kp::sparse
