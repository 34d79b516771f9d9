// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include <kompute/Tensor.hpp>

#include "vulkan/memory/Buffer.hpp"

namespace kp {

/// Returns a tensor in the memory of another one. Its memory can be exchanged, and it does not keep
/// the other tensor.
std::shared_ptr<Tensor> standInFor(const Tensor& tensor);

/// Returns the memory of a tensor.
std::shared_ptr<vulkan::Buffer> bufferOf(const Tensor& tensor);

} // namespace kp
