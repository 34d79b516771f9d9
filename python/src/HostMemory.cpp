// SPDX-License-Identifier: Apache-2.0
//
// Host memory that the device reaches directly: pinned arrays, and imports of the caller's arrays.
#include <memory>

#include "Arrays.hpp"
#include "HostMemory.hpp"
#include "Module.hpp"

namespace kp::python {
namespace {

using PinnedBytes = PinnedArray<unsigned char>;

/// A kp.HostImport: the import, and the buffer of the object whose memory it is.
class ImportHandle {
public:
    explicit ImportHandle(py::handle object) {
        if (PyObject_GetBuffer(object.ptr(), &mBuffer, PyBUF_CONTIG_RO) != 0) {
            PyErr_Clear();
            throw py::type_error(std::string("array is a contiguous array or buffer, not a ") +
                                 Py_TYPE(object.ptr())->tp_name);
        }
    }
    ~ImportHandle() {
        close();
        PyBuffer_Release(&mBuffer);
    }
    ImportHandle(const ImportHandle&) = delete;
    ImportHandle& operator=(const ImportHandle&) = delete;

    void importTo(ManagerHandle& manager) {
        const Use use(manager);
        const py::gil_scoped_release release;
        mImport = manager.manager->importHost(mBuffer.buf, static_cast<uint64_t>(mBuffer.len));
    }
    /// Waits for transfers that use the memory.
    void close() {
        std::shared_ptr<HostImport> ended = std::move(mImport);
        if (!ended)
            return;
        const py::gil_scoped_release release;
        ended.reset();
    }
    bool imported() const { return mImport && mImport->imported(); }
    std::string reason() const { return mImport ? mImport->reason() : "it was closed"; }

private:
    Py_buffer mBuffer{};
    std::shared_ptr<HostImport> mImport;
};

} // namespace

py::object makePinnedArray(ManagerHandle& manager, py::handle shape, const py::object& dtype) {
    const py::dtype element = dtype.is_none() ? py::dtype::of<float>() : toDtype(dtype);
    dataTypeOf(element, "dtype");
    const std::vector<py::ssize_t> extents = toShape(shape);
    const auto bytes =
        static_cast<uint64_t>(countOf(extents)) * static_cast<uint64_t>(element.itemsize());
    if (bytes == 0)
        throw py::value_error("a zero-sized pinned array cannot be created");
    auto memory = std::make_unique<std::shared_ptr<PinnedBytes>>();
    {
        const Use use(manager);
        const py::gil_scoped_release release;
        *memory = manager.manager->pinnedArray<unsigned char>(bytes);
    }
    void* const data = (*memory)->data();
    const py::capsule owner(memory.get(), [](void* pointer) {
        delete static_cast<std::shared_ptr<PinnedBytes>*>(pointer);
    });
    (void)memory.release();
    return makeView(data, element, extents, owner);
}

py::object importArray(ManagerHandle& manager, py::handle array) {
    auto handle = std::make_unique<ImportHandle>(array);
    handle->importTo(manager);
    return py::cast(std::move(handle));
}

void bindHostMemory(py::module_& module) {
    py::class_<ImportHandle>(module, "HostImport",
                             "Memory of an array that the device was told of; see\n"
                             "Manager.import_host. Ends with close(), a `with` block, or itself.")
        .def_property_readonly("imported", &ImportHandle::imported,
                               "True where the device copies from and to the memory directly.")
        .def_property_readonly("reason", &ImportHandle::reason,
                               "Why it does not; empty where it does.")
        .def("close", &ImportHandle::close,
             "Lets go of the memory, after the transfers that use it. A second call does nothing.")
        .def("__enter__", [](const py::object& object) { return object; })
        .def("__exit__", [](ImportHandle& handle, const py::args&) { handle.close(); });
}

} // namespace kp::python
