// SPDX-License-Identifier: Apache-2.0
#include "launch/HostLauncher.hpp"

#include "base/Held.hpp"
#include "launch/LaunchArguments.hpp"
#include "launch/LauncherCall.hpp"
// Private headers, because HostLauncher's parameters hold no Python objects.
#include "launch/LauncherChecks.hpp"
#include "launch/Steps.hpp"

namespace kp::python {
namespace {

/// Runs a Python function on a thread of the library.
class PythonHostLauncher final : public Launcher {
public:
    PythonHostLauncher(std::string name, const py::object& function,
                       std::vector<std::string> parameters, std::shared_ptr<Queue> defaultQueue,
                       std::shared_ptr<TimingSink> profiler)
        : Launcher(std::move(name), std::move(profiler)),
          mFunction(holdFunction(function, formatted("launcher '{}': function", this->name()))),
          mParameters(std::move(parameters)), mDefaultQueue(std::move(defaultQueue)) {}

    using Launcher::operator();
    std::optional<Event> operator()(const LaunchOptions& options) override {
        return runSteps(launch::queueFor(*this, options, mDefaultQueue), options);
    }

    bool globalSizeConfigured() const override { return true; }

    std::vector<ParameterInfo> parameters() const override {
        std::vector<ParameterInfo> infos;
        for (const std::string& parameter : mParameters)
            infos.push_back({parameter, launch::kAnyType, {name()}});
        return infos;
    }

    void appendSteps(launch::StepList& steps, const launch::CallContext& context) override {
        py::dict given;
        const RunningCall* const call = RunningCall::current();
        for (const std::string& wanted : mParameters) {
            PyObject* const value = call ? call->find(wanted) : nullptr;
            if (!value)
                launch::throwFor(name(), "parameter '{}' is missing", wanted);
            given[wanted.c_str()] = py::handle(value);
        }
        launch::Step& step = steps.add(*this);
        step.host = [function = mFunction, keywords = hold(given)] {
            callFromLibrary(function, keywords);
        };
        context.trace(step, "host {}", name());
    }

private:
    Held mFunction;
    std::vector<std::string> mParameters;
    std::shared_ptr<Queue> mDefaultQueue;
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
