// SPDX-License-Identifier: Apache-2.0
#include "core/Tensor.hpp"

#include <optional>

#include "base/Arrays.hpp"

namespace kp::python {
namespace {

std::unique_ptr<TensorHandle> makeTensor(py::handle self, const py::object& data,
                                         Memory::MemoryTypes memoryType, const py::object& shape,
                                         const py::object& dtype, bool keepsDtype) {
    const auto manager = sharedOf<ManagerHandle>(self);
    const Contents contents(data, shape, dtype, keepsDtype);
    auto handle = std::make_unique<TensorHandle>();
    handle->manager = manager;
    handle->dtype = contents.dtype;
    handle->shape = contents.shape;
    const uint64_t count = contents.count();
    const auto item = static_cast<uint64_t>(contents.dtype.itemsize());
    void* const source = contents.data();
    const Use use(*manager);
    {
        const py::gil_scoped_release release;
        handle->memory = manager->manager->tensor(source, count, item, contents.type, memoryType);
    }
    return handle;
}

void bindTensorMaker(Classes& classes, const char* name, bool keepsDtype,
                     const char* documentation) {
    classes.manager.def(
        name,
        [keepsDtype](py::handle self, const py::object& data, Memory::MemoryTypes memoryType,
                     const py::object& shape, const py::object& dtype,
                     std::optional<Memory::MemoryTypes> tensorType) {
            return makeTensor(self, data, tensorType.value_or(memoryType), shape, dtype,
                              keepsDtype);
        },
        py::arg("data") = py::none(), py::arg("memory_type") = Memory::MemoryTypes::eDevice,
        py::kw_only(), py::arg("shape") = py::none(), py::arg("dtype") = py::none(),
        py::arg("tensor_type") = py::none(), documentation);
}

} // namespace

void bindTensor(Classes& classes) {
    bindTensorMaker(classes, "tensor", false, doc(R"(
        A tensor with the contents and shape of `data` (any array-like, NumPy array, DLPack or
        buffer object), or of `shape` with undefined contents. OpSyncDevice or write() copies the
        contents to the device.

        Elements are float32, or `dtype`. `tensor_type` is Kompute 0.9.0's name of `memory_type`.
    )"));
    bindTensorMaker(classes, "tensor_t", true, doc(R"(
        A tensor with the contents and shape of `data` (any array-like, NumPy array, DLPack or
        buffer object), or of `shape` with undefined contents. OpSyncDevice or write() copies the
        contents to the device.

        Elements are those of `data`, or `dtype` (float32 for a shape alone). `tensor_type` is
        Kompute 0.9.0's name of `memory_type`.
    )"));
}

} // namespace kp::python
