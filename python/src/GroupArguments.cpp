// SPDX-License-Identifier: Apache-2.0
//
// Python values as what groups and their buffers take.
#include "Arrays.hpp"
#include "Groups.hpp"
#include "Waiting.hpp"

namespace kp::python {
namespace {

std::string describe(py::handle value) {
    return std::string(py::str(py::repr(value)));
}

/// The number; empty for what is none, and for numbers below 0 or without end.
std::optional<uint64_t> wholeNumber(py::handle value) {
    if (PyBool_Check(value.ptr()) || !PyIndex_Check(value.ptr()))
        return std::nullopt;
    const auto index = py::reinterpret_steal<py::object>(PyNumber_Index(value.ptr()));
    const unsigned long long number = index ? PyLong_AsUnsignedLongLong(index.ptr()) : 0;
    if (PyErr_Occurred()) {
        PyErr_Clear();
        return std::nullopt;
    }
    return number;
}

/// Whether events of this copy are among those of a queue.
bool concerns(const Buffer& buffer, std::optional<uint32_t> copy, uint32_t queue) {
    return !copy || buffer.copyOf(queue) == *copy;
}

} // namespace

uint32_t toIndexOf(py::handle index, uint32_t count, const char* argument) {
    const std::optional<uint64_t> number = wholeNumber(index);
    if (!number || *number >= count)
        throw InvalidArgument(std::string(argument) + " is a whole number from 0 to " +
                              std::to_string(count - 1) + ", but was given " + describe(index));
    return static_cast<uint32_t>(*number);
}

uint64_t toCount(py::handle number, const char* argument) {
    const std::optional<uint64_t> value = wholeNumber(number);
    if (!value)
        throw InvalidArgument(std::string(argument) +
                              " is a whole number from 0 on, but was given " + describe(number));
    return *value;
}

GroupTarget toGroupTarget(py::handle target, const GroupHandle& group) {
    if (PyUnicode_Check(target.ptr())) {
        if (PyUnicode_CompareWithASCIIString(target.ptr(), "all") == 0)
            return GroupTarget::all();
        if (PyUnicode_CompareWithASCIIString(target.ptr(), "any") == 0)
            return GroupTarget::any();
        throw InvalidArgument("target is \"all\", \"any\" or the index of a queue, but was given " +
                              describe(target));
    }
    return GroupTarget::queue(toIndexOf(target, group.group->queueCount(), "target"));
}

std::shared_ptr<GroupHandle> toGroup(const py::object& group) {
    const py::object given =
        group.is_none() ? py::object(py::module_::import("kp._groups").attr("default_group")())
                        : group;
    handleOf<GroupHandle>(given, "group");
    return py::cast<std::shared_ptr<GroupHandle>>(given);
}

uint32_t indexOfCopy(const GroupHandle& group, const Buffer& buffer, uint32_t copy) {
    uint32_t index = 0;
    while (index + 1 < group.group->queueCount() && buffer.copyOf(index) != copy)
        ++index;
    return index;
}

void waitForQueues(const BufferHandle& buffer, std::optional<uint32_t> index, bool hostOnly) {
    const DeviceGroup& group = *buffer.group->group;
    std::optional<uint32_t> copy;
    if (index)
        copy = buffer.buffer->copyOf(*index);
    std::vector<Event> ends;
    for (uint32_t queue = 0; queue < group.queueCount(); ++queue)
        if (concerns(*buffer.buffer, copy, queue))
            ends.push_back(group.queue(queue)->barrier());
    for (const Event& end : ends) {
        if (end.done() || (hostOnly && end.value() != 0))
            continue;
        try {
            waitFor(end);
        } catch (const py::error_already_set&) { // Ctrl-C
            throw;
        } catch (const std::exception&) {
            // Not this call's failure. Where the device is lost, the transfer says so.
        }
    }
}

ElementType elementTypeOf(const py::dtype& dtype) {
    const py::object parts = dtype.attr("subdtype");
    const auto number = parts.is_none() ? dtype : py::cast<py::dtype>(py::tuple(parts)[0]);
    const Memory::DataTypes type = dataTypeOf(number, "dtype");
    const auto whole = [&dtype] {
        return ElementType::structOf(static_cast<uint32_t>(dtype.itemsize()));
    };
    if (number.kind() == 'c' && parts.is_none() && number.itemsize() <= 16)
        return ElementType::complexOf(number.itemsize() == 8 ? Memory::DataTypes::eFloat
                                                             : Memory::DataTypes::eDouble);
    if (type == Memory::DataTypes::eCustom)
        return whole();
    if (parts.is_none())
        return ElementType(type);
    const std::vector<py::ssize_t> shape = toShape(py::tuple(parts)[1]);
    bool small = type != Memory::DataTypes::eBool && shape.size() <= 2;
    for (const py::ssize_t extent : shape)
        small &= extent >= 2 && extent <= 4;
    if (!small)
        return whole();
    const auto first = static_cast<uint32_t>(shape[0]);
    return shape.size() == 1 ? ElementType::vectorOf(type, first)
                             : ElementType::matrixOf(type, first, static_cast<uint32_t>(shape[1]));
}

py::dtype numberTypeOf(const py::dtype& dtype) {
    const ElementType type = elementTypeOf(dtype);
    if (type.isComplex)
        return py::dtype(type.number == Memory::DataTypes::eFloat ? "f4" : "f8");
    if (type.number == Memory::DataTypes::eCustom || type.structBytes != 0)
        return py::dtype("u1");
    return py::cast<py::dtype>(dtype.attr("base"));
}

const char* nameOf(BufferPlacement placement) {
    switch (placement) {
    case BufferPlacement::eReplicated:
        return "replicated";
    case BufferPlacement::eReplicatedByQueue:
        return "replicated_by_queue";
    case BufferPlacement::eSharded:
        break;
    }
    return "sharded";
}

} // namespace kp::python
