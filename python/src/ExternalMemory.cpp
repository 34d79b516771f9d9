// SPDX-License-Identifier: Apache-2.0
//
// Tensors over an array's memory, and tensors whose memory other devices and processes open.
#include <optional>

#ifdef __unix__
#include <unistd.h>
#endif

#include "Arrays.hpp"
#include "Held.hpp"
#include "Managers.hpp"
#include "Module.hpp"

namespace kp::python {
namespace {

/// A kp.ExternalMemory: owns its file descriptor.
class ExternalHandle {
public:
    explicit ExternalHandle(const ExternalMemory& memory) : mMemory(memory) {}
    ~ExternalHandle() { close(); }
    ExternalHandle(const ExternalHandle&) = delete;
    ExternalHandle& operator=(const ExternalHandle&) = delete;

    const ExternalMemory& memory() const { return mMemory; }
    int fd() const { return mMemory.fd; }
    int detach() { return std::exchange(mMemory.fd, -1); }
    void close() {
        const int fd = detach();
#ifdef __unix__
        if (fd >= 0)
            ::close(fd);
#else
        (void)fd;
#endif
    }

private:
    ExternalMemory mMemory;
};

/// Elements of a new tensor: what @p shape and @p dtype say.
struct Elements {
    Elements(const py::object& shapeGiven, const py::object& dtypeGiven)
        : dtype(dtypeGiven.is_none() ? py::dtype::of<float>() : toDtype(dtypeGiven)),
          type(dataTypeOf(dtype, "dtype")), shape(toShape(shapeGiven)),
          count(static_cast<uint64_t>(countOf(shape))),
          bytes(static_cast<uint64_t>(dtype.itemsize())) {}

