// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "vulkan/device/Vulkan.hpp"

// Captures by RenderDoc, through its in-application interface.
namespace kp {

/// Starts a capture of everything submitted to the devices of an instance.
/// @throws Unsupported if the program does not run under RenderDoc; InvalidArgument if a capture
///         has begun
void startCapture(VkInstance instance);
/// Ends the capture, which RenderDoc then writes to a file.
/// @throws Unsupported as startCapture(), or if RenderDoc could not write it; InvalidArgument if
///         none has begun
void endCapture(VkInstance instance);

} // namespace kp
