// SPDX-License-Identifier: Apache-2.0
#include "group/BufferTransfers.hpp"

#include "base/Held.hpp"
#include "core/Event.hpp"

namespace kp::python {
namespace {

using OptionalIndex = std::optional<uint32_t>;

/// Some rows (of the first axis) of a copy, of a shard, or of the whole buffer.
struct Rows {
    uint64_t count = 0; ///< of all rows
    uint64_t bytes = 0; ///< of one
    uint64_t first = 0;
    uint64_t wanted = 0;
    std::vector<uint64_t> shape; ///< of the wanted rows
    bool all = true;             ///< neither start nor stop was given

    uint64_t offset() const { return first * bytes; }
    uint64_t size() const { return wanted * bytes; }
};

Rows rowsOf(const BufferHandle& handle, OptionalIndex index, py::handle start, py::handle stop) {
    const Buffer& buffer = *handle.buffer;
    Rows rows;
    rows.shape = index ? buffer.shard(*index).shape : buffer.shape();
    rows.count = rows.shape.empty() ? 1 : rows.shape[0];
    uint64_t elements = 1;
    for (size_t axis = 1; axis < rows.shape.size(); ++axis)
        elements *= rows.shape[axis];
    rows.bytes = elements * static_cast<uint64_t>(handle.dtype.itemsize());
    rows.all = start.is_none() && stop.is_none();
    rows.first = start.is_none() ? 0 : toCount(start, "start");
    const uint64_t end = stop.is_none() ? rows.count : toCount(stop, "stop");
    if (rows.first > end || end > rows.count)
        throw InvalidArgument(formatted("rows {} to {} are not within the {} rows of {}",
                                        rows.first, end, rows.count,
                                        index ? formatted("index {}", *index) : "the buffer"));
    rows.wanted = end - rows.first;
    if (!rows.shape.empty())
        rows.shape[0] = rows.wanted;
    else if (!rows.all)
        throw InvalidArgument("a buffer without axes has no rows; leave out start and stop");
    return rows;
}

OptionalIndex toOptionalIndex(const BufferHandle& handle, py::handle index) {
    if (index.is_none())
        return std::nullopt;
    return toQueueIndex(handle, index);
}

/// The array of a read, and the rows that fill it.
struct Reading {
    Reading(BufferHandle& handle, OptionalIndex place, py::handle start, py::handle stop,
            const py::object& out)
        : index(place), rows(rowsOf(handle, place, start, stop)) {
        std::vector<uint64_t> shape = rows.shape;
        stacked = !index && handle.buffer->placement() != BufferPlacement::eSharded;
        if (stacked)
            shape.insert(shape.begin(), handle.buffer->copyCount());
        array = py::cast<py::array>(
            py::module_::import("kp._transfers").attr("target")(shape, handle.dtype, out));
        data = static_cast<char*>(array.mutable_data());
    }

    /// Bytes of all stacked copies together.
    uint64_t bytes(const BufferHandle& handle) const {
        return rows.size() * (stacked ? handle.buffer->copyCount() : 1);
    }

    OptionalIndex index;
    Rows rows;
    bool stacked = false;
    py::array array;
    char* data = nullptr;
};

/// Makes the library throw for a destroyed buffer, also if there is nothing to transfer.
void requireAlive(const BufferHandle& handle) {
    if (!handle.buffer->isInit())
        (void)handle.buffer->tensor(0);
}

py::array readBuffer(py::handle self, const py::object& index, const py::object& start,
                     const py::object& stop, const py::object& out) {
    BufferHandle& handle = handleOf<BufferHandle>(self);
    requireAlive(handle);
    const Reading reading(handle, toOptionalIndex(handle, index), start, stop, out);
    waitForQueues(handle, reading.index, false);
    withoutGil(handle, [&] {
        handle.buffer->read(reading.data, reading.bytes(handle), reading.index,
                            reading.rows.offset());
    });
    return reading.array;
}

py::tuple readAsync(py::handle self, const py::object& index, const py::object& start,
                    const py::object& stop, const py::object& out, const py::object& waitFor) {
    BufferHandle& handle = handleOf<BufferHandle>(self);
    requireAlive(handle);
    const std::vector<Event> waits = toEvents(waitFor);
    const Reading reading(handle, toOptionalIndex(handle, index), start, stop, out);
    const std::vector<Event> events = withoutGil(handle, [&] {
        return handle.buffer->readAsync(reading.data, reading.bytes(handle), reading.index,
                                        reading.rows.offset(), waits);
    });
    keepUntilOver(events, hold(reading.array));
    return py::make_tuple(reading.array, events);
}

/// The bytes of a write, and the rows that they fill.
struct Writing {
    Writing(BufferHandle& handle, py::handle given, OptionalIndex place, py::handle start)
        : index(place), rows(rowsOf(handle, place, start, py::none())),
          array(py::cast<py::array>(
              py::module_::import("kp._transfers")
                  .attr("source")(given, handle.dtype, rows.size(), rows.all ? 0 : rows.bytes))),
          data(array.data()), bytes(static_cast<uint64_t>(array.nbytes())) {}

