// SPDX-License-Identifier: Apache-2.0
#include "sparse/Csr.hpp"

#include <kompute/Sparse.hpp>

#include "arrays/Arrays.hpp"

namespace kp::python {
namespace {

using sparse::Csr;

/// Returns what make() returns, which runs without the GIL.
template <typename Make>
auto unlocked(const Make& make) {
    const ReleaseGil release;
    return make();
}

} // namespace

void bindCsr(py::module_& module) {
    py::class_<Csr>(module, "_Csr",
                    "A sparse matrix in compressed rows: what kp.sparse is made of.")
        .def(py::init([](const Array& data, const Array& indices, const Array& offsets,
                         int64_t rows, int64_t columns) {
                 return unlocked([&] { return Csr(data, indices, offsets, {rows, columns}); });
             }),
             "data"_a, "indices"_a, "offsets"_a, "rows"_a, "columns"_a)
        .def_static(
            "of_elements",
            [](const Array& data, const Array& row, const Array& column, int64_t rows,
               int64_t columns) {
                return unlocked([&] {
                    return sparse::compressed(data, row, column, {rows, columns});
                });
            },
            "data"_a, "row"_a, "column"_a, "rows"_a, "columns"_a)
        .def_static(
            "of_dense",
            [](const Array& dense) { return unlocked([&] { return sparse::compressed(dense); }); },
            "dense"_a)
        .def_property_readonly("data", &Csr::data)
        .def_property_readonly("indices", &Csr::indices)
        .def_property_readonly("offsets", &Csr::offsets)
        .def_property_readonly("rows", &Csr::rows)
        .def_property_readonly("columns", &Csr::columns)
        .def("longest_row", [](const Csr& a) { return unlocked([&] { return a.longestRow(); }); })
        .def("is_canonical", [](const Csr& a) { return unlocked([&] { return a.isCanonical(); }); })
        .def(
            "with_data",
            [](const Csr& a, const Array& data) {
                return unlocked([&] { return a.withData(data); });
            },
            "data"_a)
        .def("row_numbers",
             [](const Csr& a) { return unlocked([&] { return sparse::rowsOf(a); }); })
        .def("canonical",
             [](const Csr& a) { return unlocked([&] { return sparse::canonical(a); }); })
        .def("transposed",
             [](const Csr& a) { return unlocked([&] { return sparse::transposed(a); }); })
        .def("dense", [](const Csr& a) { return unlocked([&] { return sparse::dense(a); }); })
        .def(
            "diagonal",
            [](const Csr& a, int64_t k) {
                return unlocked([&] { return sparse::diagonal(a, k); });
            },
            "k"_a)
        .def(
            "rows_between",
            [](const Csr& a, int64_t begin, int64_t end) {
                return unlocked([&] { return sparse::rowsBetween(a, begin, end); });
            },
            "begin"_a, "end"_a)
        .def(
            "matmul",
            [](const Csr& a, const Array& x) {
                return unlocked([&] { return sparse::matmul(a, x); });
            },
            "x"_a)
        .def(
            "product",
            [](const Csr& a, const Csr& b) {
                return unlocked([&] { return sparse::matmul(a, b); });
            },
            "b"_a)
        .def(
            "sum",
            [](const Csr& a, const Csr& b) { return unlocked([&] { return sparse::add(a, b); }); },
            "b"_a)
        .def(
            "times",
            [](const Csr& a, const Array& dense) {
                return unlocked([&] { return sparse::multiply(a, dense); });
            },
            "dense"_a);
}

} // namespace kp::python
