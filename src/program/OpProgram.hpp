// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include <kompute/program/Program.hpp>

#include "program/ProgramImpl.hpp"
#include "vulkan/pipeline/DescriptorAllocator.hpp"

namespace kp::program {

/// A variant of a program with its tensors.
class OpProgram final : public OpBase {
public:
    /// @param tensors  in the order of the variant's tensors, with their sizes and types
    /// @throws Unsupported, OutOfMemory
    OpProgram(std::shared_ptr<const Loaded> program, size_t variant,
              std::vector<std::shared_ptr<Tensor>> tensors);
    /// Same, with the program, the variant and the intermediate results of another one, so that
    /// both run on one queue.
    OpProgram(const OpProgram& other, std::vector<std::shared_ptr<Tensor>> tensors);

    Accesses accesses() override;
    void record(const vk::CommandBuffer& commandBuffer) override;
    void preEval(const vk::CommandBuffer&) override {}
    void postEval(const vk::CommandBuffer&) override {}

private:
    struct State;
    explicit OpProgram(std::shared_ptr<const State> state);

    std::shared_ptr<const State> mState;
};

} // namespace kp::program
