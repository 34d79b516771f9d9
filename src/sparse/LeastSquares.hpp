// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <complex>
#include <cstddef>
#include <vector>

namespace kp::sparse {

/// The small problem of a cycle of GMRES: min |beta e - H y|, where e is the first unit vector.
struct Hessenberg {
    size_t columns = 0;
    /// Column j has the elements from number j * (columns + 1) on; those below j + 1 are 0.
    std::vector<std::complex<double>> elements;
    double beta = 0;
};

/// Returns y for the first columns, until what remains is at most a limit. Empty if beta is 0.
std::vector<std::complex<double>> leastSquares(Hessenberg problem, double limit);

} // namespace kp::sparse
