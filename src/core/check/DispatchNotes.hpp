// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "core/check/CheckReport.hpp"
#include "vulkan/memory/WrittenMemory.hpp"

namespace kp {

/// What checked mode adds to a dispatch.
struct DispatchNotes {
    /// Of a checked shader; else null. Dispatches write it with atomics, which need no barriers.
    std::shared_ptr<CheckReport> report;
    /// Outputs that are followed (vulkan::WrittenMemory) without help of the shader.
    std::vector<vulkan::WrittenMemory::Range> unnoted;

    bool empty() const { return !report && unnoted.empty(); }
    /// Records what comes before the dispatch.
    void record(const vulkan::DeviceHandle& device, VkCommandBuffer commandBuffer) const {
        if (report) [[unlikely]]
            report->recordReset(device, commandBuffer);
        if (!unnoted.empty()) [[unlikely]]
            vulkan::WrittenMemory::recordDispatch(device, commandBuffer, unnoted);
    }
};

} // namespace kp
