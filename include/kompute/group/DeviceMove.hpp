// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include <kompute/Tensor.hpp>
#include <kompute/group/DeviceGroup.hpp>

namespace kp {

/// Bytes of a tensor that move to a tensor of the same device of a group, or of another one.
struct DeviceMove {
    std::shared_ptr<Tensor> source;
    size_t sourceDevice = 0;   ///< its place in the group
    uint64_t sourceOffset = 0; ///< bytes
    std::shared_ptr<Tensor> destination;
    size_t destinationDevice = 0;
    uint64_t destinationOffset = 0; ///< bytes
    uint64_t bytes = 0;
};

/// Moves bytes between tensors of the devices of a group. It takes its place in the order of the
/// default queues of the managers, where arrays launch their work: it follows all earlier launches
/// there, and later ones that use the tensors follow it. Returns once everything is submitted, or
/// at once if earlier launches wait for the host.
/// @param moves  no two of them write to the same bytes
/// @throws InvalidArgument if there is no such device, or a tensor is too small
KOMPUTE_API void moveBetween(const DeviceGroup& group, const std::vector<DeviceMove>& moves);

} // namespace kp
