// SPDX-License-Identifier: Apache-2.0
#include "tune/Tuning.hpp"

#include <algorithm>
#include <variant>

#include "base/Arrays.hpp"
#include "base/Gil.hpp"
#include "base/Package.hpp"
#include "shader/Constants.hpp"
#include "shader/Shader.hpp"

namespace kp::python {
namespace {

/// Returns a value as it was given: integers by __index__, numbers by __float__, text.
TuningValue valueOf(py::handle value) {
    if (PyUnicode_Check(value.ptr()))
        return toText(value, "a value");
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
    for (const py::object& size : toNumbers(sizes, "a size of local_size"))
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

void requireNoFactory(const TunableKernelHandle& handle, const char* what) {
    if (handle.factory)
        throw InvalidArgument(formatted("{} was given to kernel '{}', which has a factory already",
                                        what, handle.kernel.name()));
}

/// Turns the errors of a factory for which the library skips a configuration into its own: the
/// shader does not compile, or the device cannot run it.
void passShaderErrors(const py::error_already_set& error) {
    for (const char* const name : {"ShaderError", "Unsupported"})
        if (error.matches(ofPackage(name)))
            throw ShaderError(py::cast<std::string>(py::str(error.value())));
}

/// Returns the SPIR-V of a configuration.
std::vector<uint32_t> makeShader(const Held& factory, const TuningConfiguration& configuration,
                                 const std::string& name, const CompileTarget& target) {
    const AcquireGil acquire;
    try {
        const py::object shader = py::handle(factory.get())(toDict(configuration));
        if (shader.is_none())
            throw py::type_error(formatted("the factory of kernel '{}' gave None for {}; it must "
                                           "return SPIR-V, source text or a path",
                                           name, configuration.toString()));
        if (!PyUnicode_Check(shader.ptr()) ||
            toText(shader, "the shader").find('\n') == std::string::npos)
            return toSpirv(shader, target);
        CompileOptions options = target.options;
        options.fileName = formatted("{} ({})", name, configuration.toString());
        const std::string text = toText(shader, "the shader");
        const ReleaseGil release;
        return compile(text, options);
    } catch (const py::error_already_set& error) {
        passShaderErrors(error);
        throw;
    }
}

Workgroup groupsOf(const Held& rule, const TuningConfiguration& configuration) {
    const AcquireGil acquire;
    const auto [x, y, z] =
        toThree(py::handle(rule.get())(toDict(configuration)), "the result of a rule", 1, 1);
    const auto clipped = [](uint64_t count) {
        return static_cast<uint32_t>(std::min<uint64_t>(count, UINT32_MAX));
    };
    return {clipped(x), clipped(y), clipped(z)};
}

bool isAllowed(const Held& predicate, const TuningConfiguration& configuration) {
    const AcquireGil acquire;
    return py::bool_(py::handle(predicate.get())(toDict(configuration)));
}

TunableKernelHandle& setFactory(TunableKernelHandle& self, const py::object& function,
                                const std::string& key) {
    requireNoFactory(self, "a factory");
    // A copy shows whether the kernel may have one; tuned kernels get their own.
    TunableKernel(self.kernel)
        .factory([](const TuningConfiguration&) { return std::vector<uint32_t>(); }, key);
    self.factory = holdFunction(function, "function");
    self.factoryKey = key;
    return self;
}

std::unique_ptr<TuningArgumentsHandle> makeArguments(const py::object& tensors,
                                                     const py::object& threadCount,
                                                     const py::object& pushConsts) {
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
    const PushBytes push = pushConstantBytes(pushConsts, {}, {});
    handle->arguments.pushConstants(push.bytes.data(), push.bytes.size(), push.type);
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
            formatted("a function of verify() gives a bool, or text that describes the error, not "
                      "a {}",
                      typeNameOf(answer)));
    return toText(answer, "the answer of a verifier");
}

TuningArgumentsHandle& verify(TuningArgumentsHandle& self, const py::object& function) {
    self.arguments.verify(
        [call = holdFunction(function, "function")](const TuningConfiguration& configuration) {
            const AcquireGil acquire;
            return problemOf(py::handle(call.get())(toDict(configuration)));
        });
    return self;
}

void bindTuningArguments(py::module_& module) {
    py::class_<TuningArgumentsHandle>(module, "TuningArguments", doc(R"(
        The memory and numbers that a kernel is tuned with. Written memory is restored after tuning.
    )"))
        .def(py::init(&makeArguments), "tensors"_a, "thread_count"_a = py::none(),
             "push_consts"_a = py::tuple(), doc(R"(
                 `tensors` are for bindings 0, 1, ...; `thread_count` are the invocations, and the
                 problem size unless problem() sets another.)"))
        .def(
            "problem",
            [](TuningArgumentsHandle& self, const py::object& size) -> TuningArgumentsHandle& {
                const std::vector<py::ssize_t> numbers = toShape(size);
                self.arguments.problem({numbers.begin(), numbers.end()});
                return self;
            },
            "size"_a, doc(R"(
                Sets the problem size: the cache tells problems apart by it, and measures nearness
                with it.)"))
        .def(
            "key",
            [](TuningArgumentsHandle& self, const std::string& text) -> TuningArgumentsHandle& {
                self.arguments.key(text);
                return self;
            },
            "text"_a, "Names another property that times depend on, such as \"float16\".")
        .def(
            "reset_to_zero",
            [](TuningArgumentsHandle& self, const py::object& tensor) -> TuningArgumentsHandle& {
                self.arguments.resetToZero(handleOf<MemoryHandle>(tensor, "tensor").memory);
                return self;
            },
            "tensor"_a, "Fills the tensor with zeros before every run.")
        .def(
            "leave",
            [](TuningArgumentsHandle& self, const py::object& tensor) -> TuningArgumentsHandle& {
                self.arguments.leave(handleOf<MemoryHandle>(tensor, "tensor").memory);
                return self;
            },
            "tensor"_a, "Does not restore the tensor, which saves a copy of it.")
        .def("expect", &expect, "tensor"_a, "values"_a, "relative"_a = 1e-4, "absolute"_a = 1e-6,
             doc(R"(
                 Rejects configurations that do not write `values`, which have the tensor's dtype.
                 Integers must be equal, other numbers within absolute + relative x |value|.)"))
        .def("verify", &verify, "function"_a, doc(R"(
            Rejects configurations for which `function` returns False, or text that describes the
            error. It may read() the results, but must not change anything.)"))
        .def("__repr__", [](const TuningArgumentsHandle& self) {
            return formatted("<kp.TuningArguments of {} memory objects>", self.memory.size());
        });
}

} // namespace

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
            [factory = handle.factory, name = kernel.name(),
             target = targetOf(manager)](const TuningConfiguration& configuration) {
                return makeShader(factory, configuration, name, target);
            },
            handle.factoryKey);
    return kernel;
}

void bindTunableKernel(py::module_& module) {
    // Setters return the kernel itself, so that calls can be chained.
    py::class_<TunableKernelHandle>(module, "TunableKernel", doc(R"(
        A shader with its tunable properties: work-group size, specialization constants, variants,
        and everything that a factory makes of a configuration. A configuration is a dict with a
        value for each parameter.)"))
        .def(py::init([](std::string name, const py::object& spirv) {
                 return std::make_unique<TunableKernelHandle>(TunableKernelHandle{
                     TunableKernel(std::move(name), toSpirv(spirv, {})), {}, {}});
             }),
             "name"_a, "spirv"_a = py::none(), doc(R"(
                 `name` names the kernel in messages and in the cache. `spirv` is SPIR-V, source
                 text or a path; without it, use variant() or factory().)"))
        .def_property_readonly(
            "name", [](const TunableKernelHandle& self) { return self.kernel.name(); }, "Its name.")
        .def_property_readonly(
            "configuration_count",
            [](const TunableKernelHandle& self) { return self.kernel.configurationCount(); },
            "Number of configurations, before constraints and limits.")
        .def(
            "parameter",
            [](TunableKernelHandle& self, const std::string& name,
               const py::object& values) -> TunableKernelHandle& {
                self.kernel.parameter(name, valuesOf(values));
                return self;
            },
            "name"_a, "values"_a, doc(R"(
                Adds a parameter with these numbers or texts, for factories, constraints and
                work-group rules.)"))
        .def(
            "specialization",
            [](TunableKernelHandle& self, uint32_t id, const std::string& name,
               const py::object& values) -> TunableKernelHandle& {
                addSpecialization(self.kernel, id, name, values);
                return self;
            },
            "id"_a, "name"_a, "values"_a,
            "Tunes the specialization constant with constant_id `id`.")
        .def(
            "local_size",
            [](TunableKernelHandle& self, const py::object& x, const py::object& y,
               const py::object& z) -> TunableKernelHandle& {
                self.kernel.localSize(sizesOf(x), sizesOf(y), sizesOf(z));
                return self;
            },
            "x"_a, "y"_a = 1, "z"_a = 1, doc(R"(
                Tunes the work-group size, every x with every y and z: the parameters local_size_x
                and so on. The shader has them as specialization constants, or a factory inserts
                them.)"))
        .def(
            "variant",
            [](TunableKernelHandle& self, const std::string& name,
               const py::object& spirv) -> TunableKernelHandle& {
                requireNoFactory(self, "a variant");
                self.kernel.variant(name, toSpirv(spirv, {}));
                return self;
            },
            "name"_a, "spirv"_a, doc(R"(
                Adds one of several equivalent shaders; `name` is a value of the parameter variant.
            )"))
        .def("factory", &setFactory, "function"_a, "key"_a = "", doc(R"(
            `function` makes SPIR-V or source text of a configuration. Raising kp.ShaderError skips
            the configuration. With a `key`, which changes when the function does, known
            configurations are not compiled again.)"))
        .def(
            "constraint",
            [](TunableKernelHandle& self, const std::string& description,
               const py::object& predicate) -> TunableKernelHandle& {
                self.kernel.constraint(description, [call = holdFunction(predicate, "predicate")](
                                                        const TuningConfiguration& configuration) {
                    return isAllowed(call, configuration);
                });
                return self;
            },
            "description"_a, "predicate"_a, doc(R"(
                Skips configurations for which `predicate` returns false, before anything is
                compiled.)"))
        .def(
            "workgroups",
            [](TunableKernelHandle& self, const py::object& rule) -> TunableKernelHandle& {
                self.kernel.workgroups(
                    [call = holdFunction(rule, "rule")](const TuningConfiguration& configuration) {
                        return groupsOf(call, configuration);
                    });
                return self;
            },
            "rule"_a, doc(R"(
                Work groups of a configuration, one to three numbers, if they are not the
                invocations divided by the local size.)"))
        .def("__repr__", [](const TunableKernelHandle& self) {
            return formatted("<kp.TunableKernel {} with {} configurations>", self.kernel.name(),
                             self.kernel.configurationCount());
        });
    bindTuningArguments(module);
}

} // namespace kp::python
