// SPDX-License-Identifier: Apache-2.0
#include "launch/PythonLauncher.hpp"

#include "launch/LauncherCall.hpp"

namespace kp::python {

std::optional<Event> PythonLauncher::operator()(const LaunchOptions& options) {
    const RunningCall* const call = RunningCall::current();
    py::dict keywords;
    if (call && call->queue)
        keywords["queue"] = py::handle(call->queue);
    keywords["wait_for"] = py::cast(options.waitFor);
    for (const Parameter& parameter : options.parameters)
        if (PyObject* const value = call ? call->find(parameter.name) : nullptr)
            keywords[parameter.name.c_str()] = py::handle(value);
    const py::object result = py::handle(mSelf)(**keywords);
    if (result.is_none())
        return std::nullopt;
    return handleOf<Event>(result, formatted("the result of launcher '{}'", name()).c_str());
}

bool PythonLauncher::globalSizeConfigured() const {
    return !mSelf || py::cast<bool>(py::handle(mSelf).attr("global_size_configured")());
}

std::vector<ParameterInfo> PythonLauncher::parameters() const {
    std::vector<ParameterInfo> infos;
    if (mSelf)
        for (const py::handle parameter : py::handle(mSelf).attr("parameters")())
            infos.push_back({py::cast<std::string>(parameter), "anything", {name()}});
    return infos;
}

} // namespace kp::python
