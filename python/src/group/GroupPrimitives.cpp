// SPDX-License-Identifier: Apache-2.0
#include "group/GroupPrimitives.hpp"

#include "group/Groups.hpp"
#include "primitives/Primitives.hpp"

namespace kp::python {
namespace {

/// The buffers of a call, which must not be destroyed during it.
class UsedBuffers {
public:
    BufferHandle& add(py::handle buffer, const char* argument) {
        auto& handle = handleOf<BufferHandle>(buffer, argument);
        mUses.push_back(std::make_unique<Use<BufferHandle>>(handle));
        return handle;
    }

private:
    std::vector<std::unique_ptr<Use<BufferHandle>>> mUses;
};

std::vector<Event> reduceBuffer(py::handle self, const py::object& in, const py::object& out,
                                const py::object& op, std::optional<int> axis,
                                const py::object& waitFor) {
    auto& group = handleOf<GroupHandle>(self);
    UsedBuffers used;
    const Buffer& from = *used.add(in, "buffer").buffer;
    Buffer& to = *used.add(out, "out").buffer;
    const Operator combine = toOperator(op, "op");
    const std::vector<Event> waits = toEvents(waitFor);
    return withoutGil(group, [&] { return group.group->reduce(from, to, combine, axis, waits); });
}

std::vector<Event> sortBuffer(py::handle self, const py::object& keys, const py::object& values,
                              bool descending, const py::object& waitFor) {
    auto& group = handleOf<GroupHandle>(self);
    UsedBuffers used;
    Buffer& sorted = *used.add(keys, "keys").buffer;
    Buffer* const moved = values.is_none() ? nullptr : used.add(values, "values").buffer.get();
    const std::vector<Event> waits = toEvents(waitFor);
    return withoutGil(group, [&] {
        return moved ? group.group->sort(sorted, *moved, descending, waits)
                     : group.group->sort(sorted, descending, waits);
    });
}

std::vector<Event> multiplyBuffers(py::handle self, const py::object& a, const py::object& b,
                                   const py::object& out, const py::object& waitFor) {
    auto& group = handleOf<GroupHandle>(self);
    UsedBuffers used;
    const Buffer& left = *used.add(a, "a").buffer;
    const Buffer& right = *used.add(b, "b").buffer;
    Buffer& product = *used.add(out, "out").buffer;
    const std::vector<Event> waits = toEvents(waitFor);
    return withoutGil(group, [&] { return group.group->matmul(left, right, product, waits); });
}

/// Moves bytes of tensors: of each move the device, tensor and first byte of both ends, and the
/// bytes.
void moveBytes(py::handle self, const py::object& given) {
    using Place = std::tuple<size_t, py::object, uint64_t>;
    auto& group = handleOf<GroupHandle>(self);
    std::vector<DeviceMove> moves;
    for (const py::handle each : given) {
        const auto [from, to, bytes] = py::cast<std::tuple<Place, Place, uint64_t>>(each);
        const auto& [source, sourceTensor, sourceOffset] = from;
        const auto& [destination, destinationTensor, destinationOffset] = to;
        moves.push_back({handleOf<TensorHandle>(sourceTensor, "source").tensor(), source,
                         sourceOffset,
                         handleOf<TensorHandle>(destinationTensor, "destination").tensor(),
                         destination, destinationOffset, bytes});
    }
    withoutGil(group, [&] { moveBetween(*group.group, moves); });
}

} // namespace

void bindGroupPrimitives() {
    GroupClass group(
        py::reinterpret_borrow<py::object>(reinterpret_cast<PyObject*>(gType<GroupHandle>)));
    group
        .def("_move", &moveBytes, "moves"_a, doc(R"(
                 Moves bytes between tensors of the devices: ((device, tensor, byte), (device, tensor,
                 byte), bytes) for each move, from the first place to the second. Follows earlier
                 launches on the default queues of the managers; later ones that use the tensors
                 follow it.)"))
        .def("reduce_into", &reduceBuffer, "buffer"_a, "out"_a, "op"_a = "sum",
             "axis"_a = py::none(), "wait_for"_a = py::none(), doc(R"(
                 Starts a reduction of the elements of a sharded buffer, or along an axis of it.

                 `op` is as for OpReduce. `out` is another buffer: replicated, for all elements (it
                 has one) and along axis 0; along another axis, sharded with the rows of `buffer`.
                 Returns the events of the queues.)"))
        .def("sort_async", &sortBuffer, "keys"_a, "values"_a = py::none(), py::kw_only(),
             "descending"_a = false, "wait_for"_a = py::none(), doc(R"(
                 Starts a stable sort of a sharded buffer of one dimension, in place. `values`, a
                 buffer with the same shards and elements of 4 or 8 bytes, moves along.)"))
        .def("matmul_into", &multiplyBuffers, "a"_a, "b"_a, "out"_a, "wait_for"_a = py::none(),
             doc(R"(
                 Starts the product of a sharded matrix and another one, or a vector, which is
                 sharded or replicated. `out` has the rows of `a`, in the same shards.)"));
}

} // namespace kp::python