    OptionalIndex index;
    Rows rows;
    py::array array;
    const void* data;
    uint64_t bytes;
};

void writeBuffer(py::handle self, const py::object& data, const py::object& index,
                 const py::object& start) {
    BufferHandle& handle = handleOf<BufferHandle>(self);
    requireAlive(handle);
    const Writing writing(handle, data, toOptionalIndex(handle, index), start);
    if (writing.bytes == 0)
        return;
    waitForQueues(handle, writing.index, true);
    withoutGil(handle, [&] {
        handle.buffer->write(writing.data, writing.bytes, writing.index, writing.rows.offset());
    });
}

std::vector<Event> writeAsync(py::handle self, const py::object& data, const py::object& index,
                              const py::object& start, const py::object& waitFor) {
    BufferHandle& handle = handleOf<BufferHandle>(self);
    requireAlive(handle);
    const std::vector<Event> waits = toEvents(waitFor);
    const Writing writing(handle, data, toOptionalIndex(handle, index), start);
    if (writing.bytes == 0)
        return {};
    std::vector<Event> events = withoutGil(handle, [&] {
        return handle.buffer->writeAsync(writing.data, writing.bytes, writing.index,
                                         writing.rows.offset(), waits);
    });
    keepUntilOver(events, hold(writing.array));
    return events;
}

} // namespace

void bindBufferTransfers(BufferClass& type) {
    type.def("read", &readBuffer, py::arg("index") = py::none(), py::kw_only(),
             py::arg("start") = py::none(), py::arg("stop") = py::none(),
             py::arg("out") = py::none(), doc(R"(
                 Copies to a new array, or to `out`, and waits for it.

                 With an index: its copy or shard. Without: all copies, stacked along a new first
                 axis; for a sharded buffer, the whole array. Axes of vectors and matrices come
                 last. `start` and `stop` select rows (of the first axis) of the result.
             )"))
        .def("read_async", &readAsync, py::arg("index") = py::none(), py::kw_only(),
             py::arg("start") = py::none(), py::arg("stop") = py::none(),
             py::arg("out") = py::none(), py::arg("wait_for") = py::none(), doc(R"(
                 read() without waiting: returns the array, and the events after which it is filled.
             )"))
        .def("write", &writeBuffer, py::arg("data"), py::arg("index") = py::none(), py::kw_only(),
             py::arg("start") = py::none(), doc(R"(
                 Copies from host memory, which may be reused when the call returns.

                 With an index: to its copy or shard. Without: to every copy; for a sharded buffer,
                 to the shards. Arrays have the buffer's dtype and number of bytes; bytes, bytearray
                 and memoryview may be shorter; lists are converted. `start` is the row (of the
                 first axis) of the first element; arrays may have fewer rows then.
             )"))
        .def("write_async", &writeAsync, py::arg("data"), py::arg("index") = py::none(),
             py::kw_only(), py::arg("start") = py::none(), py::arg("wait_for") = py::none(), doc(R"(
                 write() without waiting. `data` stays alive, and must not change, until the
                 returned events are done.
             )"));
}

} // namespace kp::python
