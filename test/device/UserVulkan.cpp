// SPDX-License-Identifier: Apache-2.0
#include "UserVulkan.hpp"

VULKAN_HPP_DEFAULT_DISPATCH_LOADER_DYNAMIC_STORAGE

// DynamicLoader is in vk::detail in newer headers, in vk in older ones.
namespace vk::detail {}
using namespace vk;
using namespace vk::detail;

namespace kp::test {

void loadUserVulkan(const kp::Manager& manager) {
    static const DynamicLoader library;
    VULKAN_HPP_DEFAULT_DISPATCHER.init(
        manager.nativeInstance(),
        library.getProcAddress<PFN_vkGetInstanceProcAddr>("vkGetInstanceProcAddr"),
        manager.nativeDevice());
}

} // namespace kp::test
