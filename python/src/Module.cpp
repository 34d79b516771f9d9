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

} // namespace

PYBIND11_MODULE(_kp, module) {
    using namespace kp::python;
    module.doc() = "GPU compute over Vulkan: the compiled part of kp.";
    module.attr("__version__") = KOMPUTE_VERSION_STRING;
    bindErrors(module);
    bindEnums(module);

    Classes classes(module);
    bindManager(module, classes);
    bindMemory(classes);
    bindAlgorithm(classes);
    bindOperations(module, classes);
    bindEvent(module, classes);
    bindQueue(classes);
    bindSequence(module, classes);
    bindExternalMemory(module, classes);
    bindCuda(module, classes);

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
    bindTopK(module);
    bindTranspose(module);
    bindUnique(module);

    bindProfiler(module);
    bindKernel(module);
    bindLauncher(module);
    bindKernelLauncher(module);
    bindCopyLauncher(module);
    bindKernelListLauncher(module);

    bindShader(module);

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
