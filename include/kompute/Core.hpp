// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include <kompute/Error.hpp>
#include <kompute/Export.hpp>
#include <kompute/Version.hpp>
#include <kompute/device/VulkanHandles.hpp>
#include <kompute/logger/Logger.hpp>

// The lowest Vulkan version that the library runs on, for programs that print it. The version in
// use is the highest that the driver offers.
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

/// Work group counts of a dispatch in x, y and z. An x of 0 selects the default.
using Workgroup = std::array<uint32_t, 3>;

/// Push constants or specialization constants of type float.
using Constants = std::vector<float>;

} // namespace kp
