// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include <kompute/Error.hpp>
#include <kompute/Export.hpp>
#include <kompute/VulkanHandles.hpp>
#include <kompute/logger/Logger.hpp>

// Lowest Vulkan version the library runs on. Kept for programs that print it; the version in use
// is the highest that the driver offers.
#ifndef KOMPUTE_VK_API_MAJOR_VERSION
#define KOMPUTE_VK_API_MAJOR_VERSION 1
#endif
#ifndef KOMPUTE_VK_API_MINOR_VERSION
#define KOMPUTE_VK_API_MINOR_VERSION 1
#endif
#ifndef KOMPUTE_VK_API_VERSION
#define KOMPUTE_VK_API_VERSION                                                                     \
    ((static_cast<uint32_t>(KOMPUTE_VK_API_MAJOR_VERSION) << 22) |                                 \
     (static_cast<uint32_t>(KOMPUTE_VK_API_MINOR_VERSION) << 12))
#endif

namespace kp {

/// Work groups of a dispatch in x, y and z. An x of 0 asks for the default.
using Workgroup = std::array<uint32_t, 3>;

/// Push or specialization constants of the common kind.
using Constants = std::vector<float>;

} // namespace kp
