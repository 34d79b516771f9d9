// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include <kompute/program/Program.hpp>
#include <kompute/queue/Queue.hpp>

#include "core/Internals.hpp"
#include "core/check/CheckedShader.hpp"
#include "program/ProgramData.hpp"
#include "program/ProgramRuns.hpp"
#include "vulkan/device/Device.hpp"
#include "vulkan/pipeline/PipelineCache.hpp"

namespace kp {
namespace program {

/// checkedKernel(): programs that are loaded without it need no SPIRV-Tools.
using CheckKernel = std::shared_ptr<const CheckedShader>(const Kernel& kernel, const Data& data,
                                                         const vulkan::Device& device,
                                                         const shader::CheckKinds& kinds);

/// A program on a device, with the checks of its manager, or of the thread that loads it. Never
/// changes.
struct Loaded {
    /// @param checks  null without checks
    /// @throws Unsupported if the device lacks what the program needs; OutOfMemory
    Loaded(std::shared_ptr<vulkan::Device> device, std::weak_ptr<Queue> queue, Data data,
           CheckKernel* checks);

    std::shared_ptr<vulkan::Device> device;
    std::weak_ptr<Queue> queue; ///< of its manager
    Data data;
    CheckKernel* const checkKernel;
    std::vector<std::shared_ptr<vulkan::Pipeline>> pipelines; ///< of data.kernels
    /// Likewise; null for kernels without checks.
    std::vector<std::shared_ptr<const CheckedShader>> checked;
    std::vector<std::shared_ptr<Tensor>> contents; ///< data.contents on the device
};

} // namespace program

/// What copies of a program share.
struct Program::Impl {
    /// @throws as program::Loaded
    Impl(std::shared_ptr<vulkan::Device> device, std::weak_ptr<Queue> queue, program::Data data,
         program::CheckKernel* checks)
        : loaded(std::make_shared<const program::Loaded>(std::move(device), std::move(queue),
                                                         std::move(data), checks)),
          runs(std::make_unique<program::ProgramRuns>()) {}

    std::shared_ptr<const program::Loaded> loaded;
    std::unique_ptr<program::ProgramRuns> runs;

    /// Returns a program of this data. @throws as the constructor
    static Program make(std::shared_ptr<vulkan::Device> device, std::weak_ptr<Queue> queue,
                        program::Data data, program::CheckKernel* checks) {
        return Internals::handle<Program>(std::shared_ptr<const Impl>(
            std::make_shared<Impl>(std::move(device), std::move(queue), std::move(data), checks)));
    }
};

} // namespace kp
