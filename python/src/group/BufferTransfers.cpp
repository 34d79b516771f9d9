// SPDX-License-Identifier: Apache-2.0
#include "group/BufferTransfers.hpp"

#include "base/Arrays.hpp"
#include "base/Package.hpp"

namespace kp::python {
namespace {

using OptionalIndex = std::optional<uint32_t>;

/// Some rows (of the first axis) of a copy, of a shard, or of the whole buffer.
struct Rows {
    uint64_t first = 0;
    uint64_t bytes = 0;          ///< of one row
    std::vector<uint64_t> shape; ///< of these rows
    uint64_t size = 0;           ///< bytes of these rows
    bool all = true;             ///< neither start nor stop was given
};

Rows rowsOf(const BufferHandle& handle, OptionalIndex index, py::handle start, py::handle stop) {
    const Buffer& buffer = *handle.buffer;
    Rows rows;
    rows.shape = index ? buffer.shard(*index).shape : buffer.shape();
    const uint64_t count = rows.shape[0];
    uint64_t elements = 1;
    for (size_t axis = 1; axis < rows.shape.size(); ++axis)
        elements *= rows.shape[axis];
    rows.bytes = elements * static_cast<uint64_t>(handle.dtype.itemsize());
    rows.all = start.is_none() && stop.is_none();
    rows.first = start.is_none() ? 0 : toCount(start, "start");
    const uint64_t end = stop.is_none() ? count : toCount(stop, "stop");
    if (rows.first > end || end > count)
        throw InvalidArgument(formatted("rows {} to {} are not within the {} rows of {}",
                                        rows.first, end, count,
                                        index ? formatted("index {}", *index) : "the buffer"));
    rows.size = (end - rows.first) * rows.bytes;
    rows.shape[0] = end - rows.first;
    return rows;
}

/// Returns the buffer of a transfer. The library throws for a destroyed one, also if there is
/// nothing to transfer.
BufferHandle& aliveBuffer(py::handle self) {
    BufferHandle& handle = handleOf<BufferHandle>(self);
    if (!handle.buffer->isInit())
        (void)handle.buffer->tensor(0);
    return handle;
}

OptionalIndex toOptionalIndex(const BufferHandle& handle, py::handle index) {
    if (index.is_none())
        return std::nullopt;
    return toQueueIndex(handle, index);
}

/// Same for a write, which -1 tells to write every copy.
OptionalIndex toWriteIndex(const BufferHandle& handle, py::handle index) {
    if (PyIndex_Check(index.ptr()) && PyNumber_AsSsize_t(index.ptr(), nullptr) == -1 &&
        !PyErr_Occurred())
        return std::nullopt;
    PyErr_Clear();
    return toOptionalIndex(handle, index);
}

/// An array, and the part of a buffer that it is copied to or from.
struct Transfer {
    OptionalIndex index;
    py::array array;
    void* data;
    uint64_t bytes;
    uint64_t offset;
    uint32_t stacked = 0; ///< indices that are read one by one, each with this number of bytes
};

Transfer toRead(const BufferHandle& handle, py::handle place, py::handle start, py::handle stop,
                const py::object& out) {
    const OptionalIndex index = toOptionalIndex(handle, place);
    Rows rows = rowsOf(handle, index, start, stop);
    uint32_t stacked = 0;
    if (!index && handle.buffer->placement() != BufferPlacement::eSharded) {
        const uint32_t queues = handle.group->group->queueCount();
        rows.shape.insert(rows.shape.begin(), queues);
        if (queues == handle.buffer->copyCount())
            rows.size *= queues;
        else // some share a copy
            stacked = queues;
    }
    auto array = py::cast<py::array>(ofPackage("transfer_target")(rows.shape, handle.dtype, out));
    return {index, array, array.mutable_data(), rows.size, rows.first * rows.bytes, stacked};
}

Transfer toWrite(const BufferHandle& handle, py::handle data, py::handle place, py::handle start) {
    const OptionalIndex index = toWriteIndex(handle, place);
    const Rows rows = rowsOf(handle, index, start, py::none());
    const auto array = py::cast<py::array>(
        ofPackage("transfer_source")(data, handle.dtype, rows.size, rows.all ? 0 : rows.bytes));
    return {index, array, const_cast<void*>(array.data()), static_cast<uint64_t>(array.nbytes()),
            rows.first * rows.bytes};
}

/// Calls @p read with the place and the index of each read of a transfer.
template <typename Read>
void forEachRead(const Transfer& transfer, Read&& read) {
    if (transfer.stacked == 0)
        read(transfer.data, transfer.index);
    for (uint32_t queue = 0; queue < transfer.stacked; ++queue)
        read(static_cast<std::byte*>(transfer.data) + queue * transfer.bytes, queue);
}

py::array readBuffer(py::handle self, const py::object& index, const py::object& start,
                     const py::object& stop, const py::object& out) {
    BufferHandle& handle = aliveBuffer(self);
    const Transfer transfer = toRead(handle, index, start, stop, out);
    waitForQueues(handle, transfer.index, false);
    withoutGil(handle, [&] {
        forEachRead(transfer, [&](void* data, OptionalIndex queue) {
            handle.buffer->read(data, transfer.bytes, queue, transfer.offset);
        });
    });
    return transfer.array;
}

py::tuple readAsync(py::handle self, const py::object& index, const py::object& start,
                    const py::object& stop, const py::object& out, const py::object& waitFor) {
    BufferHandle& handle = aliveBuffer(self);
    const std::vector<Event> waits = toEvents(waitFor);
    const Transfer transfer = toRead(handle, index, start, stop, out);
    std::vector<Event> events;
    withoutGil(handle, [&] {
        forEachRead(transfer, [&](void* data, OptionalIndex queue) {
            for (Event& event :
                 handle.buffer->readAsync(data, transfer.bytes, queue, transfer.offset, waits))
                events.push_back(std::move(event));
        });
    });
    keepUntilOver(events, hold(transfer.array));
    return py::make_tuple(transfer.array, events);
}

void writeBuffer(py::handle self, const py::object& data, const py::object& index,
                 const py::object& start) {
    BufferHandle& handle = aliveBuffer(self);
    const Transfer transfer = toWrite(handle, data, index, start);
    if (transfer.bytes == 0)
        return;
    waitForQueues(handle, transfer.index, true);
    withoutGil(handle, [&] {
        handle.buffer->write(transfer.data, transfer.bytes, transfer.index, transfer.offset);
    });
}

std::vector<Event> writeAsync(py::handle self, const py::object& data, const py::object& index,
                              const py::object& start, const py::object& waitFor) {
    BufferHandle& handle = aliveBuffer(self);
    const std::vector<Event> waits = toEvents(waitFor);
    const Transfer transfer = toWrite(handle, data, index, start);
    if (transfer.bytes == 0)
        return {};
    std::vector<Event> events = withoutGil(handle, [&] {
        return handle.buffer->writeAsync(transfer.data, transfer.bytes, transfer.index,
                                         transfer.offset, waits);
    });
    keepUntilOver(events, hold(transfer.array));
    return events;
}

} // namespace

void bindTransfers(BufferClass& type) {
    type.def("read", &readBuffer, "index"_a = py::none(), py::kw_only(), "start"_a = py::none(),
             "stop"_a = py::none(), "out"_a = py::none(), doc(R"(
                 Copies to a new array, or to `out`, and waits for it.

                 With an index: its copy or shard. Without: all copies, stacked along a new first
                 axis; for a sharded buffer, the whole array. Axes of vectors and matrices come
                 last. `start` and `stop` select rows (of the first axis) of each copy.)"))
        .def("read_async", &readAsync, "index"_a = py::none(), py::kw_only(),
             "start"_a = py::none(), "stop"_a = py::none(), "out"_a = py::none(),
             "wait_for"_a = py::none(), doc(R"(
                 read() without waiting: returns the array, and the events after which it is filled.
             )"))
        .def("write", &writeBuffer, "data"_a, "index"_a = py::none(), py::kw_only(),
             "start"_a = py::none(), doc(R"(
                 Copies from host memory, which may be reused when the call returns.

                 With an index: to its copy or shard. Without, or with -1: to every copy; for a
                 sharded buffer, to the shards. Arrays have the buffer's dtype. Arrays, bytes,
                 bytearray and memoryview may be shorter than the buffer, and are written to its
                 start. Lists are converted, and have all elements. `start` is the row (of the first
                 axis) of the first element; arrays and lists have whole rows then.)"))
        .def("write_async", &writeAsync, "data"_a, "index"_a = py::none(), py::kw_only(),
             "start"_a = py::none(), "wait_for"_a = py::none(), doc(R"(
                 write() without waiting. `data` stays alive, and must not change, until the
                 returned events are done.)"));
}

} // namespace kp::python
