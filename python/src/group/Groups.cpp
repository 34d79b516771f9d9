// SPDX-License-Identifier: Apache-2.0
#include "group/Groups.hpp"

#include "base/Arrays.hpp"
#include "base/Package.hpp"
#include "base/Waiting.hpp"

namespace kp::python {

uint32_t toIndexOf(py::handle index, uint32_t count, const char* argument) {
    const std::optional<uint64_t> number = toWholeNumber(index);
    if (!number || *number >= count)
        throw InvalidArgument(formatted("{} is a whole number from 0 to {}, but was given {}",
                                        argument, count - 1, reprOf(index)));
    return static_cast<uint32_t>(*number);
}

uint32_t toQueueIndex(const BufferHandle& buffer, py::handle index, const char* argument) {
    return toIndexOf(index, buffer.group->group->queueCount(), argument);
}

uint64_t toCount(py::handle number, const char* argument) {
    const std::optional<uint64_t> value = toWholeNumber(number);
    if (!value)
        throw InvalidArgument(formatted("{} is a whole number from 0 on, but was given {}",
                                        argument, reprOf(number)));
    return *value;
}

GroupTarget toGroupTarget(py::handle target, const GroupHandle& group) {
    if (PyUnicode_Check(target.ptr())) {
        if (PyUnicode_CompareWithASCIIString(target.ptr(), "all") == 0)
            return GroupTarget::all();
        if (PyUnicode_CompareWithASCIIString(target.ptr(), "any") == 0)
            return GroupTarget::any();
        throw InvalidArgument(
            formatted("target is \"all\", \"any\" or the index of a queue, but was given {}",
                      reprOf(target)));
    }
    return GroupTarget::queue(toIndexOf(target, group.group->queueCount(), "target"));
}

std::shared_ptr<GroupHandle> toGroup(const py::object& group) {
    if (group.is_none())
        return toGroup(ofPackage("default_group")());
    return sharedOf<GroupHandle>(group, "group");
}

void waitForQueues(const BufferHandle& buffer, std::optional<uint32_t> index, bool hostOnly) {
    const DeviceGroup& group = *buffer.group->group;
    std::optional<uint32_t> copy;
    if (index)
        copy = buffer.buffer->copyOf(*index);
    std::vector<Event> ends;
    for (uint32_t queue = 0; queue < group.queueCount(); ++queue)
        if (!copy || buffer.buffer->copyOf(queue) == *copy)
            ends.push_back(group.queue(queue)->barrier());
    for (const Event& end : ends)
        if (!end.done() && !(hostOnly && end.value() != 0))
            waitForEnd(end); // if the device is lost, the transfer throws
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

} // namespace kp::python
