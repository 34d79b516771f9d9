// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <set>
#include <span>
#include <vector>

#include <kompute/operations/OpBase.hpp>

#include "program/ProgramData.hpp"
#include "vulkan/device/Device.hpp"

namespace kp::program {

/// A tensor of operations that runs of the program replace.
struct Given {
    ProgramTensor described;
    std::shared_ptr<Tensor> tensor;
    bool mayChange = false; ///< an input that is also an output if operations write it
};

/// Makes the data of a program with one variant.
/// @param scratch  memory whose contents are undefined before the operations
/// @throws as Program::of()
Data recordProgram(vulkan::Device& device, std::span<const std::shared_ptr<OpBase>> operations,
                   const std::vector<Given>& given,
                   const std::set<const vulkan::Buffer*>& scratch = {});

/// Returns how a tensor is called in messages: "the tensor 'x'".
std::string describe(const ProgramTensor& tensor);

} // namespace kp::program
