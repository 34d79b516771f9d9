// SPDX-License-Identifier: Apache-2.0
#include "arrays/ArrayEngine.hpp"

#include <kompute/arrays/Creation.hpp>
#include <kompute/arrays/ElementwiseKernel.hpp>
#include <kompute/arrays/Engine.hpp>
#include <kompute/arrays/Functions.hpp>
#include <kompute/arrays/Promotion.hpp>
#include <kompute/arrays/Random.hpp>
#include <kompute/arrays/Reductions.hpp>

#include "arrays/Arrays.hpp"
#include "primitives/Primitives.hpp"

namespace kp::python {
namespace {

std::vector<arrays::Step> stepsFrom(const py::sequence& pairs) {
    std::vector<arrays::Step> steps;
    for (const py::handle each : listFrom(pairs)) {
        const Shape step = shapeFrom(each);
        if (step.size() != 3)
            throw py::type_error("a step is an extent, a stride and an axis");
        steps.push_back({step[0], step[1], step[2]});
    }
    return steps;
}

ReduceOperation operationNamed(const std::string& name) {
    static const std::pair<const char*, ReduceOperation> known[] = {
        {"sum", ReduceOperation::eSum},     {"prod", ReduceOperation::eProduct},
        {"min", ReduceOperation::eMinimum}, {"max", ReduceOperation::eMaximum},
        {"any", ReduceOperation::eAny},     {"all", ReduceOperation::eAll}};
    for (const auto& [text, operation] : known)
        if (name == text)
            return operation;
    throw py::value_error(formatted("no reduction: {}", name));
}

std::vector<ElementwiseKernel::Parameter> parametersFrom(const py::sequence& given) {
    std::vector<ElementwiseKernel::Parameter> parameters;
    for (const py::handle each : listFrom(given)) {
        const auto [name, letter, raw] = py::cast<std::tuple<std::string, std::string, bool>>(each);
        parameters.push_back({name, letter, raw});
    }
    return parameters;
}

void bindKernel(py::module_& module) {
    py::class_<ElementwiseKernel>(module, "_ElementwiseKernel")
        .def(py::init([](const py::sequence& inputs, const py::sequence& results,
                         const std::string& operation, const std::string& name,
                         const std::string& preamble) {
                 return ElementwiseKernel(parametersFrom(inputs), parametersFrom(results),
                                          operation, name, preamble);
             }),
             "inputs"_a, "results"_a, "operation"_a, "name"_a, "preamble"_a)
        .def(
            "run",
            [](const ElementwiseKernel& kernel, py::handle shape, const py::sequence& inputs,
               const py::sequence& results) {
                const Shape extents = shapeFrom(shape);
                const std::vector<Operand> operands = operandsFrom(inputs);
                const std::vector<Array> targets = arraysFrom(results);
                const ReleaseGil release;
                return kernel.run(extents, operands, targets);
            },
            "shape"_a, "inputs"_a, "results"_a);
}

void bindRandomArrays(py::module_& module) {
    module.def(
        "_random_numbers",
        [](py::handle manager, py::handle shape, py::handle dtype, py::handle distribution,
           uint64_t seed, uint64_t counter, uint64_t stream) {
            Manager& owner = managerOfArrays(manager);
            const Shape extents = shapeFrom(shape);
            const DType type = arrayType(dtype);
            const Distribution drawn = toDistribution(distribution);
            const ReleaseGil release;
            return randomNumbers(extents, drawn, {seed, counter, stream}, type, &owner);
        },
        "manager"_a, "shape"_a, "dtype"_a, "distribution"_a, "seed"_a, "counter"_a, "stream"_a);
    module.def("_refuse_captured_random", &arrays::refuseCapturedRandom);
    module.def(
        "_random_order",
        [](py::handle manager, int64_t count, uint64_t seed, uint64_t counter, uint64_t stream) {
            Manager& owner = managerOfArrays(manager);
            const ReleaseGil release;
            return randomOrder(count, {seed, counter, stream}, &owner);
        },
        "manager"_a, "count"_a, "seed"_a, "counter"_a, "stream"_a);
}

} // namespace

void bindArrayEngine(py::module_& module) {
    bindRandomArrays(module);
    module.def(
        "_blank",
        [](py::handle manager, py::handle shape, py::handle dtype) {
            Manager& owner = managerOfArrays(manager);
            const Shape extents = shapeFrom(shape);
            const DType type = arrayType(dtype);
            const ReleaseGil release;
            return empty(extents, type, &owner);
        },
        "manager"_a, "shape"_a, "dtype"_a);
    module.def(
        "_host_number",
        [](py::handle manager, py::handle dtype) {
            return arrays::hostNumber(managerOfArrays(manager), arrayType(dtype));
        },
        "manager"_a, "dtype"_a);
    module.def(
        "_expression",
        [](const std::string& text, py::handle dtype, py::handle shape,
           const py::sequence& operands) {
            return glsl(text, arrayType(dtype), operandsFrom(operands), shapeFrom(shape));
        },
        "text"_a, "dtype"_a, "shape"_a, "operands"_a);
    module.def(
        "_filled",
        [](py::handle manager, py::handle shape, const py::tuple& number) {
            const Operand value = operandFrom(number);
            return full(shapeFrom(shape), value, value.dtype(), &managerOfArrays(manager));
        },
        "manager"_a, "shape"_a, "number"_a);
    module.def(
        "_call",
        [](const std::string& name, py::handle dtype, py::handle shape,
           const py::sequence& operands, const py::sequence& types) {
            const Function* const function = findFunction(name);
            if (!function)
                throw py::key_error(name);
            std::vector<DType> computed;
            for (const py::handle each : types)
                computed.push_back(arrayType(each));
            return arrays::call(*function, arrayType(dtype), shapeFrom(shape),
                                operandsFrom(operands), computed);
        },
        "name"_a, "dtype"_a, "shape"_a, "operands"_a, "types"_a);
    module.def(
        "_addresses",
        [](py::handle manager, py::handle shape, int64_t offset, py::handle strides,
           py::handle dtype) {
            return arrays::addresses(managerOfArrays(manager), shapeFrom(shape), offset,
                                     shapeFrom(strides), arrayType(dtype));
        },
        "manager"_a, "shape"_a, "offset"_a, "strides"_a, "dtype"_a);
    module.def(
        "_take",
        [](const Array& base, const py::sequence& indices, const py::sequence& steps) {
            const std::vector<Array> chosen = arraysFrom(indices);
            const std::vector<arrays::Step> pairs = stepsFrom(steps);
            const ReleaseGil release;
            return arrays::take(base, chosen, pairs);
        },
        "base"_a, "indices"_a, "steps"_a);
    module.def(
        "_put",
        [](const Array& target, const Array& value, const py::sequence& indices,
           const py::sequence& steps, const std::optional<Array>& mask) {
            const std::vector<Array> chosen = arraysFrom(indices);
            const std::vector<arrays::Step> pairs = stepsFrom(steps);
            const ReleaseGil release;
            arrays::put(target, value, chosen, pairs, mask ? *mask : Array());
        },
        "target"_a, "value"_a, "indices"_a = py::tuple(), "steps"_a = py::tuple(),
        "mask"_a = py::none());
    module.def(
        "_reduce",
        [](const std::string& name, const Array& x, py::handle axes, py::handle accumulated,
           py::handle result, bool keepAxes) {
            const ReduceOperation operation = operationNamed(name);
            const Axes chosen = axesFrom(axes);
            const DType wide = arrayType(accumulated);
            const DType type = arrayType(result);
            const ReleaseGil release;
            return reduce(x, operation, chosen, wide, type, keepAxes);
        },
        "name"_a, "x"_a, "axes"_a, "accumulated"_a, "dtype"_a, "keepdims"_a);
    module.def(
        "_mean",
        [](const Array& x, py::handle axes, bool keepAxes) {
            const Axes chosen = axesFrom(axes);
            const ReleaseGil release;
            return mean(x, chosen, keepAxes);
        },
        "x"_a, "axes"_a, "keepdims"_a);
    module.def(
        "_var",
        [](const Array& x, py::handle axes, double correction, bool keepAxes) {
            const Axes chosen = axesFrom(axes);
            const ReleaseGil release;
            return var(x, chosen, correction, keepAxes);
        },
        "x"_a, "axes"_a, "correction"_a, "keepdims"_a);
    module.def(
        "_index_of_number",
        [](const std::string& name, const Array& x, std::optional<int64_t> axis, bool keepAxis) {
            const auto operation =
                name == "argmin" ? ReduceOperation::eArgMinimum : ReduceOperation::eArgMaximum;
            const ReleaseGil release;
            return arrays::indexOfNumber(x, operation, axis, keepAxis);
        },
        "name"_a, "x"_a, "axis"_a, "keepdims"_a);
    module.def(
        "_reduce_text",
        [](const Array& x, py::handle axes, py::handle dtype, const std::string& combine,
           const std::string& identity, const std::string& finish, bool keepAxes,
           const std::string& name) {
            const Axes chosen = axesFrom(axes);
            const DType type = arrayType(dtype);
            const ReleaseGil release;
            return reduce(x, chosen, type, combine, identity, finish, keepAxes, name);
        },
        "x"_a, "axes"_a, "dtype"_a, "combine"_a, "identity"_a, "finish"_a, "keepdims"_a,
        "name"_a = "reduce");
    module.def(
        "_unsupported_reason",
        [](py::handle manager, py::handle dtype) {
            Manager& owner = managerOfArrays(manager);
            const DType type = arrayType(dtype);
            const ReleaseGil release;
            return arrays::unsupportedReason(owner, type);
        },
        "manager"_a, "dtype"_a);
    module.def(
        "_has_doubles",
        [](py::handle manager) { return arrays::hasDoubles(managerOfArrays(manager)); },
        "manager"_a, "Return whether the device has shaderFloat64.");
    module.def("_exchange_singles_noted", arrays::exchangeSinglesNoted, "noted"_a,
               "Set whether the warning of the default float was given; return whether it was "
               "before.");
    module.def(
        "_require",
        [](py::handle manager, py::handle dtype) {
            Manager& owner = managerOfArrays(manager);
            const DType type = arrayType(dtype);
            const ReleaseGil release;
            arrays::require(owner, type);
        },
        "manager"_a, "dtype"_a);
    module.def(
        "_pretend_range",
        [](py::handle manager, uint64_t bytes) {
            arrays::pretendRange(managerOfArrays(manager), bytes);
        },
        "manager"_a, "bytes"_a, "For tests: let kernels of arrays bind so many bytes at most.");
    module.def(
        "_pretend_lack",
        [](py::handle manager, py::handle dtype, const std::string& reason) {
            arrays::pretendLack(managerOfArrays(manager), arrayType(dtype), reason);
        },
        "manager"_a, "dtype"_a, "reason"_a, "For tests: let arrays lack a dtype.");
    module.def(
        "_require_countable", [](py::handle shape) { arrays::requireCountable(shapeFrom(shape)); },
        "shape"_a);
    bindKernel(module);
}

} // namespace kp::python
