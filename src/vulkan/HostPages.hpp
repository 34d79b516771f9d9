// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace kp::vulkan {

/// No machine that Vulkan runs on has smaller pages, so memory up to a multiple of this may be
/// touched wherever a byte of it may be.
constexpr uint64_t kPageBytes = 4096;

} // namespace kp::vulkan
