// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include <kompute/Memory.hpp>
#include <kompute/algorithm/AlgorithmOptions.hpp>

#include "shader/reflect/Reflection.hpp"
#include "vulkan/device/Device.hpp"

namespace kp {

/// Checks a descriptor that the shader declares as an image against the image given for it.
/// @throws ShaderError with the declared and the given type
void checkImage(const shader::Binding& binding, uint32_t element, const Memory::Impl& memory,
                const vulkan::Device& device);

/// Returns the sampler for a descriptor that takes one, after checkSamplers().
const std::shared_ptr<Sampler>& samplerFor(const AlgorithmOptions& options,
                                           const shader::Binding& binding, uint32_t element);

/// Checks the number of samplers, and each one against the images that the shader reads with it.
/// @throws InvalidArgument for another number, samplers of other devices and null; ShaderError if
///         an image cannot be read that way
void checkSamplers(const shader::Reflection& reflection, const vulkan::Device& device,
                   const AlgorithmOptions& options,
                   const std::vector<std::shared_ptr<Memory>>& memObjects);

} // namespace kp
