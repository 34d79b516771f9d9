// SPDX-License-Identifier: Apache-2.0
#include <pybind11/stl.h>

#include "Arrays.hpp"
#include "Errors.hpp"
#include "Groups.hpp"
#include "Module.hpp"

namespace kp::python {
namespace {

py::tuple toTuple(const std::vector<uint64_t>& extents) {
    py::tuple tuple(extents.size());
    for (size_t i = 0; i < extents.size(); ++i)
        tuple[i] = extents[i];
    return tuple;
}

std::vector<uint64_t> toExtents(py::handle shape) {
    std::vector<uint64_t> extents;
    if (PyIndex_Check(shape.ptr()))
        return {toCount(shape, "shape")};
    if (!PySequence_Check(shape.ptr()) || PyUnicode_Check(shape.ptr()))
        throw py::type_error(std::string("shape is a number or a sequence of numbers, not a ") +
                             Py_TYPE(shape.ptr())->tp_name);
    for (const py::handle extent : shape)
        extents.push_back(toCount(extent, "an entry of shape"));
    return extents;
}

BufferOptions toOptions(const std::string& placement, py::handle shardRows,
                        Memory::MemoryTypes memoryType) {
    BufferOptions options;
    options.memoryType = memoryType;
    bool known = false;
    for (const BufferPlacement one :
         {BufferPlacement::eReplicated, BufferPlacement::eReplicatedByQueue,
          BufferPlacement::eSharded})
        if (placement == nameOf(one)) {
            options.placement = one;
            known = true;
        }
    if (!known)
        throw InvalidArgument("placement is \"replicated\", \"replicated_by_queue\" or "
                              "\"sharded\", not \"" +
                              placement + "\"");
    if (!shardRows.is_none())
        for (const py::handle rows : shardRows)
            options.shardRows.push_back(toCount(rows, "an entry of shard_rows"));
    if (!shardRows.is_none() && options.placement != BufferPlacement::eSharded)
        throw InvalidArgument("shard_rows is for placement \"sharded\", not \"" + placement + "\"");
    return options;
}

/// A dtype-like, or the name of a vector or matrix of GLSL.
py::dtype toElement(const py::object& dtype) {
    return py::cast<py::dtype>(py::module_::import("kp._dtypes").attr("element")(dtype));
}

std::unique_ptr<BufferHandle> makeBuffer(const py::object& shape, const py::object& dtype,
                                         const py::object& group, const std::string& placement,
                                         const py::object& shardRows,
                                         Memory::MemoryTypes memoryType) {
    requireThisProcess();
    const std::vector<uint64_t> extents = toExtents(shape);
    auto handle = std::make_unique<BufferHandle>();
    handle->dtype = toElement(dtype);
    const ElementType type = elementTypeOf(handle->dtype);
    const BufferOptions options = toOptions(placement, shardRows, memoryType);
    handle->group = toGroup(group);
    handle->buffer = endWithoutGil(withoutGil(*handle->group, [&] {
        return std::make_shared<Buffer>(*handle->group->group, extents, type, options);
    }));
    return handle;
}

std::unique_ptr<BufferHandle> fromTensors(const py::object& shape, const py::object& dtype,
                                          const py::object& tensors, const py::object& group,
                                          const std::string& placement, const py::object& shardRows,
                                          bool writable) {
    requireThisProcess();
    const std::vector<uint64_t> extents = toExtents(shape);
    auto handle = std::make_unique<BufferHandle>();
    handle->dtype = toElement(dtype);
    const ElementType type = elementTypeOf(handle->dtype);
    const BufferOptions options = toOptions(placement, shardRows, BufferOptions().memoryType);
    handle->group = toGroup(group);
    std::vector<std::shared_ptr<Tensor>> copies;
    for (const py::handle tensor : tensors)
        copies.push_back(tensor.is_none()
                             ? nullptr
                             : std::dynamic_pointer_cast<Tensor>(
                                   handleOf<TensorHandle>(tensor, "an entry of tensors").memory));
    handle->buffer = endWithoutGil(withoutGil(*handle->group, [&] {
        return std::make_shared<Buffer>(*handle->group->group, extents, type, copies, options,
                                        writable);
    }));
    return handle;
}

BufferHandle& handle(py::handle self) {
    return handleOf<BufferHandle>(self);
}

uint32_t indexIn(const BufferHandle& buffer, const py::object& index) {
    return toIndexOf(index, buffer.group->group->queueCount(), "index");
}

std::unique_ptr<TensorHandle> tensorOf(py::handle self, const py::object& index) {
    const BufferHandle& buffer = handle(self);
    const uint32_t queue = indexIn(buffer, index);
    auto tensor = std::make_unique<TensorHandle>();
    tensor->memory = buffer.buffer->tensor(queue);
    tensor->manager = py::cast<std::shared_ptr<ManagerHandle>>(
        buffer.group->managers[buffer.group->group->deviceOfQueue(queue)]);
    tensor->dtype = numberTypeOf(buffer.dtype);
    for (const uint64_t extent : buffer.buffer->shard(queue).shape)
        tensor->shape.push_back(static_cast<py::ssize_t>(extent));
    const py::ssize_t numbers = buffer.dtype.itemsize() / tensor->dtype.itemsize();
    const py::object parts = buffer.dtype.attr("subdtype");
    if (!parts.is_none() && numberTypeOf(buffer.dtype).equal(buffer.dtype.attr("base")))
        for (const py::ssize_t extent : toShape(py::tuple(parts)[1]))
            tensor->shape.push_back(extent);
    else if (numbers > 1)
        tensor->shape.push_back(numbers);
    return tensor;
}

std::vector<Shard> shardsOf(py::handle self) {
    const BufferHandle& buffer = handle(self);
    std::vector<Shard> shards;
    for (uint32_t copy = 0; copy < buffer.buffer->copyCount(); ++copy)
        shards.push_back(buffer.buffer->shard(indexOfCopy(*buffer.group, *buffer.buffer, copy)));
    return shards;
}

void destroy(py::handle self) {
    BufferHandle& buffer = handle(self);
    requireUnused(buffer, "buffer");
    withoutGil(buffer, [&] { buffer.buffer->destroy(); });
}

std::string describe(py::handle self) {
    const BufferHandle& buffer = handle(self);
    if (!buffer.buffer->isInit())
        return "<kp.Buffer destroyed>";
    return "<kp.Buffer shape=" + py::cast<std::string>(py::repr(toTuple(buffer.buffer->shape()))) +
           " dtype=" + nameOf(buffer.dtype) + " " + nameOf(buffer.buffer->placement()) + " x" +
           std::to_string(buffer.buffer->copyCount()) +
           (buffer.buffer->writable() ? "" : " read-only") + ">";
}

void bindShard(py::module_& module) {
    py::class_<Shard>(module, "Shard", "The part of a buffer that one copy holds.")
        .def_readonly("index", &Shard::index, "Its place among the copies.")
        .def_readonly("count", &Shard::count, "Number of copies.")
        .def_readonly("offset", &Shard::offset, "Its first row in the whole buffer.")
        .def_property_readonly(
            "shape", [](const Shard& shard) { return toTuple(shard.shape); }, "Of this part.")
        .def_property_readonly(
            "whole_shape", [](const Shard& shard) { return toTuple(shard.wholeShape); },
            "Of the whole buffer.")
        .def_property_readonly("size", &Shard::size, "Elements of this part.")
        .def("__repr__", [](const Shard& shard) {
            return "<kp.Shard " + std::to_string(shard.index) + " of " +
                   std::to_string(shard.count) + " offset=" + std::to_string(shard.offset) +
                   " shape=" + py::cast<std::string>(py::repr(toTuple(shard.shape))) + ">";
        });
}

void bindAttributes(py::class_<BufferHandle>& type) {
    type.def_property_readonly(
            "shape", [](py::handle self) { return toTuple(handle(self).buffer->shape()); },
            "Extents of the whole buffer.")
        .def_property_readonly(
            "dtype", [](py::handle self) { return handle(self).dtype; },
            "What an element is; a sub-array where that is a vector or a matrix.")
        .def_property_readonly(
            "size", [](py::handle self) { return handle(self).buffer->size(); },
            "Elements of the whole buffer.")
        .def_property_readonly(
            "mem_size", [](py::handle self) { return handle(self).buffer->memSize(); },
            "Bytes of all elements, once.")
        .def_property_readonly(
            "placement", [](py::handle self) { return nameOf(handle(self).buffer->placement()); },
            "\"replicated\", \"replicated_by_queue\" or \"sharded\".")
        .def_property_readonly(
            "copy_count", [](py::handle self) { return handle(self).buffer->copyCount(); },
            "Number of copies, or of shards.")
        .def_property_readonly(
            "group", [](py::handle self) { return handle(self).group; }, "Its devices.")
        .def_property_readonly(
            "writable", [](py::handle self) { return handle(self).buffer->writable(); },
            "False where write(), collectives and kernels that would change it are refused.")
        .def_property_readonly("shards", &shardsOf, "What each copy holds.")
        .def(
            "shard",
            [](py::handle self, const py::object& index) {
                const BufferHandle& buffer = handle(self);
                return buffer.buffer->shard(indexIn(buffer, index));
            },
            py::arg("index"), "What the copy of a queue's device holds.")
        .def(
            "copy_of",
            [](py::handle self, const py::object& index) {
                const BufferHandle& buffer = handle(self);
                return buffer.buffer->copyOf(indexIn(buffer, index));
            },
            py::arg("index"), "Which copy the index of a queue means.")
        .def("tensor", &tensorOf, py::arg("index") = 0,
             "The memory of a copy: an ordinary Tensor of that device, of the numbers that the\n"
             "elements consist of (bytes, for structs).");
}

} // namespace

void bindGroupBuffer(py::module_& module) {
    bindShard(module);
    py::class_<BufferHandle> type(
        module, "Buffer",
        "An array of up to three dimensions on all devices of a group: a copy on each, or shared\n"
        "out among them by rows.\n\n"
        "An index is that of a queue of the group, and means the copy (or shard) that this\n"
        "queue's device has; with one queue for each device it is the device's number. What a\n"
        "buffer does comes after what was launched before on the queues of the copies it touches,\n"
        "and before what is launched there later. So a host function on such a queue must not "
        "call\n"
        "read() or write(), which would wait for its end; it uses tensor().");
    gType<BufferHandle> = reinterpret_cast<PyTypeObject*>(type.ptr());
    const auto storage = Memory::MemoryTypes::eStorage;
    type.def(
            py::init(&makeBuffer), py::arg("shape"), py::arg("dtype") = py::none(),
            py::arg("group") = py::none(), py::arg("placement") = "replicated",
            py::arg("shard_rows") = py::none(), py::kw_only(), py::arg("memory_type") = storage,
            "`shape` is a number or up to three, none of them 0, with at most 2**30 elements.\n"
            "`dtype` is one of NumPy's (float32 where it is not given; structs and sub-arrays,\n"
            "too) or the name of a vector or matrix of GLSL: \"vec3\", \"ivec2\", \"mat4\".\n"
            "Elements lie one after the other without padding. `group` is default_group() where\n"
            "it is not given.\n\n"
            "`placement` is \"replicated\" (a whole copy on each device), \"replicated_by_queue\"\n"
            "(one for each queue) or \"sharded\" (each device has some of the rows); `shard_rows`\n"
            "are the rows of each device then, as even as can be where they are not given.")
        .def_static(
            "from_tensors", &fromTensors, py::arg("shape"), py::arg("dtype"), py::arg("tensors"),
            py::arg("group") = py::none(), py::arg("placement") = "replicated",
            py::arg("shard_rows") = py::none(), py::arg("writable") = true,
            "A buffer around tensors that exist: one for each copy, of the group's devices\n"
            "in their order; None where a shard has no rows. `writable=False` refuses\n"
            "everything that would change them.");
    bindAttributes(type);
    bindBufferTransfers(type);
    bindCollectives(type);
    type.def(
            "is_init", [](py::handle self) { return handle(self).buffer->isInit(); },
            "False after destroy().")
        .def("destroy", &destroy,
             "Frees the memory on every device, after the work that uses it. A second call does\n"
             "nothing.")
        .def("__enter__", [](const py::object& object) { return object; })
        .def("__exit__", [](py::handle self, const py::args&) { destroy(self); })
        .def("__repr__", &describe);
}

} // namespace kp::python
