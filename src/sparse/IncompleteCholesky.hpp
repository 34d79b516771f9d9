// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <kompute/sparse/Csr.hpp>

namespace kp::sparse {

/// Returns the factor of incompleteCholesky(), a lower triangle. Computed on the host; waits.
/// @param a  canonical
/// @throws InvalidArgument as incompleteCholesky()
Csr incompleteFactor(const Csr& a, double shift);

} // namespace kp::sparse
