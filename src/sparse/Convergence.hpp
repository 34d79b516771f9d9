// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include <kompute/Array.hpp>
#include <kompute/sparse/Solvers.hpp>

namespace kp::sparse {

/// Returns the sum of conj(x) * y, an array without axes.
Array innerProduct(const Array& x, const Array& y);
/// Returns the Euclidean norm, an array without axes, of the real type.
Array normOf(const Array& x);
/// Returns the distance from 1 to the next number of a real type.
double epsilonOf(DType real);
/// Returns a / b, or 0 where b is 0: quotients of what has vanished because a solver has converged.
Array quotient(const Array& a, const Array& b);

/// Computes arrays of one shape in one kernel.
void compute(const std::vector<Array>& values);

/// The vectors that a solver begins with.
struct Beginning {
    /// @throws InvalidArgument unless b is a vector, and a start has its shape
    Beginning(const char* solver, const LinearMap& a, const Array& b, const SolverOptions& options);

    Array x;
    Array residual;
    double limit = 0; ///< of the norm of the residual
    bool solved = false;
    int64_t maxSteps = 0;
};

/// Watches the norms of residuals without waiting for the last ones.
class Convergence {
public:
    Convergence(Manager& manager, DType real, double limit, bool eachStep);

    /// Notes the norm after a step, and sometimes checks an earlier one.
    /// @return whether the solver is done: converged, or no longer with numbers
    bool isDone(const Array& norm);
    /// Waits for the last norm that was noted. @return whether it is small enough
    bool hasConverged(const Array& norm);

private:
    bool look(const Array& seen);

    Manager& mManager;
    const DType mReal;
    const double mLimit;
    const bool mEachStep;
    int64_t mStep = 0;
    int64_t mNext = 1;
    Array mSeen; ///< in host memory, of the step before mNext
};

} // namespace kp::sparse
