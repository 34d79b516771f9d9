// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "group/ReduceKernel.hpp"
#include "vulkan/memory/Buffer.hpp"

namespace kp::group {

/// Bytes of one device that others receive. Devices are indices in the group.
struct DeviceTransfer {
    struct Destination {
        size_t device = 0;
        std::shared_ptr<vulkan::Buffer> buffer;
        uint64_t offset = 0;
    };

    size_t device = 0;
    std::shared_ptr<vulkan::Buffer> source;
    uint64_t offset = 0;
    uint64_t bytes = 0;
    std::vector<Destination> destinations;
};

/// Kernels that combine received bytes with those at the destination, one per device of the group.
/// Empty: received bytes replace them.
using ReduceKernels = std::vector<std::shared_ptr<const ReduceKernel>>;

} // namespace kp::group
