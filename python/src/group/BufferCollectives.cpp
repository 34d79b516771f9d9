// SPDX-License-Identifier: Apache-2.0
#include "group/BufferCollectives.hpp"

#include "primitives/Primitives.hpp"

namespace kp::python {
namespace {

/// Returns the bytes of a number of rows.
uint64_t bytesOfRows(const BufferHandle& buffer, py::handle rows, const char* argument) {
    const uint64_t bytes = buffer.buffer->memSize() / buffer.buffer->shape()[0];
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

} // namespace

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
            "root"_a = 0, "wait_for"_a = py::none(), "Makes every copy equal to `root`'s copy.")
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
                return run(self, &Buffer::reduce, waitFor, toReduceOperation(op, "op"),
                           toRoot(self, root));
            },
            "op"_a = "sum", "root"_a = 0, "wait_for"_a = py::none(), doc(R"(
                 Replaces the copy of `root` by the sum of all copies, or another `op`:
                 "product", "min", "max", "and", "or" or "xor", element by element, in a fixed
                 order.)"))
        .def(
            "all_reduce",
            [](py::handle self, const std::string& op, const py::object& waitFor) {
                return run(self, &Buffer::allReduce, waitFor, toReduceOperation(op, "op"));
            },
            "op"_a = "sum", "wait_for"_a = py::none(),
            "Replaces every copy by the sum (or `op`) of all copies, with the same bits.")
        .def(
            "reduce_scatter",
            [](py::handle self, const py::object& destination, const std::string& op,
               const py::object& waitFor) {
                return runInto(self, &Buffer::reduceScatter, destination, waitFor,
                               toReduceOperation(op, "op"));
            },
            "destination"_a, "op"_a = "sum", "wait_for"_a = py::none(), doc(R"(
                 Replaces each shard of `destination` by the sum (or `op`) of its rows in all copies
                 of this buffer.)"));
}

} // namespace kp::python
