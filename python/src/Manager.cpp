// SPDX-License-Identifier: Apache-2.0
#include <optional>

#include <pybind11/stl.h>

#include "Algorithm.hpp"
#include "Arrays.hpp"
#include "HostMemory.hpp"
#include "Managers.hpp"
#include "Module.hpp"
#include "Shaders.hpp"

namespace kp::python {
namespace {

/// Its end may wait for the device, which others need not wait for.
void endManager(Manager* manager) {
    if (Py_IsInitialized() && PyGILState_Check()) {
        const py::gil_scoped_release release;
        delete manager;
    } else {
        delete manager;
    }
}

std::optional<DeviceType> deviceTypeOf(const std::string& name) {
    if (name.empty())
        return std::nullopt;
    constexpr std::pair<const char*, DeviceType> kTypes[] = {
        {"discrete", DeviceType::eDiscrete},
        {"integrated", DeviceType::eIntegrated},
        {"virtual", DeviceType::eVirtual},
        {"cpu", DeviceType::eCpu},
        {"other", DeviceType::eOther}};
    for (const auto& [known, type] : kTypes)
        if (name == known)
            return type;
    throw py::value_error("device_type is \"discrete\", \"integrated\", \"virtual\", \"cpu\" or "
                          "\"other\", not \"" +
                          name + "\"");
}

const char* nameOf(DeviceType type) {
    switch (type) {
    case DeviceType::eDiscrete:
        return "discrete";
    case DeviceType::eIntegrated:
        return "integrated";
    case DeviceType::eVirtual:
        return "virtual";
    case DeviceType::eCpu:
        return "cpu";
    case DeviceType::eOther:
        break;
    }
    return "other";
}

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
    options.deviceType = deviceTypeOf(deviceType);
    options.requiredExtensions = requiredExtensions;
    options.validation = validation;
    options.waitPolicy = toWaitPolicy(wait);
    options.cacheFolder = cacheFolder;
    options.timelineSemaphores = timelineSemaphores;
    auto handle = std::make_shared<ManagerHandle>();
    {
        const py::gil_scoped_release release;
        handle->manager = std::shared_ptr<Manager>(new Manager(options), endManager);
    }
    noteDriverUse();
    awaitAtExit(handle->manager);
    return handle;
}

py::dict describe(const DeviceInfo& info) {
    using namespace py::literals;
    const auto version = [&info](int shift, uint32_t mask) {
        return std::to_string((info.apiVersion >> shift) & mask);
    };
    return py::dict(
        "index"_a = info.index, "device_name"_a = info.name, "uuid"_a = info.uuid,
        "type"_a = nameOf(info.type), "driver"_a = info.driver,
        "api_version"_a = version(22, 0x7F) + "." + version(12, 0x3FF) + "." + version(0, 0xFFF),
        "memory_bytes"_a = info.memoryBytes,
        "max_work_group_count"_a = toTuple(info.maxWorkgroupCount),
        "max_work_group_size"_a = toTuple(info.maxWorkgroupSize),
        "max_work_group_invocations"_a = info.maxWorkgroupInvocations,
        "subgroup_size"_a = info.subgroupSize, "timestamps_supported"_a = info.timestamps,
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
        result.append(describe(device));
    return result;
}

/// What a tensor or image is made from.
struct Contents {
    py::object array; ///< null: none
    py::dtype dtype;
    std::vector<py::ssize_t> shape;

    void* data() const {
        return array ? const_cast<void*>(py::cast<py::array>(array).data()) : nullptr;
    }
};

Contents contentsOf(const py::object& data, const py::object& shape, const py::object& dtype,
                    bool keepsDtype) {
    Contents contents{py::object(), py::dtype::of<float>(), {}};
    py::object wanted = dtype;
    if (!dtype.is_none())
        wanted = toDtype(dtype);
    else if (!keepsDtype)
        wanted = py::dtype::of<float>();
    if (!data.is_none()) {
        const py::array array = toArray(data, wanted, "data");
        contents.array = array;
        contents.dtype = array.dtype();
        contents.shape.assign(array.shape(), array.shape() + array.ndim());
        if (!shape.is_none()) {
            contents.shape = toShape(shape);
            if (countOf(contents.shape) != array.size())
                throw py::value_error("shape has " + std::to_string(countOf(contents.shape)) +
                                      " elements, but data has " + std::to_string(array.size()));
        }
        return contents;
    }
    if (shape.is_none())
        throw py::type_error("data or shape must be given");
    if (!wanted.is_none())
        contents.dtype = py::cast<py::dtype>(wanted);
    contents.shape = toShape(shape);
    return contents;
}

std::unique_ptr<TensorHandle> makeTensor(py::handle self, const py::object& data,
                                         Memory::MemoryTypes memoryType, const py::object& shape,
                                         const py::object& dtype, bool keepsDtype) {
    const auto manager = managerOf(self);
    const Contents contents = contentsOf(data, shape, dtype, keepsDtype);
    const Memory::DataTypes type = dataTypeOf(contents.dtype, data.is_none() ? "dtype" : "data");
    auto handle = std::make_unique<TensorHandle>();
    handle->manager = manager;
    handle->dtype = contents.dtype;
    handle->shape = contents.shape;
    const auto count = static_cast<uint64_t>(countOf(contents.shape));
    const auto item = static_cast<uint64_t>(contents.dtype.itemsize());
    void* const source = contents.data();
    const Use use(*manager);
    {
        const py::gil_scoped_release release;
        handle->memory = manager->manager->tensor(source, count, item, type, memoryType);
    }
    return handle;
}

vk::ImageTiling tilingOf(const std::string& tiling) {
    if (tiling == "optimal")
        return static_cast<vk::ImageTiling>(0);
    if (tiling == "linear")
        return static_cast<vk::ImageTiling>(1);
    throw py::value_error("tiling is \"optimal\" or \"linear\", not \"" + tiling + "\"");
}

std::unique_ptr<ImageHandle> makeImage(py::handle self, const py::object& data, uint32_t width,
                                       uint32_t height, uint32_t channels,
                                       Memory::MemoryTypes memoryType, const std::string& tiling,
                                       const py::object& dtype, bool keepsDtype) {
    const auto manager = managerOf(self);
    const py::object noShape =
        data.is_none() ? py::object(py::make_tuple(height, width, channels)) : py::none();
    const Contents contents = contentsOf(data, noShape, dtype, keepsDtype);
    if (width == 0 && height == 0 && channels == 0 && !data.is_none()) {
        const auto& shape = contents.shape;
        if (shape.size() != 2 && shape.size() != 3)
            throw py::value_error("width, height and num_channels are needed, or data of shape "
                                  "(height, width) or (height, width, channels)");
        height = static_cast<uint32_t>(shape[0]);
        width = static_cast<uint32_t>(shape[1]);
        channels = shape.size() == 3 ? static_cast<uint32_t>(shape[2]) : 1;
    }
    const Memory::DataTypes type = dataTypeOf(contents.dtype, data.is_none() ? "dtype" : "data");
    auto handle = std::make_unique<ImageHandle>();
    handle->manager = manager;
    handle->dtype = contents.dtype;
    handle->shape = {height, width, channels};
    void* const source = contents.data();
    const size_t elements =
        source ? static_cast<size_t>(py::cast<py::array>(contents.array).size()) : 0;
    std::optional<vk::ImageTiling> tiled;
    if (!tiling.empty())
        tiled = tilingOf(tiling);
    const Use use(*manager);
    {
        const py::gil_scoped_release release;
        Manager& maker = *manager->manager;
        handle->memory =
            tiled ? maker.image(source, elements, width, height, channels, type, *tiled, memoryType)
                  : maker.image(source, elements, width, height, channels, type, memoryType);
    }
    return handle;
}

std::unique_ptr<AlgorithmHandle> makeAlgorithm(py::handle self, const py::object& tensors,
                                               const py::object& spirv, const py::object& workgroup,
                                               const py::object& specConsts,
                                               const py::object& pushConsts,
                                               const py::object& threadCount) {
    auto handle = std::make_unique<AlgorithmHandle>();
    handle->manager = managerOf(self);
    handle->algorithm = handle->manager->manager->algorithm();
    rebuild(*handle, tensors, spirv, workgroup, specConsts, pushConsts, threadCount);
    return handle;
}

void destroyManager(py::handle self) {
    const auto handle = managerOf(self);
    requireUnused(*handle, "manager");
    if (!handle->manager->isInit())
        return;
    {
        const Use use(*handle);
        const py::gil_scoped_release release;
        try {
            handle->manager->waitIdle();
        } catch (const DeviceLost&) { // it runs nothing any more
        }
    }
    requireUnused(*handle, "manager");
    handle->manager->destroy();
}

/// Accepts Kompute 0.9.0's keyword tensor_type beside memory_type.
Memory::MemoryTypes memoryTypeOf(Memory::MemoryTypes memoryType,
                                 std::optional<Memory::MemoryTypes> tensorType) {
    return tensorType.value_or(memoryType);
}

} // namespace

std::shared_ptr<ManagerHandle> managerOf(py::handle self) {
    handleOf<ManagerHandle>(self);
    return py::cast<std::shared_ptr<ManagerHandle>>(self);
}

WaitPolicy toWaitPolicy(const std::string& name) {
    if (name == "auto")
        return WaitPolicy::eAuto;
    if (name == "spin")
        return WaitPolicy::eSpin;
    if (name == "hybrid")
        return WaitPolicy::eHybrid;
    if (name == "block")
        return WaitPolicy::eBlock;
    throw py::value_error("wait is \"auto\", \"spin\", \"hybrid\" or \"block\", not \"" + name +
                          "\"");
}

void bindManager(py::module_& module, Classes& classes) {
    const auto self = [](py::handle object) -> Manager& { return *managerOf(object)->manager; };
    const auto device = Memory::MemoryTypes::eDevice;
    auto& type = classes.manager;
    type.def(
        py::init(&makeManager), py::arg("device") = py::none(),
        py::arg("family_queue_indices") = py::list(), py::arg("desired_extensions") = py::list(),
        py::kw_only(), py::arg("name") = "", py::arg("uuid") = "", py::arg("device_type") = "",
        py::arg("required_extensions") = py::list(), py::arg("validation") = "",
        py::arg("wait") = "auto", py::arg("cache_folder") = "",
        py::arg("timeline_semaphores") = true,
        "Without arguments: the best device, or what the environment variable KOMPUTE_DEVICE\n"
        "names.\n\n"
        "`device` is a place in list_devices(); `name` a part of a name, `uuid` and\n"
        "`device_type` (\"discrete\", \"integrated\", \"virtual\", \"cpu\") further conditions.\n"
        "`family_queue_indices` asks for one queue per entry, of the family with that index;\n"
        "`desired_extensions` are left out where missing, `required_extensions` an error.\n"
        "`validation` is a list of checks (\"core,sync\"), `wait` one of \"auto\", \"spin\",\n"
        "\"hybrid\", \"block\", `cache_folder` where pipelines are kept (\"off\": nowhere).");

    const char* const tensorDoc =
        "A tensor with the contents and shape of `data` (any array-like, NumPy array, DLPack or\n"
        "buffer object), or of `shape` with undefined contents. What it holds gets to the device "
        "by\n"
        "OpSyncDevice or write().";
    for (const bool keeps : {false, true})
        type.def(
            keeps ? "tensor_t" : "tensor",
            [keeps](py::handle o, const py::object& data, Memory::MemoryTypes memoryType,
                    const py::object& shape, const py::object& dtype,
                    std::optional<Memory::MemoryTypes> tensorType) {
                return makeTensor(o, data, memoryTypeOf(memoryType, tensorType), shape, dtype,
                                  keeps);
            },
            py::arg("data") = py::none(), py::arg("memory_type") = device, py::kw_only(),
            py::arg("shape") = py::none(), py::arg("dtype") = py::none(),
            py::arg("tensor_type") = py::none(),
            (std::string(tensorDoc) +
             (keeps ? "\n\nElements are what `data` has, or `dtype` (float32 for a shape alone)."
                    : "\n\nElements are float32, or `dtype`.") +
             "\n`tensor_type` is Kompute 0.9.0's name of `memory_type`.")
                .c_str());

    const char* const imageDoc = "A storage image of `width` x `height` texels with 1 to 4 "
                                 "channels. Where the three are left\n"
                                 "out, `data` has shape (height, width) or (height, width, "
                                 "channels). `tiling` is \"optimal\"\n"
                                 "or \"linear\".";
    for (const bool keeps : {false, true})
        type.def(
            keeps ? "image_t" : "image",
            [keeps](py::handle o, const py::object& data, uint32_t width, uint32_t height,
                    uint32_t channels, Memory::MemoryTypes memoryType, const std::string& tiling,
                    const py::object& dtype, std::optional<Memory::MemoryTypes> tensorType) {
                return makeImage(o, data, width, height, channels,
                                 memoryTypeOf(memoryType, tensorType), tiling, dtype, keeps);
            },
            py::arg("data") = py::none(), py::arg("width") = 0, py::arg("height") = 0,
            py::arg("num_channels") = 0, py::arg("memory_type") = device, py::kw_only(),
            py::arg("tiling") = "", py::arg("dtype") = py::none(),
            py::arg("tensor_type") = py::none(),
            (std::string(imageDoc) + (keeps ? "\n\nChannels are what `data` has, or `dtype`."
                                            : "\n\nChannels are float32, or `dtype`."))
                .c_str());

    type.def(
            "algorithm", &makeAlgorithm, py::arg("tensors") = py::list(),
            py::arg("spirv") = py::bytes(), py::arg("workgroup") = py::make_tuple(0, 0, 0),
            py::arg("spec_consts") = py::tuple(), py::arg("push_consts") = py::tuple(),
            py::kw_only(), py::arg("thread_count") = py::none(),
            "A shader with the memory of its bindings 0, 1, ...\n\n"
            "`spirv` is SPIR-V as bytes, GLSL text, or a path. `workgroup` counts work groups (0:\n"
            "as many as the first object has elements); `thread_count` counts invocations "
            "instead.\n"
            "Constants are a list (float32), a number, a NumPy array of any dtype, a structured\n"
            "array, or a dict by the names in the shader. The push constants are the default of\n"
            "dispatches; a dict given to a dispatch keeps the default where it names nothing.")
        .def(
            "sequence",
            [](py::handle o, uint32_t queueIndex, uint32_t totalTimestamps) {
                auto handle = std::make_unique<SequenceHandle>();
                handle->manager = managerOf(o);
                handle->sequence = handle->manager->manager->sequence(queueIndex, totalTimestamps);
                return handle;
            },
            py::arg("queue_index") = 0, py::arg("total_timestamps") = 0,
            "A sequence on one of the manager's queues. `total_timestamps` is the number of\n"
            "operations that get_timestamps() covers.")
        .def(
            "pinned_array",
            [](py::handle o, const py::object& shape, const py::object& dtype) {
                return makePinnedArray(*managerOf(o), shape, dtype);
            },
            py::arg("shape"), py::arg("dtype") = py::none(),
            "An array in host memory that the device reaches directly: write() from it and read()\n"
            "into it are one copy by the device. Elements are float32, or `dtype`, and start\n"
            "undefined. It outlives the manager, and takes memory that cannot be swapped out.")
        .def(
            "import_host",
            [](py::handle o, const py::object& array) { return importArray(*managerOf(o), array); },
            py::arg("array"),
            "Tells the device of the memory of an array, so that write() from it and read() into "
            "it\n"
            "need no staging. Pays for memory that is sent or fetched several times. The array "
            "must\n"
            "not be resized meanwhile. Where the device cannot do it, transfers go through "
            "staging\n"
            "as always.")
        .def(
            "compile",
            [self](py::handle o, const py::object& source, const py::object& includes,
                   const py::object& defines, const std::string& entryPoint,
                   const std::string& language, const std::string& fileName, bool debugInfo) {
                return compileShader(source, includes, defines, entryPoint, language, fileName,
                                     debugInfo, self(o).deviceInfo().apiVersion & ~uint32_t{0xFFF});
            },
            py::arg("source_or_path"), py::kw_only(), py::arg("includes") = py::tuple(),
            py::arg("defines") = py::none(), py::arg("entry_point") = "main",
            py::arg("language") = "", py::arg("file_name") = "", py::arg("debug_info") = false,
            "kp.compile for the Vulkan version of this manager's device.")
        .def(
            "list_devices",
            [self](py::handle o) {
                self(o).deviceInfo(); // says where the manager was destroyed
                return describeDevices();
            },
            "The devices of this machine; see kp.list_devices.")
        .def(
            "get_device_properties",
            [self](py::handle o) { return describe(self(o).deviceInfo()); },
            "What the device is and can do.")
        .def_property_readonly(
            "queue_count", [self](py::handle o) { return self(o).queueCount(); },
            "Number of queues that sequence() can be asked for.")
        .def_property_readonly(
            "allocated_bytes", [self](py::handle o) { return self(o).allocatedBytes(); },
            "Bytes of device and host memory that the driver gave to this device, for all its\n"
            "managers together.")
        .def(
            "clear", [self](py::handle o) { self(o).clear(); },
            "Forgets the objects that are gone. Happens by itself now and then.")
        .def(
            "is_init", [self](py::handle o) { return self(o).isInit(); }, "False after destroy().")
        .def("destroy", &destroyManager,
             "Destroys everything that this manager made, after the work that uses it. A second "
             "call\n"
             "does nothing.")
        .def("__enter__", [](const py::object& object) { return object; })
        .def("__exit__", [](py::handle o, const py::args&) { destroyManager(o); })
        .def("__repr__", [self](py::handle o) {
            Manager& manager = self(o);
            return manager.isInit() ? "<kp.Manager \"" + manager.deviceInfo().name + "\">"
                                    : std::string("<kp.Manager destroyed>");
        });

    module.def("list_devices", &describeDevices,
               "The devices of this machine, in the driver's order, as a list of dicts.");
}

} // namespace kp::python
