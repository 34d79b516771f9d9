// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "launch/Launcher.hpp"

namespace kp::python {

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
