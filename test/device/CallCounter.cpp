// SPDX-License-Identifier: Apache-2.0
#include "CallCounter.hpp"

#include <atomic>
#include <stdexcept>

#include "AllocationCounter.hpp"
#include "TestSupport.hpp"
#include "vulkan/device/Device.hpp"

// clang-format off
#define KOMPUTE_COUNTED(X)                                                                         \
    X(vkQueueSubmit) X(vkQueueWaitIdle) X(vkDeviceWaitIdle) X(vkAllocateMemory)                    \
    X(vkAllocateCommandBuffers) X(vkAllocateDescriptorSets) X(vkCreateBuffer) X(vkCreateImage)     \
    X(vkCreateBufferView) X(vkCreateImageView) X(vkCreateFence) X(vkCreateSemaphore)               \
    X(vkCreateEvent) X(vkCreateCommandPool) X(vkCreateDescriptorPool)                              \
    X(vkCreateDescriptorSetLayout) X(vkCreatePipelineLayout) X(vkCreateComputePipelines)           \
    X(vkCreateShaderModule) X(vkCreateQueryPool) X(vkCreatePipelineCache)                          \
    X(vkUpdateDescriptorSets) X(vkBeginCommandBuffer) X(vkResetCommandBuffer)                      \
    X(vkCmdPipelineBarrier) X(vkCmdDispatch) X(vkCmdCopyBuffer) X(vkCmdFillBuffer)                 \
    X(vkCmdBindPipeline) X(vkCmdBindDescriptorSets) X(vkEndCommandBuffer) X(vkResetCommandPool)    \
    X(vkCmdResetQueryPool) X(vkResetQueryPool) X(vkGetQueryPoolResults)
// clang-format on

namespace kp::test {
namespace {

#define KOMPUTE_HOOK(name)                                                                         \
    struct Hook_##name {                                                                           \
        static inline PFN_##name original = nullptr;                                               \
        static inline std::atomic<uint64_t> count{0};                                              \
        template <typename R, typename... A>                                                       \
        static VKAPI_ATTR R VKAPI_CALL call(A... arguments) {                                      \
            const PauseAllocationCount pause;                                                      \
            ++count;                                                                               \
            return original(arguments...);                                                         \
        }                                                                                          \
    };
KOMPUTE_COUNTED(KOMPUTE_HOOK)
#undef KOMPUTE_HOOK

struct Row {
    const char* name;
    std::atomic<uint64_t>* count;
};

const Row kCountedFunctions[] = {
#define KOMPUTE_ROW(name) {KOMPUTE_NAME(name), &Hook_##name::count},
#define KOMPUTE_NAME(name) #name
    KOMPUTE_COUNTED(KOMPUTE_ROW)
#undef KOMPUTE_ROW
#undef KOMPUTE_NAME
};

/// Without the prefix that the library gives to volk's names.
std::string plainName(const Row& row) {
    const std::string name = row.name;
    return name.substr(name.find("vk"));
}

} // namespace

CallCounter::CallCounter(const kp::Manager& manager) : mDevice(deviceOf(manager)) {
    VolkDeviceTable& table = mDevice->mutableTable();
#define KOMPUTE_INSTALL(name)                                                                      \
    Hook_##name::original = table.name;                                                            \
    table.name = Hook_##name::call;
    KOMPUTE_COUNTED(KOMPUTE_INSTALL)
#undef KOMPUTE_INSTALL
    reset();
}

CallCounter::~CallCounter() {
    VolkDeviceTable& table = mDevice->mutableTable();
#define KOMPUTE_REMOVE(name) table.name = Hook_##name::original;
    KOMPUTE_COUNTED(KOMPUTE_REMOVE)
#undef KOMPUTE_REMOVE
}

void CallCounter::reset() {
    for (const Row& row : kCountedFunctions)
        *row.count = 0;
}

uint64_t CallCounter::of(const std::string& function) const {
    for (const Row& row : kCountedFunctions)
        if (plainName(row) == function)
            return *row.count;
    throw std::logic_error(function + " is not counted");
}

uint64_t CallCounter::objectsCreated() const {
    uint64_t sum = 0;
    for (const Row& row : kCountedFunctions)
        if (plainName(row).starts_with("vkCreate") || plainName(row).starts_with("vkAllocate"))
            sum += *row.count;
    return sum;
}

std::string CallCounter::list() const {
    std::string text;
    for (const Row& row : kCountedFunctions)
        if (*row.count > 0)
            text += plainName(row) + " " + std::to_string(*row.count) + "\n";
    return text;
}

} // namespace kp::test
