// SPDX-License-Identifier: Apache-2.0
#include <pybind11/stl.h>

#include "Arrays.hpp"
#include "Module.hpp"
#include "Shaders.hpp"
#include "Tuning.hpp"

namespace kp::python {
namespace {

/// Values as they were given: whole numbers by __index__, numbers by __float__, text.
TuningValue valueOf(py::handle value) {
    if (PyUnicode_Check(value.ptr()))
        return py::cast<std::string>(value);
    if (PyIndex_Check(value.ptr()))
        return static_cast<int64_t>(toIndex(value));
    const double number = PyFloat_AsDouble(value.ptr());
    if (PyErr_Occurred())
        throw py::error_already_set();
    return number;
}

std::vector<TuningValue> valuesOf(py::handle values) {
    if (PyUnicode_Check(values.ptr()))
        throw py::type_error("values are a sequence of values, not a str");
    std::vector<TuningValue> result;
    for (const py::handle value : py::reinterpret_borrow<py::object>(values))
        result.push_back(valueOf(value));
    return result;
}

std::vector<int64_t> sizesOf(py::handle sizes) {
    std::vector<int64_t> result;
    if (PyIndex_Check(sizes.ptr()))
        return {static_cast<int64_t>(toIndex(sizes))};
    for (const py::handle size : py::reinterpret_borrow<py::object>(sizes))
        result.push_back(static_cast<int64_t>(toIndex(size)));
    return result;
}

void addSpecialization(TunableKernel& kernel, uint32_t id, const std::string& name,
                       py::handle values) {
    std::vector<int64_t> integers;
    std::vector<double> numbers;
    for (const TuningValue& value : valuesOf(values)) {
        if (const auto* integer = std::get_if<int64_t>(&value)) {
            integers.push_back(*integer);
            numbers.push_back(static_cast<double>(*integer));
        } else if (const auto* number = std::get_if<double>(&value)) {
            numbers.push_back(*number);
        } else {
            throw py::type_error("a specialization constant is a number, not text");
        }
    }
    if (integers.size() == numbers.size())
        kernel.specialization(id, name, integers);
    else
        kernel.specialization(id, name, numbers);
}

void requireNoFactory(const TunableKernelHandle& handle, const std::string& what) {
    if (handle.factory)
        throw InvalidArgument(what + " was given to kernel '" + handle.kernel.name() +
                              "', which has a factory already");
}

/// What the library leaves out alone, where a factory raises it: the shader does not compile, or
/// the device cannot run it.
void passShaderErrors(const py::error_already_set& error) {
    const py::module_ errors = py::module_::import("kp._errors");
    for (const char* const name : {"ShaderError", "Unsupported"})
        if (error.matches(errors.attr(name)))
            throw ShaderError(py::cast<std::string>(py::str(error.value())));
}

std::vector<uint32_t> made(const PythonFunction& factory, const TuningConfiguration& configuration,
                           const std::string& name, uint32_t vulkanVersion) {
    const py::gil_scoped_acquire acquire;
    try {
        const py::object shader = factory(toDict(configuration));
        if (shader.is_none())
            throw py::type_error("the factory of kernel '" + name + "' gave None for " +
                                 configuration.toString() +
                                 "; it gives SPIR-V, source text or a path");
        if (!PyUnicode_Check(shader.ptr()) ||
            py::cast<std::string>(shader).find('\n') == std::string::npos)
            return toSpirv(shader, vulkanVersion);
        CompileOptions options;
        options.vulkanVersion = vulkanVersion;
        options.fileName = name + " (" + configuration.toString() + ")";
        const auto text = py::cast<std::string>(shader);
        const py::gil_scoped_release release;
        return compile(text, options);
    } catch (const py::error_already_set& error) {
        passShaderErrors(error);
        throw;
    }
}

} // namespace

PythonFunction::PythonFunction(const py::object& function, const char* argument) {
    if (!PyCallable_Check(function.ptr()))
        throw py::type_error(std::string(argument) + " is a function, not a " +
                             Py_TYPE(function.ptr())->tp_name);
    mFunction = std::shared_ptr<py::object>(new py::object(function), [](py::object* object) {
        if (!Py_IsInitialized()) {
            object->release();
            delete object;
            return;
        }
        const py::gil_scoped_acquire acquire;
        delete object;
    });
}

py::dict toDict(const TuningConfiguration& configuration) {
    py::dict result;
    for (const auto& [name, value] : configuration.items())
        result[py::str(name)] = py::cast(value);
    return result;
}

TunableKernel kernelFor(const TunableKernelHandle& handle, const Manager& manager) {
    TunableKernel kernel = handle.kernel;
    if (handle.factory)
        kernel.factory(
            [factory = *handle.factory, name = kernel.name(),
             version = manager.deviceInfo().apiVersion &
                       ~uint32_t{0xFFF}](const TuningConfiguration& configuration) {
                return made(factory, configuration, name, version);
            },
            handle.factoryKey);
    return kernel;
}

void bindTunableKernel(py::module_& module) {
    using Handle = TunableKernelHandle;
    // Every function gives the kernel itself, so that calls can be chained.
    py::class_<Handle>(module, "TunableKernel",
                       "A shader with what may be chosen about it: its work-group size,\n"
                       "specialization constants, variants, and whatever a factory makes of a\n"
                       "configuration. A configuration is a dict with a value for each parameter.")
        .def(
            py::init([](std::string name, const py::object& spirv) {
                return std::make_unique<Handle>(
                    Handle{TunableKernel(std::move(name), toSpirv(spirv, 0)), {}, {}});
            }),
            py::arg("name"), py::arg("spirv") = py::none(),
            "`name` names the kernel in messages and in the cache. `spirv` is SPIR-V, source text\n"
            "or a path; without it, use variant() or factory().")
        .def_property_readonly(
            "name", [](const Handle& self) { return self.kernel.name(); }, "Its name.")
        .def_property_readonly(
            "configuration_count",
            [](const Handle& self) { return self.kernel.configurationCount(); },
            "Number of configurations, before constraints and limits.")
        .def(
            "parameter",
            [](Handle& self, const std::string& name, const py::object& values) -> Handle& {
                self.kernel.parameter(name, valuesOf(values));
                return self;
            },
            py::arg("name"), py::arg("values"),
            "Numbers or texts of whatever meaning, for factories, constraints and work-group "
            "rules.")
        .def(
            "specialization",
            [](Handle& self, uint32_t id, const std::string& name,
               const py::object& values) -> Handle& {
                addSpecialization(self.kernel, id, name, values);
                return self;
            },
            py::arg("id"), py::arg("name"), py::arg("values"),
            "The specialization constant with constant_id `id`.")
        .def(
            "local_size",
            [](Handle& self, const py::object& x, const py::object& y,
               const py::object& z) -> Handle& {
                self.kernel.localSize(sizesOf(x), sizesOf(y), sizesOf(z));
                return self;
            },
            py::arg("x"), py::arg("y") = 1, py::arg("z") = 1,
            "Work-group sizes, every x with every y with every z: the parameters local_size_x and\n"
            "so on. The shader has them as specialization constants, or a factory writes them in.")
        .def(
            "variant",
            [](Handle& self, const std::string& name, const py::object& spirv) -> Handle& {
                requireNoFactory(self, "a variant");
                self.kernel.variant(name, toSpirv(spirv, 0));
                return self;
            },
            py::arg("name"), py::arg("spirv"),
            "One of several shaders that do the same; `name` is a value of the parameter variant.")
        .def(
            "factory",
            [](Handle& self, const py::object& function, const std::string& key) -> Handle& {
                requireNoFactory(self, "a factory");
                // A copy says whether it may have one; what is tuned gets its own.
                TunableKernel(self.kernel)
                    .factory([](const TuningConfiguration&) { return std::vector<uint32_t>(); },
                             key);
                self.factory = PythonFunction(function, "function");
                self.factoryKey = key;
                return self;
            },
            py::arg("function"), py::arg("key") = "",
            "`function` makes SPIR-V or source text of a configuration. A kp.ShaderError that it\n"
            "raises leaves the configuration out. With a `key`, which changes when the function\n"
            "does, known configurations are not compiled at all.")
        .def(
            "constraint",
            [](Handle& self, const std::string& description,
               const py::object& predicate) -> Handle& {
                self.kernel.constraint(description, [call = PythonFunction(predicate, "predicate")](
                                                        const TuningConfiguration& configuration) {
                    const py::gil_scoped_acquire acquire;
                    const int result = PyObject_IsTrue(call(toDict(configuration)).ptr());
                    if (result < 0)
                        throw py::error_already_set();
                    return result == 1;
                });
                return self;
            },
            py::arg("description"), py::arg("predicate"),
            "Leaves out configurations for which `predicate` is false, before anything is "
            "compiled.")
        .def(
            "workgroups",
            [](Handle& self, const py::object& rule) -> Handle& {
                self.kernel.workgroups([call = PythonFunction(rule, "rule")](
                                           const TuningConfiguration& configuration) {
                    const py::gil_scoped_acquire acquire;
                    const std::vector<py::ssize_t> groups = toShape(call(toDict(configuration)));
                    if (groups.empty() || groups.size() > 3)
                        throw py::value_error("a work-group rule gives one to three numbers");
                    Workgroup result{1, 1, 1};
                    for (size_t i = 0; i < groups.size(); ++i)
                        result[i] =
                            static_cast<uint32_t>(std::min<py::ssize_t>(groups[i], UINT32_MAX));
                    return result;
                });
                return self;
            },
            py::arg("rule"),
            "Work groups of a configuration, one to three numbers, where they are not the\n"
            "invocations divided by the local size.")
        .def("__repr__", [](const Handle& self) {
            return "<kp.TunableKernel " + self.kernel.name() + " with " +
                   std::to_string(self.kernel.configurationCount()) + " configurations>";
        });
}

} // namespace kp::python
