// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include <kompute/operations/OpBase.hpp>

#include "group/BufferImpl.hpp"

namespace kp::group {

/// Operations that devices of a group run at the same time, each device its own in their order.
/// Used by one thread.
class ShardWork {
public:
    explicit ShardWork(std::shared_ptr<DeviceGroup::Impl> group)
        : mGroup(std::move(group)), mOperations(mGroup->managers.size()) {}

    void add(size_t device, std::shared_ptr<OpBase> operation) {
        mOperations[device].push_back(std::move(operation));
    }
    /// Runs the operations and waits for them.
    /// @throws a device's exception
    void run() const;

private:
    std::shared_ptr<DeviceGroup::Impl> mGroup;
    std::vector<std::vector<std::shared_ptr<OpBase>>> mOperations; ///< by device
};

/// Transfers between memories of a group's devices, which are done one after the other for each
/// destination. Used by one thread.
class ShardTransfers {
public:
    /// Offsets and sizes are in bytes. Transfers of 0 bytes are left out.
    void add(size_t source, const Tensor& from, uint64_t fromOffset, size_t destination,
             const Tensor& to, uint64_t toOffset, uint64_t bytes);
    /// Submits the transfers. Later submissions that use the memories run after them.
    void run(const DeviceGroup::Impl& group) const;

private:
    std::vector<DeviceTransfer> mTransfers;
};

/// Launches a function that runs work on the devices of buffers, in the order of their queues.
/// @return one event per queue of the buffers' copies
std::vector<Event> launchOn(const std::vector<const Buffer::Impl*>& buffers,
                            const std::vector<Event>& waitFor, std::function<void()> function);

/// Creates memory for numbers on a device of a group, which has no host view.
std::shared_ptr<Tensor> scratchOn(const DeviceGroup::Impl& group, size_t device, uint64_t numbers,
                                  Memory::DataTypes type);

/// @param what  "reduce is of", for the messages
/// @throws InvalidArgument unless the buffer is alive, of the group, and of numbers
void requireNumbers(const Buffer::Impl& buffer, const DeviceGroup::Impl& group, const char* what);
/// @throws InvalidArgument unless the buffer is sharded or not, as given
void requirePlacement(const Buffer::Impl& buffer, bool sharded, const char* what);

} // namespace kp::group
