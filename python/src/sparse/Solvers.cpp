// SPDX-License-Identifier: Apache-2.0
#include "sparse/Solvers.hpp"

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
}

} // namespace kp::python
