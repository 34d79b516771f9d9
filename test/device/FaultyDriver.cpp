// SPDX-License-Identifier: Apache-2.0
#include "FaultyDriver.hpp"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <mutex>
#include <set>
#include <stdexcept>
#include <tuple>
#include <type_traits>
#include <vector>

#include "vulkan/device/Device.hpp"
#include "vulkan/device/DeviceRegistry.hpp"
#include "vulkan/queue/DeletionQueue.hpp"

namespace kp::test {
namespace {

// clang-format off
/// The library's Vulkan functions that can fail, create or destroy.
#define KOMPUTE_FUNCTIONS(X)                                                                       \
    X(vkCreateDevice) X(vkDestroyDevice) X(vkDeviceWaitIdle)                                       \
    X(vkAllocateMemory) X(vkFreeMemory) X(vkMapMemory)                                             \
    X(vkBindBufferMemory) X(vkBindBufferMemory2) X(vkBindImageMemory) X(vkBindImageMemory2)        \
    X(vkCreateBuffer) X(vkDestroyBuffer) X(vkCreateImage) X(vkDestroyImage)                        \
    X(vkCreateImageView) X(vkDestroyImageView)                                                     \
    X(vkCreateDescriptorPool) X(vkDestroyDescriptorPool)                                           \
    X(vkAllocateDescriptorSets) X(vkFreeDescriptorSets)                                            \
    X(vkCreateDescriptorSetLayout) X(vkDestroyDescriptorSetLayout)                                 \
    X(vkCreatePipelineLayout) X(vkDestroyPipelineLayout)                                           \
    X(vkCreateShaderModule) X(vkDestroyShaderModule)                                               \
    X(vkCreateComputePipelines) X(vkDestroyPipeline)                                               \
    X(vkCreatePipelineCache) X(vkDestroyPipelineCache) X(vkGetPipelineCacheData)                   \
    X(vkCreateCommandPool) X(vkDestroyCommandPool) X(vkResetCommandPool)                           \
    X(vkAllocateCommandBuffers) X(vkBeginCommandBuffer) X(vkEndCommandBuffer)                      \
    X(vkCreateQueryPool) X(vkDestroyQueryPool) X(vkGetQueryPoolResults)                            \
    X(vkCreateSemaphore) X(vkDestroySemaphore) X(vkGetSemaphoreCounterValue) X(vkWaitSemaphores)   \
    X(vkCreateFence) X(vkDestroyFence) X(vkResetFences) X(vkGetFenceStatus) X(vkWaitForFences)     \
    X(vkQueueSubmit) X(vkCmdDispatch) X(vkCmdFillBuffer)
// clang-format on

enum Function {
#define KOMPUTE_ENUMERATOR(name) name##Index,
    KOMPUTE_FUNCTIONS(KOMPUTE_ENUMERATOR)
#undef KOMPUTE_ENUMERATOR
        kFunctionCount
};

constexpr const char* kNames[] = {
#define KOMPUTE_NAME(name) #name,
    KOMPUTE_FUNCTIONS(KOMPUTE_NAME)
#undef KOMPUTE_NAME
};

/// Guards the state. The transfer engine has threads of its own.
std::mutex gMutex;
/// Serializes vkQueueSubmit and vkDeviceWaitIdle.
std::mutex gQueueMutex;

struct State {
    uint64_t calls[kFunctionCount] = {};
    int failing = -1;
    uint64_t atCall = 0;
    VkResult result = VK_SUCCESS;
    FaultyDriver::Often often = FaultyDriver::Often::eOnce;
    bool failed = false;
    VkDevice device = VK_NULL_HANDLE;

    std::map<std::string, std::multiset<uint64_t>> alive;
    std::map<uint64_t, uint64_t> setsInPool; ///< descriptor sets in use
    uint64_t misuses = 0;

    uint64_t stopAt = 0; ///< number of the dispatch in which the device stops; 0: in none
    uint64_t dispatches = 0;
    bool stopped = false;
    std::vector<std::string> offered; ///< extensions
    std::vector<std::string> hidden;  ///< extensions
    bool tool = false;
    std::vector<std::string> labels;
    std::vector<std::string> names;
    VkQueue submittedTo = VK_NULL_HANDLE; ///< the last queue, which has passed the checkpoints
    void* begun = nullptr;                ///< the last checkpoint that the device has passed
    void* finished = nullptr;             ///< likewise, and all work before it has ended

