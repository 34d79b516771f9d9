// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "Held.hpp"
#include "Launchers.hpp"

namespace kp::python {

/// A kp.launcher.HostLauncher: a Python function on a thread of the library.
class PythonHostLauncher final : public Launcher {
public:
    PythonHostLauncher(std::string name, const py::object& function,
                       std::vector<std::string> parameters, std::shared_ptr<Queue> defaultQueue,
                       std::shared_ptr<TimingSink> profiler);

    using Launcher::operator();
    std::optional<Event> operator()(const LaunchOptions& options) override;
    bool globalSizeConfigured() const override { return true; }
    std::vector<ParameterInfo> parameters() const override;
    void appendSteps(launch::StepList& steps, const launch::CallContext& context) override;

private:
    Held mFunction;
    std::vector<std::string> mParameters;
    std::shared_ptr<Queue> mDefaultQueue;
};

/// A launcher whose __call__ is Python, in a list.
class PythonLauncher final : public Launcher {
public:
    PythonLauncher(std::string name, std::shared_ptr<TimingSink> profiler)
        : Launcher(std::move(name), std::move(profiler)) {}

    /// @param self  outlives every list that calls this
    void setSelf(PyObject* self) { mSelf = self; }

    using Launcher::operator();
    std::optional<Event> operator()(const LaunchOptions& options) override;
    bool globalSizeConfigured() const override;
    std::vector<ParameterInfo> parameters() const override;

private:
    PyObject* mSelf = nullptr; ///< borrowed
};

} // namespace kp::python
