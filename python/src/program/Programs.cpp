// SPDX-License-Identifier: Apache-2.0
#include "program/Programs.hpp"

#include <kompute/program/ArrayProgram.hpp>
#include <kompute/program/LauncherProgram.hpp>
#include <kompute/program/Program.hpp>

#include "arrays/Arrays.hpp"
#include "base/Gil.hpp"
#include "base/Held.hpp"
#include "base/Values.hpp"
#include "core/Operations.hpp"
#include "launch/Calls.hpp"

namespace kp::python {
namespace {

struct ProgramHandle {
    Program program;
    py::object manager; ///< a kp.Manager, which the program keeps
};

/// An operation of a program.
struct ProgramOperation final : OpHandle {};

std::unique_ptr<ProgramHandle> made(Program program, py::object manager) {
    return std::make_unique<ProgramHandle>(ProgramHandle{std::move(program), std::move(manager)});
}

std::unique_ptr<ProgramHandle> parse(const py::object& manager, const py::bytes& content,
                                     bool trusted) {
    auto& handle = handleOf<ManagerHandle>(manager, "device");
    const std::string_view bytes = content;
    return made(withoutGil(handle,
                           [&] {
                               return trusted ? Program::parse(*handle.manager, bytes.data(),
                                                               bytes.size())
                                              : Program::parseUntrusted(*handle.manager,
                                                                        bytes.data(), bytes.size());
                           }),
                manager);
}

NamedTensors tensorsIn(const py::dict& given) {
    NamedTensors tensors;
    for (const auto& [name, tensor] : given)
        tensors.emplace(py::cast<std::string>(name),
                        handleOf<TensorHandle>(py::reinterpret_borrow<py::object>(tensor),
                                               "a tensor of a program")
                            .tensor());
    return tensors;
}

NamedArrays arraysIn(const py::dict& given) {
    NamedArrays arrays;
    for (const auto& [name, array] : given)
        arrays.emplace(py::cast<std::string>(name), arrayIn(array));
    return arrays;
}

py::dict dictOf(NamedArrays arrays) {
    py::dict named;
    for (auto& [name, array] : arrays)
        named[py::str(name)] = py::cast(std::move(array));
    return named;
}

std::unique_ptr<ProgramHandle> ofSequence(const py::object& sequence, const py::dict& inputs,
                                          const py::dict& outputs) {
    auto& handle = handleOf<SequenceHandle>(sequence, "sequence");
    return made(Program::of(*handle.sequence, tensorsIn(inputs), tensorsIn(outputs)),
                py::cast(handle.manager));
}

/// Returns the manager of the first tensor.
py::object managerOf(const py::dict& inputs, const py::dict& outputs) {
    for (const py::dict& given : {inputs, outputs})
        for (const auto& [name, tensor] : given)
            return py::cast(handleOf<TensorHandle>(py::reinterpret_borrow<py::object>(tensor),
                                                   "a tensor of a program")
                                .manager);
    throw InvalidArgument("a program of launchers has at least one tensor; name its outputs");
}

std::unique_ptr<ProgramHandle> ofLauncher(const py::object& launcher, const py::dict& inputs,
                                          const py::dict& outputs, const py::dict& parameters) {
    const NamedTensors in = tensorsIn(inputs);
    const NamedTensors out = tensorsIn(outputs);
    py::object manager = managerOf(inputs, outputs);
    if (isA<ListHandle>(launcher)) {
        auto& handle = handleOf<ListHandle>(launcher);
        return made(programOf(*handle.list, in, out, prepareCall(handle, parameters)),
                    std::move(manager));
    }
    auto& handle = handleOf<LauncherHandle>(launcher);
    LaunchOptions options;
    options.parameters = prepareCall(handle, parameters);
    return made(programOf(*handle.launcher, in, out, options), std::move(manager));
}

/// @param work        a sequence, a launcher or a list of launchers
/// @param parameters  of a call of launchers
std::unique_ptr<ProgramHandle> ofWork(const py::object& work, const py::dict& inputs,
                                      const py::dict& outputs, const py::dict& parameters) {
    if (isA<LauncherHandle>(work) || isA<ListHandle>(work))
        return ofLauncher(work, inputs, outputs, parameters);
    if (!isA<SequenceHandle>(work))
        throwTypeError("work", "a sequence, a launcher or a list of launchers", work);
    if (!parameters.empty())
        throw py::type_error("parameters are for launchers, and a program was made of a sequence");
    return ofSequence(work, inputs, outputs);
}

std::unique_ptr<ProgramHandle> captured(const py::object& manager, const py::object& function,
                                        const py::dict& arguments) {
    const auto run = [held = holdFunction(function, "function")](const NamedArrays& given) {
        const AcquireGil locked;
        return arraysIn(py::dict(py::handle(held.get())(dictOf(given))));
    };
    NamedArrays arrays = arraysIn(arguments);
    auto& handle = handleOf<ManagerHandle>(manager, "device");
    return made(withoutGil(handle,
                           [&] {
                               Program program = captureProgram(run, arrays);
                               arrays.clear();
                               return program;
                           }),
                manager);
}

std::unique_ptr<ProgramHandle> joined(const py::list& programs) {
    std::vector<Program> all;
    py::object manager = py::none();
    for (const py::handle each : programs) {
        const auto& handle = py::cast<const ProgramHandle&>(each);
        all.push_back(handle.program);
        manager = handle.manager;
    }
    return made(Program::join(all), manager);
}

std::string typeName(const ProgramTensor& tensor) {
    if (!tensor.dtype.empty())
        return tensor.dtype;
    if (tensor.type == Memory::DataTypes::eCustom || tensor.type == Memory::DataTypes::eBFloat16)
        return formatted("V{}", tensor.elementSize);
    return toString(dtypeOf(tensor.type));
}

/// Returns a tuple for each tensor: name, type, shape, whether it is an input, and an output.
py::list tensorsOf(const ProgramHandle& handle, size_t variant) {
    py::list all;
    for (const ProgramTensor& tensor : handle.program.tensors(variant)) {
        py::tuple shape(tensor.shape.size());
        for (size_t i = 0; i < tensor.shape.size(); ++i)
            shape[i] = tensor.shape[i];
        all.append(
            py::make_tuple(tensor.name, typeName(tensor), shape, tensor.input, tensor.output));
    }
    return all;
}

py::bytes contentOf(const ProgramHandle& handle) {
    const std::vector<unsigned char> content = handle.program.content();
    return {reinterpret_cast<const char*>(content.data()), content.size()};
}

std::unique_ptr<ProgramOperation> operationOf(const ProgramHandle& handle, const py::dict& given) {
    const NamedTensors tensors = tensorsIn(given);
    auto operation = std::make_unique<ProgramOperation>();
    operation->op = handle.program.operation(tensors);
    return operation;
}

void run(const ProgramHandle& handle, const py::dict& given) {
    const NamedTensors tensors = tensorsIn(given);
    auto& manager = handleOf<ManagerHandle>(handle.manager, "device");
    withoutGil(manager, [&] { handle.program.run(tensors); });
}

py::dict runWithArrays(const ProgramHandle& handle, const py::dict& given) {
    const NamedArrays arrays = arraysIn(given);
    return dictOf(runProgram(handle.program, arrays, &managerOfArrays(handle.manager)));
}

} // namespace

void bindPrograms(py::module_& module) {
    declareOperation<ProgramOperation>(module, "_ProgramOperation", "A run of a program.");
    py::class_<ProgramHandle>(module, "_Program")
        .def_static("parse", &parse, "manager"_a, "content"_a, "trusted"_a)
        .def_static("of", &ofWork, "work"_a, "inputs"_a, "outputs"_a, "parameters"_a)
        .def_static("captured", &captured, "manager"_a, "function"_a, "arguments"_a)
        .def_static("joined", &joined, "programs"_a)
        .def("content", &contentOf)
        .def("variants", [](const ProgramHandle& handle) { return handle.program.variants(); })
        .def("tensors", &tensorsOf, "variant"_a)
        .def("operation", &operationOf, "named"_a)
        .def("run", &run, "named"_a)
        .def("run_with_arrays", &runWithArrays, "named"_a)
        .def_property_readonly("device",
                               [](const ProgramHandle& handle) { return handle.manager; });
}

} // namespace kp::python
