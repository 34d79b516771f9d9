// SPDX-License-Identifier: Apache-2.0
#include "core/Cuda.hpp"

#include <algorithm>

#include <kompute/Cuda.hpp>

#include "base/Arrays.hpp"
#include "base/Package.hpp"
#include "core/Dlpack.hpp"

namespace kp::python {
namespace {

/// Returns the number behind `handle`, `handle.value` and the like; empty if there is none.
std::optional<uint64_t> numberOf(py::handle value) {
    if (value.is_none())
        return 0; // a ctypes pointer that is null
    if (const std::optional<uint64_t> number = toWholeNumber(value))
        return number;
    if (py::hasattr(value, "value"))
        return numberOf(value.attr("value"));
    return std::nullopt;
}

/// Returns the raw handle of a stream object; empty if it is none.
std::optional<uint64_t> streamHandleOf(py::handle object) {
    for (const char* const member : {"cuda_stream", "ptr"}) // torch, CuPy
        if (py::hasattr(object, member))
            return numberOf(object.attr(member));
    if (py::hasattr(object, "__cuda_stream__")) { // (version, handle); once a method, then not
        py::object pair = object.attr("__cuda_stream__");
        if (PyCallable_Check(pair.ptr()))
            pair = pair();
        return numberOf(pair[py::int_(1)]);
    }
    if (py::hasattr(object, "handle") && py::hasattr(object, "synchronize")) // Numba
        return numberOf(object.attr("handle"));
    return std::nullopt;
}

std::unique_ptr<TensorHandle> sharedTensor(py::handle self, const py::object& shape,
                                           const py::object& dtype, const py::object& memoryType) {
    const Memory::MemoryTypes place = toMemoryType(memoryType, "memory_type");
    const auto manager = sharedOf<ManagerHandle>(self);
    const Elements elements(shape, dtype);
    const uint64_t count = elements.count();
    const uint64_t bytes = elements.itemBytes();
    auto tensor =
        newMemory<TensorHandle>(manager, elements.dtype, elements.shape, [&](Manager& maker) {
            return maker.sharedTensor(count, bytes, elements.type, place);
        });
    tensor->shared = true;
    return tensor;
}

Tensor& tensorIn(py::handle self) {
    return *handleOf<TensorHandle>(self).tensor();
}

/// A tensor at an address that CUDA knows, or None if its memory is not shared.
py::object tensorAtCuda(py::handle self, uint64_t address, py::ssize_t count,
                        const py::object& dtype, const py::object& owner) {
    const auto manager = sharedOf<ManagerHandle>(self);
    const Elements elements(py::make_tuple(count), dtype);
    const std::shared_ptr<Tensor> tensor = manager->manager->tensorAtCuda(
        address, elements.count(), elements.itemBytes(), elements.type, hold(owner));
    if (!tensor)
        return py::none();
    auto handle = newMemory<TensorHandle>(manager, elements.dtype, elements.shape,
                                          [&](Manager&) { return tensor; });
    handle->shared = true;
    return py::cast(std::move(handle));
}

void copyFromCuda(py::handle self, py::handle tensor, uint64_t address, const py::object& owner) {
    handleOf<ManagerHandle>(self).manager->copyFromCuda(
        handleOf<TensorHandle>(tensor, "tensor").tensor(), address, hold(owner));
}

} // namespace

bool isStream(py::handle object) {
    return streamHandleOf(object).has_value();
}

void* toStream(py::handle object, const char* argument) {
    std::optional<uint64_t> handle = toWholeNumber(object);
    if (!handle)
        handle = streamHandleOf(object);
    if (!handle)
        throwTypeError(argument,
                       "a CUDA stream (torch's, CuPy's, Numba's, an object with __cuda_stream__, "
                       "or its handle as a number)",
                       object);
    return reinterpret_cast<void*>(static_cast<uintptr_t>(*handle));
}

void bindCuda(py::module_& module, Classes& classes) {
    const auto storage = Memory::MemoryTypes::eStorage;
    classes.manager
        .def("shared_tensor", &sharedTensor, "shape"_a, "dtype"_a = py::none(), py::kw_only(),
             "memory_type"_a = storage, doc(R"(
                 A tensor in memory that CUDA allocates and Vulkan imports: kernels of both use it in
                 place. torch.from_dlpack() and cupy.asarray() see the same address. Elements are
                 float32, or `dtype`, and start undefined. For NVIDIA GPUs under Linux; Unsupported
                 elsewhere, with the reason. See docs/guides/interop.md.)"))
        .def(
            "cuda_event",
            [](py::handle self, const py::object& stream) {
                return handleOf<ManagerHandle>(self).manager->cudaEvent(toStream(stream, "stream"));
            },
            "stream"_a = 0, doc(R"(
                An event that is done when all work is done that a CUDA stream has now. Never
                waits.)"))
        .def_property_readonly(
            "cuda_stream",
            [](py::handle self) {
                return reinterpret_cast<uintptr_t>(
                    handleOf<ManagerHandle>(self).manager->cudaStream());
            },
            "The handle of a CUDA stream that belongs to the library.")
        .def_property_readonly(
            "cuda_device",
            [](py::handle self) { return handleOf<ManagerHandle>(self).manager->cudaDevice(); },
            "CUDA's number of the GPU. Unsupported if CUDA has no such GPU, with the reason.")
        .def(
            "from_dlpack",
            [](const py::object& self, const py::object& x, const py::object& copy) {
                return ofPackage("tensor_from")(x, self, copy);
            },
            "x"_a, "copy"_a = py::none(), doc(R"(
                A tensor with the memory of another library's array, in place if that is possible:
                shared tensors, and memory that torch allocated in kp.torch_pool(). Other arrays of
                CUDA are copied on the device, and host arrays to it. With copy=False, a writable
                host array in C order is used in place, too, and anything else is a BufferError.
                Later work that uses the tensor waits for the array library's queued work.)"))
        .def("_tensor_at_cuda", &tensorAtCuda, "address"_a, "count"_a, "dtype"_a, "owner"_a,
             "A tensor at an address in shared memory; None if it is in no such memory.")
        .def("_copy_from_cuda", &copyFromCuda, "tensor"_a, "address"_a, "owner"_a,
             "Copies CUDA memory to a shared tensor, on the device.");
    classes.event.def(
        "cuda_wait",
        [](py::handle self, const py::object& stream) {
            letCudaWait(toStream(stream, "stream"), handleOf<Event>(self));
        },
        "stream"_a, doc(R"(
            Lets later work of a CUDA stream wait for this event. Never waits on the host. For work
            that is submitted: InvalidArgument if it waits for the host.)"));
    classes.tensor
        .def_property_readonly(
            "is_shared",
            [](py::handle self) {
                const auto& handle = handleOf<TensorHandle>(self);
                return handle.shared && handle.memory->isInit();
            },
            "Whether CUDA can use the memory in place.")
        .def_property_readonly(
            "__cuda_array_interface__",
            [](const py::object& self) { return ofPackage("array_interface")(self); },
            "The protocol of CuPy, Numba and others, for shared tensors.")
        .def_property_readonly(
            "cuda_address", [](py::handle self) { return tensorIn(self).cudaMemory().address; },
            "Where CUDA finds a shared tensor. InvalidArgument for other tensors.")
        .def(
            "cuda_wait",
            [](py::handle self, const py::object& stream) {
                tensorIn(self).letCudaWait(toStream(stream, "stream"));
            },
            "stream"_a, doc(R"(
                Lets later work of a CUDA stream wait for all submitted work that uses this shared
                tensor. Never waits on the host.)"))
        .def(
            "wait_for_cuda",
            [](py::handle self, const py::object& stream) {
                tensorIn(self).waitForCuda(toStream(stream, "stream"));
            },
            "stream"_a = 0, doc(R"(
                Lets all later work that uses this shared tensor wait for the work that a CUDA
                stream has now. Never waits on the host.)"))
        .def(
            "_set_shape",
            [](py::handle self, std::vector<py::ssize_t> shape) {
                auto& handle = handleOf<TensorHandle>(self);
                if (static_cast<uint64_t>(countOf(shape)) != handle.size())
                    throw py::value_error("the shape has another number of elements");
                handle.shape = std::move(shape);
            },
            "shape"_a, "Changes the shape of a tensor that has no other owner yet.")
        .def("_cuda_dlpack", &cudaDlpack, "shape"_a, "strides"_a, "offset"_a, "versioned"_a,
             "copied"_a = false,
             "A capsule of a view of a shared tensor; offset and strides count elements.");
    module.def("_read_dlpack", &readDlpack, "capsule"_a,
               "(address, device, dtype code, bits, shape, strides or None, read-only)");
    module.def(
        "_enable_cuda_pool",
        [](py::handle manager) {
            return enableCudaPool(*handleOf<ManagerHandle>(manager, "manager").manager);
        },
        "manager"_a, "Lets kp_cuda_allocate() serve the manager's GPU; returns CUDA's number.");
}

} // namespace kp::python

// The functions that torch.cuda.CUDAPluggableAllocator looks up in this library.
#if defined(__GNUC__)
#define KP_EXPORTED __attribute__((visibility("default")))
#else
#define KP_EXPORTED
#endif
extern "C" {
KP_EXPORTED void* kp_cuda_allocate(std::ptrdiff_t bytes, int device, void*) {
    return kp::cudaPoolAllocate(static_cast<uint64_t>(bytes), device);
}
KP_EXPORTED void kp_cuda_free(void* memory, std::ptrdiff_t, int, void*) {
    kp::cudaPoolFree(memory);
}
}
