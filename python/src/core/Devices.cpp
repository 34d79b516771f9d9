// SPDX-License-Identifier: Apache-2.0
#include "core/Devices.hpp"

#include <vector>

#include "base/Messages.hpp"
#include "base/Process.hpp"
#include "base/Values.hpp"

namespace kp::python {
namespace {

constexpr Named<DeviceType> kDeviceTypes[] = {{"discrete", DeviceType::eDiscrete},
                                              {"integrated", DeviceType::eIntegrated},
                                              {"virtual", DeviceType::eVirtual},
                                              {"cpu", DeviceType::eCpu},
                                              {"other", DeviceType::eOther}};

} // namespace

std::optional<DeviceType> toDeviceType(const std::string& name) {
    if (name.empty())
        return std::nullopt;
    return valueNamed(kDeviceTypes, name, "device_type");
}

py::dict describeDevice(const DeviceInfo& info) {
    using namespace py::literals;
    const uint32_t version = info.apiVersion;
    return py::dict("index"_a = info.index, "device_name"_a = info.name, "uuid"_a = info.uuid,
                    "type"_a = nameIn(kDeviceTypes, info.type), "driver"_a = info.driver,
                    "api_version"_a = formatted("{}.{}.{}", version >> 22 & 0x7F,
                                                version >> 12 & 0x3FF, version & 0xFFF),
                    "memory_bytes"_a = info.memoryBytes,
                    "max_work_group_count"_a = toTuple(info.maxWorkgroupCount),
                    "max_work_group_size"_a = toTuple(info.maxWorkgroupSize),
                    "max_work_group_invocations"_a = info.maxWorkgroupInvocations,
                    "subgroup_size"_a = info.subgroupSize,
                    "timestamps_supported"_a = info.timestamps,
                    "compute_queues"_a = info.computeQueues);
}

py::list describeDevices() {
    requireThisProcess();
    std::vector<DeviceInfo> devices;
    {
        const py::gil_scoped_release release;
        devices = listDevices();
    }
    noteDriverUse();
    py::list result;
    for (const DeviceInfo& device : devices)
        result.append(describeDevice(device));
    return result;
}

void bindDevices(py::module_& module) {
    module.def("list_devices", &describeDevices,
               "The devices of this machine, in the driver's order, as a list of dicts.");
}

} // namespace kp::python
