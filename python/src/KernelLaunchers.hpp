// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "LauncherClasses.hpp"

/// What the launchers of kernels have in common.
namespace kp::python {

/// A kp.launcher.Kernel.
struct KernelHandle {
    std::shared_ptr<ManagerHandle> manager;
    Kernel kernel;
};

/// A kp.launcher.KernelLauncher.
struct KernelLauncherHandle : LauncherHandle {
    py::object kernel;
    py::object arguments;
    py::object queue;
    KernelLauncher& get() const { return static_cast<KernelLauncher&>(*launcher); }
};
/// A kp.launcher.ParametrizedKernelLauncher.
struct ParametrizedHandle : KernelLauncherHandle {
    py::object parametersMap;
};

/// What is common to the constructors of kernel launchers.
struct KernelKeywords {
    std::string name;
    py::object kernel;
    py::object arguments;
    py::object globalSize;
    py::object localSize;
    py::object queue;
    std::shared_ptr<TimingSink> profiler;
    bool roundUp = false;
    py::object manager;

    KernelOptions options() const;
};

/// A kernel of a shader in any form. @throws ShaderError
Kernel makeKernel(const std::shared_ptr<ManagerHandle>& manager, py::handle shader);
/// The kernel that a launcher is made with: a Kernel, an Algorithm, or a shader.
Kernel toKernel(const KernelKeywords& given);
/// What the kernel declares at this place; null where it has fewer arguments.
const KernelArgument* argumentAt(const Kernel& kernel, uint64_t index);
/// All by position, or pairs of an index or a name and a value; or a dict of those.
Arguments toArguments(const KernelKeywords& given, const Kernel& kernel);
/// An index of an argument. @throws InvalidArgument for what none can be
uint32_t toArgumentIndex(py::handle index, const std::string& launcher);
/// Whether the first of two says which argument the second is for: an index or a name.
bool isArgumentKey(py::handle key);
/// name -> index, name in the shader, or (index or name, type).
ParametersMap toParametersMap(const std::string& launcher, py::handle map);
/// Notes what the parameters are converted to.
void setSpecs(LauncherHandle& handle, const Kernel& kernel, const ParametersMap& map);

/// A handle with what the properties of kernel launchers give back.
template <typename Handle>
std::unique_ptr<Handle> newHandle(const KernelKeywords& given) {
    auto handle = std::make_unique<Handle>();
    handle->kernel = given.kernel;
    handle->arguments = given.arguments;
    handle->queue = given.queue;
    return handle;
}

} // namespace kp::python
