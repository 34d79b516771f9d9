// SPDX-License-Identifier: Apache-2.0
#include "core/Dlpack.hpp"

#include <cstring>

#include <kompute/Cuda.hpp>

namespace kp::python {
namespace {

// The ABI of DLPack (dlpack.h of version 1.0, and the structs without versions before it).

struct DlDevice {
    int32_t type;
    int32_t id;
};
struct DlDataType {
    uint8_t code;
    uint8_t bits;
    uint16_t lanes;
};
struct DlTensor {
    void* data;
    DlDevice device;
    int32_t ndim;
    DlDataType dtype;
    int64_t* shape;
    int64_t* strides;
    uint64_t byteOffset;
};
struct DlManaged {
    DlTensor tensor;
    void* context;
    void (*deleter)(DlManaged*);
};
struct DlVersioned {
    uint32_t major;
    uint32_t minor;
    void* context;
    void (*deleter)(DlVersioned*);
    uint64_t flags;
    DlTensor tensor;
};

constexpr int32_t kDlCuda = 2;
constexpr uint64_t kDlReadOnly = 1;
constexpr uint64_t kDlCopied = 2;
constexpr const char* kPlainName = "dltensor";
constexpr const char* kVersionedName = "dltensor_versioned";

[[noreturn]] void throwBufferError(const std::string& text) {
    PyErr_SetString(PyExc_BufferError, text.c_str());
    throw py::error_already_set();
}

DlDataType dlTypeOf(const TensorHandle& handle) {
    const auto bits = static_cast<uint8_t>(8 * handle.dtype.itemsize());
    if (handle.memory->dataType() == Memory::DataTypes::eBFloat16)
        return {4, bits, 1};
    switch (handle.dtype.kind()) {
    case 'i':
        return {0, bits, 1};
    case 'u':
        return {1, bits, 1};
    case 'f':
        return {2, bits, 1};
    case 'c':
        return {5, bits, 1};
    case 'b':
        return {6, bits, 1};
    default:
        throwBufferError(formatted("DLPack has no dtype {}; use numbers",
                                   py::cast<std::string>(py::str(handle.dtype))));
    }
}

/// The contents of a capsule.
template <typename Managed>
struct Exported {
    CudaMemory memory;
    std::vector<int64_t> shape;
    std::vector<int64_t> strides;
    Managed managed{};

    /// Called by consumers in any thread, without the GIL.
    static void release(Managed* managed) { delete static_cast<Exported*>(managed->context); }
};

template <typename Managed>
py::capsule capsuleOf(const TensorHandle& handle, const std::vector<int64_t>& shape,
                      const std::vector<int64_t>& strides, uint64_t offset, bool copied,
                      const char* name) {
    auto exported = std::make_unique<Exported<Managed>>();
    exported->memory = handle.tensor()->cudaMemory();
    exported->shape = shape;
    exported->strides = strides;
    Managed& managed = exported->managed;
    if constexpr (std::is_same_v<Managed, DlVersioned>) {
        managed.major = 1;
        managed.flags = copied ? kDlCopied : 0;
    }
    managed.context = exported.get();
    managed.deleter = &Exported<Managed>::release;
    const uint64_t itemBytes = static_cast<uint64_t>(handle.dtype.itemsize());
    managed.tensor = {reinterpret_cast<void*>(exported->memory.address + offset * itemBytes),
                      {kDlCuda, exported->memory.device},
                      static_cast<int32_t>(shape.size()),
                      dlTypeOf(handle),
                      exported->shape.data(),
                      exported->strides.data(),
                      0};
    PyObject* const capsule = PyCapsule_New(&managed, name, [](PyObject* object) {
        // A consumer renames the capsule, and calls the deleter itself.
        for (const char* const own : {kPlainName, kVersionedName})
            if (PyCapsule_IsValid(object, own)) {
                auto* const unused = static_cast<Managed*>(PyCapsule_GetPointer(object, own));
                unused->deleter(unused);
            }
    });
    if (!capsule)
        throw py::error_already_set();
    (void)exported.release();
    return py::reinterpret_steal<py::capsule>(capsule);
}

py::tuple described(const DlTensor& tensor, uint64_t flags) {
    if (tensor.dtype.lanes != 1)
        throwBufferError(formatted("the array has vectors of {} numbers as elements; give it an "
                                   "axis for them",
                                   uint32_t{tensor.dtype.lanes}));
    py::list shape;
    py::list strides;
    for (int32_t i = 0; i < tensor.ndim; ++i) {
        shape.append(tensor.shape[i]);
        if (tensor.strides)
            strides.append(tensor.strides[i]);
    }
    return py::make_tuple(
        reinterpret_cast<uintptr_t>(tensor.data) + tensor.byteOffset,
        py::make_tuple(tensor.device.type, tensor.device.id), uint32_t{tensor.dtype.code},
        uint32_t{tensor.dtype.bits}, py::tuple(shape),
        tensor.strides ? py::object(py::tuple(strides)) : py::none(), (flags & kDlReadOnly) != 0);
}

} // namespace

py::capsule cudaDlpack(py::handle tensor, const std::vector<int64_t>& shape,
                       const std::vector<int64_t>& strides, uint64_t offset, bool versioned,
                       bool copied) {
    const auto& handle = handleOf<TensorHandle>(tensor);
    return versioned
               ? capsuleOf<DlVersioned>(handle, shape, strides, offset, copied, kVersionedName)
               : capsuleOf<DlManaged>(handle, shape, strides, offset, copied, kPlainName);
}

py::tuple readDlpack(const py::capsule& capsule) {
    if (PyCapsule_IsValid(capsule.ptr(), kVersionedName)) {
        const auto& managed =
            *static_cast<DlVersioned*>(PyCapsule_GetPointer(capsule.ptr(), kVersionedName));
        if (managed.major != 1)
            throwBufferError(formatted("the array speaks DLPack {}.{}, but version 1 is known; "
                                       "update kp, or ask its library for max_version=(1, 0)",
                                       managed.major, managed.minor));
        return described(managed.tensor, managed.flags);
    }
    if (PyCapsule_IsValid(capsule.ptr(), kPlainName))
        return described(
            static_cast<DlManaged*>(PyCapsule_GetPointer(capsule.ptr(), kPlainName))->tensor, 0);
    throwBufferError("this is not a DLPack capsule, or it was consumed before");
}

} // namespace kp::python
