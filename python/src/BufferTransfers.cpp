// SPDX-License-Identifier: Apache-2.0
//
// Between the buffers of a group and arrays.
#include <pybind11/stl.h>

#include "Arrays.hpp"
#include "Groups.hpp"
#include "Held.hpp"

namespace kp::python {
namespace {

using Index = std::optional<uint32_t>;

/// Some rows (of the first axis) of a copy, of a shard, or of the whole buffer.
struct Rows {
    uint64_t count = 0; ///< of all rows there are
    uint64_t bytes = 0; ///< of one
    uint64_t first = 0;
    uint64_t wanted = 0;
    std::vector<uint64_t> shape; ///< of what is meant, wanted rows long
    bool all = true;             ///< neither start nor stop was given

    uint64_t offset() const { return first * bytes; }
    uint64_t size() const { return wanted * bytes; }
};

Rows rowsOf(const BufferHandle& handle, Index index, py::handle start, py::handle stop) {
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
        throw InvalidArgument("rows " + std::to_string(rows.first) + " to " + std::to_string(end) +
                              " are not within the " + std::to_string(rows.count) + " rows of " +
                              (index ? "index " + std::to_string(*index) : "the buffer"));
    rows.wanted = end - rows.first;
    if (!rows.shape.empty())
        rows.shape[0] = rows.wanted;
    else if (!rows.all)
        throw InvalidArgument("a buffer without axes has no rows; leave out start and stop");
    return rows;
}

Index toOptionalIndex(const BufferHandle& handle, py::handle index) {
    if (index.is_none())
        return std::nullopt;
    return toIndexOf(index, handle.group->group->queueCount(), "index");
}

/// What read() does: into which array, and from where.
struct Reading {
    Reading(BufferHandle& handle, Index place, py::handle start, py::handle stop,
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

    /// Of all copies together, where they are stacked.
    uint64_t bytes(const BufferHandle& handle) const {
        return rows.size() * (stacked ? handle.buffer->copyCount() : 1);
    }

    Index index;
    Rows rows;
    bool stacked = false;
    py::array array;
    char* data = nullptr;
};

/// The library says where a buffer is destroyed, also when there is nothing to transfer.
void requireAlive(const BufferHandle& handle) {
    if (!handle.buffer->isInit())
        (void)handle.buffer->tensor(0);
}

py::array read(py::handle self, const py::object& index, const py::object& start,
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

/// What write() does: the bytes, and where they go.
struct Writing {
    Writing(BufferHandle& handle, py::handle given, Index place, py::handle start)
        : index(place), rows(rowsOf(handle, place, start, py::none())),
          array(py::cast<py::array>(
              py::module_::import("kp._transfers")
                  .attr("source")(given, handle.dtype, rows.size(), rows.all ? 0 : rows.bytes))),
          data(array.data()), bytes(static_cast<uint64_t>(array.nbytes())) {}

    Index index;
    Rows rows;
    py::array array;
    const void* data;
    uint64_t bytes;
};

void write(py::handle self, const py::object& data, const py::object& index,
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

void bindBufferTransfers(py::class_<BufferHandle>& type) {
    type.def("read", &read, py::arg("index") = py::none(), py::kw_only(),
             py::arg("start") = py::none(), py::arg("stop") = py::none(),
             py::arg("out") = py::none(),
             "Copies to a new array, or to `out`, and waits for it.\n\n"
             "With an index: its copy or shard. Without: all copies, one after the other along a\n"
             "new first axis; where the buffer is sharded, the whole array. Axes of vectors and\n"
             "matrices come last. `start` and `stop` are rows (of the first axis) of what is read.")
        .def("read_async", &readAsync, py::arg("index") = py::none(), py::kw_only(),
             py::arg("start") = py::none(), py::arg("stop") = py::none(),
             py::arg("out") = py::none(), py::arg("wait_for") = py::none(),
             "read() that does not wait: gives the array, and the events after which it is filled.")
        .def(
            "write", &write, py::arg("data"), py::arg("index") = py::none(), py::kw_only(),
            py::arg("start") = py::none(),
            "Copies from host memory, which may be used again when the call is back.\n\n"
            "With an index: to its copy or shard. Without: to every copy; where the buffer is\n"
            "sharded, to the shards. Arrays have the buffer's dtype and number of bytes; bytes,\n"
            "bytearray and memoryview may be shorter; lists are converted. `start` is the row (of\n"
            "the first axis) that the data begin at; arrays may be of fewer rows then.")
        .def("write_async", &writeAsync, py::arg("data"), py::arg("index") = py::none(),
             py::kw_only(), py::arg("start") = py::none(), py::arg("wait_for") = py::none(),
             "write() that does not wait. `data` is kept, and must not change, until the events\n"
             "that it gives are done.");
}

} // namespace kp::python
