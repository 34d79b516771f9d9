// SPDX-License-Identifier: Apache-2.0
#include "vulkan/device/DeviceRegistry.hpp"

#include <algorithm>
#include <cctype>
#include <iterator>
#include <mutex>

#include <kompute/Error.hpp>
#include <kompute/logger/Logger.hpp>

#include "base/Text.hpp"
#include "vulkan/device/Device.hpp"
#include "vulkan/device/Instance.hpp"
#include "vulkan/device/Loader.hpp"
#include "vulkan/profiles/ApplyProfile.hpp"
#include "vulkan/profiles/DeviceProfile.hpp"

namespace kp::vulkan {
namespace {

struct DeviceRegistry {
    std::mutex mutex;
    std::vector<std::weak_ptr<Device>> devices;
    std::vector<std::weak_ptr<Device>> shareable; ///< the subset that equal requests get
    std::vector<std::shared_ptr<Device>> kept;    ///< for good, once the driver is gone

    void removeExpired() {
        for (auto* list : {&devices, &shareable})
            std::erase_if(*list, [](const auto& device) { return device.expired(); });
    }
};

// Never destroyed, so that devices may be released while the program ends.
DeviceRegistry& deviceRegistry() {
    static auto* registry = new DeviceRegistry;
    return *registry;
}

template <typename Predicate>
std::shared_ptr<Device> findIn(const std::vector<std::weak_ptr<Device>>& devices,
                               const Predicate& fits) {
    for (const auto& weak : devices)
        if (auto device = weak.lock(); device && fits(*device))
            return device;
    return nullptr;
}

const char* typeName(VkPhysicalDeviceType type) {
    constexpr const char* kNames[] = {"other", "integrated GPU", "discrete GPU", "virtual GPU",
                                      "CPU"};
    return kNames[static_cast<size_t>(type) < std::size(kNames) ? type : 0];
}

std::string describeMachine(const std::vector<PhysicalDevice>& devices) {
    std::vector<std::string> names;
    for (const PhysicalDevice& device : devices)
        names.push_back(formatted("{}: {}", device.index, device.name()));
    return formatted("this machine has {} {} ({})", devices.size(),
                     devices.size() == 1 ? "device" : "devices", join(names));
}

std::vector<std::string> describeEach(const std::vector<PhysicalDevice>& devices) {
    std::vector<std::string> lines;
    for (const PhysicalDevice& device : devices)
        lines.push_back(formatted("{}: {}, {}, UUID {}", device.index, device.name(),
                                  typeName(device.properties.deviceType),
                                  uuidToString(device.deviceUuid)));
    return lines;
}

void requireUuid(const std::string& uuid) {
    const auto isDigit = [](unsigned char letter) { return std::isxdigit(letter) != 0; };
    const auto digits = std::count_if(uuid.begin(), uuid.end(), isDigit);
    const auto dashes = std::count(uuid.begin(), uuid.end(), '-');
    if (!uuid.empty() &&
        (digits != 2 * VK_UUID_SIZE || static_cast<size_t>(digits + dashes) != uuid.size()))
        fail<InvalidArgument>("'{}' is not a device UUID; 32 hexadecimal digits are expected, with "
                              "or without dashes",
                              uuid);
}

/// Returns the devices that the request names, best first.
std::vector<size_t> findCandidates(const std::vector<PhysicalDevice>& devices,
                                   const DeviceRequest& request) {
    if (devices.empty())
        throw Unsupported(formatted("no Vulkan device was found, although a Vulkan loader is "
                                    "installed: {}",
                                    driverInstallHint()),
                          driverSearchReport());
    if (request.index && *request.index >= devices.size())
        throw InvalidArgument(formatted("device index {} does not exist: {}", *request.index,
                                        describeMachine(devices)),
                              describeEach(devices));
    requireUuid(request.uuid);
    std::vector<size_t> order = rankDevices(devices, request);
    if (!order.empty())
        return order;

    std::vector<std::string> wishes;
    if (request.index)
        wishes.push_back(formatted("index {}", *request.index));
    if (!request.name.empty())
        wishes.push_back(formatted("a name with '{}'", request.name));
    if (!request.uuid.empty())
        wishes.push_back(formatted("the UUID {}", request.uuid));
    if (request.excludeCpu)
        wishes.emplace_back("a type other than CPU");
    if (request.type)
        wishes.push_back(formatted("the type {}", typeName(*request.type)));
    throw InvalidArgument(formatted("no device has {}: {}", join(wishes), describeMachine(devices)),
                          describeEach(devices));
}

struct Candidate {
    std::shared_ptr<const PhysicalDevice> physical;
    DevicePlan plan;
    std::vector<std::string> droppedExtensions;
};

std::vector<Candidate> planCandidates(const std::vector<PhysicalDevice>& devices,
                                      const DeviceRequest& request) {
    std::vector<Candidate> candidates;
    std::vector<std::string> refusals;
    bool badRequest = true;
    for (const size_t place : findCandidates(devices, request)) {
        const std::shared_ptr<const PhysicalDevice> profiled =
            request.profile ? std::make_shared<const PhysicalDevice>(
                                  withProfile(devices[place], *request.profile))
                            : std::shared_ptr<const PhysicalDevice>(
                                  std::shared_ptr<void>(), &devices[place]); // the instance's
        const PhysicalDevice& physical = *profiled;
        DevicePlanResult result = planDevice(physical, request);
        if (result.plan)
            candidates.push_back(
                {profiled, std::move(*result.plan), std::move(result.droppedExtensions)});
        badRequest = badRequest && result.badRequest;
        for (const std::string& reason : result.refusals)
            refusals.push_back(
                formatted("device {} ({}): {}", physical.index, physical.name(), reason));
    }
    if (!candidates.empty())
        return candidates;
    if (badRequest)
        throw InvalidArgument("no device has the requested queues", refusals);
    throw Unsupported("no device fits the request", refusals);
}

void requireUsable(const PhysicalDevice& physical, const HostQueue& queue) {
    const auto& families = physical.queueFamilies;
    if (queue.family >= families.size())
        fail<InvalidArgument>("queue family {} does not exist: '{}' has {}", queue.family,
                              physical.name(), families.size());
    const VkQueueFamilyProperties& family = families[queue.family];
    if (!(family.queueFlags & VK_QUEUE_COMPUTE_BIT))
        fail<InvalidArgument>("queue family {} of '{}' cannot compute; give a queue of a family "
                              "with VK_QUEUE_COMPUTE_BIT",
                              queue.family, physical.name());
    if (!queue.handle && queue.index >= family.queueCount)
        fail<InvalidArgument>("queue family {} of '{}' has no queue {}, only {}", queue.family,
                              physical.name(), queue.index, family.queueCount);
}

const PhysicalDevice& findPhysical(const HostDevice& host) {
    const auto& devices = host.instance->physicalDevices();
    const auto found = std::find_if(devices.begin(), devices.end(), [&](const auto& device) {
        return device.handle == host.physicalDevice;
    });
    if (found == devices.end())
        fail<InvalidArgument>("the given VkPhysicalDevice is not one of the VkInstance given: {}",
                              describeMachine(devices));
    return *found;
}

/// Logs a profile's removals.
void noteProfile(const Instance& instance, const PhysicalDevice& profiled) {
    for (const PhysicalDevice& device : instance.physicalDevices())
        if (device.handle == profiled.handle)
            KP_LOG_INFO("{}", describeProfile(device, profiled));
}

} // namespace

std::shared_ptr<Device> acquireDevice(const std::shared_ptr<Instance>& instance,
                                      const DeviceRequest& request) {
    const auto candidates = planCandidates(instance->physicalDevices(), request);
    DeviceRegistry& registry = deviceRegistry();
    const std::lock_guard lock(registry.mutex);
    registry.removeExpired();
    const bool shareable = request.shared && !request.featureChain;

    for (const Candidate& candidate : candidates) {
        const auto same = [&](const Device& device) {
            return !device.lost() && device.instance() == instance &&
                   device.physical().handle == candidate.physical->handle &&
                   device.physical().profile == candidate.physical->profile &&
                   device.requestedPlan().covers(candidate.plan);
        };
        try {
            auto device = shareable ? findIn(registry.shareable, same) : nullptr;
            if (!device) {
                device = Device::create(instance, *candidate.physical, candidate.plan,
                                        request.featureChain);
                if (request.profile)
                    noteProfile(*instance, *candidate.physical);
                registry.devices.push_back(device);
                if (shareable)
                    registry.shareable.push_back(device);
            }
            for (const std::string& dropped : candidate.droppedExtensions)
                KP_LOG_WARN("device {} does not offer {}; going on without it", device->name(),
                            dropped);
            return device;
        } catch (const Error& error) {
            if (&candidate == &candidates.back())
                throw;
            KP_LOG_WARN("{}; trying the next device", error.what());
        }
    }
    throw Unsupported("no device fits the request"); // not reached: there is a candidate
}

std::shared_ptr<Device> wrapDevice(const HostDevice& given) {
    HostDevice host = given;
    if (!host.instance || !host.physicalDevice || !host.device)
        throw InvalidArgument("wrapping a device needs a VkInstance, a VkPhysicalDevice and a "
                              "VkDevice; one of them is null");
    if (host.queues.empty())
        throw InvalidArgument("wrapping a device needs at least one queue of a family with "
                              "VK_QUEUE_COMPUTE_BIT; none was given");
    if (!host.lockQueue != !host.unlockQueue)
        throw InvalidArgument(
            "of HostDevice::lockQueue and unlockQueue, one was given; give both or "
            "neither");
    PhysicalDevice physical = findPhysical(host);
    if (host.profile) {
        physical = withProfile(physical, *host.profile);
        host.enabledFeatures &= physical.features;
    }
    for (const HostQueue& queue : host.queues)
        requireUsable(physical, queue);

    DeviceRegistry& registry = deviceRegistry();
    const std::lock_guard lock(registry.mutex);
    registry.removeExpired();
    const auto same = [&](const Device& device) { return device.handle() == host.device; };
    if (auto device = findIn(registry.devices, same)) {
        for (const HostQueue& queue : host.queues)
            if (!device->findQueue(queue))
                fail<InvalidArgument>("this VkDevice is already in use without queue {} of family "
                                      "{}; name all queues the first time that it is wrapped",
                                      queue.index, queue.family);
        if (host.lockQueue && !device->queue(0).lockedByHost())
            throw InvalidArgument(
                "this VkDevice is already in use without HostDevice::lockQueue; give it "
                "and unlockQueue the first time that it is wrapped");
        return device;
    }
    auto device = Device::wrap(host, physical);
    registry.devices.push_back(device);
    return device;
}

void finishDevices() noexcept {
    DeviceRegistry& registry = deviceRegistry();
    const std::unique_lock lock(registry.mutex, std::try_to_lock);
    if (!lock)
        return; // another thread is opening a device
    for (const auto& weak : registry.devices)
        if (const std::shared_ptr<Device> device = weak.lock())
            device->finish();
}

void leaveDevices(bool forked) noexcept {
    DeviceRegistry& registry = deviceRegistry();
    const std::unique_lock lock(registry.mutex, std::try_to_lock);
    if (!lock)
        return; // another thread is opening a device
    for (const auto& weak : registry.devices)
        if (std::shared_ptr<Device> device = weak.lock()) {
            if (!forked)
                device->finish();
            registry.kept.push_back(std::move(device));
        }
}

std::shared_ptr<Device> findDevice(VkDevice handle) {
    DeviceRegistry& registry = deviceRegistry();
    const std::lock_guard lock(registry.mutex);
    return findIn(registry.devices,
                  [&](const Device& device) { return device.handle() == handle; });
}

} // namespace kp::vulkan
