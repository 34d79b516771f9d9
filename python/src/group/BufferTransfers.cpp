// SPDX-License-Identifier: Apache-2.0
#include "group/BufferTransfers.hpp"

#include "base/Held.hpp"
#include "core/Event.hpp"

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
    const uint64_t count = rows.shape.empty() ? 1 : rows.shape[0];
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
    if (!rows.shape.empty())
        rows.shape[0] = end - rows.first;
    else if (!rows.all)
        throw InvalidArgument("a buffer without axes has no rows; leave out start and stop");
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

/// An array, and the part of a buffer that it is copied to or from.
struct Transfer {
    OptionalIndex index;
    py::array array;
    void* data;
    uint64_t bytes;
    uint64_t offset;
};

Transfer toRead(const BufferHandle& handle, py::handle place, py::handle start, py::handle stop,
                const py::object& out) {
    const OptionalIndex index = toOptionalIndex(handle, place);
    Rows rows = rowsOf(handle, index, start, stop);
    if (!index && handle.buffer->placement() != BufferPlacement::eSharded) { // all copies, stacked
        const uint32_t copies = handle.buffer->copyCount();
        rows.shape.insert(rows.shape.begin(), copies);
        rows.size *= copies;
    }
    auto array = py::cast<py::array>(
        py::module_::import("kp._transfers").attr("target")(rows.shape, handle.dtype, out));
    return {index, array, array.mutable_data(), rows.size, rows.first * rows.bytes};
}

Transfer toWrite(const BufferHandle& handle, py::handle data, py::handle place, py::handle start) {
    const OptionalIndex index = toOptionalIndex(handle, place);
    const Rows rows = rowsOf(handle, index, start, py::none());
    const auto array = py::cast<py::array>(
        py::module_::import("kp._transfers")
            .attr("source")(data, handle.dtype, rows.size, rows.all ? 0 : rows.bytes));
    return {index, array, const_cast<void*>(array.data()), static_cast<uint64_t>(array.nbytes()),
            rows.first * rows.bytes};
}

py::array readBuffer(py::handle self, const py::object& index, const py::object& start,
                     const py::object& stop, const py::object& out) {
    BufferHandle& handle = aliveBuffer(self);
    const Transfer transfer = toRead(handle, index, start, stop, out);
    waitForQueues(handle, transfer.index, false);
    withoutGil(handle, [&] {
        handle.buffer->read(transfer.data, transfer.bytes, transfer.index, transfer.offset);
    });
    return transfer.array;
}

py::tuple readAsync(py::handle self, const py::object& index, const py::object& start,
                    const py::object& stop, const py::object& out, const py::object& waitFor) {
    BufferHandle& handle = aliveBuffer(self);
    const std::vector<Event> waits = toEvents(waitFor);
    const Transfer transfer = toRead(handle, index, start, stop, out);
    const std::vector<Event> events = withoutGil(handle, [&] {
        return handle.buffer->readAsync(transfer.data, transfer.bytes, transfer.index,
                                        transfer.offset, waits);
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

void bindBufferTransfers(BufferClass& type) {
    type.def("read", &readBuffer, "index"_a = py::none(), py::kw_only(), "start"_a = py::none(),
             "stop"_a = py::none(), "out"_a = py::none(), doc(R"(
                 Copies to a new array, or to `out`, and waits for it.

                 With an index: its copy or shard. Without: all copies, stacked along a new first
                 axis; for a sharded buffer, the whole array. Axes of vectors and matrices come
                 last. `start` and `stop` select rows (of the first axis) of the result.)"))
        .def("read_async", &readAsync, "index"_a = py::none(), py::kw_only(),
             "start"_a = py::none(), "stop"_a = py::none(), "out"_a = py::none(),
             "wait_for"_a = py::none(), doc(R"(
                 read() without waiting: returns the array, and the events after which it is filled.
             )"))
        .def("write", &writeBuffer, "data"_a, "index"_a = py::none(), py::kw_only(),
             "start"_a = py::none(), doc(R"(
                 Copies from host memory, which may be reused when the call returns.

                 With an index: to its copy or shard. Without: to every copy; for a sharded buffer,
                 to the shards. Arrays have the buffer's dtype and number of bytes; bytes, bytearray
                 and memoryview may be shorter; lists are converted. `start` is the row (of the
                 first axis) of the first element; arrays may have fewer rows then.)"))
        .def("write_async", &writeAsync, "data"_a, "index"_a = py::none(), py::kw_only(),
             "start"_a = py::none(), "wait_for"_a = py::none(), doc(R"(
                 write() without waiting. `data` stays alive, and must not change, until the
                 returned events are done.)"));
}

} // namespace kp::python
