// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "launch/LaunchArguments.hpp"
#include "launch/Launcher.hpp"

namespace kp::python {

struct KernelLauncherHandle : LauncherHandle {
    py::object kernel;
    py::object arguments;
    py::object queue;
    KernelLauncher& get() const { return static_cast<KernelLauncher&>(*launcher); }
};
struct ParametrizedHandle : KernelLauncherHandle {
    py::object parametersMap;
};

/// The constructor arguments of all kernel launchers.
struct KernelKeywords {
    std::string name;
    py::object kernel;
    py::object arguments;
    py::object globalSize;
    py::object localSize;
    py::object queue;
    OptionalSink profiler;
    bool roundUp = false;
    py::object manager;

    KernelOptions options() const;
};

/// Returns the kernel that a launcher is created with: a Kernel, an Algorithm, or a shader.
Kernel toKernel(const KernelKeywords& given);
/// Returns the arguments that a launcher is created with.
Arguments toArguments(const KernelKeywords& given, const Kernel& kernel);
/// Stores the conversions of the parameters.
void setSpecs(LauncherHandle& handle, const Kernel& kernel, const ParametersMap& map);

/// Returns a handle with the values that the properties of kernel launchers return.
template <typename Handle>
std::unique_ptr<Handle> newHandle(const KernelKeywords& given) {
    auto handle = std::make_unique<Handle>();
    handle->kernel = given.kernel;
    handle->arguments = given.arguments;
    handle->queue = given.queue;
    return handle;
}

/// Binds Kernel, which comes before Launcher.
void bindKernel(py::module_& module);
/// Binds KernelLauncher and ParametrizedKernelLauncher.
void bindKernelLauncher(py::module_& module);

} // namespace kp::python
