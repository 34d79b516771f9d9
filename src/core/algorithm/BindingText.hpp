// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include <kompute/shader/Reflection.hpp>

#include "core/memory/MemoryImpl.hpp"

// Names of a shader's bindings and their arguments in messages.
namespace kp {

/// Returns " 'name'", or nothing.
std::string quotedName(const std::string& name);
/// Returns "binding 2 of set 1 'name'".
std::string describeBinding(const shader::Binding& binding);
/// The same for an element of an array of descriptors.
std::string describeDescriptor(const shader::Binding& binding, uint32_t element);
/// Returns "a tensor of 4 eFloat", or "a tensor 'weights' of 4 eFloat" if it has a name.
std::string describeMemory(const Memory::Impl& memory);

} // namespace kp
