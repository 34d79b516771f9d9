// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>

#include <kompute/operations/OpBase.hpp>

#include "vulkan/queue/Queue.hpp"

namespace kp {

/// Launches one operation by recording it into the commands that a busy queue gathers. On an H200,
/// each takes the device 1.8 us there, a command buffer of its own 3.8 us, a submission 11.4 us.
/// Thread-safe.
/// @return its point; empty if the operation has to be submitted by itself: the queue is not busy,
///         the operation is not a plain dispatch, or it must wait for another queue
/// @throws as recording the operation
std::optional<vulkan::TimelinePoint> gather(vulkan::Queue& queue, OpBase& operation,
                                            std::span<const vulkan::TimelinePoint> waits);

} // namespace kp
