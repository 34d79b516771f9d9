// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mutex>

#include <kompute/Group.hpp>

#include "core/Classes.hpp"

/// The contents of the Python objects of device groups. Groups, their buffers and their kernels are
/// called without the GIL: each such call protects the objects it uses by a Use.
namespace kp::python {

struct GroupHandle {
    std::shared_ptr<DeviceGroup> group;
    py::tuple managers;   ///< the kp.Manager of each device
    py::tuple queues;     ///< the kp.Queue of each queue
    int users = 0;        ///< calls that use it without the GIL
    bool closing = false; ///< destroy() waits for those; there will be no more
    static constexpr const char* kNoun = "group";
};

struct BufferHandle {
    std::shared_ptr<GroupHandle> group;
    std::shared_ptr<Buffer> buffer;
    py::dtype dtype;       ///< of an element; a sub-array if that is a vector or a matrix
    int users = 0;         ///< calls that use it without the GIL
    bool external = false; ///< around existing tensors
};

using GroupClass = py::class_<GroupHandle, std::shared_ptr<GroupHandle>>;
using BufferClass = py::class_<BufferHandle>;

inline BufferHandle& bufferOf(py::handle self) {
    return handleOf<BufferHandle>(self);
}

/// Runs @p body, which uses a buffer of a group, without the GIL.
template <typename Body>
auto withoutGil(BufferHandle& buffer, Body&& body) {
    const Use use(buffer);
    return withoutGil(*buffer.group, std::forward<Body>(body));
}

/// Returns an index below @p count.
/// @throws InvalidArgument naming @p argument for everything else
uint32_t toIndexOf(py::handle index, uint32_t count, const char* argument);
/// Same for the index of a queue of the buffer's group.
uint32_t toQueueIndex(const BufferHandle& buffer, py::handle index, const char* argument = "index");

/// Returns a whole number from 0 on. @throws InvalidArgument naming @p argument
uint64_t toCount(py::handle number, const char* argument);

/// Returns the target of "all", "any" or the index of a queue. @throws InvalidArgument
GroupTarget toGroupTarget(py::handle target, const GroupHandle& group);

/// Returns a group argument; None is the process's default group.
std::shared_ptr<GroupHandle> toGroup(const py::object& group);

/// Waits, so that Ctrl-C is noticed, until the launches on the queues of these copies are over.
/// Failures are reported by their events.
/// @param index     none: all copies
/// @param hostOnly  only launches that wait for the host, which may take forever
void waitForQueues(const BufferHandle& buffer, std::optional<uint32_t> index, bool hostOnly);

/// Returns the element type of a dtype. @throws TypeError
ElementType elementTypeOf(const py::dtype& dtype);
/// Returns the dtype of the numbers in an element; uint8 for structs.
py::dtype numberTypeOf(const py::dtype& dtype);

/// Binds DeviceGroup and GroupLimits.
void bindDeviceGroup(py::module_& module);
/// Binds Buffer and Shard.
void bindBuffer(py::module_& module);
/// Binds GroupKernel and DeviceGroup.kernel.
void bindGroupKernel(py::module_& module);

} // namespace kp::python
