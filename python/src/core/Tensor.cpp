// SPDX-License-Identifier: Apache-2.0
//
// Tensors: how Python's data becomes one, and what images do not have.
#include "core/Classes.hpp"

#include <utility>

#include "base/Arrays.hpp"
#include "base/Errors.hpp"

namespace kp::python {
namespace {

std::unique_ptr<TensorHandle> makeTensor(py::handle self, const py::object& data,
                                         Memory::MemoryTypes memoryType, const py::object& shape,
                                         const py::object& dtype, bool keepsDtype, bool cast) {
    const auto manager = sharedOf<ManagerHandle>(self);
    const Contents contents(data, shape, dtype, keepsDtype, cast);
    const uint64_t count = contents.count();
    void* const source = count == 0 ? nullptr : contents.data();
    const uint64_t bytes = contents.itemBytes();
    auto tensor =
        newMemory<TensorHandle>(manager, contents.dtype, contents.shape, [&](Manager& maker) {
            return maker.tensor(source, count == 0 ? 1 : count, bytes, contents.type, memoryType);
        });
    tensor->empty = count == 0;
    return tensor;
}

/// Creates a kp.Tensor(data), or creates it again.
void createTensor(py::handle self, py::handle manager, const py::object& data,
                  Memory::MemoryTypes memoryType) {
    TensorHandle& handle = *pointerOf<TensorHandle>(self.ptr());
    requireUnused(handle, "tensor");
    const auto made = makeTensor(manager, data, memoryType, py::none(), py::none(), false, false);
    if (handle.memory) {
        handle.memory->destroy();
        handle.replaced.push_back(std::move(handle.memory));
    }
    handle.manager = made->manager;
    handle.memory = made->memory;
    handle.dtype = made->dtype;
    handle.shape = made->shape;
    handle.empty = made->empty;
}

void bindTensorMaker(Classes& classes, const char* name, bool keepsDtype, const char* elements) {
    const char* const start = doc(R"(
        A tensor with the contents and shape of `data` (any array-like, NumPy array, DLPack or
        buffer object), or of `shape` with undefined contents. The first evaluation that uses the
        tensor finds the contents on the device. `memory_type` is a kp.MemoryTypes or its name.
        Numbers that an integer `dtype` cannot hold are errors, unless `cast` permits NumPy's
        conversion.)");
    classes.manager.def(
        name,
        [keepsDtype](py::handle self, const py::object& data, const py::object& memoryType,
                     const py::object& shape, const py::object& dtype, const py::object& tensorType,
                     bool cast) {
            return makeTensor(self, data, eitherType(memoryType, tensorType), shape, dtype,
                              keepsDtype, cast);
        },
        "data"_a = py::none(), "memory_type"_a = Memory::MemoryTypes::eDevice, py::kw_only(),
        "shape"_a = py::none(), "dtype"_a = py::none(), "tensor_type"_a = py::none(),
        "cast"_a = false, formatted("{}\n\n{}", start, elements).c_str());
}

} // namespace

void bindTensor(Classes& classes) {
    Members(classes.tensor,
            [](py::handle self) -> TensorHandle& { return handleOf<TensorHandle>(self); })
        .property(
            "_owner",
            [](const TensorHandle& handle) {
                return handle.owner ? handle.owner : py::object(py::none());
            },
            "The array whose memory this is; None for other tensors.");
    classes.tensor
        .def(py::init([](const py::object&, Memory::MemoryTypes) {
                 return std::make_unique<TensorHandle>();
             }),
             "data"_a, "tensor_type"_a = Memory::MemoryTypes::eDevice, doc(R"(
                 A float32 tensor that Manager.rebuild() creates: the old spelling; see
                 kp.compat.early. New programs call Manager.tensor().)"))
        .def("_create", &createTensor, "manager"_a, "data"_a, "memory_type"_a)
        .def_property_readonly(
            "device_address",
            [](py::handle self) { return handleOf<TensorHandle>(self).tensor()->deviceAddress(); },
            doc(R"(
                The buffer device address, for shaders with buffer references. Give the tensor to
                Manager.algorithm as `addressed` as well. Unsupported if the device has none.)"));

    bindTensorMaker(classes, "tensor", false, doc(R"(
        Elements are float32 regardless of `data`, as in Kompute, or `dtype`; tensor_t() has
        NumPy's rule. Integers that float32 rounds are errors, unless `dtype` or `cast` is given.
        `tensor_type` is Kompute 0.9.0's name of `memory_type`.)"));
    bindTensorMaker(classes, "tensor_t", true, doc(R"(
        Elements have the type that NumPy chooses for `data`, or `dtype` (float32 for a shape
        alone). `tensor_type` is Kompute 0.9.0's name of `memory_type`.)"));
}

} // namespace kp::python
