// SPDX-License-Identifier: Apache-2.0
#include "sparse/Solvers.hpp"

#include <optional>

#include <kompute/Sparse.hpp>

#include "arrays/Arrays.hpp"
#include "base/Gil.hpp"
#include "sparse/LinearMap.hpp"

namespace kp::python {
namespace {

using sparse::LinearMap;
using sparse::Solution;
using sparse::SolverOptions;

/// Returns a map of the library or a function of Python as a map, which is used before the call
/// returns.
LinearMap mapFrom(py::handle given) {
    if (given.is_none())
        return {};
    if (py::isinstance<BoundMap>(given))
        return given.cast<const BoundMap&>().map;
    return [given](const Array& x) {
        const AcquireGil locked;
        return given(x).cast<Array>();
    };
}

using Solver = std::function<Solution(const LinearMap&, const SolverOptions&)>;

py::tuple solved(py::handle a, py::handle start, double relative, double absolute, int64_t maxSteps,
                 py::handle preconditioner, py::handle callback, const Solver& solver) {
    SolverOptions options;
    options.relative = relative;
    options.absolute = absolute;
    options.maxSteps = maxSteps;
    options.preconditioner = mapFrom(preconditioner);
    if (!start.is_none())
        options.start = start.cast<Array>();
    if (!callback.is_none())
        options.callback = [callback](const Array& x) {
            const AcquireGil locked;
            callback(x);
        };
    const LinearMap map = mapFrom(a);
    Solution found;
    {
        const ReleaseGil release;
        found = solver(map, options);
    }
    return py::make_tuple(std::move(found.x), found.info);
}

/// Binds a solver that takes a map or a function, a right side and options.
void bindSolver(py::module_& module, const char* name,
                Solution (*method)(const LinearMap&, const Array&, const SolverOptions&)) {
    module.def(
        name,
        [method](py::handle a, const Array& b, py::handle start, double relative, double absolute,
                 int64_t maxSteps, py::handle preconditioner, py::handle callback) {
            return solved(a, start, relative, absolute, maxSteps, preconditioner, callback,
                          [&](const LinearMap& map, const SolverOptions& options) {
                              return method(map, b, options);
                          });
        },
        "a"_a, "b"_a, "start"_a, "relative"_a, "absolute"_a, "max_steps"_a, "preconditioner"_a,
        "callback"_a);
}

} // namespace

void bindSolvers(py::module_& module) {
    bindSolver(module, "_cg", sparse::cg);
    bindSolver(module, "_bicgstab", sparse::bicgstab);
    bindSolver(module, "_minres", sparse::minres);
    module.def(
        "_gmres",
        [](py::handle a, const Array& b, py::handle start, double relative, double absolute,
           int64_t maxSteps, py::handle preconditioner, py::handle callback, int64_t restart) {
            return solved(a, start, relative, absolute, maxSteps, preconditioner, callback,
                          [&](const LinearMap& map, const SolverOptions& options) {
                              return sparse::gmres(map, b, restart, options);
                          });
        },
        "a"_a, "b"_a, "start"_a, "relative"_a, "absolute"_a, "max_steps"_a, "preconditioner"_a,
        "callback"_a, "restart"_a);
    module.def(
        "_lsqr",
        [](py::handle a, py::handle adjoint, const Array& b, double damp, double atol, double btol,
           double conlim, std::optional<int64_t> maxSteps, bool variance,
           std::optional<Array> start) {
            const LinearMap map = mapFrom(a);
            const LinearMap turned = mapFrom(adjoint);
            sparse::LeastSquares found;
            {
                const ReleaseGil release;
                found = sparse::lsqr(
                    map, turned, b,
                    {damp, atol, btol, conlim, maxSteps, variance, start.value_or(Array())});
            }
            return py::make_tuple(std::move(found.x), found.reason, found.steps, found.residualNorm,
                                  found.dampedNorm, found.matrixNorm, found.condition,
                                  found.gradientNorm, found.changeNorm, std::move(found.variance));
        },
        "a"_a, "adjoint"_a, "b"_a, "damp"_a, "atol"_a, "btol"_a, "conlim"_a, "max_steps"_a,
        "variance"_a, "start"_a);
    module.def(
        "_eigsh",
        [](py::handle a, const Array& start, int64_t count, int which, std::optional<int64_t> basis,
           std::optional<int64_t> maxRestarts, double tolerance, bool vectors) {
            const LinearMap map = mapFrom(a);
            sparse::EigenPairs found;
            {
                const ReleaseGil release;
                found = sparse::eigsh(map, start,
                                      {count, static_cast<sparse::Spectrum>(which), basis,
                                       maxRestarts, tolerance, vectors});
            }
            return py::make_tuple(std::move(found.values), std::move(found.vectors),
                                  found.converged);
        },
        "a"_a, "start"_a, "count"_a, "which"_a, "basis"_a, "max_restarts"_a, "tolerance"_a,
        "vectors"_a, "Returns eigenvalues, eigenvectors, and whether all have converged.");
}

} // namespace kp::python