    bool offers(const char* extension) const {
        return std::find(offered.begin(), offered.end(), extension) != offered.end();
    }
    /// Counts a dispatch. Returns true if the device has stopped, in it or before.
    bool stops(bool dispatch) {
        const std::lock_guard lock(gMutex);
        if (dispatch && stopAt != 0 && ++dispatches >= stopAt)
            stopped = true;
        return stopped;
    }

    /// Counts a call. True if it must fail.
    bool fails(int function) {
        const std::lock_guard lock(gMutex);
        ++calls[function];
        if (function != failing || calls[function] < atCall)
            return false;
        if (often == FaultyDriver::Often::eOnce && failed)
            return false;
        failed = true;
        return true;
    }
};

State gState;
bool gInUse = false;

PFN_vkGetDeviceProcAddr gGetDeviceProcAddr = nullptr;

template <typename Handle>
uint64_t number(Handle handle) {
    if constexpr (std::is_pointer_v<Handle>)
        return reinterpret_cast<uintptr_t>(handle);
    else
        return handle;
}

/// "Buffer" of vkCreateBuffer, "Memory" of vkAllocateMemory and vkFreeMemory.
std::string kindOf(const std::string& function) {
    std::string kind = function;
    for (const char* verb : {"vkCreate", "vkDestroy", "vkAllocate", "vkFree"})
        if (kind.rfind(verb, 0) == 0)
            kind.erase(0, std::strlen(verb));
    return kind == "ComputePipelines" ? "Pipeline" : kind;
}

template <typename Handle>
void noteMade(Function function, Handle handle) {
    gState.alive[kindOf(kNames[function])].insert(number(handle));
}

template <typename Handle>
void noteDestroyed(Function function, Handle handle) {
    if (!handle)
        return;
    auto& alive = gState.alive[kindOf(kNames[function])];
    const auto found = alive.find(number(handle));
    if (found == alive.end())
        ++gState.misuses;
    else
        alive.erase(found);
}

/// Tracks the objects that a successful call created or destroyed.
template <Function F, typename... Args>
void note(const Args&... args) {
    const std::lock_guard lock(gMutex);
    const auto all = std::tie(args...);
    const std::string name = kNames[F];
    if constexpr (F == vkCreateComputePipelinesIndex) {
        for (uint32_t i = 0; i < std::get<2>(all); ++i)
            noteMade(F, std::get<5>(all)[i]);
    } else if constexpr (F == vkAllocateDescriptorSetsIndex) {
        gState.setsInPool[number(std::get<1>(all)->descriptorPool)] +=
            std::get<1>(all)->descriptorSetCount;
    } else if constexpr (F == vkFreeDescriptorSetsIndex) {
        gState.setsInPool[number(std::get<1>(all))] -= std::get<2>(all);
    } else if constexpr (F == vkAllocateCommandBuffersIndex) {
        // They are freed with their pool.
    } else if constexpr (F == vkDestroyDeviceIndex) {
        noteDestroyed(F, std::get<0>(all));
        gState.device = VK_NULL_HANDLE;
    } else if constexpr (sizeof...(Args) == 3) {
        if (name.rfind("vkDestroy", 0) == 0 || name == "vkFreeMemory")
            noteDestroyed(F, std::get<1>(all));
        if constexpr (F == vkDestroyDescriptorPoolIndex) {
            const auto sets = gState.setsInPool.extract(number(std::get<1>(all)));
            if (sets && sets.mapped() != 0)
                ++gState.misuses;
        }
    } else if constexpr (sizeof...(Args) == 4) {
        using Last =
            std::remove_cv_t<std::remove_reference_t<std::tuple_element_t<3, std::tuple<Args...>>>>;
        if constexpr (std::is_pointer_v<Last> && std::is_pointer_v<std::remove_pointer_t<Last>>)
            if (name.rfind("vkCreate", 0) == 0 || name == "vkAllocateMemory") {
                noteMade(F, *std::get<3>(all));
                if constexpr (F == vkCreateDeviceIndex)
                    gState.device = *std::get<3>(all);
            }
    }
}

/// Creates a device without the extensions that only this layer has.
VkResult createWithoutOffered(PFN_vkCreateDevice create, VkPhysicalDevice physical,
                              const VkDeviceCreateInfo* info,
                              const VkAllocationCallbacks* allocator, VkDevice* device) {
    std::vector<const char*> extensions;
    for (uint32_t i = 0; i < info->enabledExtensionCount; ++i)
        if (!gState.offers(info->ppEnabledExtensionNames[i]))
            extensions.push_back(info->ppEnabledExtensionNames[i]);
    VkDeviceCreateInfo without = *info;
    without.enabledExtensionCount = static_cast<uint32_t>(extensions.size());
    without.ppEnabledExtensionNames = extensions.data();
    return create(physical, &without, allocator, device);
}

template <Function F, typename Pointer>
struct Hook;
template <Function F, typename Result, typename... Args>
struct Hook<F, Result(VKAPI_PTR*)(Args...)> {
    static inline Result(VKAPI_PTR* sReal)(Args...) = nullptr;