    py::dtype dtype;
    Memory::DataTypes type;
    std::vector<py::ssize_t> shape;
    uint64_t count;
    uint64_t bytes; ///< of one
};

std::unique_ptr<TensorHandle> newTensor(const std::shared_ptr<ManagerHandle>& manager,
                                        const py::dtype& dtype,
                                        const std::vector<py::ssize_t>& shape) {
    auto tensor = std::make_unique<TensorHandle>();
    tensor->manager = manager;
    tensor->dtype = dtype;
    tensor->shape = shape;
    return tensor;
}

std::unique_ptr<TensorHandle> tensorOver(py::handle self, const py::object& given) {
    const auto manager = managerOf(self);
    const py::object numpy = py::module_::import("numpy");
    const bool isArray = py::isinstance<py::array>(given);
    if (!isArray && !PyObject_CheckBuffer(given.ptr()))
        throw py::type_error(std::string("array is a NumPy array or a buffer, not a ") +
                             Py_TYPE(given.ptr())->tp_name);
    auto array = py::cast<py::array>(isArray ? given : py::object(numpy.attr("asarray")(given)));
    if (!(array.flags() & py::array::c_style) || !array.writeable())
        throw py::value_error("array must be C-contiguous and writable");
    const py::dtype dtype = array.dtype();
    const Memory::DataTypes type = dataTypeOf(dtype, "array");
    auto tensor = newTensor(manager, dtype, {array.shape(), array.shape() + array.ndim()});
    void* const data = array.mutable_data();
    const auto count = static_cast<uint64_t>(array.size());
    const auto bytes = static_cast<uint64_t>(dtype.itemsize());
    const Held owner = hold(array);
    const Use use(*manager);
    const py::gil_scoped_release release;
    tensor->memory = manager->manager->wrapHostMemory(data, count, bytes, type, owner);
    return tensor;
}

std::unique_ptr<TensorHandle> exportableTensor(py::handle self, const py::object& shape,
                                               const py::object& dtype,
                                               Memory::MemoryTypes memoryType) {
    const auto manager = managerOf(self);
    const Elements elements(shape, dtype);
    auto tensor = newTensor(manager, elements.dtype, elements.shape);
    const Use use(*manager);
    const py::gil_scoped_release release;
    tensor->memory = manager->manager->exportableTensor(elements.count, elements.bytes,
                                                        elements.type, memoryType);
    return tensor;
}

std::unique_ptr<TensorHandle> importMemory(py::handle self, const ExternalHandle& memory,
                                           const py::object& shape, const py::object& dtype,
                                           Memory::MemoryTypes memoryType) {
    const auto manager = managerOf(self);
    if (memory.fd() < 0)
        throw InvalidArgument("this external memory has no file descriptor any more: it was "
                              "closed or detached");
    const Elements elements(shape, dtype);
    auto tensor = newTensor(manager, elements.dtype, elements.shape);
    const ExternalMemory plain = memory.memory();
    const Use use(*manager);
    // With the GIL, so that no other thread closes the file descriptor meanwhile.
    tensor->memory = manager->manager->importMemory(plain, elements.count, elements.bytes,
                                                    elements.type, memoryType);
    return tensor;
}

std::unique_ptr<ExternalHandle> exportMemory(py::handle self) {
    const auto& handle = handleOf<TensorHandle>(self);
    return std::make_unique<ExternalHandle>(
        std::dynamic_pointer_cast<Tensor>(handle.memory)->exportMemory());
}

std::unique_ptr<ExternalHandle> makeExternal(int fd, uint64_t allocationBytes, uint32_t memoryType,
                                             uint64_t offset) {
    return std::make_unique<ExternalHandle>(
        ExternalMemory{fd, allocationBytes, memoryType, offset});
}

} // namespace

void bindExternalMemory(py::module_& module, Classes& classes) {
    py::class_<ExternalHandle>(
        module, "ExternalMemory",
        "Device memory that another Vulkan device can open: one of another process, of another\n"
        "library, or another logical device of the same GPU. Made by Tensor.export_memory(), or\n"
        "of the numbers that another process sent with its file descriptor. Owns the descriptor:\n"
        "close(), a `with` block, or its end closes it.")
        .def(py::init(&makeExternal), py::arg("fd"), py::arg("allocation_bytes"),
             py::arg("memory_type"), py::arg("offset") = 0)
        .def_property_readonly("fd", &ExternalHandle::fd,
                               "The file descriptor; -1 once it is closed or detached.")
        .def_property_readonly(
            "allocation_bytes",
            [](const ExternalHandle& handle) { return handle.memory().allocationBytes; },
            "Bytes of the whole VkDeviceMemory.")
        .def_property_readonly(
            "memory_type", [](const ExternalHandle& handle) { return handle.memory().memoryType; },
            "Vulkan's index of the memory type.")
        .def_property_readonly(
            "offset", [](const ExternalHandle& handle) { return handle.memory().offset; },
            "Bytes from its beginning to what is meant.")
        .def("fileno", &ExternalHandle::fd, "The file descriptor.")
        .def("detach", &ExternalHandle::detach,
             "Gives the file descriptor away: the caller closes it from now on.")
        .def("close", &ExternalHandle::close,
             "Closes the file descriptor. Tensors that were made of it stay. A second call does\n"
             "nothing.")
        .def("__enter__", [](const py::object& object) { return object; })
        .def("__exit__", [](ExternalHandle& handle, const py::args&) { handle.close(); })
        .def("__repr__", [](const ExternalHandle& handle) {
            return "<kp.ExternalMemory fd=" + std::to_string(handle.fd()) +
                   " allocation_bytes=" + std::to_string(handle.memory().allocationBytes) + ">";
        });

    const auto storage = Memory::MemoryTypes::eStorage;
    classes.manager
        .def(
            "tensor_over", &tensorOver, py::arg("array"),
            "A tensor whose memory is that of an array: the device reads and writes it in place,\n"
            "and no copy is made. The array is kept for as long as the device needs it, and must\n"
            "not be resized. Unsupported where the device or its driver does not take this memory.")
        .def("exportable_tensor", &exportableTensor, py::arg("shape"),
             py::arg("dtype") = py::none(), py::kw_only(), py::arg("memory_type") = storage,
             "A tensor that other Vulkan devices of the same GPU can open; see\n"
             "Tensor.export_memory(). For few and large tensors.")
        .def("import_memory", &importMemory, py::arg("memory"), py::arg("shape"),
             py::arg("dtype") = py::none(), py::kw_only(), py::arg("memory_type") = storage,
             "A tensor in memory that another device of the same GPU exported. `memory` may be\n"
             "closed afterwards; the memory lives as long as one of the two.");
    classes.tensor.def("export_memory", &exportMemory,
                       "A handle by which another Vulkan device of the same GPU opens the memory.\n"
                       "What the two do with it, they order themselves. For tensors of\n"
                       "Manager.exportable_tensor().");
}

} // namespace kp::python
