// SPDX-License-Identifier: Apache-2.0
#include "Module.hpp"

#include <kompute/Version.hpp>

// A class comes after its base, and after the classes in its signatures.
namespace {

/// Makes objects that `__new__` alone created raise when they are used. pybind11 would allocate
/// them without a constructor call, and this is the only use it makes of operator_new.
void refuseUnconstructed(const pybind11::module_& module) {
    for (const auto& item : pybind11::dict(module.attr("__dict__"))) {
        if (!pybind11::isinstance<pybind11::type>(item.second))
            continue;
        auto* type = reinterpret_cast<PyTypeObject*>(item.second.ptr());
        if (auto* info = pybind11::detail::get_type_info(type))
            info->operator_new = [](size_t) -> void* {
                throw pybind11::type_error("this object was not created: call its class, or "
                                           "super().__init__() in a class that derives from it");
            };
    }
}

/// @throws ImportError in a free-threaded interpreter that was told to run without the GIL, which
///         guards the objects of this module. Otherwise importing it has enabled the GIL.
void requireGil() {
    const pybind11::module_ sys = pybind11::module_::import("sys");
    if (pybind11::hasattr(sys, "_is_gil_enabled") &&
        !pybind11::cast<bool>(sys.attr("_is_gil_enabled")()))
        throw pybind11::import_error("kp needs the global interpreter lock, and this interpreter "
                                     "runs without it; leave out PYTHON_GIL=0 and -X gil=0");
}

} // namespace

PYBIND11_MODULE(_kp_in_main, module, pybind11::mod_gil_used(),
                pybind11::multiple_interpreters::not_supported()) {
    using namespace kp::python;
    requireGil();
    module.doc() = "GPU compute over Vulkan: the compiled part of kp.";
    module.attr("__version__") = KOMPUTE_VERSION_STRING;
    bindPackage(module);
    bindErrors(module);
    bindEnums(module);

    Classes classes(module);
    bindCheck(module);
    bindManager(module, classes);
    bindMemory(classes);
    bindTensor(classes);
    bindImage(classes);
    bindSampler(classes);
    bindSemaphore(classes);
    bindAlgorithm(classes);
    bindOperations(module, classes);
    bindEvent(module, classes);
    bindQueue(classes);
    bindSequence(module, classes);
    bindExternalMemory(module, classes);
    bindCuda(module, classes);

    bindDense(module);
    bindGather(module);
    bindHistogram(module);
    bindFft(module);
    bindMatMul(module);
    bindRandom(module);
    bindReduce(module);
    bindScan(module);
    bindSearchSorted(module);
    bindSelect(module);
    bindSort(module);
    bindSparseMatMul(module);
    bindTopK(module);
    bindTranspose(module);
    bindUnique(module);

    bindProfiler(module);
    bindKernel(module);
    bindLauncher(module);
    bindKernelLauncher(module);
    bindCopyLauncher(module);
    bindKernelListLauncher(module);
    bindRepeatLauncher(module);

    bindShader(module);
    bindShaderLibrary(module);
    bindArrayTexts(module);
    bindArray(module);
    bindPrograms(module);
    bindCsr(module);
    bindLinearMaps(module);
    bindSolvers(module);

    bindTunableKernel(module);
    bindAutotuner(module);
    bindTunedKernelLauncher(module);

    bindDeviceGroup(module);
    bindBuffer(module);
    bindGroupKernel(module);
    bindGroupPrimitives();

    bindLogging();
    bindProcess();
    addTextSignatures(module);
    refuseUnconstructed(module);
}

/// CPython calls this. In a sub-interpreter, pybind11 would wait for the GIL forever.
extern "C" PYBIND11_EXPORT PyObject* PyInit__kp() {
    if (PyInterpreterState_Get() == PyInterpreterState_Main())
        return PyInit__kp_in_main();
    PyErr_SetString(PyExc_ImportError,
                    "kp works in the main interpreter only, and was imported in a sub-interpreter; "
                    "use threads or processes instead (under mod_wsgi: WSGIApplicationGroup "
                    "%{GLOBAL})");
    return nullptr;
}
