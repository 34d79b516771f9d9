// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include <kompute/Manager.hpp>

#include "base/Pybind.hpp"

namespace kp::python {

/// Returns a device_type argument; empty for "". @throws InvalidArgument
std::optional<DeviceType> toDeviceType(const std::string& name);

/// Returns Manager.get_device_properties().
py::dict describeDevice(const DeviceInfo& info);

/// Returns kp.list_devices().
py::list describeDevices();

void bindDevices(py::module_& module);

} // namespace kp::python
