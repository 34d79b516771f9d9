// SPDX-License-Identifier: Apache-2.0
#include "core/Classes.hpp"

#include "base/Arrays.hpp"
#include "core/Memory.hpp"

namespace kp::python {
namespace {

std::unique_ptr<TensorHandle> makeTensor(py::handle self, const py::object& data,
                                         Memory::MemoryTypes memoryType, const py::object& shape,
                                         const py::object& dtype, bool keepsDtype) {
    const auto manager = sharedOf<ManagerHandle>(self);
    const Contents contents(data, shape, dtype, keepsDtype);
    auto handle = newMemory<TensorHandle>(manager, contents.dtype, contents.shape);
    const uint64_t count = contents.count();
    const uint64_t item = contents.itemBytes();
    void* const source = contents.data();
    handle->memory = withoutGil(*manager, [&] {
        return manager->manager->tensor(source, count, item, contents.type, memoryType);
    });
    return handle;
}

/// @param elements  the end of the documentation
void bindTensorMaker(Classes& classes, const char* name, bool keepsDtype, const char* elements) {
    const char* const start = doc(R"(
        A tensor with the contents and shape of `data` (any array-like, NumPy array, DLPack or
        buffer object), or of `shape` with undefined contents. OpSyncDevice or write() copies the
        contents to the device.)");
    classes.manager.def(
        name,
        [keepsDtype](py::handle self, const py::object& data, Memory::MemoryTypes memoryType,
                     const py::object& shape, const py::object& dtype,
                     std::optional<Memory::MemoryTypes> tensorType) {
            return makeTensor(self, data, tensorType.value_or(memoryType), shape, dtype,
                              keepsDtype);
        },
        "data"_a = py::none(), "memory_type"_a = Memory::MemoryTypes::eDevice, py::kw_only(),
        "shape"_a = py::none(), "dtype"_a = py::none(), "tensor_type"_a = py::none(),
        formatted("{}\n\n{}", start, elements).c_str());
}

} // namespace

void bindTensor(Classes& classes) {
    bindTensorMaker(classes, "tensor", false, doc(R"(
        Elements are float32, or `dtype`. `tensor_type` is Kompute 0.9.0's name of `memory_type`.
    )"));
    bindTensorMaker(classes, "tensor_t", true, doc(R"(
        Elements are those of `data`, or `dtype` (float32 for a shape alone). `tensor_type` is
        Kompute 0.9.0's name of `memory_type`.)"));
}

} // namespace kp::python
