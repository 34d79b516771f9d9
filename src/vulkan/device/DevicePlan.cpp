// SPDX-License-Identifier: Apache-2.0
#include "vulkan/device/DevicePlan.hpp"

#include <algorithm>
#include <iterator>
#include <map>

#include "base/Text.hpp"

namespace kp::vulkan {
namespace {

/// An extension that is enabled for more than features.
struct UsefulExtension {
    const char* name;
    uint32_t core; ///< core since this version; 0: never
};

constexpr UsefulExtension kUsefulExtensions[] = {
    {"VK_KHR_shader_float_controls", VK_API_VERSION_1_2},
    {"VK_KHR_spirv_1_4", VK_API_VERSION_1_2},
    {"VK_KHR_shader_non_semantic_info", VK_API_VERSION_1_3},
    {"VK_EXT_memory_budget", 0},
    {"VK_EXT_external_memory_host", 0},
    {"VK_KHR_external_memory_fd", 0},
    {"VK_KHR_external_memory_win32", 0},
    {"VK_KHR_external_semaphore_fd", 0},
    {"VK_KHR_calibrated_timestamps", 0},
};

constexpr const char* kPortabilitySubset = "VK_KHR_portability_subset";

bool contains(const std::vector<std::string>& list, const std::string& text) {
    return std::find(list.begin(), list.end(), text) != list.end();
}

void addOnce(std::vector<std::string>& list, const std::string& text) {
    if (!contains(list, text))
        list.push_back(text);
}

bool hasCompute(const VkQueueFamilyProperties& family) {
    return (family.queueFlags & VK_QUEUE_COMPUTE_BIT) != 0 && family.queueCount > 0;
}

std::string versionText(uint32_t version) {
    return formatted("{}.{}", VK_API_VERSION_MAJOR(version), VK_API_VERSION_MINOR(version));
}

std::string describeFamily(const VkQueueFamilyProperties& family) {
    std::vector<const char*> kinds;
    const auto add = [&](VkQueueFlags flag, const char* name) {
        if (family.queueFlags & flag)
            kinds.push_back(name);
    };
    add(VK_QUEUE_GRAPHICS_BIT, "graphics");
    add(VK_QUEUE_COMPUTE_BIT, "compute");
    add(VK_QUEUE_TRANSFER_BIT, "transfer");
    return formatted("{} x {}", kinds.empty() ? "other" : join(kinds, "+"), family.queueCount);
}

std::string describeFamilies(const PhysicalDevice& device) {
    std::vector<std::string> families;
    for (size_t i = 0; i < device.queueFamilies.size(); ++i)
        families.push_back(formatted("{}: {}", i, describeFamily(device.queueFamilies[i])));
    return families.empty() ? "none" : join(families);
}

void planQueues(const PhysicalDevice& device, const DeviceRequest& request,
                DevicePlanResult& result, DevicePlan& plan) {
    const auto& families = device.queueFamilies;
    const auto refuse = [&](const std::string& reason) {
        result.refusals.push_back(
            formatted("{}; queue families: {}", reason, describeFamilies(device)));
        result.badRequest = true;
    };
    const std::vector<QueuePlan> requested = requestedQueues(device, request);
    std::map<uint32_t, uint32_t> counts;
    for (const QueuePlan& queue : requested)
        ++counts[queue.family];
    for (uint32_t family = 0; family < families.size(); ++family)
        if (hasCompute(families[family])) {
            const uint32_t count =
                std::min(families[family].queueCount, std::max(1u, counts[family]));
            for (uint32_t i = 0; i < count; ++i)
                plan.queues.push_back({family, i});
        }
    std::stable_partition(
        plan.queues.begin(), plan.queues.end(),
        [first = defaultQueueFamily(device)](const auto& queue) { return queue.family == first; });
    if (requested.empty())
        result.refusals.push_back(formatted("no queue family with compute; queue families: {}",
                                            describeFamilies(device)));

    const char* const source = request.queueFamilies.empty() ? " (KOMPUTE_QUEUE_FAMILY)" : "";
    for (const auto& [family, count] : counts) {
        if (family >= families.size())
            refuse(formatted("queue family {}{} does not exist; name one with compute", family,
                             source));
        else if (!hasCompute(families[family]))
            refuse(
                formatted("queue family {}{} cannot compute; name one that does", family, source));
        else if (const uint32_t offered = families[family].queueCount; count > offered)
            refuse(formatted("queue family {} has {} {}, {} were asked for", family, offered,
                             offered == 1 ? "queue" : "queues", count));
    }
}

bool onlyCopies(const VkQueueFamilyProperties& family) {
    constexpr VkQueueFlags kHarmless =
        VK_QUEUE_TRANSFER_BIT | VK_QUEUE_SPARSE_BINDING_BIT | VK_QUEUE_PROTECTED_BIT;
    return (family.queueFlags & VK_QUEUE_TRANSFER_BIT) != 0 &&
           (family.queueFlags & ~kHarmless) == 0 && family.queueCount > 0;
}

void planCopyQueues(const PhysicalDevice& device, DevicePlan& plan) {
    const auto& families = device.queueFamilies;
    const auto found = std::find_if(families.begin(), families.end(), onlyCopies);
    if (found == families.end() || !plan.timelineSemaphores)
        return;
    for (uint32_t i = 0; i < std::min(found->queueCount, 2u); ++i)
        plan.copyQueues.push_back({static_cast<uint32_t>(found - families.begin()), i});
}

void planExtensions(const PhysicalDevice& device, const DeviceRequest& request,
                    DevicePlanResult& result, DevicePlan& plan) {
    for (const std::string& name : request.requiredExtensions) {
        if (device.hasExtension(name))
            addOnce(plan.extensions, name);
        else
            result.refusals.push_back(formatted("required extension {} is not offered", name));
    }
    for (const std::string& name : request.desiredExtensions) {
        if (device.hasExtension(name))
            addOnce(plan.extensions, name);
        else if (!contains(request.requiredExtensions, name))
            addOnce(result.droppedExtensions, name);
    }
    for (const std::string& name : requiredExtensions(device))
        addOnce(plan.extensions, name);
    for (const std::string& name : recommendedExtensions(device))
        if (!contains(request.withheld, name))
            addOnce(plan.extensions, name);
    std::sort(plan.extensions.begin(), plan.extensions.end());
}

void planFeatures(const PhysicalDevice& device, const DeviceRequest& request,
                  DevicePlanResult& result, DevicePlan& plan) {
    for (size_t i = 0; i < plan.features.size(); ++i) {
        const auto feature = static_cast<Feature>(i);
        plan.features.set(i, device.has(feature) &&
                                 known(feature, plan.apiVersion, plan.extensions) &&
                                 !contains(request.withheld, nameOf(feature)));
    }
    const auto needs = [&](Feature feature, Feature base) {
        if (!plan.has(base))
            enable(plan.features, feature, false);
    };
    needs(Feature::eVariablePointers, Feature::eVariablePointersStorageBuffer);
    needs(Feature::eVulkanMemoryModelDeviceScope, Feature::eVulkanMemoryModel);
    needs(Feature::eWorkgroupMemoryExplicitLayoutScalarBlockLayout,
          Feature::eWorkgroupMemoryExplicitLayout);
    for (const Feature feature :
         {Feature::eCooperativeMatrixWorkgroupScope, Feature::eCooperativeMatrixFlexibleDimensions,
          Feature::eCooperativeMatrixReductions, Feature::eCooperativeMatrixConversions,
          Feature::eCooperativeMatrixPerElementOperations,
          Feature::eCooperativeMatrixTensorAddressing, Feature::eCooperativeMatrixBlockLoads})
        needs(feature, Feature::eCooperativeMatrix);
    needs(Feature::eShaderBFloat16CooperativeMatrix, Feature::eShaderBFloat16Type);
    // Pipelines ask for them. Enabled, they would make all pipelines slower.
    for (const Feature feature : {Feature::eRobustBufferAccess2, Feature::eRobustImageAccess2})
        enable(plan.features, feature, false);
    // Vulkan allows only one of the two extensions for buffer addresses on a device.
    if (plan.hasExtension("VK_EXT_buffer_device_address")) {
        enable(plan.features, Feature::eBufferDeviceAddress, false);
        std::erase(plan.extensions, "VK_KHR_buffer_device_address");
    }
    if (!request.featureChain)
        return;

    const FeatureSet missing = readFeatures(request.featureChain) & ~device.features;
    for (size_t i = 0; i < missing.size(); ++i)
        if (missing.test(i))
            result.refusals.push_back(
                formatted("feature {}, enabled in the feature chain, is not offered",
                          nameOf(static_cast<Feature>(i))));
    const auto* object = static_cast<const VkBaseInStructure*>(request.featureChain);
    for (; object; object = object->pNext) {
        uint32_t needed = 0;
        if (object->sType == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_FEATURES ||
            object->sType == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES)
            needed = VK_API_VERSION_1_2;
        else if (object->sType == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES)
            needed = VK_API_VERSION_1_3;
        if (needed > plan.apiVersion)
            result.refusals.push_back(
                formatted("the feature chain holds a struct of Vulkan {}, the device has Vulkan {}",
                          versionText(needed), versionText(plan.apiVersion)));
    }
    FeatureChain chain(plan.apiVersion, plan.extensions);
    chain.write(plan.features);
    chain.append(request.featureChain);
    plan.features = chain.read();
}

/// Decides everything that depends on the device and its enabled features.
void planUse(const PhysicalDevice& device, std::optional<bool> launchTimestamps, DevicePlan& plan) {
    plan.timelineSemaphores = plan.has(Feature::eTimelineSemaphore);
    plan.launchTimestamps = launchTimestamps.value_or(device.isNvidia());
}

std::string withoutDashes(std::string text) {
    std::erase(text, '-');
    return text;
}

bool matches(const PhysicalDevice& device, const DeviceRequest& request) {
    if (request.index && device.index != *request.index)
        return false;
    if (!request.name.empty() &&
        lowerCase(device.name()).find(lowerCase(request.name)) == std::string::npos)
        return false;
    if (!request.uuid.empty() &&
        withoutDashes(lowerCase(request.uuid)) != withoutDashes(uuidToString(device.deviceUuid)))
        return false;
    if (request.excludeCpu && device.isCpu())
        return false;
    return !request.type || device.properties.deviceType == *request.type;
}

int rankOf(const PhysicalDevice& device) {
    constexpr int kRanks[] = {3, 1, 0, 2, 4}; // by VkPhysicalDeviceType: other, integrated, ...
    const size_t type = device.properties.deviceType;
    return type < std::size(kRanks) ? kRanks[type] : kRanks[0];
}

} // namespace

bool DevicePlan::covers(const DevicePlan& other) const {
    DevicePlan same = other;
    same.queues = queues;
    return same == *this && std::ranges::all_of(other.queues, [this](const QueuePlan& queue) {
               return std::ranges::find(queues, queue) != queues.end();
           });
}

bool DevicePlan::hasExtension(const std::string& name) const {
    return contains(extensions, name);
}

DevicePlanResult planDevice(const PhysicalDevice& device, const DeviceRequest& request) {
    DevicePlanResult result;
    if (device.apiVersion < VK_API_VERSION_1_1) {
        result.refusals.push_back(formatted("Vulkan 1.1 is needed, the driver and loader offer {}",
                                            versionText(device.apiVersion)));
        return result;
    }
    DevicePlan plan;
    plan.apiVersion = device.apiVersion;
    planQueues(device, request, result, plan);
    const bool onlyQueues = result.badRequest;
    const size_t queueRefusals = result.refusals.size();
    planExtensions(device, request, result, plan);
    planFeatures(device, request, result, plan);
    result.badRequest = onlyQueues && result.refusals.size() == queueRefusals;
    planUse(device, request.launchTimestamps, plan);
    planCopyQueues(device, plan);
    if (result.refusals.empty())
        result.plan = std::move(plan);
    return result;
}

DevicePlan planHostDevice(const PhysicalDevice& device, const HostDevice& host) {
    DevicePlan plan;
    plan.apiVersion = std::min(host.apiVersion, device.apiVersion);
    plan.extensions = host.enabledExtensions;
    plan.features = host.enabledFeatures;
    for (const HostQueue& queue : host.queues)
        plan.queues.push_back({queue.family, queue.index});
    planUse(device, host.launchTimestamps, plan);
    plan.timelineSemaphores = plan.timelineSemaphores && host.allowTimelineSemaphores;
    return plan;
}

std::optional<uint32_t> defaultQueueFamily(const PhysicalDevice& device) {
    const auto& families = device.queueFamilies;
    const auto find = [&](const auto& fits) -> std::optional<uint32_t> {
        const auto found = std::find_if(families.begin(), families.end(), fits);
        if (found == families.end())
            return std::nullopt;
        return static_cast<uint32_t>(found - families.begin());
    };
    // H200: the evaluation of one dispatch takes 12.4 us on the family that only computes, and 14.0
    // to 14.6 on the one with graphics. On desktops, long kernels there do not hold up the desktop.
    const auto onlyComputes = [](const VkQueueFamilyProperties& family) {
        return hasCompute(family) && (family.queueFlags & VK_QUEUE_GRAPHICS_BIT) == 0 &&
               family.timestampValidBits > 0;
    };
    if (device.isNvidia())
        if (const auto family = find(onlyComputes))
            return family;
    return find(hasCompute); // nothing else was measured
}

std::vector<QueuePlan> requestedQueues(const PhysicalDevice& device, const DeviceRequest& request) {
    std::vector<uint32_t> families = request.queueFamilies;
    if (families.empty())
        if (const auto family =
                request.defaultFamily ? request.defaultFamily : defaultQueueFamily(device))
            families.push_back(*family);
    std::vector<QueuePlan> queues;
    std::map<uint32_t, uint32_t> counts;
    for (const uint32_t family : families)
        queues.push_back({family, counts[family]++});
    return queues;
}

std::vector<size_t> rankDevices(const std::vector<PhysicalDevice>& devices,
                                const DeviceRequest& request) {
    std::vector<size_t> order;
    for (size_t i = 0; i < devices.size(); ++i)
        if (matches(devices[i], request))
            order.push_back(i);
    std::stable_sort(order.begin(), order.end(),
                     [&](size_t a, size_t b) { return rankOf(devices[a]) < rankOf(devices[b]); });
    return order;
}

std::vector<std::string> requiredExtensions(const PhysicalDevice& device) {
    if (device.hasExtension(kPortabilitySubset))
        return {kPortabilitySubset};
    return {};
}

std::vector<std::string> recommendedExtensions(const PhysicalDevice& device) {
    std::vector<std::string> names;
    for (size_t i = 0; i < device.features.size(); ++i) {
        const auto feature = static_cast<Feature>(i);
        const std::string extension = extensionOf(feature);
        const bool core = known(feature, device.apiVersion, {});
        if (device.has(feature) && !core && device.hasExtension(extension))
            addOnce(names, extension);
    }
    for (const UsefulExtension& useful : kUsefulExtensions) {
        const bool core = useful.core != 0 && device.apiVersion >= useful.core;
        if (!core && device.hasExtension(useful.name))
            addOnce(names, useful.name);
    }
    // The older name of the same functions.
    constexpr const char* kCalibration = "VK_EXT_calibrated_timestamps";
    if (device.hasExtension(kCalibration) && !contains(names, "VK_KHR_calibrated_timestamps"))
        addOnce(names, kCalibration);
    return names;
}

} // namespace kp::vulkan
