// SPDX-License-Identifier: Apache-2.0
//
// Between the copies and shards of buffers.
#include <pybind11/stl.h>

#include "Groups.hpp"

namespace kp::python {
namespace {

ReduceOperation toReduce(const std::string& name) {
    constexpr std::pair<const char*, ReduceOperation> kOperations[] = {
        {"sum", ReduceOperation::eSum},
        {"product", ReduceOperation::eProduct},
        {"min", ReduceOperation::eMinimum},
        {"max", ReduceOperation::eMaximum}};
    for (const auto& [known, operation] : kOperations)
        if (name == known)
            return operation;
    throw InvalidArgument("op is \"sum\", \"product\", \"min\" or \"max\", not \"" + name + "\"");
}

BufferHandle& handle(py::handle self) {
    return handleOf<BufferHandle>(self);
}

uint32_t rootIn(const BufferHandle& buffer, const py::object& root, const char* argument = "root") {
    return toIndexOf(root, buffer.group->group->queueCount(), argument);
}

/// The bytes that rows of a buffer have.
uint64_t rowBytes(const BufferHandle& buffer) {
    const std::vector<uint64_t>& shape = buffer.buffer->shape();
    return shape.empty() ? buffer.buffer->memSize() : buffer.buffer->memSize() / shape[0];
}

uint64_t toBytes(const BufferHandle& buffer, py::handle rows, const char* argument) {
    const uint64_t bytes = rowBytes(buffer);
    const uint64_t count = toCount(rows, argument);
    uint64_t total = 0;
    if (__builtin_mul_overflow(count, bytes, &total))
        throw InvalidArgument(std::string(argument) + " of " + std::to_string(count) +
                              " rows is more than any buffer has");
    return total;
}

Event copy(py::handle self, const py::object& source, const py::object& destination,
           const py::object& sourceStart, const py::object& destinationStart,
           const py::object& rows, const py::object& waitFor) {
    BufferHandle& buffer = handle(self);
    const uint32_t from = rootIn(buffer, source, "source");
    const uint32_t to = rootIn(buffer, destination, "destination");
    const uint64_t fromByte = toBytes(buffer, sourceStart, "source_start");
    const uint64_t toByte = toBytes(buffer, destinationStart, "destination_start");
    std::optional<uint64_t> bytes;
    if (!rows.is_none())
        bytes = toBytes(buffer, rows, "rows");
    const std::vector<Event> waits = toEvents(waitFor);
    return withoutGil(
        buffer, [&] { return buffer.buffer->copy(from, to, fromByte, toByte, bytes, waits); });
}

/// Runs what changes another buffer.
template <typename Body>
std::vector<Event> into(BufferHandle& buffer, const py::object& destination, Body&& body) {
    BufferHandle& target = handleOf<BufferHandle>(destination, "destination");
    const Use use(target);
    return withoutGil(buffer, [&] { return body(*buffer.buffer, *target.buffer); });
}

std::vector<Event> copyTo(py::handle self, const py::object& destination,
                          const py::object& waitFor) {
    const std::vector<Event> waits = toEvents(waitFor);
    return into(handle(self), destination,
                [&](Buffer& from, Buffer& to) { return from.copyTo(to, waits); });
}

std::vector<Event> broadcast(py::handle self, const py::object& root, const py::object& waitFor) {
    BufferHandle& buffer = handle(self);
    const uint32_t from = rootIn(buffer, root);
    const std::vector<Event> waits = toEvents(waitFor);
    return withoutGil(buffer, [&] { return buffer.buffer->broadcast(from, waits); });
}

std::vector<Event> scatter(py::handle self, const py::object& destination, const py::object& root,
                           const py::object& waitFor) {
    const uint32_t from = rootIn(handle(self), root);
    const std::vector<Event> waits = toEvents(waitFor);
    return into(handle(self), destination,
                [&](Buffer& one, Buffer& to) { return one.scatter(to, from, waits); });
}

std::vector<Event> gather(py::handle self, const py::object& destination, const py::object& root,
                          const py::object& waitFor) {
    const uint32_t at = rootIn(handle(self), root);
    const std::vector<Event> waits = toEvents(waitFor);
    return into(handle(self), destination,
                [&](Buffer& from, Buffer& to) { return from.gather(to, at, waits); });
}

std::vector<Event> allGather(py::handle self, const py::object& destination,
                             const py::object& waitFor) {
    const std::vector<Event> waits = toEvents(waitFor);
    return into(handle(self), destination,
                [&](Buffer& from, Buffer& to) { return from.allGather(to, waits); });
}

std::vector<Event> reduce(py::handle self, const std::string& op, const py::object& root,
                          const py::object& waitFor) {
    BufferHandle& buffer = handle(self);
    const ReduceOperation operation = toReduce(op);
    const uint32_t at = rootIn(buffer, root);
    const std::vector<Event> waits = toEvents(waitFor);
    return withoutGil(buffer, [&] { return buffer.buffer->reduce(operation, at, waits); });
}

std::vector<Event> allReduce(py::handle self, const std::string& op, const py::object& waitFor) {
    BufferHandle& buffer = handle(self);
    const ReduceOperation operation = toReduce(op);
    const std::vector<Event> waits = toEvents(waitFor);
    return withoutGil(buffer, [&] { return buffer.buffer->allReduce(operation, waits); });
}

std::vector<Event> reduceScatter(py::handle self, const py::object& destination,
                                 const std::string& op, const py::object& waitFor) {
    const ReduceOperation operation = toReduce(op);
    const std::vector<Event> waits = toEvents(waitFor);
    return into(handle(self), destination,
                [&](Buffer& from, Buffer& to) { return from.reduceScatter(to, operation, waits); });
}

} // namespace

void bindCollectives(py::class_<BufferHandle>& type) {
    type.def(
            "copy", &copy, py::arg("source"), py::arg("destination"), py::kw_only(),
            py::arg("source_start") = 0, py::arg("destination_start") = 0,
            py::arg("rows") = py::none(), py::arg("wait_for") = py::none(),
            "Copies rows of the copy or shard `source` to `destination`, both indices; as many as\n"
            "both have where `rows` is not given.")
        .def("copy_to", &copyTo, py::arg("destination"), py::arg("wait_for") = py::none(),
             "Gives all of another buffer, however it is placed, the contents of this one. Of\n"
             "copies that are not equal, a device's own is taken where it has one, else the first.")
        .def("broadcast", &broadcast, py::arg("root") = 0, py::arg("wait_for") = py::none(),
             "Every copy becomes equal to that of `root`.")
        .def("scatter", &scatter, py::arg("destination"), py::arg("root") = 0,
             py::arg("wait_for") = py::none(),
             "From the copy of `root` to the shards of `destination`.")
        .def("gather", &gather, py::arg("destination"), py::arg("root") = 0,
             py::arg("wait_for") = py::none(),
             "From the shards of this buffer to the copy of `root` in `destination`.")
        .def("all_gather", &allGather, py::arg("destination"), py::arg("wait_for") = py::none(),
             "From the shards of this buffer to every copy of `destination`.")
        .def("reduce", &reduce, py::arg("op") = "sum", py::arg("root") = 0,
             py::arg("wait_for") = py::none(),
             "The copy of `root` becomes the sum of all copies, or what `op` says: \"sum\",\n"
             "\"product\", \"min\" or \"max\", number by number, in a fixed order.")
        .def("all_reduce", &allReduce, py::arg("op") = "sum", py::arg("wait_for") = py::none(),
             "Every copy becomes the sum (or what `op` says) of all copies, with the same bits.")
        .def("reduce_scatter", &reduceScatter, py::arg("destination"), py::arg("op") = "sum",
             py::arg("wait_for") = py::none(),
             "Each shard of `destination` becomes the sum (or what `op` says) of its rows in all\n"
             "copies of this buffer.");
}

} // namespace kp::python
