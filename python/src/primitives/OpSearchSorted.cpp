// SPDX-License-Identifier: Apache-2.0
#include "primitives/Primitives.hpp"

namespace kp::python {
namespace {

constexpr Named<SearchSide> kSides[] = {{"left", SearchSide::eLeft}, {"right", SearchSide::eRight}};

std::unique_ptr<HandleOf<OpSearchSorted>> makeSearch(const py::object& sorted,
                                                     const py::object& needles,
                                                     const py::object& places,
                                                     const std::string& side) {
    const std::vector<RangeArgument> tensors = {
        toRange(sorted, "sorted"), toRange(needles, "needles"), toRange(places, "places")};
    return makePrimitive<OpSearchSorted>(tensors, tensors[0].range, tensors[1].range,
                                         tensors[2].range, valueNamed(kSides, side, "side"));
}

} // namespace

void bindSearchSorted(py::module_& module) {
    declareOperation<HandleOf<OpSearchSorted>>(module, "OpSearchSorted", doc(R"(
        Finds, for each needle, where to insert it among sorted elements so that they stay sorted.

        It reads and writes device memory; afterwards the host view of the places shows the result.
    )"))
        .def(py::init(&makeSearch), "sorted"_a, "needles"_a, "places"_a, py::kw_only(),
             "side"_a = "left", doc(R"(
                 The elements are in ascending order, NaNs last. `side` "left" is the place before
                 all equal elements, "right" that after them. `places` are integers of 32 or 64
                 bits. Each tensor may be a part of one: (tensor, first) or (tensor, first, count).
             )"));
}

} // namespace kp::python
