// SPDX-License-Identifier: Apache-2.0
#include "primitives/Primitives.hpp"

namespace kp::python {
namespace {

/// The arguments that OpSort and OpArgSort share.
struct SortArguments {
    std::vector<RangeArgument> tensors; ///< of which tensors[0] are the keys
    SortOptions options;
};

SortArguments toSortArguments(const py::object& keys, const py::object& others,
                              const char* othersName, std::optional<int64_t> axis, bool descending,
                              bool equalZeros, std::optional<std::pair<uint32_t, uint32_t>> bits,
                              const py::object& segments, const py::object& sortedKeys) {
    SortArguments arguments;
    arguments.tensors = {toRange(keys, "keys"), toOptionalRange(others, othersName),
                         toOptionalRange(segments, "segments"),
                         toOptionalRange(sortedKeys, "sorted_keys")};
    const RangeArgument& sorted = arguments.tensors[0];
    SortOptions& options = arguments.options;
    options.descending = descending;
    options.equalZeros = equalZeros;
    options.segments = arguments.tensors[2].range;
    options.sortedKeys = arguments.tensors[3].range;
    if (bits) {
        options.firstBit = bits->first;
        options.endBit = bits->second;
    }
    if (axis && !options.segments && !sorted.shape.empty()) {
        const std::vector<uint64_t> extents = shapeAlong(sorted, *axis);
        if (extents[2] > 1)
            throw py::value_error(formatted("axis {} is not the last axis; transpose the keys, so "
                                            "that each row is contiguous",
                                            *axis));
        options.rowLength = extents[1];
    }
    return arguments;
}

std::unique_ptr<HandleOf<OpSort>>
makeSort(const py::object& keys, const py::object& values, std::optional<int64_t> axis,
         bool descending, bool equalZeros, std::optional<std::pair<uint32_t, uint32_t>> bits,
         const py::object& segments, const py::object& sortedKeys, const py::object& sortedValues) {
    SortArguments arguments = toSortArguments(keys, values, "values", axis, descending, equalZeros,
                                              bits, segments, sortedKeys);
    arguments.tensors.push_back(toOptionalRange(sortedValues, "sorted_values"));
    arguments.options.sortedValues = arguments.tensors.back().range;
    return makePrimitive<OpSort>(arguments.tensors, arguments.tensors[0].range,
                                 arguments.tensors[1].range, arguments.options);
}

std::unique_ptr<HandleOf<OpArgSort>>
makeArgSort(const py::object& keys, const py::object& indices, std::optional<int64_t> axis,
            bool descending, bool equalZeros, std::optional<std::pair<uint32_t, uint32_t>> bits,
            const py::object& segments, const py::object& sortedKeys) {
    const SortArguments arguments = toSortArguments(keys, indices, "indices", axis, descending,
                                                    equalZeros, bits, segments, sortedKeys);
    return makePrimitive<OpArgSort>(arguments.tensors, arguments.tensors[0].range,
                                    arguments.tensors[1].range, arguments.options);
}

} // namespace

void bindSort(py::module_& module) {
    declareOperation<HandleOf<OpSort>>(module, "OpSort", doc(R"(
        Sorts keys in a stable way, and moves values of 4 or 8 bytes with them.

        It reads and writes device memory; afterwards the host views of the outputs show the result.
    )"))
        .def(py::init(&makeSort), "keys"_a, "values"_a = py::none(), py::kw_only(), "axis"_a = -1,
             "descending"_a = false, "equal_zeros"_a = false, "bits"_a = py::none(),
             "segments"_a = py::none(), "sorted_keys"_a = py::none(),
             "sorted_values"_a = py::none(), doc(R"(
                 Rows along the last axis are sorted, or with `axis` None all elements. NaNs are the
                 largest keys. -0 is before +0, or equals it with `equal_zeros`. `bits` is (first, end): only these bits of the
                 keys in their order decide. `segments` is a tensor of n + 1 ascending offsets of
                 n segments, each of which is sorted by itself. The result replaces the keys and
                 values, or goes to `sorted_keys` and `sorted_values`. Each tensor may be a part of
                 one: (tensor, first) or (tensor, first, count).)"));
    declareOperation<HandleOf<OpArgSort>>(module, "OpArgSort", doc(R"(
        Sorts the indices of keys, from the start of each row or segment. The keys stay.

        It reads and writes device memory; afterwards the host views of the outputs show the result.
    )"))
        .def(py::init(&makeArgSort), "keys"_a, "indices"_a, py::kw_only(), "axis"_a = -1,
             "descending"_a = false, "equal_zeros"_a = false, "bits"_a = py::none(),
             "segments"_a = py::none(), "sorted_keys"_a = py::none(), doc(R"(
                 `indices` has integers of 32 or 64 bits. The sorted keys are written to
                 `sorted_keys`, if given. For the other arguments, see OpSort.)"));
}

} // namespace kp::python
