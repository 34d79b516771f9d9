// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include <kompute/Tensor.hpp>
#include <kompute/group/DeviceGroup.hpp>

namespace kp {

/// Bytes to move from a tensor to another, on the same or another device of a group.
struct DeviceMove {
    std::shared_ptr<Tensor> source;
    size_t sourceDevice = 0;   ///< index in the group
    uint64_t sourceOffset = 0; ///< bytes
    std::shared_ptr<Tensor> destination;
    size_t destinationDevice = 0;
    uint64_t destinationOffset = 0; ///< bytes
    uint64_t bytes = 0;
};

/// Moves bytes between tensors of the devices of a group. Moves are ordered on the managers'
/// default queues, where arrays launch their work: they follow all earlier launches there, and
/// later launches that use the tensors follow them. Returns once everything is submitted, or at
/// once if earlier launches wait for the host.
/// @param moves  no two of them write to the same bytes
/// @throws InvalidArgument if there is no such device, or a tensor is too small
KOMPUTE_API void moveBetween(const DeviceGroup& group, const std::vector<DeviceMove>& moves);

} // namespace kp
