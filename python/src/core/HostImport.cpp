// SPDX-License-Identifier: Apache-2.0
#include "core/Classes.hpp"

#include "base/Arrays.hpp"

namespace kp::python {
namespace {

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
        const py::gil_scoped_release release;
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

void bindHostMemory(py::module_& module, Classes& classes) {
    py::class_<ImportHandle> type(module, "HostImport", doc(R"(
        An import of an array's memory into a device; see Manager.import_host. Ends with close(), a
        `with` block, or its deletion.)"));
    type.def_property_readonly("imported", &ImportHandle::imported,
                               "True if the device copies from and to the memory directly.")
        .def_property_readonly("reason", &ImportHandle::reason,
                               "Why it does not; empty if it does.")
        .def("close", &ImportHandle::close,
             "Ends the import, after the transfers that use it. A second call does nothing.");
    bindContextManager(type, [](py::handle self) { py::cast<ImportHandle&>(self).close(); });

    classes.manager
        .def("pinned_array", &makePinnedArray, "shape"_a, "dtype"_a = py::none(), doc(R"(
                 An array in host memory that the device accesses directly: write() from it and
                 read() into it are one copy by the device. Elements are float32, or `dtype`, and
                 start undefined. It outlives the manager, and its memory cannot be swapped out.)"))
        .def("import_host", &importHost, "array"_a, doc(R"(
            Imports the memory of an array, so that write() from it and read() into it need no
            staging. Pays off for memory that is transferred several times. Do not resize the array
            meanwhile. If the device cannot import it, transfers go through staging as usual.)"));
}

} // namespace kp::python
