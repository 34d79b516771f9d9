// SPDX-License-Identifier: Apache-2.0
#include "primitives/Primitives.hpp"

namespace kp::python {
namespace {

constexpr Named<Distribution::Kind> kKinds[] = {{"bits", Distribution::Kind::eBits},
                                                {"integers", Distribution::Kind::eIntegers},
                                                {"uniform", Distribution::Kind::eUniform},
                                                {"normal", Distribution::Kind::eNormal},
                                                {"exponential", Distribution::Kind::eExponential}};

Distribution::Bound toBound(py::handle number) {
    const auto index = py::reinterpret_steal<py::object>(PyNumber_Index(number.ptr()));
    if (!index)
        throw py::error_already_set();
    int overflow = 0;
    const long long value = PyLong_AsLongLongAndOverflow(index.ptr(), &overflow);
    if (overflow == 0)
        return {static_cast<uint64_t>(value), value < 0};
    const unsigned long long large = PyLong_AsUnsignedLongLong(index.ptr());
    if (PyErr_Occurred())
        throw py::error_already_set();
    return {large, false};
}

} // namespace

Distribution toDistribution(py::handle object) {
    py::tuple words;
    if (PyTuple_Check(object.ptr()))
        words = py::reinterpret_borrow<py::tuple>(object);
    else
        words = py::make_tuple(object);
    if (words.size() == 0 || !PyUnicode_Check(words[0].ptr()))
        throwTypeError("distribution", "a name, or a tuple of a name and parameters", object);
    Distribution distribution;
    distribution.kind = valueNamed(kKinds, toText(words[0], "distribution"), "distribution");
    const auto parameter = [&](size_t at, double otherwise) {
        return words.size() > at ? py::cast<double>(words[at]) : otherwise;
    };
    size_t most = 3;
    switch (distribution.kind) {
    case Distribution::Kind::eBits:
        most = 1;
        break;
    case Distribution::Kind::eIntegers:
        if (words.size() != 3)
            throwTypeError("distribution", "(\"integers\", lowest, highest)", object);
        distribution.lowest = toBound(words[1]);
        distribution.highest = toBound(words[2]);
        break;
    case Distribution::Kind::eExponential:
        distribution.first = parameter(1, 1);
        most = 2;
        break;
    default:
        distribution.first = parameter(1, 0);
        distribution.second = parameter(2, 1);
    }
    if (words.size() > most)
        throwTypeError("distribution", "a tuple with fewer parameters", object);
    return distribution;
}

namespace {

std::unique_ptr<HandleOf<OpRandom>> makeRandom(const py::object& output,
                                               const py::object& distribution, uint64_t seed,
                                               uint64_t counter, uint64_t stream) {
    const std::vector<RangeArgument> tensors = {toRange(output, "output")};
    return makePrimitive<OpRandom>(tensors, tensors[0].range, toDistribution(distribution),
                                   RandomState{seed, counter, stream});
}

std::unique_ptr<HandleOf<OpPermutation>> makePermutation(const py::object& output, uint64_t seed,
                                                         uint64_t counter, uint64_t stream) {
    const std::vector<RangeArgument> tensors = {toRange(output, "output")};
    return makePrimitive<OpPermutation>(tensors, tensors[0].range,
                                        RandomState{seed, counter, stream});
}

} // namespace

void bindRandom(py::module_& module) {
    declareOperation<HandleOf<OpRandom>>(module, "OpRandom", doc(R"(
        Fills a tensor with random numbers of the generator Philox 4x32-10.

        Element i is number `counter + i` of the sequence of `seed` and `stream`, the same on every
        device and however the sequence is cut into tensors. It writes device memory; afterwards the
        host view shows the numbers.
    )"))
        .def(py::init(&makeRandom), "output"_a, "distribution"_a = "uniform", py::kw_only(),
             "seed"_a = 0, "counter"_a = 0, "stream"_a = 0, doc(R"(
                 `distribution` is "bits", ("integers", lowest, highest), "uniform" or ("uniform",
                 low, high), "normal" or ("normal", mean, deviation), "exponential" or
                 ("exponential", mean). `highest` is included, `high` is not. `output` may be a part
                 of a tensor: (tensor, first) or (tensor, first, count).)"));
    declareOperation<HandleOf<OpPermutation>>(module, "OpPermutation", doc(R"(
        Writes the indices 0, 1, ... in random order.

        It depends on their number, `seed`, `counter` and `stream` alone, not on the device. It
        writes device memory; afterwards the host view shows the indices.
    )"))
        .def(py::init(&makePermutation), "output"_a, py::kw_only(), "seed"_a = 0, "counter"_a = 0,
             "stream"_a = 0, doc(R"(
                 `output` has integers of 32 or 64 bits. Of n indices, take a counter that is larger
                 by 2 n for the next permutation.)"));
}

} // namespace kp::python
