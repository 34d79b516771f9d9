// SPDX-License-Identifier: Apache-2.0
#include "core/Classes.hpp"

#ifdef __unix__
#include <unistd.h>
#endif

#include "base/Arrays.hpp"
#include "base/Gil.hpp"

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

std::unique_ptr<TensorHandle> tensorOver(py::handle self, const py::object& given) {
    const auto manager = sharedOf<ManagerHandle>(self);
    const bool isArray = py::isinstance<py::array>(given);
    if (!isArray && !PyObject_CheckBuffer(given.ptr()))
        throwTypeError("array", "a NumPy array or a buffer", given);
    const py::object numpy = py::module_::import("numpy");
    auto array = py::cast<py::array>(isArray ? given : py::object(numpy.attr("asarray")(given)));
    if (!(array.flags() & py::array::c_style) || !array.writeable())
        throw py::value_error("array must be C-contiguous and writable");
    const py::dtype dtype = array.dtype();
    const Memory::DataTypes type = dataTypeOf(dtype, "array");
    void* const data = array.mutable_data();
    const auto count = static_cast<uint64_t>(array.size());
    const auto bytes = static_cast<uint64_t>(dtype.itemsize());
    const Held owner = hold(array);
    return newMemory<TensorHandle>(
        manager, dtype, {array.shape(), array.shape() + array.ndim()},
        [&](Manager& maker) { return maker.wrapHostMemory(data, count, bytes, type, owner); });
}

std::unique_ptr<TensorHandle> exportableTensor(py::handle self, const py::object& shape,
                                               const py::object& dtype,
                                               const py::object& memoryType) {
    const Memory::MemoryTypes place = toMemoryType(memoryType, "memory_type");
    const auto manager = sharedOf<ManagerHandle>(self);
    const Elements elements(shape, dtype);
    const uint64_t count = elements.count();
    const uint64_t bytes = elements.itemBytes();
    return newMemory<TensorHandle>(manager, elements.dtype, elements.shape, [&](Manager& maker) {
        return maker.exportableTensor(count, bytes, elements.type, place);
    });
}

std::unique_ptr<TensorHandle> importMemory(py::handle self, const ExternalHandle& memory,
                                           const py::object& shape, const py::object& dtype,
                                           const py::object& memoryType) {
    const Memory::MemoryTypes place = toMemoryType(memoryType, "memory_type");
    const auto manager = sharedOf<ManagerHandle>(self);
    if (memory.fd() < 0)
        throw InvalidArgument("this external memory has no file descriptor: it was "
                              "closed or detached");
    const Elements elements(shape, dtype);
    // With the GIL, so that no other thread closes the file descriptor meanwhile.
    const std::shared_ptr<Tensor> tensor = manager->manager->importMemory(
        memory.memory(), elements.count(), elements.itemBytes(), elements.type, place);
    return newMemory<TensorHandle>(manager, elements.dtype, elements.shape,
                                   [&](Manager&) { return tensor; });
}

std::unique_ptr<ExternalHandle> exportMemory(py::handle self) {
    return std::make_unique<ExternalHandle>(handleOf<TensorHandle>(self).tensor()->exportMemory());
}

std::unique_ptr<ExternalHandle> makeExternal(int fd, uint64_t allocationBytes, uint32_t memoryType,
                                             uint64_t offset) {
    return std::make_unique<ExternalHandle>(
        ExternalMemory{fd, allocationBytes, memoryType, offset});
}

using PinnedBytes = PinnedArray<unsigned char>;

/// A kp.HostImport: the import, and the buffer of the object whose memory it is.
class ImportHandle {
public:
    explicit ImportHandle(py::handle object) {
        if (PyObject_GetBuffer(object.ptr(), &mBuffer, PyBUF_CONTIG_RO) != 0) {
            PyErr_Clear();
            throwTypeError("array", "a contiguous array or buffer", object);
        }
    }
    ~ImportHandle() {
        close();
        PyBuffer_Release(&mBuffer);
    }
    ImportHandle(const ImportHandle&) = delete;
    ImportHandle& operator=(const ImportHandle&) = delete;

    void importTo(ManagerHandle& manager) {
        mImport = withoutGil(manager, [&] {
            return manager.manager->importHost(mBuffer.buf, static_cast<uint64_t>(mBuffer.len));
        });
    }
    /// Waits for transfers that use the memory.
    void close() {
        std::shared_ptr<HostImport> ended = std::move(mImport);
        if (!ended)
            return;
        const ReleaseGil release;
        ended.reset();
    }
    bool imported() const { return mImport && mImport->imported(); }
    std::string reason() const { return mImport ? mImport->reason() : "it was closed"; }

private:
    Py_buffer mBuffer{};
    std::shared_ptr<HostImport> mImport;
};

