// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include <kompute/algorithm/AlgorithmOptions.hpp>

#include "base/Hash.hpp"
#include "shader/check/CheckedModule.hpp"
#include "shader/compile/CompileLog.hpp"
#include "shader/reflect/Reflection.hpp"
#include "vulkan/device/Device.hpp"
#include "vulkan/pipeline/PipelineCache.hpp"

namespace kp {

class Queue;

/// A module that reports the mistakes of a shader, and its contentKey().
struct CheckedShader {
    shader::CheckedModule module;
    Hash key;
};

/// Returns the checks of an algorithm's options, else of its manager; nothing if the thread that
/// makes or launches it decides.
/// @param managerQueue  of the manager; null without one
/// @throws InvalidArgument for unknown words
std::optional<shader::CheckKinds> fixedChecks(const AlgorithmOptions& options,
                                              const Queue* managerQueue);

/// Returns the checks of a manager; if it does not choose, of this thread.
shader::CheckKinds checksOf(const Queue* managerQueue);

/// Returns the module with checks; null if nothing in it can fail. Cached by content. Thread-safe.
/// @param contentKey  of @p spirv
/// @param texts       of files that the module names in its lines, but has no text of
/// @throws Unsupported if the device has no more descriptors for the reports
std::shared_ptr<const CheckedShader>
checkedFor(const vulkan::Device& device, std::span<const uint32_t> spirv, const Hash& contentKey,
           const shader::Reflection& reflection, const shader::CheckKinds& kinds,
           const shader::SourceTexts& texts = {});

/// Adds the bindings of CheckReport::describe() to a shader's own.
void addReportBindings(const CheckedShader& checked,
                       std::vector<vulkan::DescriptorBinding>& bindings);

/// Returns true if a module notes its writes to a buffer. @param checked  may be null
bool follows(const CheckedShader* checked, uint32_t set, uint32_t binding);

} // namespace kp
