// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include <kompute/Memory.hpp>

namespace kp {

/// The objects an operation works on, each once: doing the same twice in one operation would be a
/// hazard that no barrier stands in.
/// @throws InvalidArgument for null objects, and for none at all. @param operation for the message
std::vector<std::shared_ptr<Memory>>
distinctObjects(const std::vector<std::shared_ptr<Memory>>& memObjects, const char* operation);

} // namespace kp
