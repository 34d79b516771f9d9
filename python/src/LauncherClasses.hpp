// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "Launchers.hpp"

/// What the classes of kp.launcher share. Each has a file of its own, and a type of handle, by
/// which pybind11 tells them apart.
namespace kp::python {

using OptionalSink = std::optional<std::shared_ptr<TimingSink>>; ///< as signatures name it

/// What a call of a launcher takes beside its parameters.
enum class CallForm {
    ePlain,   ///< queue and wait_for
    eSized,   ///< sizes, too
    eIterated ///< enqueue_barrier and sizes, too
};
/// Gives a class of launchers its __call__.
void setCall(py::handle type, CallForm form);

// One function per file of classes. Each comes after its base.
void bindKernel(py::module_& module);
void bindHostLauncher(py::module_& module);
void bindKernelLauncher(py::module_& module);
void bindParametrizedKernelLauncher(py::module_& module);
void bindIterativeKernelLauncher(py::module_& module);
void bindCopyLauncher(py::module_& module);
void bindFillLauncher(py::module_& module);

} // namespace kp::python
