// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>

#include <kompute/Array.hpp>
#include <kompute/sparse/Preconditioners.hpp>

namespace kp::sparse {

/// When a solver stops, with the meaning of SciPy's arguments.
struct SolverOptions {
    /// The solver stops once the norm of b - A x is at most the larger of relative times the norm
    /// of b, and absolute.
    double relative = 1e-5;
    double absolute = 0;
    /// Steps at most; 0: ten times the number of rows.
    int64_t maxSteps = 0;
    /// An approximation of the inverse of A. None: the identity.
    LinearMap preconditioner;
    /// Where to begin. No array: at 0.
    Array start;
    /// Called with x after each step, which takes a wait per step.
    std::function<void(const Array&)> callback;
};

struct Solution {
    Array x;
    int64_t info = 0; ///< 0, or the number of steps after which it had not converged
};

// Iterative solvers of A x = b, for real and complex numbers. With maps of the library
// (Preconditioners.hpp) and without a callback, they run on the device, which stops them
// (OpRepeat). Else, steps are launched without waiting: the device freezes x once it has converged,
// and the host looks some steps later. So x comes from the first step that converged, and up to an
// eighth of the steps, and at most 64, do nothing. gmres() waits once per restart then.
// Errors: InvalidArgument for shapes that do not fit.

/// Solves with conjugate gradients; A is Hermitian and positive definite, and so is the
/// preconditioner.
KOMPUTE_API Solution cg(const LinearMap& a, const Array& b, const SolverOptions& options = {});
/// Solves with stabilized biconjugate gradients (van der Vorst, 1992), for any A.
KOMPUTE_API Solution bicgstab(const LinearMap& a, const Array& b,
                              const SolverOptions& options = {});
/// Solves with the minimal residual method (Paige and Saunders, 1975); A is Hermitian, and the
/// preconditioner positive definite.
/// @throws InvalidArgument also if a product with the residual at the start shows that it is not
KOMPUTE_API Solution minres(const LinearMap& a, const Array& b, const SolverOptions& options = {});
/// Solves with the generalized minimal residual method (Saad and Schultz, 1986), for any A. Steps
/// are restarts. It ends early if a restart gains nothing, as it does for some singular A.
/// @param restart  vectors of a basis, which it keeps in memory
KOMPUTE_API Solution gmres(const LinearMap& a, const Array& b, int64_t restart = 20,
                           const SolverOptions& options = {});

} // namespace kp::sparse
