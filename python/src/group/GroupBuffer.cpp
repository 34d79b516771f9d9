// SPDX-License-Identifier: Apache-2.0
#include "group/GroupBuffer.hpp"

#include "base/Arrays.hpp"
#include "group/BufferCollectives.hpp"
#include "group/BufferTransfers.hpp"

namespace kp::python {
namespace {

std::vector<uint64_t> toExtents(py::handle shape) {
    std::vector<uint64_t> extents;
    if (PyIndex_Check(shape.ptr()))
        return {toCount(shape, "shape")};
    if (!PySequence_Check(shape.ptr()) || PyUnicode_Check(shape.ptr()))
        throwTypeError("shape", "a number or a sequence of numbers", shape);
    for (const py::handle extent : shape)
        extents.push_back(toCount(extent, "an entry of shape"));
    return extents;
}

BufferOptions toOptions(const std::string& placement, py::handle shardRows,
                        Memory::MemoryTypes memoryType) {
    BufferOptions options;
    options.memoryType = memoryType;
    options.placement = valueNamed(kPlacements, placement, "placement");
    if (shardRows.is_none())
        return options;
    for (const py::handle rows : shardRows)
        options.shardRows.push_back(toCount(rows, "an entry of shard_rows"));
    if (options.placement != BufferPlacement::eSharded)
        throw InvalidArgument(
            formatted("shard_rows is for placement \"sharded\", not \"{}\"", placement));
    return options;
}

/// Returns the dtype of a dtype-like, or of the name of a vector or matrix of GLSL.
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
                             : handleOf<TensorHandle>(tensor, "an entry of tensors").tensor());
    handle->buffer = endWithoutGil(withoutGil(*handle->group, [&] {
        return std::make_shared<Buffer>(*handle->group->group, extents, type, copies, options,
                                        writable);
    }));
    return handle;
}

BufferHandle& bufferOf(py::handle self) {
    return handleOf<BufferHandle>(self);
}

std::unique_ptr<TensorHandle> tensorOf(py::handle self, const py::object& index) {
    const BufferHandle& buffer = bufferOf(self);
    const uint32_t queue = toQueueIndex(buffer, index);
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
    const BufferHandle& buffer = bufferOf(self);
    std::vector<Shard> shards;
    for (uint32_t copy = 0; copy < buffer.buffer->copyCount(); ++copy)
        shards.push_back(buffer.buffer->shard(indexOfCopy(*buffer.group, *buffer.buffer, copy)));
    return shards;
}

void destroyBuffer(py::handle self) {
    BufferHandle& buffer = bufferOf(self);
    requireUnused(buffer, "buffer");
    withoutGil(buffer, [&] { buffer.buffer->destroy(); });
}

std::string describeBuffer(py::handle self) {
    const BufferHandle& handle = bufferOf(self);
    const Buffer& buffer = *handle.buffer;
    if (!buffer.isInit())
        return "<kp.Buffer destroyed>";
    return formatted("<kp.Buffer shape={} dtype={} {} x{}{}>", reprOf(toTuple(buffer.shape())),
                     nameOf(handle.dtype), nameIn(kPlacements, buffer.placement()),
                     buffer.copyCount(), buffer.writable() ? "" : " read-only");
}

void bindShard(py::module_& module) {
    py::class_<Shard>(module, "Shard", "The part of a buffer that one copy holds.")
        .def_readonly("index", &Shard::index, "Its index among the copies.")
        .def_readonly("count", &Shard::count, "Number of copies.")
        .def_readonly("offset", &Shard::offset, "Its first row in the whole buffer.")
        .def_property_readonly(
            "shape", [](const Shard& shard) { return toTuple(shard.shape); },
            "Extents of this part.")
        .def_property_readonly(
            "whole_shape", [](const Shard& shard) { return toTuple(shard.wholeShape); },
            "Extents of the whole buffer.")
        .def_property_readonly("size", &Shard::size, "Elements of this part.")
        .def("__repr__", [](const Shard& shard) {
            return formatted("<kp.Shard {} of {} offset={} shape={}>", shard.index, shard.count,
                             shard.offset, reprOf(toTuple(shard.shape)));
        });
}