py::object makePinnedArray(py::handle self, py::handle shape, const py::object& dtype) {
    auto& manager = handleOf<ManagerHandle>(self);
    const Elements elements(shape, dtype);
    const uint64_t bytes = elements.count() * elements.itemBytes();
    if (bytes == 0)
        throw py::value_error("a zero-sized pinned array cannot be created");
    auto memory = std::make_unique<std::shared_ptr<PinnedBytes>>(
        withoutGil(manager, [&] { return manager.manager->pinnedArray<unsigned char>(bytes); }));
    void* const data = (*memory)->data();
    const py::capsule owner(memory.get(), [](void* pointer) {
        delete static_cast<std::shared_ptr<PinnedBytes>*>(pointer);
    });
    (void)memory.release();
    return makeView(data, elements.dtype, elements.shape, owner);
}

std::unique_ptr<ImportHandle> importHost(py::handle self, py::handle array) {
    auto handle = std::make_unique<ImportHandle>(array);
    handle->importTo(handleOf<ManagerHandle>(self));
    return handle;
}

} // namespace

void bindExternalMemory(py::module_& module, Classes& classes) {
    py::class_<ImportHandle> hostImport(module, "HostImport", doc(R"(
        An import of an array's memory into a device; see Manager.import_host. Ends with close(), a
        `with` block, or its deletion.)"));
    hostImport
        .def_property_readonly("imported", &ImportHandle::imported,
                               "True if the device copies from and to the memory directly.")
        .def_property_readonly("reason", &ImportHandle::reason,
                               "Why it does not; empty if it does.")
        .def("close", &ImportHandle::close,
             "Ends the import, after the transfers that use it. A second call does nothing.");
    bindContextManager(hostImport, [](py::handle self) { py::cast<ImportHandle&>(self).close(); });

    classes.manager
        .def("pinned_array", &makePinnedArray, "shape"_a, "dtype"_a = py::none(), doc(R"(
                 An array in host memory that the device accesses directly: write() from it and
                 read() into it are one copy by the device. Elements are float32, or `dtype`, and
                 start undefined. It outlives the manager, and its memory cannot be swapped out.)"))
        .def("import_host", &importHost, "array"_a, doc(R"(
            Imports the memory of an array, so that write() from it and read() into it need no
            staging. Pays off for memory that is transferred several times. Do not resize the array
            meanwhile. If the device cannot import it, transfers go through staging as usual.)"));

    py::class_<ExternalHandle> type(module, "ExternalMemory", doc(R"(
        Device memory that another Vulkan device can open: one of another process, of another
        library, or another logical device of the same GPU. Created by Tensor.export_memory(), or
        from the numbers that another process sent with its file descriptor. Owns the descriptor:
        close(), a `with` block, or its deletion closes it.)"));
    const auto member = [](auto ExternalMemory::*pointer) {
        return [pointer](const ExternalHandle& handle) { return handle.memory().*pointer; };
    };
    type.def(py::init(&makeExternal), "fd"_a, "allocation_bytes"_a, "memory_type"_a, "offset"_a = 0)
        .def_property_readonly("fd", &ExternalHandle::fd,
                               "The file descriptor; -1 once it is closed or detached.")
        .def_property_readonly("allocation_bytes", member(&ExternalMemory::allocationBytes),
                               "Bytes of the whole VkDeviceMemory.")
        .def_property_readonly("memory_type", member(&ExternalMemory::memoryType),
                               "Vulkan's index of the memory type.")
        .def_property_readonly("offset", member(&ExternalMemory::offset),
                               "Offset of the tensor's memory in it, in bytes.")
        .def("fileno", &ExternalHandle::fd, "The file descriptor.")
        .def("detach", &ExternalHandle::detach,
             "Returns the file descriptor and gives it up: the caller closes it from now on.")
        .def("close", &ExternalHandle::close, doc(R"(
            Closes the file descriptor. Tensors created from it stay valid. A second call does
            nothing.)"))
        .def("__repr__", [](const ExternalHandle& handle) {
            return formatted("<kp.ExternalMemory fd={} allocation_bytes={}>", handle.fd(),
                             handle.memory().allocationBytes);
        });
    bindContextManager(type, [](py::handle self) { py::cast<ExternalHandle&>(self).close(); });

    const auto storage = Memory::MemoryTypes::eStorage;
    classes.manager
        .def("tensor_over", &tensorOver, "array"_a, doc(R"(
            A tensor in the memory of an array: the device reads and writes it in place, without a
            copy. The array stays alive for as long as the device needs it, and must not be resized.
            Unsupported if the device or its driver does not accept this memory.)"))
        .def("exportable_tensor", &exportableTensor, "shape"_a, "dtype"_a = py::none(),
             py::kw_only(), "memory_type"_a = storage, doc(R"(
                 A tensor that other Vulkan devices of the same GPU can open; see
                 Tensor.export_memory(). For few and large tensors.)"))
        .def("import_memory", &importMemory, "memory"_a, "shape"_a, "dtype"_a = py::none(),
             py::kw_only(), "memory_type"_a = storage, doc(R"(
                 A tensor in memory that another device of the same GPU exported. `memory` may be
                 closed afterwards; the memory lives as long as one of the two tensors.)"));
    classes.tensor.def("export_memory", &exportMemory, doc(R"(
        A handle by which another Vulkan device of the same GPU opens the memory. The callers order
        the accesses of the two. For tensors of Manager.exportable_tensor().)"));
}

} // namespace kp::python
