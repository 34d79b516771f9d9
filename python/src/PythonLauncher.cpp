// SPDX-License-Identifier: Apache-2.0
#include "PythonLauncher.hpp"

#include "launch/Steps.hpp"

namespace kp::python {
namespace {

std::vector<ParameterInfo> infosOf(const std::string& launcher,
                                   const std::vector<std::string>& parameters) {
    std::vector<ParameterInfo> infos;
    for (const std::string& parameter : parameters)
        infos.push_back({parameter, "anything", {launcher}});
    return infos;
}

} // namespace

PythonHostLauncher::PythonHostLauncher(std::string name, const py::object& function,
                                       std::vector<std::string> parameters,
                                       std::shared_ptr<Queue> defaultQueue,
                                       std::shared_ptr<TimingSink> profiler)
    : Launcher(std::move(name), std::move(profiler)), mFunction(hold(function)),
      mParameters(std::move(parameters)), mDefaultQueue(std::move(defaultQueue)) {
    if (!PyCallable_Check(function.ptr()))
        throw py::type_error("launcher '" + this->name() +
                             "': function is something to call, not a " +
                             Py_TYPE(function.ptr())->tp_name);
}

std::optional<Event> PythonHostLauncher::operator()(const LaunchOptions& options) {
    const std::shared_ptr<Queue>& queue = launch::chosenQueue(name(), options, mDefaultQueue);
    launch::requireKnownParameters(name(), options.parameters, parameters());
    return runSteps(queue, options);
}

std::vector<ParameterInfo> PythonHostLauncher::parameters() const {
    return infosOf(name(), mParameters);
}

void PythonHostLauncher::appendSteps(launch::StepList& steps, const launch::CallContext& context) {
    py::dict given;
    const RunningCall* const call = RunningCall::current();
    for (const std::string& wanted : mParameters) {
        PyObject* const value = call ? call->find(wanted) : nullptr;
        if (!value)
            launch::throwFor(name(), "parameter '" + wanted + "' is missing");
        given[wanted.c_str()] = py::handle(value);
    }
    launch::Step& step = steps.add(*this);
    step.host = [function = mFunction, keywords = hold(given)] {
        callFromLibrary(function, keywords);
    };
    if (context.tracing)
        step.message = "host " + name();
}

std::optional<Event> PythonLauncher::operator()(const LaunchOptions& options) {
    const RunningCall* const call = RunningCall::current();
    py::dict keywords;
    if (call && call->queue)
        keywords["queue"] = py::handle(call->queue);
    py::list waitFor;
    for (const Event& event : options.waitFor)
        waitFor.append(event);
    keywords["wait_for"] = waitFor;
    for (const Parameter& parameter : options.parameters)
        if (PyObject* const value = call ? call->find(parameter.name) : nullptr)
            keywords[parameter.name.c_str()] = py::handle(value);
    const py::object result = py::handle(mSelf)(**keywords);
    if (result.is_none())
        return std::nullopt;
    return handleOf<Event>(result, ("what launcher '" + name() + "' returned").c_str());
}

bool PythonLauncher::globalSizeConfigured() const {
    return !mSelf || py::cast<bool>(py::handle(mSelf).attr("global_size_configured")());
}

std::vector<ParameterInfo> PythonLauncher::parameters() const {
    std::vector<std::string> names;
    if (mSelf)
        for (const py::handle parameter : py::handle(mSelf).attr("parameters")())
            names.push_back(py::cast<std::string>(parameter));
    return infosOf(name(), names);
}

} // namespace kp::python