void bindAttributes(BufferClass& type) {
    const auto self = [](py::handle object) -> Buffer& { return *bufferOf(object).buffer; };
    type.def_property_readonly(
            "shape", [self](py::handle o) { return toTuple(self(o).shape()); },
            "Extents of the whole buffer.")
        .def_property_readonly(
            "dtype", [](py::handle o) { return bufferOf(o).dtype; },
            "The type of an element; a sub-array if that is a vector or a matrix.")
        .def_property_readonly(
            "size", [self](py::handle o) { return self(o).size(); },
            "Elements of the whole buffer.")
        .def_property_readonly(
            "mem_size", [self](py::handle o) { return self(o).memSize(); },
            "Bytes of all elements, once.")
        .def_property_readonly(
            "placement", [self](py::handle o) { return nameIn(kPlacements, self(o).placement()); },
            "\"replicated\", \"replicated_by_queue\" or \"sharded\".")
        .def_property_readonly(
            "copy_count", [self](py::handle o) { return self(o).copyCount(); },
            "Number of copies, or of shards.")
        .def_property_readonly(
            "group", [](py::handle o) { return bufferOf(o).group; }, "Its devices.")
        .def_property_readonly(
            "writable", [self](py::handle o) { return self(o).writable(); },
            "False if write(), collectives and kernels must not change it.")
        .def_property_readonly("shards", &shardsOf, "The part that each copy holds.")
        .def(
            "shard",
            [](py::handle o, const py::object& index) {
                return bufferOf(o).buffer->shard(toQueueIndex(bufferOf(o), index));
            },
            py::arg("index"), "The part that the copy of a queue's device holds.")
        .def(
            "copy_of",
            [](py::handle o, const py::object& index) {
                return bufferOf(o).buffer->copyOf(toQueueIndex(bufferOf(o), index));
            },
            py::arg("index"), "Which copy belongs to the index of a queue.")
        .def("tensor", &tensorOf, py::arg("index") = 0, doc(R"(
            The memory of a copy: an ordinary Tensor of that device, of the numbers in the elements
            (bytes, for structs).
        )"))
        .def(
            "is_init", [self](py::handle o) { return self(o).isInit(); }, "False after destroy().");
}

} // namespace

void bindGroupBuffer(py::module_& module) {
    bindShard(module);
    BufferClass type(module, "Buffer", doc(R"(
        An array of up to three dimensions on all devices of a group: a copy on each, or distributed
        among them by rows.

        An index is that of a queue of the group, and selects the copy (or shard) of this queue's
        device; with one queue for each device it is the device's index. An operation of a buffer
        comes after all earlier launches on the queues of the copies it accesses, and before all
        later ones. So a host function on such a queue must not call read() or write(), which would
        wait for its own end; it uses tensor().
    )"));
    setType<BufferHandle>(type);
    type.def(py::init(&makeBuffer), py::arg("shape"), py::arg("dtype") = py::none(),
             py::arg("group") = py::none(), py::arg("placement") = "replicated",
             py::arg("shard_rows") = py::none(), py::kw_only(),
             py::arg("memory_type") = Memory::MemoryTypes::eStorage, doc(R"(
                 `shape` is a number or up to three, none of them 0, with at most 2**30 elements.
                 `dtype` is one of NumPy's (default: float32; structs and sub-arrays, too) or the
                 name of a vector or matrix of GLSL: "vec3", "ivec2", "mat4". Elements are stored
                 without padding. `group` is default_group() by default.

                 `placement` is "replicated" (a whole copy on each device), "replicated_by_queue"
                 (one for each queue) or "sharded" (each device has some of the rows); `shard_rows`
                 are the rows of each device then, by default as even as possible.
             )"))
        .def_static("from_tensors", &fromTensors, py::arg("shape"), py::arg("dtype"),
                    py::arg("tensors"), py::arg("group") = py::none(),
                    py::arg("placement") = "replicated", py::arg("shard_rows") = py::none(),
                    py::arg("writable") = true, doc(R"(
                        A buffer around existing tensors: one for each copy, of the group's devices
                        in their order; None for a shard without rows. `writable=False` refuses
                        everything that would change them.
                    )"));
    bindAttributes(type);
    bindBufferTransfers(type);
    bindBufferCollectives(type);
    type.def("destroy", &destroyBuffer, doc(R"(
            Frees the memory on every device, after the work that uses it. A second call does
            nothing.
        )"))
        .def("__repr__", &describeBuffer);
    bindContextManager(type, &destroyBuffer);
}

} // namespace kp::python
