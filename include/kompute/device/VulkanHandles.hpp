// SPDX-License-Identifier: Apache-2.0
#pragma once

// The few Vulkan names in the signatures of this library, declared exactly as in Vulkan's own
// headers. Those headers can be included before or after this one, in any version. A program that
// does more than pass these types on includes <vulkan/vulkan.hpp> itself.

#include <cstdint>

#if defined(__LP64__) || defined(_WIN64) || defined(__x86_64__) || defined(_M_X64) ||              \
    defined(__aarch64__) || defined(_M_ARM64) || (defined(__riscv) && __riscv_xlen == 64)
#define KOMPUTE_NON_DISPATCHABLE_HANDLE(name) typedef struct name##_T* name;
#else
#define KOMPUTE_NON_DISPATCHABLE_HANDLE(name) typedef uint64_t name;
#endif

typedef struct VkInstance_T* VkInstance;
typedef struct VkPhysicalDevice_T* VkPhysicalDevice;
typedef struct VkDevice_T* VkDevice;
typedef struct VkQueue_T* VkQueue;
typedef struct VkCommandBuffer_T* VkCommandBuffer;
KOMPUTE_NON_DISPATCHABLE_HANDLE(VkBuffer)
KOMPUTE_NON_DISPATCHABLE_HANDLE(VkImage)
KOMPUTE_NON_DISPATCHABLE_HANDLE(VkImageView)
KOMPUTE_NON_DISPATCHABLE_HANDLE(VkPipeline)
KOMPUTE_NON_DISPATCHABLE_HANDLE(VkPipelineLayout)
KOMPUTE_NON_DISPATCHABLE_HANDLE(VkDescriptorSet)
KOMPUTE_NON_DISPATCHABLE_HANDLE(VkSemaphore)
KOMPUTE_NON_DISPATCHABLE_HANDLE(VkFence)

#undef KOMPUTE_NON_DISPATCHABLE_HANDLE

namespace vk {

class Instance;
class PhysicalDevice;
class Device;
class Queue;
class CommandBuffer;
class Buffer;
class Image;
class DescriptorSet;
struct DescriptorBufferInfo;
struct PhysicalDeviceProperties;
struct WriteDescriptorSet;
enum class AccessFlagBits : uint32_t;
enum class PipelineStageFlagBits : uint32_t;
enum class ImageTiling;
enum class ImageLayout;
enum class DescriptorType;

} // namespace vk
