// SPDX-License-Identifier: Apache-2.0
#include "arrays/Capture.hpp"

#include <kompute/arrays/Capture.hpp>

#include "arrays/Arrays.hpp"
#include "base/Gil.hpp"
#include "base/Held.hpp"

namespace kp::python {
namespace {

py::list listOf(const std::vector<Array>& arrays) {
    py::list list;
    for (const Array& each : arrays)
        list.append(py::cast(each));
    return list;
}

/// A function of Python that is traced and replayed: it takes and returns lists of arrays.
class PythonFunction {
public:
    explicit PythonFunction(const py::object& function)
        : mCaptured([held = holdFunction(function, "function")](const std::vector<Array>& given) {
              const AcquireGil locked;
              return arraysFrom(py::list(py::handle(held.get())(listOf(given))));
          }) {}

    /// Returns a list of results and the number of the trace, -1 if the function was called
    /// instead; None unless all arguments are arrays.
    py::object call(const py::tuple& given) const {
        std::vector<Array> arguments;
        arguments.reserve(given.size());
        for (const py::handle each : given) {
            if (!isArray(each.ptr()))
                return py::none();
            arguments.push_back(arrayIn(each));
        }
        size_t trace = 0;
        std::vector<Array> found;
        {
            const ReleaseGil release;
            found = mCaptured(arguments, trace);
            arguments.clear();
        }
        py::list results(found.size());
        for (size_t i = 0; i < found.size(); ++i)
            results[i] = py::cast(std::move(found[i]));
        return py::make_tuple(std::move(results), static_cast<py::ssize_t>(trace));
    }

private:
    CapturedFunction mCaptured;
};

py::list repeated(const py::function& condition, const py::function& body, const py::list& start,
                  uint32_t most) {
    const std::vector<Array> given = arraysFrom(start);
    std::vector<Array> found;
    {
        const ReleaseGil release;
        found = whileLoop(
            [&](const std::vector<Array>& state) {
                const AcquireGil locked;
                return condition(listOf(state)).cast<Array>();
            },
            [&](const std::vector<Array>& state) {
                const AcquireGil locked;
                return arraysFrom(py::list(body(listOf(state))));
            },
            given, most);
    }
    return listOf(found);
}

} // namespace

void bindCapture(py::module_& module) {
    module.def("_is_capturing", &isCapturing, "True while this thread traces a captured function.");
    py::class_<PythonFunction>(module, "_CapturedFunction")
        .def(py::init<const py::object&>(), "function"_a)
        .def("__call__", &PythonFunction::call, "arguments"_a);
    module.def("_while_loop", repeated, "condition"_a, "body"_a, "state"_a, "most"_a);
}

} // namespace kp::python
