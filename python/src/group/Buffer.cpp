// SPDX-License-Identifier: Apache-2.0
#include "base/Arrays.hpp"
#include "base/Package.hpp"
#include "base/Waiting.hpp"
#include "group/BufferCollectives.hpp"
#include "group/BufferTransfers.hpp"

namespace kp::python {
namespace {

constexpr Named<BufferPlacement> kPlacements[] = {
    {"replicated", BufferPlacement::eReplicated},
    {"replicated_by_queue", BufferPlacement::eReplicatedByQueue},
    {"sharded", BufferPlacement::eSharded}};

std::vector<uint64_t> toExtents(py::handle shape) {
    std::vector<uint64_t> extents;
    for (const py::object& extent : toNumbers(shape, "shape"))
        extents.push_back(toCount(extent, "an entry of shape"));
    if (extents.empty())
        throw InvalidArgument("shape has 1, 2 or 3 numbers, but was given none; a buffer of one "
                              "element has the shape 1");
    return extents;
}

BufferOptions toOptions(const std::string& placement, py::handle shardRows,
                        const py::object& memoryType) {
    BufferOptions options;
    options.memoryType = toMemoryType(memoryType, "memory_type");
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
    return py::cast<py::dtype>(ofPackage("element")(dtype));
}

std::shared_ptr<Tensor> toCopy(py::handle tensor, const char* argument) {
    const auto& handle = handleOf<TensorHandle>(tensor, argument);
    requireElements(handle, argument);
    return handle.tensor();
}

/// Returns the tensors around which a buffer is made: one, or one for each copy.
/// @throws Unsupported for memory of CUDA; TypeError
std::vector<std::shared_ptr<Tensor>> toCopies(py::handle tensors) {
    if (py::hasattr(tensors, "cuda_ptr") || py::hasattr(tensors, "__cuda_array_interface__"))
        throw Unsupported(
            "external_buffer is memory of CUDA, which Vulkan cannot open; allocate it "
            "with kp.Manager.exportable_tensor() and open that in CUDA");
    if (isA<TensorHandle>(tensors))
        return {toCopy(tensors, "external_buffer")};
    if (isA<GroupHandle>(tensors))
        throw py::type_error("external_buffer is a tensor or a sequence of them, not a group; give "
                             "the group by name, group=...");
    if (PyUnicode_Check(tensors.ptr()) || !PySequence_Check(tensors.ptr()))
        throwTypeError("external_buffer", "a tensor or a sequence of them", tensors);
    std::vector<std::shared_ptr<Tensor>> copies;
    for (const py::handle tensor : tensors)
        copies.push_back(tensor.is_none() ? nullptr
                                          : toCopy(tensor, "an entry of external_buffer"));
    return copies;
}

std::unique_ptr<BufferHandle> makeBuffer(const py::object& shape, const py::object& varType,
                                         const py::object& external, const py::object& dtype,
                                         const py::object& group, const std::string& placement,
                                         const py::object& shardRows, const py::object& memoryType,
                                         bool writable) {
    const std::vector<uint64_t> extents = toExtents(shape);
    const BufferOptions options = toOptions(placement, shardRows, memoryType);
    if (!varType.is_none() && !dtype.is_none())
        throw py::type_error("var_type and dtype name the same thing; give one of them");
    auto handle = std::make_unique<BufferHandle>();
    handle->dtype = toElement(varType.is_none() ? dtype : varType);
    const ElementType type = elementTypeOf(handle->dtype);
    handle->external = !external.is_none();
    if (!writable && !handle->external)
        throw InvalidArgument("writable=False is for buffers around existing memory; give "
                              "external_buffer");
    std::vector<std::shared_ptr<Tensor>> copies;
    if (handle->external)
        copies = toCopies(external);
    handle->group = toGroup(group);
    const DeviceGroup& devices = *handle->group->group;
    handle->buffer = endWithoutGil(withoutGil(*handle->group, [&] {
        return handle->external
                   ? std::make_shared<Buffer>(devices, extents, type, copies, options, writable)
                   : std::make_shared<Buffer>(devices, extents, type, options);
    }));
    return handle;
}

std::unique_ptr<BufferHandle> fromTensors(const py::object& shape, const py::object& dtype,
                                          const py::object& tensors, const py::object& group,
                                          const std::string& placement, const py::object& shardRows,
                                          bool writable) {
    return makeBuffer(shape, dtype, tensors, py::none(), group, placement, shardRows,
                      py::cast(BufferOptions().memoryType), writable);
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

/// Returns the index of a copy's first queue, which is an index of this copy.
uint32_t indexOfCopy(const GroupHandle& group, const Buffer& buffer, uint32_t copy) {
    uint32_t index = 0;
    while (index + 1 < group.group->queueCount() && buffer.copyOf(index) != copy)
        ++index;
    return index;
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

py::tuple shaderShape(const Buffer& buffer) {
    std::array<uint64_t, 4> extents{1, 1, 1, buffer.size()};
    std::copy(buffer.shape().begin(), buffer.shape().end(), extents.begin());
    return toTuple(extents);
}

void bindAttributes(BufferClass& type) {
    Members(type, [](py::handle self) -> Buffer& { return *bufferOf(self).buffer; })
        .property(
            "shape", [](const Buffer& buffer) { return toTuple(buffer.shape()); },
            "Extents of the whole buffer.")
        .property(
            "dtype", [](py::handle self) { return bufferOf(self).dtype; },
            "The type of an element; a sub-array if that is a vector or a matrix.")
        .property(
            "var_type", [](py::handle self) { return bufferOf(self).dtype; }, "Same as dtype.")
        .property("size", &Buffer::size, "Elements of the whole buffer.")
        .property("mem_size", &Buffer::memSize, "Bytes of all elements, once.")
        .property("shader_shape", &shaderShape,
                  "The three extents, 1 for missing ones, and the number of elements.")
        .property(
            "placement",
            [](const Buffer& buffer) { return nameIn(kPlacements, buffer.placement()); },
            "\"replicated\", \"replicated_by_queue\" or \"sharded\".")
        .property("copy_count", &Buffer::copyCount, "Number of copies, or of shards.")
        .property(
            "group", [](py::handle self) { return bufferOf(self).group; }, "Its devices.")
        .property("writable", &Buffer::writable,
                  "False if write(), collectives and kernels must not change it.")
        .property("is_writable", &Buffer::writable, "Same as writable.")
        .property(
            "is_external", [](py::handle self) { return bufferOf(self).external; },
            "True if it was made around existing tensors.")
        .property(
            "owns_memory", [](py::handle self) { return !bufferOf(self).external; },
            "False if it was made around existing tensors.")
        .property("shards", &shardsOf, "The part that each copy holds.")
        .def(
            "shard",
            [](py::handle self, const py::object& index) {
                const BufferHandle& buffer = bufferOf(self);
                return buffer.buffer->shard(toQueueIndex(buffer, index));
            },
            "index"_a, "The part that the copy of a queue's device holds.")
        .def(
            "copy_of",
            [](py::handle self, const py::object& index) {
                const BufferHandle& buffer = bufferOf(self);
                return buffer.buffer->copyOf(toQueueIndex(buffer, index));
            },
            "index"_a, "Which copy belongs to the index of a queue.")
        .def("tensor", &tensorOf, "index"_a = 0, doc(R"(
            The memory of a copy: an ordinary Tensor of that device, of the numbers in the elements
            (bytes, for structs).)"))
        .method("is_init", &Buffer::isInit, "False after destroy().");
}

} // namespace

void bindBuffer(py::module_& module) {
    bindShard(module);
    BufferClass type(module, "Buffer", doc(R"(
        An array of up to three dimensions on all devices of a group: a copy on each, or distributed
        among them by rows.

        An index is the index of a queue of the group, and selects the copy (or shard) of this
        queue's device; with one queue for each device it is the device's index. An operation of a
        buffer comes after all earlier launches on the queues of the copies it accesses, and before
        all later ones. So a host function on such a queue must not call read() or write(), which
        would wait for its own end; it uses tensor().)"));
    setType<BufferHandle>(type);
    type.def(py::init(&makeBuffer), "shape"_a, "var_type"_a = py::none(),
             "external_buffer"_a = py::none(), py::kw_only(), "dtype"_a = py::none(),
             "group"_a = py::none(), "placement"_a = "replicated", "shard_rows"_a = py::none(),
             "memory_type"_a = Memory::MemoryTypes::eStorage, "writable"_a = true, doc(R"(
                 `shape` is a number or up to three, none of them 0, with at most 2**30 elements.
                 `var_type`, or `dtype`, is one of NumPy's (default: float32; structs and
                 sub-arrays, too), one of this module (kp.vec3), or the name of a vector or matrix
                 of GLSL: "vec3", "ivec2", "mat4". Elements are stored without padding. `group` is
                 default_group() by default.

                 `external_buffer` is existing memory: a tensor, or one for each copy, of the
                 group's devices in their order; None for a shard without rows. `writable=False`
                 refuses everything that would change it.

                 `placement` is "replicated" (a whole copy on each device), "replicated_by_queue"
                 (one for each queue) or "sharded" (each device has some of the rows); `shard_rows`
                 are the rows of each device then, by default as even as possible.)"))
        .def_static("from_tensors", &fromTensors, "shape"_a, "dtype"_a, "tensors"_a,
                    "group"_a = py::none(), "placement"_a = "replicated",
                    "shard_rows"_a = py::none(), "writable"_a = true, doc(R"(
                        A buffer with `tensors` as its `external_buffer`.)"));
    bindAttributes(type);
    bindTransfers(type);
    bindCollectives(type);
    type.def("destroy", &destroyBuffer, doc(R"(
            Frees the memory on every device, after the work that uses it. A second call does
            nothing.)"))
        .def("_destroy", &destroyBuffer, "Same as destroy().")
        .def_static(
            "__class_getitem__",
            [](const py::object& item) {
                const py::handle self(reinterpret_cast<PyObject*>(gType<BufferHandle>));
                return py::reinterpret_steal<py::object>(Py_GenericAlias(self.ptr(), item.ptr()));
            },
            "dtype"_a, "An annotation: kp.Buffer[kp.float32] is a buffer of this dtype.")
        .def("__repr__", &describeBuffer);
    bindContextManager(type, &destroyBuffer);
}

} // namespace kp::python
