// SPDX-License-Identifier: Apache-2.0
#include "launch/HostLauncher.hpp"

#include "base/Held.hpp"
#include "launch/LaunchArguments.hpp"
#include "launch/LauncherCall.hpp"

namespace kp::python {
namespace {

/// Runs a Python function. Its parameters are Python objects, which the library never sees.
class PythonHostLauncher final : public HostLauncher {
public:
    PythonHostLauncher(const std::string& name, const py::object& function,
                       std::vector<std::string> parameters, std::shared_ptr<Queue> defaultQueue,
                       std::shared_ptr<TimingSink> profiler)
        : HostLauncher(
              name, [](const Parameters&) {}, parameters, std::move(defaultQueue),
              std::move(profiler)),
          mFunction(holdFunction(function, formatted("launcher '{}': function", name))),
          mNames(std::move(parameters)) {}

private:
    std::function<void()> bindParameters(const LaunchOptions&) const override {
        py::dict given;
        const RunningCall* const call = RunningCall::current();
        for (const std::string& wanted : mNames) {
            PyObject* const value = call ? call->find(wanted) : nullptr;
            if (!value)
                throw InvalidArgument(
                    formatted("launcher '{}': parameter '{}' is missing", name(), wanted));
            given[wanted.c_str()] = py::handle(value);
        }
        return
            [function = mFunction, keywords = hold(given)] { callFromLibrary(function, keywords); };
    }

    Held mFunction;
    std::vector<std::string> mNames;
};

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
    py::class_<HostHandle, LauncherHandle> type(module, "HostLauncher", doc(R"(
        Launches a Python function among kernels. It runs on a thread of the library when all work
        before it is done; work after it waits for it. If it raises, waiting for its event raises
        the same exception, and work that depends on it fails.
    )"));
    type.def(py::init(&makeHost), py::arg("name"), py::arg("function"),
             py::arg("parameters") = py::tuple(), py::arg("default_queue") = py::none(),
             py::arg("profiler") = py::none());
    setCall(type, CallForm::ePlain);
}

} // namespace kp::python
