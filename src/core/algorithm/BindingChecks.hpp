// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include <kompute/Memory.hpp>

#include "shader/reflect/Reflection.hpp"
#include "vulkan/device/Device.hpp"

namespace kp {

// Checks of memory objects against the bindings of a shader. They throw ShaderError if one does not
// match its declaration, and InvalidArgument if it cannot be bound at all.

/// @throws InvalidArgument if an object is null
void requireObjects(const std::vector<std::shared_ptr<Memory>>& memObjects);

/// Whether the elements of tensors must have the type that the shader declares.
enum class TypeRule { eSame, eReinterpret };

/// Checks one descriptor of a binding against the memory object given for it.
void checkBinding(const shader::Binding& binding, uint32_t element, const Memory& memory,
                  const vulkan::Device& device, TypeRule types);

/// Checks each binding against its memory objects, and their number.
void checkBindings(const shader::Reflection& reflection, const vulkan::Device& device,
                   const std::vector<std::shared_ptr<Memory>>& memObjects, TypeRule types);

} // namespace kp