    static Result callReal(Args... args) {
        if constexpr (F == vkCreateDeviceIndex)
            return createWithoutOffered(sReal, args...);
        else
            return sReal(args...);
    }

    static Result VKAPI_CALL call(Args... args) {
        if constexpr (std::is_void_v<Result>) {
            gState.fails(F);
            if constexpr (F == vkCmdDispatchIndex || F == vkCmdFillBufferIndex)
                if (gState.stops(F == vkCmdDispatchIndex))
                    return;
            note<F>(args...); // before the call, which may free the handle for reuse
            sReal(args...);
        } else {
            if (gState.fails(F)) {
                const std::lock_guard lock(gQueueMutex);
                if (gState.result == VK_ERROR_DEVICE_LOST && gState.device)
                    Hook<vkDeviceWaitIdleIndex, PFN_vkDeviceWaitIdle>::sReal(gState.device);
                return gState.result;
            }
            std::unique_lock lock(gQueueMutex, std::defer_lock);
            if constexpr (F == vkQueueSubmitIndex || F == vkDeviceWaitIdleIndex)
                lock.lock();
            if constexpr (F == vkQueueSubmitIndex)
                gState.submittedTo = std::get<0>(std::forward_as_tuple(args...));
            const Result result = callReal(args...);
            if (lock)
                lock.unlock();
            if (result == VK_SUCCESS)
                note<F>(args...);
            return result;
        }
    }
};

// The stopped device still begins what comes next: it does not wait for the end of dispatches.

PFN_vkCmdPipelineBarrier gPipelineBarrier = nullptr;

void VKAPI_CALL writeMarker(VkCommandBuffer commands, VkPipelineStageFlagBits stage,
                            VkBuffer buffer, VkDeviceSize offset, uint32_t marker) {
    if (stage != VK_PIPELINE_STAGE_TOP_OF_PIPE_BIT && gState.stops(false))
        return;
    VkMemoryBarrier barrier{VK_STRUCTURE_TYPE_MEMORY_BARRIER};
    barrier.srcAccessMask = VK_ACCESS_MEMORY_WRITE_BIT;
    barrier.dstAccessMask = VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT;
    const auto order = [&] {
        gPipelineBarrier(commands, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT,
                         VK_PIPELINE_STAGE_ALL_COMMANDS_BIT | VK_PIPELINE_STAGE_HOST_BIT, 0, 1,
                         &barrier, 0, nullptr, 0, nullptr);
    };
    order();
    Hook<vkCmdFillBufferIndex, PFN_vkCmdFillBuffer>::sReal(commands, buffer, offset, 4, marker);
    order();
}

void VKAPI_CALL setCheckpoint(VkCommandBuffer, const void* marker) {
    gState.begun = const_cast<void*>(marker);
    if (!gState.stops(false))
        gState.finished = const_cast<void*>(marker);
}

void VKAPI_CALL getCheckpoints(VkQueue queue, uint32_t* count, VkCheckpointDataNV* data) {
    if (queue != gState.submittedTo) {
        *count = 0;
        return;
    }
    if (data) {
        data[0].stage = VK_PIPELINE_STAGE_TOP_OF_PIPE_BIT;
        data[0].pCheckpointMarker = gState.begun;
        data[1].stage = VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT;
        data[1].pCheckpointMarker = gState.finished;
    }
    *count = 2;
}

PFN_vkCmdBeginDebugUtilsLabelEXT gBeginLabel = nullptr;
PFN_vkCmdEndDebugUtilsLabelEXT gEndLabel = nullptr;
PFN_vkSetDebugUtilsObjectNameEXT gSetName = nullptr;

void VKAPI_CALL beginLabel(VkCommandBuffer commands, const VkDebugUtilsLabelEXT* label) {
    gState.labels.emplace_back(label->pLabelName);
    gBeginLabel(commands, label);
}

void VKAPI_CALL endLabel(VkCommandBuffer commands) {
    gState.labels.emplace_back();
    gEndLabel(commands);
}

VkResult VKAPI_CALL setName(VkDevice device, const VkDebugUtilsObjectNameInfoEXT* info) {
    gState.names.emplace_back(info->pObjectName);
    return gSetName(device, info);
}

/// Returns @p replacement for @p real, which it calls.
template <typename Pointer>
PFN_vkVoidFunction replaced(Pointer& kept, PFN_vkVoidFunction real, Pointer replacement) {
    kept = reinterpret_cast<Pointer>(real);
    return real ? reinterpret_cast<PFN_vkVoidFunction>(replacement) : nullptr;
}

VkResult VKAPI_CALL listTools(VkPhysicalDevice, uint32_t* count,
                              VkPhysicalDeviceToolPropertiesEXT* tools) {
    if (tools)
        tools->purposes = VK_TOOL_PURPOSE_DEBUG_MARKERS_BIT_EXT;
    *count = 1;
    return VK_SUCCESS;
}

PFN_vkGetInstanceProcAddr gGetInstanceProcAddr = nullptr;

PFN_vkVoidFunction VKAPI_CALL getInstanceProcAddr(VkInstance instance, const char* name) {
    if (gState.tool && std::strncmp(name, "vkGetPhysicalDeviceToolProperties", 33) == 0)
        return reinterpret_cast<PFN_vkVoidFunction>(&listTools);
    return gGetInstanceProcAddr(instance, name);
}

PFN_vkVoidFunction VKAPI_CALL getDeviceProcAddr(VkDevice device, const char* name) {
    const auto is = [&](const char* other) { return std::strcmp(name, other) == 0; };
    if (gState.offers("VK_AMD_buffer_marker") && is("vkCmdWriteBufferMarkerAMD"))
        return reinterpret_cast<PFN_vkVoidFunction>(&writeMarker);
    if (gState.offers("VK_NV_device_diagnostic_checkpoints") && is("vkCmdSetCheckpointNV"))
        return reinterpret_cast<PFN_vkVoidFunction>(&setCheckpoint);
    if (gState.offers("VK_NV_device_diagnostic_checkpoints") && is("vkGetQueueCheckpointDataNV"))
        return reinterpret_cast<PFN_vkVoidFunction>(&getCheckpoints);
    const PFN_vkVoidFunction real = gGetDeviceProcAddr(device, name);
    if (!real)
        return nullptr;
    if (is("vkCmdPipelineBarrier"))
        gPipelineBarrier = reinterpret_cast<PFN_vkCmdPipelineBarrier>(real);
    if (is("vkCmdBeginDebugUtilsLabelEXT"))
        return replaced(gBeginLabel, real, &beginLabel);
    if (is("vkCmdEndDebugUtilsLabelEXT"))
        return replaced(gEndLabel, real, &endLabel);
    if (is("vkSetDebugUtilsObjectNameEXT"))
        return replaced(gSetName, real, &setName);
#define KOMPUTE_HOOK(function)                                                                     \
    if (std::strcmp(name, #function) == 0) {                                                       \
        Hook<function##Index, PFN_##function>::sReal = reinterpret_cast<PFN_##function>(real);     \
        return reinterpret_cast<PFN_vkVoidFunction>(&Hook<function##Index, PFN_##function>::call); \
    }
    KOMPUTE_FUNCTIONS(KOMPUTE_HOOK)
#undef KOMPUTE_HOOK
    return real;
}

int indexOf(const std::string& function) {
    for (int i = 0; i < kFunctionCount; ++i)
        if (function == kNames[i])
            return i;
    throw std::logic_error("FaultyDriver does not know " + function);
}

/// The instance of managers with default options.
std::shared_ptr<vulkan::Instance> sharedInstance() {
    const kp::Manager manager;
    return vulkan::findDevice(manager.nativeDevice())->instance();
}

} // namespace

FaultyDriver::FaultyDriver() : mInstance(sharedInstance()) {
    if (gInUse)
        throw std::logic_error("there is another FaultyDriver");
    gInUse = true;
    gState = {};
    vulkan::DeletionQueue::setErrorTimeout(std::chrono::milliseconds(300));
}

FaultyDriver::~FaultyDriver() {
    vulkan::DeletionQueue::setErrorTimeout(vulkan::DeletionQueue::kErrorTimeout);
    gInUse = false;
}

std::unique_ptr<kp::Manager> FaultyDriver::manager(kp::ManagerOptions options, bool shares) {
    using CreateDevice = Hook<vkCreateDeviceIndex, PFN_vkCreateDevice>;
    // Managers with a feature chain never share a device.
    VkPhysicalDeviceFeatures2 none{};
    none.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2;
    if (!shares)
        options.featureChain = &none;

    auto& table = const_cast<vulkan::InstanceTable&>(mInstance->table());
    const vulkan::InstanceTable real = table;
    gGetDeviceProcAddr = real.vkGetDeviceProcAddr;
    CreateDevice::sReal = real.vkCreateDevice;
    table.vkGetDeviceProcAddr = getDeviceProcAddr;
    table.vkCreateDevice = &CreateDevice::call;
    gGetInstanceProcAddr = real.vkGetInstanceProcAddr;
    table.vkGetInstanceProcAddr = getInstanceProcAddr;
    auto& devices = const_cast<std::vector<vulkan::PhysicalDevice>&>(mInstance->physicalDevices());
    const std::vector<vulkan::PhysicalDevice> realDevices = devices;
    for (vulkan::PhysicalDevice& device : devices) {
        std::erase_if(device.extensions, [](const std::string& each) {
            return std::ranges::find(gState.hidden, each) != gState.hidden.end();
        });
        device.extensions.insert(device.extensions.end(), gState.offered.begin(),
                                 gState.offered.end());
        std::sort(device.extensions.begin(), device.extensions.end());
    }
    const auto restore = [&] {
        table = real;
        devices = realDevices;
    };
    try {
        auto manager = std::make_unique<kp::Manager>(options);
        restore();
        return manager;
    } catch (...) {
        restore();
        throw;
    }
}

void FaultyDriver::stopAt(uint64_t number) {
    gState.stopAt = number;
    gState.dispatches = 0;
}
void FaultyDriver::offer(const std::string& extension) {
    gState.offered.push_back(extension);
}
void FaultyDriver::hide(const std::string& extension) {
    gState.hidden.push_back(extension);
}
void FaultyDriver::attachTool() {
    gState.tool = true;
}
std::vector<std::string> FaultyDriver::labels() const {
    return gState.labels;
}
std::vector<std::string> FaultyDriver::names() const {
    return gState.names;
}

void FaultyDriver::fail(const std::string& function, uint64_t number, int32_t result, Often often) {
    gState.failing = indexOf(function);
    gState.atCall = gState.calls[gState.failing] + number;
    gState.result = static_cast<VkResult>(result);
    gState.often = often;
    gState.failed = false;
}

uint64_t FaultyDriver::next(kp::Manager& manager, uint64_t number) {
    constexpr uint64_t kConsecutive = 2;
    constexpr uint64_t kStride = 31; // odd: tests let odd and even calls fail differently
    const bool software = manager.deviceInfo().type == kp::DeviceType::eCpu;
    return number + (software || number < kConsecutive ? 1 : kStride);
}

void FaultyDriver::works() {
    gState.failing = -1;
    gState.stopAt = 0;
    gState.stopped = false;
}
bool FaultyDriver::failed() const {
    return gState.failed;
}

std::map<std::string, int64_t> FaultyDriver::alive() const {
    const std::lock_guard lock(gMutex);
    std::map<std::string, int64_t> counts;
    for (const auto& [kind, handles] : gState.alive)
        if (!handles.empty())
            counts[kind] = static_cast<int64_t>(handles.size());
    int64_t sets = 0;
    for (const auto& [pool, count] : gState.setsInPool)
        sets += static_cast<int64_t>(count);
    if (sets != 0)
        counts["DescriptorSet"] = sets;
    return counts;
}

uint64_t FaultyDriver::misuses() const {
    return gState.misuses;
}

} // namespace kp::test
