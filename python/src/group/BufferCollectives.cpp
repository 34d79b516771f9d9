// SPDX-License-Identifier: Apache-2.0
#include "group/BufferCollectives.hpp"

#include "core/Event.hpp"

namespace kp::python {
namespace {

constexpr Named<ReduceOperation> kOperations[] = {{"sum", ReduceOperation::eSum},
                                                  {"product", ReduceOperation::eProduct},
                                                  {"min", ReduceOperation::eMinimum},
                                                  {"max", ReduceOperation::eMaximum}};

ReduceOperation toReduce(const std::string& name) {
    return valueNamed(kOperations, name, "op");
}

BufferHandle& handleIn(py::handle self) {
    return handleOf<BufferHandle>(self);
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
    BufferHandle& buffer = handleIn(self);
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

/// Runs an operation that changes another buffer.
template <typename Body>
std::vector<Event> into(BufferHandle& buffer, const py::object& destination, Body&& body) {
    BufferHandle& target = handleOf<BufferHandle>(destination, "destination");
    const Use use(target);
    return withoutGil(buffer, [&] { return body(*buffer.buffer, *target.buffer); });
}

std::vector<Event> copyTo(py::handle self, const py::object& destination,
                          const py::object& waitFor) {
    const std::vector<Event> waits = toEvents(waitFor);
    return into(handleIn(self), destination,
                [&](Buffer& from, Buffer& to) { return from.copyTo(to, waits); });
}

std::vector<Event> broadcast(py::handle self, const py::object& root, const py::object& waitFor) {
    BufferHandle& buffer = handleIn(self);
    const uint32_t from = toQueueIndex(buffer, root, "root");
    const std::vector<Event> waits = toEvents(waitFor);
    return withoutGil(buffer, [&] { return buffer.buffer->broadcast(from, waits); });
}

std::vector<Event> scatter(py::handle self, const py::object& destination, const py::object& root,
                           const py::object& waitFor) {
    const uint32_t from = toQueueIndex(handleIn(self), root, "root");
    const std::vector<Event> waits = toEvents(waitFor);
    return into(handleIn(self), destination,
                [&](Buffer& one, Buffer& to) { return one.scatter(to, from, waits); });
}

std::vector<Event> gather(py::handle self, const py::object& destination, const py::object& root,
                          const py::object& waitFor) {
    const uint32_t at = toQueueIndex(handleIn(self), root, "root");
    const std::vector<Event> waits = toEvents(waitFor);
    return into(handleIn(self), destination,
                [&](Buffer& from, Buffer& to) { return from.gather(to, at, waits); });
}

std::vector<Event> allGather(py::handle self, const py::object& destination,
                             const py::object& waitFor) {
    const std::vector<Event> waits = toEvents(waitFor);
    return into(handleIn(self), destination,
                [&](Buffer& from, Buffer& to) { return from.allGather(to, waits); });
}

std::vector<Event> reduce(py::handle self, const std::string& op, const py::object& root,
                          const py::object& waitFor) {
    BufferHandle& buffer = handleIn(self);
    const ReduceOperation operation = toReduce(op);
    const uint32_t at = toQueueIndex(buffer, root, "root");
    const std::vector<Event> waits = toEvents(waitFor);
    return withoutGil(buffer, [&] { return buffer.buffer->reduce(operation, at, waits); });
}

std::vector<Event> allReduce(py::handle self, const std::string& op, const py::object& waitFor) {
    BufferHandle& buffer = handleIn(self);
    const ReduceOperation operation = toReduce(op);
    const std::vector<Event> waits = toEvents(waitFor);
    return withoutGil(buffer, [&] { return buffer.buffer->allReduce(operation, waits); });
}

std::vector<Event> reduceScatter(py::handle self, const py::object& destination,
                                 const std::string& op, const py::object& waitFor) {
    const ReduceOperation operation = toReduce(op);
    const std::vector<Event> waits = toEvents(waitFor);
    return into(handleIn(self), destination,
                [&](Buffer& from, Buffer& to) { return from.reduceScatter(to, operation, waits); });
}

} // namespace

void bindBufferCollectives(BufferClass& type) {
    type.def("copy", &copyRows, py::arg("source"), py::arg("destination"), py::kw_only(),
             py::arg("source_start") = 0, py::arg("destination_start") = 0,
             py::arg("rows") = py::none(), py::arg("wait_for") = py::none(), doc(R"(
                 Copies rows of the copy or shard `source` to `destination`, both indices; by
                 default as many as both have.
             )"))
        .def("copy_to", &copyTo, py::arg("destination"), py::arg("wait_for") = py::none(), doc(R"(
            Copies the contents of this buffer to another one, of any placement. If the copies
            differ, each device uses its own if it has one, else the first.
        )"))
        .def("broadcast", &broadcast, py::arg("root") = 0, py::arg("wait_for") = py::none(),
             "Makes every copy equal to that of `root`.")
        .def("scatter", &scatter, py::arg("destination"), py::arg("root") = 0,
             py::arg("wait_for") = py::none(),
             "From the copy of `root` to the shards of `destination`.")
        .def("gather", &gather, py::arg("destination"), py::arg("root") = 0,
             py::arg("wait_for") = py::none(),
             "From the shards of this buffer to the copy of `root` in `destination`.")
        .def("all_gather", &allGather, py::arg("destination"), py::arg("wait_for") = py::none(),
             "From the shards of this buffer to every copy of `destination`.")
        .def("reduce", &reduce, py::arg("op") = "sum", py::arg("root") = 0,
             py::arg("wait_for") = py::none(), doc(R"(
                 Replaces the copy of `root` by the sum of all copies, or another `op`: "sum",
                 "product", "min" or "max", element by element, in a fixed order.
             )"))
        .def("all_reduce", &allReduce, py::arg("op") = "sum", py::arg("wait_for") = py::none(),
             "Replaces every copy by the sum (or `op`) of all copies, with the same bits.")
        .def("reduce_scatter", &reduceScatter, py::arg("destination"), py::arg("op") = "sum",
             py::arg("wait_for") = py::none(), doc(R"(
                 Replaces each shard of `destination` by the sum (or `op`) of its rows in all copies
                 of this buffer.
             )"));
}

} // namespace kp::python
