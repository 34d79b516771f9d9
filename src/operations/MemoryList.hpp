// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include <kompute/Memory.hpp>

namespace kp {

/// Returns the objects of an operation without repetitions: an operation has no barriers between
/// its commands, so each object may appear only once.
/// @param operation  its name, for the message
/// @throws InvalidArgument if there are no objects, or one is null
std::vector<std::shared_ptr<Memory>>
distinctObjects(const std::vector<std::shared_ptr<Memory>>& memObjects, const char* operation);

} // namespace kp
