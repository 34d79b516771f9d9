// SPDX-License-Identifier: Apache-2.0
#include "core/Manager.hpp"

#include <optional>
#include <vector>

#include "base/Values.hpp"
#include "core/Devices.hpp"
#include "shader/Spirv.hpp"

namespace kp::python {
namespace {

std::shared_ptr<ManagerHandle>
makeManager(std::optional<uint32_t> device, const std::vector<uint32_t>& families,
            const std::vector<std::string>& desiredExtensions, const std::string& name,
            const std::string& uuid, const std::string& deviceType,
            const std::vector<std::string>& requiredExtensions, const std::string& validation,
            const std::string& wait, const std::string& cacheFolder, bool timelineSemaphores) {
    requireThisProcess();
    ManagerOptions options;
    options.deviceIndex = device;
    options.queueFamilies = families;
    options.desiredExtensions = desiredExtensions;
    options.deviceName = name;
    options.deviceUuid = uuid;
    options.deviceType = toDeviceType(deviceType);
    options.requiredExtensions = requiredExtensions;
    options.validation = validation;
    options.waitPolicy = toWaitPolicy(wait);
    options.cacheFolder = cacheFolder;
    options.timelineSemaphores = timelineSemaphores;
    auto handle = std::make_shared<ManagerHandle>();
    {
        const py::gil_scoped_release release;
        handle->manager = endWithoutGil(std::make_shared<Manager>(options));
    }
    noteDriverUse();
    awaitAtExit(handle->manager);
    return handle;
}

void destroyManager(py::handle self) {
    const auto handle = sharedOf<ManagerHandle>(self);
    requireUnused(*handle, "manager");
    if (!handle->manager->isInit())
        return;
    {
        const Use use(*handle);
        const py::gil_scoped_release release;
        try {
            handle->manager->waitIdle();
        } catch (const DeviceLost&) { // it runs nothing
        }
    }
    requireUnused(*handle, "manager");
    handle->manager->destroy();
}

Manager& managerIn(py::handle self) {
    return *handleOf<ManagerHandle>(self).manager;
}

std::string describeManager(py::handle self) {
    const Manager& manager = managerIn(self);
    return manager.isInit() ? formatted("<kp.Manager \"{}\">", manager.deviceInfo().name)
                            : "<kp.Manager destroyed>";
}

} // namespace

WaitPolicy toWaitPolicy(const std::string& name) {
    constexpr Named<WaitPolicy> kPolicies[] = {{"auto", WaitPolicy::eAuto},
                                               {"spin", WaitPolicy::eSpin},
                                               {"hybrid", WaitPolicy::eHybrid},
                                               {"block", WaitPolicy::eBlock}};
    return valueNamed(kPolicies, name, "wait");
}

void bindManager(Classes& classes) {
    auto& type = classes.manager;
    type.def(py::init(&makeManager), py::arg("device") = py::none(),
             py::arg("family_queue_indices") = py::list(),
             py::arg("desired_extensions") = py::list(), py::kw_only(), py::arg("name") = "",
             py::arg("uuid") = "", py::arg("device_type") = "",
             py::arg("required_extensions") = py::list(), py::arg("validation") = "",
             py::arg("wait") = "auto", py::arg("cache_folder") = "",
             py::arg("timeline_semaphores") = true, doc(R"(
                 Without arguments: the best device, or the one that the environment variable
                 KOMPUTE_DEVICE names.

                 `device` is an index in list_devices(); `name` is a part of the name. `uuid` and
                 `device_type` ("discrete", "integrated", "virtual", "cpu") are further conditions.
                 `family_queue_indices` requests one queue per entry, of the family with that index.
                 Missing `desired_extensions` are ignored, missing `required_extensions` are an
                 error. `validation` is a list of checks ("core,sync"), `wait` one of "auto",
                 "spin", "hybrid" and "block". `cache_folder` is where pipelines are kept ("off":
                 nowhere).
             )"))
        .def(
            "compile",
            [](py::handle self, const py::object& source, const py::object& includes,
               const py::object& defines, const std::string& entryPoint,
               const std::string& language, const std::string& fileName, bool debugInfo) {
                return compileShader(source, includes, defines, entryPoint, language, fileName,
                                     debugInfo, vulkanVersionOf(managerIn(self)));
            },
            py::arg("source_or_path"), py::kw_only(), py::arg("includes") = py::tuple(),
            py::arg("defines") = py::none(), py::arg("entry_point") = "main",
            py::arg("language") = "", py::arg("file_name") = "", py::arg("debug_info") = false,
            "kp.compile for the Vulkan version of this manager's device.")
        .def(
            "list_devices",
            [](py::handle self) {
                managerIn(self).deviceInfo(); // throws if the manager is destroyed
                return describeDevices();
            },
            "The devices of this machine; see kp.list_devices.")
        .def(
            "get_device_properties",
            [](py::handle self) { return describeDevice(managerIn(self).deviceInfo()); },
            "The properties and limits of the device.")
        .def_property_readonly(
            "queue_count", [](py::handle self) { return managerIn(self).queueCount(); },
            "Number of queues; sequence() takes the indices below it.")
        .def_property_readonly(
            "allocated_bytes", [](py::handle self) { return managerIn(self).allocatedBytes(); },
            doc(R"(
                Bytes of device and host memory that the driver has allocated for this device, for
                all its managers together.
            )"))
        .def(
            "clear", [](py::handle self) { managerIn(self).clear(); },
            "Forgets deleted objects. Also happens automatically now and then.")
        .def(
            "is_init", [](py::handle self) { return managerIn(self).isInit(); },
            "False after destroy().")
        .def("destroy", &destroyManager, doc(R"(
            Destroys all objects that this manager created, after the work that uses them. A second
            call does nothing.
        )"))
        .def("__repr__", &describeManager);
    bindContextManager(type, &destroyManager);
}

} // namespace kp::python
