// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include <kompute/Group.hpp>

#include "Events.hpp"

/// What groups of devices are in Python. Groups, their buffers and their kernels are called without
/// the GIL: each such call says by a Use what it uses.
namespace kp::python {

/// A kp.DeviceGroup.
struct GroupHandle {
    std::shared_ptr<DeviceGroup> group;
    py::tuple managers; ///< the kp.Manager of each device
    py::tuple queues;   ///< the kp.Queue of each queue
    int users = 0;      ///< calls that use it without the GIL
};

/// A kp.Buffer.
struct BufferHandle {
    std::shared_ptr<GroupHandle> group;
    std::shared_ptr<Buffer> buffer;
    py::dtype dtype; ///< of an element; a sub-array where that is a vector or a matrix
    int users = 0;   ///< calls that use it without the GIL
};

/// A kp.GroupKernel.
struct GroupKernelHandle {
    std::shared_ptr<GroupHandle> group;
    std::shared_ptr<GroupKernel> kernel;
    std::vector<std::pair<std::string, KernelArgument>> parameters; ///< name in calls
    py::list buffers;                                               ///< among its arguments
    std::mutex calls; ///< one at a time; locked without the GIL
};

/// Runs @p body, which uses the group, without the GIL.
template <typename Body>
auto withoutGil(GroupHandle& group, Body&& body) {
    const Use use(group);
    const py::gil_scoped_release release;
    return body();
}
/// Same with a buffer of a group.
template <typename Body>
auto withoutGil(BufferHandle& buffer, Body&& body) {
    const Use use(buffer);
    return withoutGil(*buffer.group, std::forward<Body>(body));
}

/// Ends an object of the library without the GIL: its end may wait for a device.
template <typename T>
std::shared_ptr<T> endWithoutGil(std::shared_ptr<T> object) {
    T* const pointer = object.get();
    return std::shared_ptr<T>(pointer, [kept = std::move(object)](T*) mutable {
        if (Py_IsInitialized() && PyGILState_Check()) {
            const py::gil_scoped_release release;
            kept.reset();
        } else {
            kept.reset();
        }
    });
}

/// The index of a queue of a group, as buffers take it.
/// @throws InvalidArgument naming @p argument for everything but the whole numbers below @p count
uint32_t toIndexOf(py::handle index, uint32_t count, const char* argument);

/// A whole number from 0 on, where ValueError is what fits all that is not.
/// @throws InvalidArgument naming @p argument
uint64_t toCount(py::handle number, const char* argument);

/// "all", "any" or the index of a queue. @throws InvalidArgument
GroupTarget toGroupTarget(py::handle target, const GroupHandle& group);

/// A group argument; None is the process's default group.
std::shared_ptr<GroupHandle> toGroup(const py::object& group);

/// The number of a copy's first queue, which is an index that means this copy.
uint32_t indexOfCopy(const GroupHandle& group, const Buffer& buffer, uint32_t copy);

/// Waits, so that Ctrl-C is noticed, until what was launched on the queues of these copies is over.
/// Failures are left to those who hold the events.
/// @param index     none: all copies
/// @param hostOnly  only where it waits for the host, which may take for ever
void waitForQueues(const BufferHandle& buffer, std::optional<uint32_t> index, bool hostOnly);

/// What an element of a dtype is. @throws TypeError
ElementType elementTypeOf(const py::dtype& dtype);
/// The dtype of the numbers in an element; uint8 for structs.
py::dtype numberTypeOf(const py::dtype& dtype);

const char* nameOf(BufferPlacement placement);

using GroupClass = py::class_<GroupHandle, std::shared_ptr<GroupHandle>>;

void bindGroupLaunch(GroupClass& type);
void bindBufferTransfers(py::class_<BufferHandle>& type);
void bindCollectives(py::class_<BufferHandle>& type);

} // namespace kp::python
