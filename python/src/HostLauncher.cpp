// SPDX-License-Identifier: Apache-2.0
#include <pybind11/stl.h>

#include "LauncherClasses.hpp"
#include "PythonLauncher.hpp"

namespace kp::python {
namespace {

/// A kp.launcher.HostLauncher.
struct HostHandle final : LauncherHandle {};

std::unique_ptr<HostHandle> makeHost(const std::string& name, const py::object& function,
                                     const std::vector<std::string>& parameters,
                                     const py::object& defaultQueue, const OptionalSink& profiler) {
    auto handle = std::make_unique<HostHandle>();
    handle->launcher = std::make_shared<PythonHostLauncher>(name, function, parameters,
                                                            toQueue(defaultQueue, "default_queue"),
                                                            profiler.value_or(nullptr));
    for (const std::string& parameter : parameters)
        handle->specs.push_back({parameter, name, {}, true});
    return handle;
}

} // namespace

void bindHostLauncher(py::module_& module) {
    py::class_<HostHandle, LauncherHandle> host(
        module, "HostLauncher",
        "A Python function among kernels. It runs on a thread of the library when everything\n"
        "before it is done, and what comes after waits for it. What it raises is raised in those\n"
        "who wait for the event, and fails what depends on it.");
    host.def(py::init(&makeHost), py::arg("name"), py::arg("function"),
             py::arg("parameters") = py::tuple(), py::arg("default_queue") = py::none(),
             py::arg("profiler") = py::none());
    setCall(host, CallForm::ePlain);
}

} // namespace kp::python
