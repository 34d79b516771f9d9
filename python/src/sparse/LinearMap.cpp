// SPDX-License-Identifier: Apache-2.0
#include "sparse/LinearMap.hpp"

#include <kompute/Sparse.hpp>

#include "arrays/Arrays.hpp"
#include "base/Gil.hpp"

namespace kp::python {
namespace {

using sparse::Csr;
using sparse::Triangle;

} // namespace

void bindLinearMaps(py::module_& module) {
    const auto bound = [](const auto& make) {
        const ReleaseGil release;
        return BoundMap{make()};
    };
    py::class_<BoundMap>(module, "_LinearMap", "A linear map that solvers repeat on the device.")
        .def_static(
            "of_matrix", [bound](const Csr& a) { return bound([&] { return sparse::mapOf(a); }); },
            "a"_a)
        .def_static(
            "of_dense", [bound](const Array& a) { return bound([&] { return sparse::mapOf(a); }); },
            "a"_a)
        .def_static(
            "jacobi", [bound](const Csr& a) { return bound([&] { return sparse::jacobi(a); }); },
            "a"_a)
        .def_static(
            "block_jacobi",
            [bound](const Csr& a, int64_t size) {
                return bound([&] { return sparse::blockJacobi(a, size); });
            },
            "a"_a, "size"_a)
        .def_static(
            "incomplete_cholesky",
            [bound](const Csr& a, double shift) {
                return bound([&] { return sparse::incompleteCholesky(a, shift); });
            },
            "a"_a, "shift"_a)
        .def(
            "__call__",
            [](const BoundMap& self, const Array& x) {
                const ReleaseGil release;
                return self.map(x);
            },
            "x"_a);
    py::class_<Triangle>(module, "_Triangle",
                         "A triangular matrix whose rows are sorted into levels.")
        .def(py::init([](const Csr& a, bool upper, bool unitDiagonal) {
                 const ReleaseGil release;
                 return Triangle(a, {upper, unitDiagonal});
             }),
             "a"_a, "upper"_a, "unit_diagonal"_a)
        .def(
            "solve",
            [](const Triangle& self, const Array& b) {
                const ReleaseGil release;
                return self.solve(b);
            },
            "b"_a);
}

} // namespace kp::python
