// SPDX-License-Identifier: Apache-2.0
#include "group/BufferTransfers.hpp"

#include "base/Arrays.hpp"
#include "core/Event.hpp"
#include "core/Memory.hpp"

namespace kp::python {
namespace {

constexpr Named<BufferPlacement> kPlacements[] = {
    {"replicated", BufferPlacement::eReplicated},
    {"replicated_by_queue", BufferPlacement::eReplicatedByQueue},
    {"sharded", BufferPlacement::eSharded}};

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

/// Creates a kp.Buffer. @param make  creates the buffer, without the GIL
template <typename Make>
std::unique_ptr<BufferHandle> newBuffer(const py::object& dtype, const py::object& group,
                                        Make&& make) {
    requireThisProcess();
    auto handle = std::make_unique<BufferHandle>();
    handle->dtype = toElement(dtype);
    const ElementType type = elementTypeOf(handle->dtype);
    handle->group = toGroup(group);
    DeviceGroup& devices = *handle->group->group;
    handle->buffer = endWithoutGil(withoutGil(*handle->group, [&] { return make(devices, type); }));
    return handle;
}

std::unique_ptr<BufferHandle> makeBuffer(const py::object& shape, const py::object& dtype,
                                         const py::object& group, const std::string& placement,
                                         const py::object& shardRows,
                                         Memory::MemoryTypes memoryType) {
    const std::vector<uint64_t> extents = toExtents(shape);
    const BufferOptions options = toOptions(placement, shardRows, memoryType);
    return newBuffer(dtype, group, [&](DeviceGroup& devices, const ElementType& type) {
        return std::make_shared<Buffer>(devices, extents, type, options);
    });
}

std::unique_ptr<BufferHandle> fromTensors(const py::object& shape, const py::object& dtype,
                                          const py::object& tensors, const py::object& group,
                                          const std::string& placement, const py::object& shardRows,
                                          bool writable) {
    const std::vector<uint64_t> extents = toExtents(shape);
    const BufferOptions options = toOptions(placement, shardRows, BufferOptions().memoryType);
    std::vector<std::shared_ptr<Tensor>> copies;
    for (const py::handle tensor : tensors)
        copies.push_back(tensor.is_none()
                             ? nullptr
                             : handleOf<TensorHandle>(tensor, "an entry of tensors").tensor());
    return newBuffer(dtype, group, [&](DeviceGroup& devices, const ElementType& type) {
        return std::make_shared<Buffer>(devices, extents, type, copies, options, writable);
    });
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

constexpr Named<ReduceOperation> kOperations[] = {{"sum", ReduceOperation::eSum},
                                                  {"product", ReduceOperation::eProduct},
                                                  {"min", ReduceOperation::eMinimum},
                                                  {"max", ReduceOperation::eMaximum}};

ReduceOperation toReduce(const std::string& name) {
    return valueNamed(kOperations, name, "op");
}

/// Returns the bytes of a number of rows.
uint64_t bytesOfRows(const BufferHandle& buffer, py::handle rows, const char* argument) {
    const std::vector<uint64_t>& shape = buffer.buffer->shape();
    const uint64_t bytes =
        shape.empty() ? buffer.buffer->memSize() : buffer.buffer->memSize() / shape[0];
    const uint64_t count = toCount(rows, argument);
    uint64_t total = 0;
    if (__builtin_mul_overflow(count, bytes, &total))
        throw InvalidArgument(
            formatted("{} of {} rows is more than any buffer has", argument, count));
    return total;
}

Event copyRows(py::handle self, const py::object& source, const py::object& destination,
               const py::object& sourceStart, const py::object& destinationStart,
               const py::object& rows, const py::object& waitFor) {
    BufferHandle& buffer = bufferOf(self);
    const uint32_t from = toQueueIndex(buffer, source, "source");
    const uint32_t to = toQueueIndex(buffer, destination, "destination");
    const uint64_t fromByte = bytesOfRows(buffer, sourceStart, "source_start");
    const uint64_t toByte = bytesOfRows(buffer, destinationStart, "destination_start");
    std::optional<uint64_t> bytes;
    if (!rows.is_none())
        bytes = bytesOfRows(buffer, rows, "rows");
    const std::vector<Event> waits = toEvents(waitFor);
    return withoutGil(
        buffer, [&] { return buffer.buffer->copy(from, to, fromByte, toByte, bytes, waits); });
}

uint32_t toRoot(py::handle self, const py::object& root) {
    return toQueueIndex(bufferOf(self), root, "root");
}

/// Runs a collective of a buffer.
template <typename Member, typename... Args>
std::vector<Event> run(py::handle self, Member member, const py::object& waitFor, Args... args) {
    BufferHandle& buffer = bufferOf(self);
    const std::vector<Event> waits = toEvents(waitFor);
    return withoutGil(buffer, [&] { return std::invoke(member, *buffer.buffer, args..., waits); });
}

/// Same for one that changes another buffer.
template <typename Member, typename... Args>
std::vector<Event> runInto(py::handle self, Member member, const py::object& destination,
                           const py::object& waitFor, Args... args) {
    BufferHandle& target = handleOf<BufferHandle>(destination, "destination");
    const Use use(target);
    return run(self, member, waitFor, std::ref(*target.buffer), args...);
}

void bindCollectives(BufferClass& type) {
    type.def("copy", &copyRows, "source"_a, "destination"_a, py::kw_only(), "source_start"_a = 0,
             "destination_start"_a = 0, "rows"_a = py::none(), "wait_for"_a = py::none(), doc(R"(
                 Copies rows of the copy or shard `source` to `destination`, both indices; by
                 default as many as both have.)"))
        .def(
            "copy_to",
            [](py::handle self, const py::object& destination, const py::object& waitFor) {
                return runInto(self, &Buffer::copyTo, destination, waitFor);
            },
            "destination"_a, "wait_for"_a = py::none(), doc(R"(
            Copies the contents of this buffer to another one, of any placement. If the copies
            differ, each device uses its own if it has one, else the first.)"))
        .def(
            "broadcast",
            [](py::handle self, const py::object& root, const py::object& waitFor) {
                return run(self, &Buffer::broadcast, waitFor, toRoot(self, root));
            },
            "root"_a = 0, "wait_for"_a = py::none(), "Makes every copy equal to that of `root`.")
        .def(
            "scatter",
            [](py::handle self, const py::object& destination, const py::object& root,
               const py::object& waitFor) {
                return runInto(self, &Buffer::scatter, destination, waitFor, toRoot(self, root));
            },
            "destination"_a, "root"_a = 0, "wait_for"_a = py::none(),
            "From the copy of `root` to the shards of `destination`.")
        .def(
            "gather",
            [](py::handle self, const py::object& destination, const py::object& root,
               const py::object& waitFor) {
                return runInto(self, &Buffer::gather, destination, waitFor, toRoot(self, root));
            },
            "destination"_a, "root"_a = 0, "wait_for"_a = py::none(),
            "From the shards of this buffer to the copy of `root` in `destination`.")
        .def(
            "all_gather",
            [](py::handle self, const py::object& destination, const py::object& waitFor) {
                return runInto(self, &Buffer::allGather, destination, waitFor);
            },
            "destination"_a, "wait_for"_a = py::none(),
            "From the shards of this buffer to every copy of `destination`.")
        .def(
            "reduce",
            [](py::handle self, const std::string& op, const py::object& root,
               const py::object& waitFor) {
                return run(self, &Buffer::reduce, waitFor, toReduce(op), toRoot(self, root));
            },
            "op"_a = "sum", "root"_a = 0, "wait_for"_a = py::none(), doc(R"(
                 Replaces the copy of `root` by the sum of all copies, or another `op`: "sum",
                 "product", "min" or "max", element by element, in a fixed order.)"))
        .def(
            "all_reduce",
            [](py::handle self, const std::string& op, const py::object& waitFor) {
                return run(self, &Buffer::allReduce, waitFor, toReduce(op));
            },
            "op"_a = "sum", "wait_for"_a = py::none(),
            "Replaces every copy by the sum (or `op`) of all copies, with the same bits.")
        .def(
            "reduce_scatter",
            [](py::handle self, const py::object& destination, const std::string& op,
               const py::object& waitFor) {
                return runInto(self, &Buffer::reduceScatter, destination, waitFor, toReduce(op));
            },
            "destination"_a, "op"_a = "sum", "wait_for"_a = py::none(), doc(R"(
                 Replaces each shard of `destination` by the sum (or `op`) of its rows in all copies
                 of this buffer.)"));
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
            "dtype", getter(bufferOf, &BufferHandle::dtype),
            "The type of an element; a sub-array if that is a vector or a matrix.")
        .def_property_readonly("size", getter(self, &Buffer::size), "Elements of the whole buffer.")
        .def_property_readonly("mem_size", getter(self, &Buffer::memSize),
                               "Bytes of all elements, once.")
        .def_property_readonly(
            "placement", [self](py::handle o) { return nameIn(kPlacements, self(o).placement()); },
            "\"replicated\", \"replicated_by_queue\" or \"sharded\".")
        .def_property_readonly("copy_count", getter(self, &Buffer::copyCount),
                               "Number of copies, or of shards.")
        .def_property_readonly("group", getter(bufferOf, &BufferHandle::group), "Its devices.")
        .def_property_readonly("writable", getter(self, &Buffer::writable),
                               "False if write(), collectives and kernels must not change it.")
        .def_property_readonly("shards", &shardsOf, "The part that each copy holds.")
        .def(
            "shard",
            [](py::handle o, const py::object& index) {
                return bufferOf(o).buffer->shard(toQueueIndex(bufferOf(o), index));
            },
            "index"_a, "The part that the copy of a queue's device holds.")
        .def(
            "copy_of",
            [](py::handle o, const py::object& index) {
                return bufferOf(o).buffer->copyOf(toQueueIndex(bufferOf(o), index));
            },
            "index"_a, "Which copy belongs to the index of a queue.")
        .def("tensor", &tensorOf, "index"_a = 0, doc(R"(
            The memory of a copy: an ordinary Tensor of that device, of the numbers in the elements
            (bytes, for structs).)"))
        .def("is_init", getter(self, &Buffer::isInit), "False after destroy().");
}

} // namespace

void bindBuffer(py::module_& module) {
    bindShard(module);
    BufferClass type(module, "Buffer", doc(R"(
        An array of up to three dimensions on all devices of a group: a copy on each, or distributed
        among them by rows.

        An index is that of a queue of the group, and selects the copy (or shard) of this queue's
        device; with one queue for each device it is the device's index. An operation of a buffer
        comes after all earlier launches on the queues of the copies it accesses, and before all
        later ones. So a host function on such a queue must not call read() or write(), which would
        wait for its own end; it uses tensor().)"));
    setType<BufferHandle>(type);
    type.def(py::init(&makeBuffer), "shape"_a, "dtype"_a = py::none(), "group"_a = py::none(),
             "placement"_a = "replicated", "shard_rows"_a = py::none(), py::kw_only(),
             "memory_type"_a = Memory::MemoryTypes::eStorage, doc(R"(
                 `shape` is a number or up to three, none of them 0, with at most 2**30 elements.
                 `dtype` is one of NumPy's (default: float32; structs and sub-arrays, too) or the
                 name of a vector or matrix of GLSL: "vec3", "ivec2", "mat4". Elements are stored
                 without padding. `group` is default_group() by default.

                 `placement` is "replicated" (a whole copy on each device), "replicated_by_queue"
                 (one for each queue) or "sharded" (each device has some of the rows); `shard_rows`
                 are the rows of each device then, by default as even as possible.)"))
        .def_static("from_tensors", &fromTensors, "shape"_a, "dtype"_a, "tensors"_a,
                    "group"_a = py::none(), "placement"_a = "replicated",
                    "shard_rows"_a = py::none(), "writable"_a = true, doc(R"(
                        A buffer around existing tensors: one for each copy, of the group's devices
                        in their order; None for a shard without rows. `writable=False` refuses
                        everything that would change them.)"));
    bindAttributes(type);
    bindBufferTransfers(type);
    bindCollectives(type);
    type.def("destroy", &destroyBuffer, doc(R"(
            Frees the memory on every device, after the work that uses it. A second call does
            nothing.)"))
        .def("__repr__", &describeBuffer);
    bindContextManager(type, &destroyBuffer);
}

} // namespace kp::python
