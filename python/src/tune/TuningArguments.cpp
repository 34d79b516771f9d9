// SPDX-License-Identifier: Apache-2.0
#include "tune/TuningArguments.hpp"

#include <array>

#include "base/Arrays.hpp"
#include "base/Values.hpp"
#include "core/Memory.hpp"
#include "shader/Constants.hpp"
#include "tune/Tuning.hpp"

namespace kp::python {
namespace {

std::unique_ptr<TuningArgumentsHandle> makeArguments(const py::object& tensors,
                                                     const py::object& threadCount,
                                                     const py::object& pushConsts) {
    requireThisProcess();
    auto handle = std::make_unique<TuningArgumentsHandle>();
    handle->memory = toList(tensors, "tensors");
    const std::vector<MemoryHandle*> memory = toMemoryHandles(handle->memory, "tensors");
    std::array<uint64_t, 3> threads{0, 1, 1};
    if (!threadCount.is_none())
        threads = toThree(threadCount, "thread_count", 1, 1);
    if (!memory.empty())
        handle->manager = memory.front()->manager;
    handle->arguments = TuningArguments(memoryOf(memory), threads);
    if (PyDict_Check(pushConsts.ptr()))
        throw py::type_error("push_consts are numbers or an array here: a tuned shader is not "
                             "known before it is tuned, so there are no names");
    handle->arguments.pushConstants(pushConstantBytes(pushConsts, {}, {}));
    return handle;
}

TuningArgumentsHandle& expect(TuningArgumentsHandle& self, const py::object& tensor,
                              const py::object& values, double relative, double absolute) {
    const auto& handle = handleOf<MemoryHandle>(tensor, "tensor");
    const py::array array = toArray(values, handle.dtype, "values");
    self.arguments.expect(handle.memory, array.data(), static_cast<size_t>(array.nbytes()),
                          relative, absolute);
    return self;
}

/// Returns an empty text for None, True and "": the results are right.
std::string problemOf(const py::object& answer) {
    if (answer.is_none() || answer.ptr() == Py_True)
        return "";
    if (answer.ptr() == Py_False)
        return "verify() returned False";
    if (!PyUnicode_Check(answer.ptr()))
        throw py::type_error(
            formatted("a function of verify() gives a bool, or text that says what is wrong, not "
                      "a {}",
                      typeNameOf(answer)));
    return py::cast<std::string>(answer);
}

TuningArgumentsHandle& verify(TuningArgumentsHandle& self, const py::object& function) {
    self.arguments.verify(
        [call = holdFunction(function, "function")](const TuningConfiguration& configuration) {
            const py::gil_scoped_acquire acquire;
            return problemOf(py::handle(call.get())(toDict(configuration)));
        });
    return self;
}

} // namespace

void bindTuningArguments(py::module_& module) {
    py::class_<TuningArgumentsHandle>(module, "TuningArguments", doc(R"(
        The memory and numbers that a kernel is tuned with. Written memory is restored after tuning.
    )"))
        .def(py::init(&makeArguments), py::arg("tensors"), py::arg("thread_count") = py::none(),
             py::arg("push_consts") = py::tuple(), doc(R"(
                 `tensors` are for bindings 0, 1, ...; `thread_count` are the invocations, and the
                 problem size unless problem() sets another.
             )"))
        .def(
            "problem",
            [](TuningArgumentsHandle& self, const py::object& size) -> TuningArgumentsHandle& {
                const std::vector<py::ssize_t> numbers = toShape(size);
                self.arguments.problem({numbers.begin(), numbers.end()});
                return self;
            },
            py::arg("size"), doc(R"(
                Sets the problem size: the cache tells problems apart by it, and measures nearness
                with it.
            )"))
        .def(
            "key",
            [](TuningArgumentsHandle& self, const std::string& text) -> TuningArgumentsHandle& {
                self.arguments.key(text);
                return self;
            },
            py::arg("text"), "Names another property that times depend on, such as \"float16\".")
        .def(
            "reset_to_zero",
            [](TuningArgumentsHandle& self, const py::object& tensor) -> TuningArgumentsHandle& {
                self.arguments.resetToZero(handleOf<MemoryHandle>(tensor, "tensor").memory);
                return self;
            },
            py::arg("tensor"), "Fills the tensor with zeros before every run.")
        .def(
            "leave",
            [](TuningArgumentsHandle& self, const py::object& tensor) -> TuningArgumentsHandle& {
                self.arguments.leave(handleOf<MemoryHandle>(tensor, "tensor").memory);
                return self;
            },
            py::arg("tensor"), "Does not restore the tensor, which saves a copy of it.")
        .def("expect", &expect, py::arg("tensor"), py::arg("values"), py::arg("relative") = 1e-4,
             py::arg("absolute") = 1e-6, doc(R"(
                 Rejects configurations that do not write `values`, which have the tensor's dtype.
                 Integers must be equal, other numbers within absolute + relative x |value|.
             )"))
        .def("verify", &verify, py::arg("function"), doc(R"(
            Rejects configurations for which `function` returns False, or text that describes the
            error. It may read() the results, but must not change anything.
        )"))
        .def("__repr__", [](const TuningArgumentsHandle& self) {
            return formatted("<kp.TuningArguments of {} memory objects>", self.memory.size());
        });
}

} // namespace kp::python
