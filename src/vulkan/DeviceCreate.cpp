// SPDX-License-Identifier: Apache-2.0
#include "vulkan/Device.hpp"

#include <algorithm>
#include <cctype>
#include <map>

#include <kompute/Error.hpp>
#include <kompute/logger/Logger.hpp>

#include "vulkan/DriverSearch.hpp"
#include "vulkan/Result.hpp"

namespace kp::vulkan {
namespace {

struct Registry {
    std::mutex mutex;
    std::vector<std::weak_ptr<Device>> devices;
    std::vector<std::weak_ptr<Device>> shareable; ///< those that equal requests get
};

// Never destroyed, so that devices may be let go while the program ends.
Registry& registry() {
    static auto* registry = new Registry;
    return *registry;
}

void forgetExpired(std::vector<std::weak_ptr<Device>>& devices) {
    std::erase_if(devices, [](const auto& device) { return device.expired(); });
}

template <typename Predicate>
std::shared_ptr<Device> findIn(const std::vector<std::weak_ptr<Device>>& devices,
                               const Predicate& fits) {
    for (const auto& weak : devices)
        if (auto device = weak.lock(); device && fits(*device))
            return device;
    return nullptr;
}

const char* nameOf(VkPhysicalDeviceType type) {
    switch (type) {
    case VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU:
        return "discrete GPU";
    case VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU:
        return "integrated GPU";
    case VK_PHYSICAL_DEVICE_TYPE_VIRTUAL_GPU:
        return "virtual GPU";
    case VK_PHYSICAL_DEVICE_TYPE_CPU:
        return "CPU";
    default:
        return "other";
    }
}

std::string describeMachine(const std::vector<PhysicalDevice>& devices) {
    std::string text = "this machine has " + std::to_string(devices.size()) +
                       (devices.size() == 1 ? " device (" : " devices (");
    for (size_t i = 0; i < devices.size(); ++i)
        text += (i ? ", " : "") + std::to_string(devices[i].index) + ": " + devices[i].name();
    return text + ")";
}

std::vector<std::string> describeEach(const std::vector<PhysicalDevice>& devices) {
    std::vector<std::string> lines;
    for (const PhysicalDevice& device : devices)
        lines.push_back(std::to_string(device.index) + ": " + device.name() + ", " +
                        nameOf(device.properties.deviceType) + ", UUID " +
                        uuidToString(device.deviceUuid));
    return lines;
}

void requireUuid(const std::string& uuid) {
    size_t digits = 0;
    bool wrong = false;
    for (const char letter : uuid) {
        if (std::isxdigit(static_cast<unsigned char>(letter)))
            ++digits;
        else
            wrong = wrong || letter != '-';
    }
    if (!uuid.empty() && (wrong || digits != 2 * VK_UUID_SIZE))
        throw InvalidArgument("'" + uuid +
                              "' is no device UUID: 32 hexadecimal digits are expected, with or "
                              "without dashes");
}

std::vector<size_t> findCandidates(const std::vector<PhysicalDevice>& devices,
                                   const DeviceRequest& request) {
    if (devices.empty())
        throw Unsupported("no Vulkan device was found, although a Vulkan loader is there: " +
                              driverInstallHint(),
                          driverSearchReport());
    if (request.index && *request.index >= devices.size())
        throw InvalidArgument("device index " + std::to_string(*request.index) +
                                  " does not exist: " + describeMachine(devices),
                              describeEach(devices));
    requireUuid(request.uuid);
    std::vector<size_t> order = rankDevices(devices, request);
    if (!order.empty())
        return order;

    std::string wish;
    const auto add = [&](const std::string& text) { wish += (wish.empty() ? "" : ", ") + text; };
    if (request.index)
        add("index " + std::to_string(*request.index));
    if (!request.name.empty())
        add("a name with '" + request.name + "'");
    if (!request.uuid.empty())
        add("the UUID " + request.uuid);
    if (request.excludeCpu)
        add("a type other than CPU");
    if (request.type)
        add(std::string("the type ") + nameOf(*request.type));
    throw InvalidArgument("no device has " + wish + ": " + describeMachine(devices),
                          describeEach(devices));
}

struct Candidate {
    const PhysicalDevice* physical;
    DevicePlan plan;
};

std::vector<Candidate> planCandidates(const std::vector<PhysicalDevice>& devices,
                                      const DeviceRequest& request,
                                      std::vector<std::string>& refusals) {
    std::vector<Candidate> candidates;
    bool badRequest = true;
    for (const size_t place : findCandidates(devices, request)) {
        const PhysicalDevice& physical = devices[place];
        DevicePlanResult result = planDevice(physical, request);
        if (result.plan)
            candidates.push_back({&physical, std::move(*result.plan)});
        badRequest = badRequest && result.badRequest;
        for (const std::string& reason : result.refusals)
            refusals.push_back("device " + std::to_string(physical.index) + " (" + physical.name() +
                               "): " + reason);
    }
    if (!candidates.empty())
        return candidates;
    if (badRequest)
        throw InvalidArgument("no device has the queues asked for", refusals);
    throw Unsupported("no device can do what was asked for", refusals);
}

VkDevice createDevice(const Instance& instance, const Candidate& candidate,
                      const DeviceRequest& request) {
    const DevicePlan& plan = candidate.plan;
    std::map<uint32_t, uint32_t> counts;
    for (const auto* queuePlans : {&plan.queues, &plan.copyQueues})
        for (const QueuePlan& queue : *queuePlans)
            counts[queue.family] = std::max(counts[queue.family], queue.index + 1);
    const std::vector<float> priorities(plan.queues.size() + plan.copyQueues.size(), 1.0F);
    std::vector<VkDeviceQueueCreateInfo> queues;
    for (const auto& [family, count] : counts) {
        VkDeviceQueueCreateInfo queue{};
        queue.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO;
        queue.queueFamilyIndex = family;
        queue.queueCount = count;
        queue.pQueuePriorities = priorities.data();
        queues.push_back(queue);
    }
    std::vector<const char*> extensions;
    for (const std::string& extension : plan.extensions)
        extensions.push_back(extension.c_str());
    FeatureChain chain(plan.apiVersion, plan.extensions);
    chain.write(plan.features);
    if (request.featureChain)
        chain.append(request.featureChain);

    VkDeviceCreateInfo info{};
    info.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO;
    info.pNext = chain.link();
    info.queueCreateInfoCount = static_cast<uint32_t>(queues.size());
    info.pQueueCreateInfos = queues.data();
    info.enabledExtensionCount = static_cast<uint32_t>(extensions.size());
    info.ppEnabledExtensionNames = extensions.data();
    VkDevice device = VK_NULL_HANDLE;
    const VkResult result =
        instance.table().vkCreateDevice(candidate.physical->handle, &info, nullptr, &device);
    if (result < 0)
        throwResult(result, "vkCreateDevice for '" + candidate.physical->name() + "'");
    return device;
}

void requireUsable(const PhysicalDevice& physical, const HostQueue& queue) {
    const auto& families = physical.queueFamilies;
    const std::string name = "queue family " + std::to_string(queue.family);
    if (queue.family >= families.size())
        throw InvalidArgument(name + " does not exist: '" + physical.name() + "' has " +
                              std::to_string(families.size()));
    if (!(families[queue.family].queueFlags & VK_QUEUE_COMPUTE_BIT))
        throw InvalidArgument(name + " of '" + physical.name() +
                              "' cannot compute; give a queue of a family with "
                              "VK_QUEUE_COMPUTE_BIT");
    if (!queue.handle && queue.index >= families[queue.family].queueCount)
        throw InvalidArgument(name + " of '" + physical.name() + "' has no queue " +
                              std::to_string(queue.index) + ", only " +
                              std::to_string(families[queue.family].queueCount));
}

const PhysicalDevice& findPhysical(const HostDevice& host) {
    const auto& devices = host.instance->physicalDevices();
    const auto found = std::find_if(devices.begin(), devices.end(), [&](const auto& device) {
        return device.handle == host.physicalDevice;
    });
    if (found == devices.end())
        throw InvalidArgument("the VkPhysicalDevice given is not one of the VkInstance given: " +
                              describeMachine(devices));
    return *found;
}

} // namespace

std::shared_ptr<Device> Device::acquire(const std::shared_ptr<Instance>& instance,
                                        const DeviceRequest& request) {
    std::vector<std::string> refusals;
    const auto candidates = planCandidates(instance->physicalDevices(), request, refusals);
    Registry& shared = registry();
    const std::lock_guard lock(shared.mutex);
    forgetExpired(shared.devices);
    forgetExpired(shared.shareable);
    const bool shareable = request.shared && !request.featureChain;

    for (size_t i = 0; i < candidates.size(); ++i) {
        const Candidate& candidate = candidates[i];
        const auto same = [&](const Device& device) {
            return !device.lost() && device.mInstance == instance &&
                   device.mPhysical.handle == candidate.physical->handle &&
                   device.mRequested == candidate.plan;
        };
        if (auto device = shareable ? findIn(shared.shareable, same) : nullptr)
            return device;
        try {
            std::shared_ptr<Device> device(new Device);
            device->mInstance = instance;
            device->mPhysical = *candidate.physical;
            device->mPlan = candidate.plan;
            device->mRequested = candidate.plan;
            device->mHandle = createDevice(*instance, candidate, request);
            std::vector<HostQueue> queues;
            for (const auto* queuePlans : {&candidate.plan.queues, &candidate.plan.copyQueues})
                for (const QueuePlan& queue : *queuePlans)
                    queues.push_back({VK_NULL_HANDLE, queue.family, queue.index});
            device->finish(queues, nullptr);
            for (const std::string& dropped : candidate.plan.droppedExtensions)
                KP_LOG_WARN("device {} does not offer {}; going on without it", device->name(),
                            dropped);
            shared.devices.push_back(device);
            if (shareable)
                shared.shareable.push_back(device);
            return device;
        } catch (const Error& error) {
            if (i + 1 == candidates.size())
                throw;
            KP_LOG_WARN("{}; trying the next device", error.what());
        }
    }
    throw Unsupported("no device can do what was asked for", refusals);
}

std::shared_ptr<Device> Device::wrap(const HostDevice& host) {
    if (!host.instance || !host.physicalDevice || !host.device)
        throw InvalidArgument("wrapping a device needs a VkInstance, a VkPhysicalDevice and a "
                              "VkDevice; one of them is null");
    if (host.queues.empty())
        throw InvalidArgument("wrapping a device needs at least one queue of a family with "
                              "VK_QUEUE_COMPUTE_BIT; none was given");
    const PhysicalDevice& physical = findPhysical(host);
    for (const HostQueue& queue : host.queues)
        requireUsable(physical, queue);

    Registry& shared = registry();
    const std::lock_guard lock(shared.mutex);
    forgetExpired(shared.devices);
    const auto same = [&](const Device& device) { return device.mHandle == host.device; };
    if (auto device = findIn(shared.devices, same)) {
        for (const HostQueue& queue : host.queues)
            if (!device->findQueue(queue.family, queue.index))
                throw InvalidArgument(
                    "this VkDevice is already in use without queue " + std::to_string(queue.index) +
                    " of family " + std::to_string(queue.family) +
                    "; name all queues the first time that the device is wrapped");
        return device;
    }

    std::shared_ptr<Device> device(new Device);
    device->mWrapped = true;
    device->mInstance = host.instance;
    device->mPhysical = physical;
    device->mHandle = host.device;
    DevicePlan& plan = device->mPlan;
    plan.apiVersion = std::min(host.apiVersion, physical.apiVersion);
    plan.extensions = host.enabledExtensions;
    plan.features = host.enabledFeatures;
    for (const HostQueue& queue : host.queues)
        plan.queues.push_back({queue.family, queue.index});
    plan.timelineSemaphores = host.allowTimelineSemaphores && plan.has(Feature::eTimelineSemaphore);
    device->mRequested = plan;
    device->finish(host.queues, &host);
    shared.devices.push_back(device);
    return device;
}

std::shared_ptr<Device> Device::find(VkDevice handle) {
    Registry& shared = registry();
    const std::lock_guard lock(shared.mutex);
    return findIn(shared.devices, [&](const Device& device) { return device.mHandle == handle; });
}

} // namespace kp::vulkan
