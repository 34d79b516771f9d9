// SPDX-License-Identifier: Apache-2.0
#include <pybind11/stl.h>

#include "Arrays.hpp"
#include "Constants.hpp"
#include "Memory.hpp"
#include "Module.hpp"
#include "Tuning.hpp"

namespace kp::python {
namespace {

using Handle = TuningArgumentsHandle;

std::unique_ptr<Handle> makeArguments(const py::object& tensors, const py::object& threadCount,
                                      const py::object& pushConsts) {
    requireThisProcess();
    auto handle = std::make_unique<Handle>();
    handle->memory = toList(tensors, "tensors");
    const std::vector<MemoryHandle*> memory = toMemoryHandles(handle->memory, "tensors");
    std::array<uint64_t, 3> threads{0, 1, 1};
    if (!threadCount.is_none()) {
        const std::vector<py::ssize_t> counts = toShape(threadCount);
        if (counts.empty() || counts.size() > 3)
            throw py::value_error("thread_count is one to three numbers");
        for (size_t i = 0; i < counts.size(); ++i)
            threads[i] = static_cast<uint64_t>(counts[i]);
    }
    if (!memory.empty())
        handle->manager = memory.front()->manager;
    handle->arguments = TuningArguments(memoryOf(memory), threads);
    if (PyDict_Check(pushConsts.ptr()))
        throw py::type_error("push_consts are numbers or an array here: a tuned shader is not "
                             "known before it is tuned, so there are no names");
    handle->arguments.pushConstants(pushConstantBytes(pushConsts, {}, {}));
    return handle;
}

Handle& expect(Handle& self, const py::object& tensor, const py::object& values, double relative,
               double absolute) {
    const auto& handle = handleOf<MemoryHandle>(tensor, "tensor");
    const py::array array = toArray(values, handle.dtype, "values");
    self.arguments.expect(handle.memory, array.data(), static_cast<size_t>(array.nbytes()),
                          relative, absolute);
    return self;
}

/// None, True and "" say that results are right.
std::string problemOf(const py::object& answer) {
    if (answer.is_none() || answer.ptr() == Py_True)
        return "";
    if (answer.ptr() == Py_False)
        return "verify() says that they are wrong";
    if (!PyUnicode_Check(answer.ptr()))
        throw py::type_error(std::string("a function of verify() gives a bool, or text that says "
                                         "what is wrong, not a ") +
                             Py_TYPE(answer.ptr())->tp_name);
    return py::cast<std::string>(answer);
}

} // namespace

void bindTuningArguments(py::module_& module) {
    py::class_<Handle>(module, "TuningArguments",
                       "The memory and numbers that a kernel is tuned with. What it writes is put\n"
                       "back after tuning.")
        .def(py::init(&makeArguments), py::arg("tensors"), py::arg("thread_count") = py::none(),
             py::arg("push_consts") = py::tuple(),
             "`tensors` are for bindings 0, 1, ...; `thread_count` are the invocations, and the "
             "size\n"
             "of the problem unless problem() says otherwise.")
        .def(
            "problem",
            [](Handle& self, const py::object& size) -> Handle& {
                std::vector<int64_t> numbers;
                for (const py::ssize_t number : toShape(size))
                    numbers.push_back(static_cast<int64_t>(number));
                self.arguments.problem(std::move(numbers));
                return self;
            },
            py::arg("size"),
            "Size of the problem: what the cache tells problems apart by, and measures nearness\n"
            "with.")
        .def(
            "key",
            [](Handle& self, const std::string& text) -> Handle& {
                self.arguments.key(text);
                return self;
            },
            py::arg("text"), "Whatever else makes times differ, such as \"float16\".")
        .def(
            "reset_to_zero",
            [](Handle& self, const py::object& tensor) -> Handle& {
                self.arguments.resetToZero(handleOf<MemoryHandle>(tensor, "tensor").memory);
                return self;
            },
            py::arg("tensor"), "Fills it with zeros before every run.")
        .def(
            "leave",
            [](Handle& self, const py::object& tensor) -> Handle& {
                self.arguments.leave(handleOf<MemoryHandle>(tensor, "tensor").memory);
                return self;
            },
            py::arg("tensor"), "Leaves it as runs leave it, which saves a copy of it.")
        .def("expect", &expect, py::arg("tensor"), py::arg("values"), py::arg("relative") = 1e-4,
             py::arg("absolute") = 1e-6,
             "Refuses configurations that do not write `values`, which are of the tensor's dtype.\n"
             "Integers must be equal, other numbers within absolute + relative x |value|.")
        .def(
            "verify",
            [](Handle& self, const py::object& function) -> Handle& {
                self.arguments.verify([call = PythonFunction(function, "function")](
                                          const TuningConfiguration& configuration) {
                    const py::gil_scoped_acquire acquire;
                    return problemOf(call(toDict(configuration)));
                });
                return self;
            },
            py::arg("function"),
            "Refuses configurations for which `function` gives False, or text that says what is\n"
            "wrong. It may read() what they wrote, and changes nothing.")
        .def("__repr__", [](const Handle& self) {
            return "<kp.TuningArguments of " + std::to_string(self.memory.size()) +
                   " memory objects>";
        });
}

} // namespace kp::python
