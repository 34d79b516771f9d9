// SPDX-License-Identifier: Apache-2.0
#include "core/Classes.hpp"

#include <algorithm>
#include <cctype>

#include <kompute/device/DeviceFacts.hpp>

#include "base/Closed.hpp"
#include "base/Gil.hpp"
#include "base/Package.hpp"
#include "base/Waiting.hpp"
#include "shader/Shader.hpp"

namespace kp::python {
namespace {

constexpr Named<DeviceType> kDeviceTypes[] = {{"discrete", DeviceType::eDiscrete},
                                              {"integrated", DeviceType::eIntegrated},
                                              {"virtual", DeviceType::eVirtual},
                                              {"cpu", DeviceType::eCpu},
                                              {"other", DeviceType::eOther}};

py::dict describeDevice(const DeviceInfo& info) {
    const uint32_t version = info.apiVersion;
    return py::dict(
        "index"_a = info.index, "device_name"_a = info.name, "uuid"_a = info.uuid,
        "type"_a = nameIn(kDeviceTypes, info.type), "driver"_a = info.driver,
        "api_version"_a =
            formatted("{}.{}.{}", version >> 22 & 0x7F, version >> 12 & 0x3FF, version & 0xFFF),
        "memory_bytes"_a = info.memoryBytes,
        "max_work_group_count"_a = toTuple(info.maxWorkgroupCount),
        "max_work_group_size"_a = toTuple(info.maxWorkgroupSize),
        "max_work_group_invocations"_a = info.maxWorkgroupInvocations,
        "max_storage_buffer_range"_a = info.maxStorageBufferRange,
        "subgroup_size"_a = info.subgroupSize, "min_subgroup_size"_a = info.minSubgroupSize,
        "max_subgroup_size"_a = info.maxSubgroupSize, "timestamps_supported"_a = info.timestamps,
        "compute_queues"_a = info.computeQueues);
}

py::dict describeFacts(const Manager& manager) {
    const DeviceFacts facts = deviceFacts(manager);
    py::dict limits;
    for (const auto& [name, values] : facts.limits)
        limits[py::str(name)] = values.size() == 1 ? py::object(py::int_(values.front()))
                                                   : py::object(py::tuple(py::cast(values)));
    py::list types;
    for (const DeviceFacts::MemoryType& type : facts.memoryTypes)
        types.append(py::make_tuple(type.heap, type.flags));
    return py::dict("profile"_a = facts.profile, "vendor_id"_a = facts.vendorId,
                    "device_id"_a = facts.deviceId, "driver_version"_a = facts.driverVersion,
                    "limits"_a = limits, "subgroup_operations"_a = facts.subgroupOperations,
                    "enabled_features"_a = facts.enabledFeatures,
                    "missing_features"_a = facts.missingFeatures,
                    "extensions"_a = facts.enabledExtensions, "heap_bytes"_a = facts.heapBytes,
                    "memory_types"_a = types);
}

py::list describeDevices() {
    std::vector<DeviceInfo> devices;
    {
        const ReleaseGil release;
        devices = listDevices();
    }
    py::list result;
    for (const DeviceInfo& device : devices)
        result.append(describeDevice(device));
    return result;
}

std::string lowerCase(std::string text) {
    for (char& c : text)
        c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    return text;
}

/// Chooses the best GPU that the options do not exclude: discrete, integrated, virtual, other.
/// @throws InvalidArgument if there is none
void chooseGpu(ManagerOptions& options) {
    std::vector<DeviceInfo> devices;
    {
        const ReleaseGil release;
        devices = listDevices();
    }
    const DeviceInfo* best = nullptr;
    const auto rank = [](const DeviceInfo& device) {
        constexpr DeviceType kOrder[] = {DeviceType::eDiscrete, DeviceType::eIntegrated,
                                         DeviceType::eVirtual, DeviceType::eOther};
        return std::find(std::begin(kOrder), std::end(kOrder), device.type) - std::begin(kOrder);
    };
    std::string names;
    for (const DeviceInfo& device : devices) {
        names += formatted("{}\"{}\" ({})", names.empty() ? "" : ", ", device.name,
                           nameIn(kDeviceTypes, device.type));
        const bool named =
            lowerCase(device.name).find(lowerCase(options.deviceName)) != std::string::npos;
        const bool chosen = (!options.deviceIndex || *options.deviceIndex == device.index) &&
                            (options.deviceUuid.empty() || options.deviceUuid == device.uuid);
        if (named && chosen && device.type != DeviceType::eCpu &&
            (!best || rank(device) < rank(*best)))
            best = &device;
    }
    if (!best)
        throw InvalidArgument(formatted("no device is a GPU with the other conditions: {}",
                                        names.empty() ? "there is no device" : names));
    options.deviceIndex = best->index;
}

std::shared_ptr<ManagerHandle>
makeManager(std::optional<uint32_t> device, const std::vector<uint32_t>& families,
            const std::vector<std::string>& desiredExtensions, const std::string& name,
            const std::string& uuid, const std::string& deviceType,
            const std::vector<std::string>& requiredExtensions, const std::string& validation,
            const std::string& wait, const py::object& cacheFolder, const py::object& cachePath,
            bool trustCachePath, bool timelineSemaphores, bool coalesce, bool reorder,
            const py::object& check, bool breadcrumbs) {
    ManagerOptions options;
    options.deviceIndex = device;
    options.queueFamilies = families;
    options.desiredExtensions = desiredExtensions;
    options.deviceName = name;
    options.deviceUuid = uuid;
    if (deviceType == "gpu")
        chooseGpu(options);
    else if (!deviceType.empty())
        options.deviceType = valueNamed(kDeviceTypes, deviceType, "device_type");
    options.requiredExtensions = requiredExtensions;
    options.validation = validation;
    options.waitPolicy = toWaitPolicy(wait);
    options.cacheFolder = toPath(cacheFolder);
    options.cachePath = toPathList(cachePath);
    options.trustCachePath = trustCachePath;
    options.timelineSemaphores = timelineSemaphores;
    options.coalesce = coalesce;
    options.reorder = reorder;
    options.check = toChecks(check);
    options.breadcrumbs = breadcrumbs;
    auto handle = std::make_shared<ManagerHandle>();
    {
        const ReleaseGil release;
        handle->manager = endWithoutGil(std::make_shared<Manager>(options), unfinished);
    }
    awaitAtExit(handle->manager);
    return handle;
}

void destroyManager(py::handle self) {
    const auto handle = sharedOf<ManagerHandle>(self);
    if (!handle->manager->isInit())
        return;
    const Closed closed(*handle);
    closed.waitForCalls();
    waitForEvaluations(*handle->manager);
    // The last manager waits some seconds for abandoned work.
    destroyClosed([manager = handle->manager] { manager->destroy(); });
}

Manager& managerIn(py::handle self) {
    return *handleOf<ManagerHandle>(self).manager;
}

std::string describeManager(py::handle self) {
    const Manager& manager = managerIn(self);
    return manager.isInit() ? formatted("<kp.Manager \"{}\">", manager.deviceInfo().name)
                            : "<kp.Manager destroyed>";
}

void bindMemoryObject(py::module_& module) {
    py::class_<MemoryObject>(module, "MemoryObject",
                             "A tensor, image or array, and the device memory that it has.")
        .def_readonly("name", &MemoryObject::name, "As given to set_name(), or an empty text.")
        .def_readonly("kind", &MemoryObject::kind, "A description, such as 'tensor of 8 eFloat'.")
        .def_readonly("bytes", &MemoryObject::bytes, "The memory that it has.")
        .def("__repr__", [](const MemoryObject& object) {
            return formatted("<kp.MemoryObject '{}', {}: {} bytes>", object.name, object.kind,
                             object.bytes);
        });
}

void bindMemoryKinds(py::module_& module) {
    py::class_<MemoryKind>(module, "MemoryKind", "Device memory of one kind.")
        .def_readonly("kind", &MemoryKind::kind, "The kind, such as 'tensors'.")
        .def_readonly("count", &MemoryKind::count, "Number of objects; 0 if they are not counted.")
        .def_readonly("bytes", &MemoryKind::bytes, "The memory that they have together.")
        .def("__repr__", [](const MemoryKind& kind) {
            return formatted("<kp.MemoryKind {}: {} bytes>", kind.kind, kind.bytes);
        });
    py::class_<MemoryHeap>(module, "MemoryHeap", "A heap of a device's memory, in bytes.")
        .def_readonly("device_local", &MemoryHeap::deviceLocal,
                      "True for memory of the device, False for memory of the host.")
        .def_readonly("size", &MemoryHeap::size, "All of it.")
        .def_readonly("budget", &MemoryHeap::budget, doc(R"(
            What this process can have, as the driver estimates it now; others use the rest. Without
            VK_EXT_memory_budget, four fifths of the size.)"))
        .def_readonly("used", &MemoryHeap::used, "By this process.")
        .def_readonly("reserved", &MemoryHeap::reserved, "Of it, by kp for this device.")
        .def("__repr__", [](const MemoryHeap& heap) {
            return formatted("<kp.MemoryHeap {}size={} budget={} used={} reserved={}>",
                             heap.deviceLocal ? "device_local " : "", heap.size, heap.budget,
                             heap.used, heap.reserved);
        });
}

void bindMemoryUsage(py::module_& module) {
    py::class_<MemoryUsage>(module, "MemoryUsage", doc(R"(
        Device memory, in bytes. Host memory counts only if the device has no other.)"))
        .def_readonly("allocated", &MemoryUsage::allocated, doc(R"(
            Of the manager's living tensors, images and arrays, without memory of others that they
            wrap or import, and without exportable tensors.)"))
        .def_readonly("peak", &MemoryUsage::peak,
                      "The largest `allocated` since reset_peak_memory().")
        .def_readonly("cached", &MemoryUsage::cached, doc(R"(
            Kept for reuse: the manager's freed arrays and, for all managers of the device, freed
            small tensors, memory of intermediate results, and constants of operations.
            Manager.clear() frees it.)"))
        .def_readonly("reserved", &MemoryUsage::reserved, doc(R"(
            Memory that the driver has given to the device, for all its managers: all of the above,
            memory of running operations, and unused parts of blocks.)"))
        .def_readonly("peak_reserved", &MemoryUsage::peakReserved,
                      "The largest `reserved` since a manager's reset_peak_memory().")
        .def("__repr__", [](const MemoryUsage& usage) {
            return formatted("<kp.MemoryUsage allocated={} peak={} cached={} reserved={} "
                             "peak_reserved={}>",
                             usage.allocated, usage.peak, usage.cached, usage.reserved,
                             usage.peakReserved);
        });
}

} // namespace

WaitPolicy toWaitPolicy(const std::string& name) {
    constexpr Named<WaitPolicy> kPolicies[] = {{"auto", WaitPolicy::eAuto},
                                               {"spin", WaitPolicy::eSpin},
                                               {"hybrid", WaitPolicy::eHybrid},
                                               {"block", WaitPolicy::eBlock}};
    return valueNamed(kPolicies, name, "wait");
}

void bindManager(py::module_& module, Classes& classes) {
    bindMemoryObject(module);
    bindMemoryKinds(module);
    bindMemoryUsage(module);
    Members(classes.manager, managerIn)
        .def(py::init(&makeManager), "device"_a = py::none(), "family_queue_indices"_a = py::list(),
             "desired_extensions"_a = py::list(), py::kw_only(), "name"_a = "", "uuid"_a = "",
             "device_type"_a = "", "required_extensions"_a = py::list(), "validation"_a = "",
             "wait"_a = "auto", "cache_folder"_a = "", "cache_path"_a = "",
             "trust_cache_path"_a = false, "timeline_semaphores"_a = true, "coalesce"_a = true,
             "reorder"_a = true, "check"_a = py::none(), "breadcrumbs"_a = false, doc(R"(
                 Without arguments: the best device, or the one that the environment variable
                 KOMPUTE_DEVICE names.

                 `device` is an index in list_devices(); `name` is a part of the name. `uuid` and
                 `device_type` ("discrete", "integrated", "virtual", "cpu", or "gpu" for all but the
                 last) are further conditions.
                 `family_queue_indices` requests one queue per entry, of the family with that index.
                 Without entries: one queue of the family that KOMPUTE_QUEUE_FAMILY names, or
                 that suits the device. Managers of one GPU share its device, whichever queues they
                 request. Missing `desired_extensions` are ignored, missing `required_extensions`
                 are an error. `validation` is a list of checks ("core,sync"), `wait` one of
                 "auto", "spin", "hybrid" and "block". `cache_folder` is where compiled pipelines and
                 shaders are kept, as KOMPUTE_CACHE_DIR ("off": nowhere). `cache_path` is a folder or a list
                 of folders of such files that an installer made, as KOMPUTE_CACHE_PATH: they are
                 searched after `cache_folder` and never written. Files there that belong to another
                 user, or that others may write to, are used only with `trust_cache_path=True`.
                 Launches and evaluations that find their queue busy are submitted
                 together; with `coalesce=False` each is submitted at once. Independent dispatches of
                 a sequence may run in another order to share barriers; `reorder=False` keeps the
                 order in which they were recorded. `check` turns checked mode on (True, or a list as
                 for kp.checked) for the manager's algorithms and kernels, or off (False). With
                 `breadcrumbs`, as with KOMPUTE_BREADCRUMBS=1, DeviceLost and under_way() name the
                 operations that the device was or is working on, which costs time.)"))
        .def(
            "compile",
            [](py::handle self, const py::object& source, const py::object& includes,
               const py::object& defines, const std::string& entryPoint,
               const std::string& language, const std::string& fileName, bool debugInfo,
               const std::string& includePolicy, bool isolate) {
                return compileShader(source, includes, defines, entryPoint, language, fileName,
                                     debugInfo, includePolicy, isolate, targetOf(managerIn(self)));
            },
            "source_or_path"_a, py::kw_only(), "includes"_a = py::tuple(), "defines"_a = py::none(),
            "entry_point"_a = "main", "language"_a = "", "file_name"_a = "", "debug_info"_a = false,
            "include_policy"_a = "folders", "isolate"_a = false,
            "kp.compile for the Vulkan version of this manager's device.")
        .def(
            "_cache_folder",
            [](py::handle self) { return targetOf(managerIn(self)).options.cacheFolder; },
            "The folder for compiled shaders, or \"off\".")
        .method("_check", &Manager::check, "Its checks, as kp.checked takes them.")
        .method(
            "list_devices",
            [](const Manager& manager) {
                static_cast<void>(manager.deviceInfo()); // throws if the manager is destroyed
                return describeDevices();
            },
            "The devices of this machine; see kp.list_devices.")
        .method(
            "get_device_properties",
            [](const Manager& manager) { return describeDevice(manager.deviceInfo()); },
            "The properties and limits of the device.")
        .method(
            "_facts", [](const Manager& manager) { return describeFacts(manager); },
            "Limits, features, extensions and memory, by Vulkan's names.")
        .property("queue_count", &Manager::queueCount,
                  "Number of queues; sequence() takes the indices below it.")
        .property("allocated_bytes", &Manager::allocatedBytes, doc(R"(
                Bytes of device and host memory that the driver has allocated for this device, for
                all its managers together.)"))
        .method("memory", &Manager::memory, "The device memory in use; see MemoryUsage.")
        .method("memory_objects", &Manager::memoryObjects, doc(R"(
                The tensors, images and arrays whose memory `memory().allocated` adds up, the largest
                first. OutOfMemory lists the first of them.)"))
        .method("memory_kinds", &Manager::memoryKinds, doc(R"(
                What `memory().reserved` consists of, as a list of MemoryKind: tensors, images and
                arrays of this manager, its freed arrays, and of all managers of the device freed
                small tensors, intermediate results, constants, and other memory (objects of other
                managers, running operations, and unused parts of blocks).)"))
        .method("memory_heaps", &Manager::memoryHeaps, doc(R"(
                The heaps of the device, as a list of MemoryHeap, with what is left in them. Asks the
                driver.)"))
        .method("reset_peak_memory", &Manager::resetPeakMemory, doc(R"(
                Resets the peaks of memory() to the current values.)"))
        .method("clear", &Manager::clear, doc(R"(
                Gives memory that is only kept for reuse back to the driver, and forgets deleted
                objects. Both also happen automatically as needed.)"))
        .def(
            "wait_idle", [](py::handle self) { waitForSubmitted(managerIn(self)); }, doc(R"(
                Waits until the device has finished everything that was submitted to it. Failures are
                reported by the events.)"))
        .method("under_way", &Manager::underWay, doc(R"(
                Texts about the operations that the device has begun and not finished, with their
                sequences and shaders, if the manager has `breadcrumbs`. Call it if work does not
                end.)"))
        .method("start_capture", &Manager::startCapture, doc(R"(
                Starts a capture for RenderDoc, with all work submitted until end_capture(). Raises
                Unsupported unless the program runs under RenderDoc.)"))
        .method("end_capture", &Manager::endCapture, doc(R"(
                Waits for the submitted work, and lets RenderDoc write the capture.)"))
        .method("is_init", &Manager::isInit, "False after destroy().")
        .def(
            "destroy",
            [](py::handle self, const py::object& objects) {
                if (objects.is_none())
                    destroyManager(self);
                else
                    ofPackage("destroy_objects")(self, objects);
            },
            "objects"_a = py::none(), doc(R"(
                Destroys all objects that this manager created, after the work that uses them. Waits
                for calls of other threads, whose next ones raise InvalidArgument. A second call
                does nothing. The old spelling destroy(objects) destroys tensors,
                sequences or sequences of that name; see kp.compat.early.)"))
        .def("__repr__", &describeManager);
    bindContextManager(classes.manager, &destroyManager);

    module.def("list_devices", &describeDevices,
               "The devices of this machine, in the driver's order, as a list of dicts.");
}

} // namespace kp::python
