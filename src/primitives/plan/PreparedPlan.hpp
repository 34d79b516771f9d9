// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include <kompute/Tensor.hpp>

#include "operations/StoragePipeline.hpp"
#include "primitives/plan/Plan.hpp"
#include "shader/check/CheckedModule.hpp"
#include "vulkan/device/Device.hpp"
#include "vulkan/memory/Buffer.hpp"

namespace kp::primitives {

/// A plan on a device, without the memory that it works on, which equal operations share.
/// Immutable. Used up to the end of its device.
class PreparedPlan {
public:
    using Buffers = std::vector<std::shared_ptr<vulkan::Buffer>>;

    /// Compiles the kernels and writes the constants.
    /// @param checks  what the kernels look for in checked mode
    /// @param tables  the last arguments of the plan, which are the same for all operations
    /// @throws ShaderError, OutOfMemory, Unsupported if a kernel binds too many buffers
    PreparedPlan(const std::shared_ptr<vulkan::Device>& device, Plan plan,
                 shader::CheckKinds checks, Buffers tables = {});

    const std::vector<Step>& steps() const { return mPlan.steps; }
    const StoragePipeline& pipeline(uint32_t kernel) const { return mPipelines[kernel]; }
    const Buffers& tables() const { return mTables; }
    /// A memory after the arguments.
    struct Scratch {
        uint64_t bytes = 0;
        std::shared_ptr<vulkan::Buffer> constants; ///< if not null, this memory
    };
    const std::vector<Scratch>& scratch() const { return mScratch; }

private:
    Plan mPlan; ///< without kernels, constants and scratch memory
    std::vector<StoragePipeline> mPipelines;
    Buffers mTables;
    std::vector<Scratch> mScratch;
};

} // namespace kp::primitives
