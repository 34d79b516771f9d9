// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/Handles.hpp"
#include "base/Held.hpp"

/// The contents of the autotuner's Python objects.
namespace kp::python {

/// A kp.TunableKernel. Its factory is kept apart, because its results depend on the device.
struct TunableKernelHandle {
    TunableKernel kernel;
    Held factory; ///< null: none
    std::string factoryKey;
};

struct TuningArgumentsHandle {
    std::shared_ptr<ManagerHandle> manager;
    TuningArguments arguments;
    py::list memory; ///< the Python objects behind memObjects()
};

/// Returns a configuration as a dict.
py::dict toDict(const TuningConfiguration& configuration);

/// Returns the kernel with its factory, for the manager's device.
TunableKernel kernelFor(const TunableKernelHandle& handle, const Manager& manager);

void bindTunableKernel(py::module_& module);
void bindTuningArguments(py::module_& module);

} // namespace kp::python
