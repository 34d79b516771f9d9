// SPDX-License-Identifier: Apache-2.0
#include "Module.hpp"

#include <kompute/Version.hpp>

// A class comes after its base, and after the classes in its signatures.
PYBIND11_MODULE(_kp, module) {
    using namespace kp::python;
    module.doc() = "GPU compute over Vulkan: the compiled part of kp.";
    module.attr("__version__") = KOMPUTE_VERSION_STRING;
    bindErrors();
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
}
