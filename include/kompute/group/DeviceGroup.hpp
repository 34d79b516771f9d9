// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include <kompute/Algorithm.hpp>
#include <kompute/Manager.hpp>
#include <kompute/ManagerOptions.hpp>
#include <kompute/Queue.hpp>
#include <kompute/launch/KernelListLauncher.hpp>
#include <kompute/launch/Launcher.hpp>

namespace kp {

namespace group {
class Exchange;
}

/// How data travel from one device of a group to another.
enum class ExchangePath {
    eAuto,         ///< the first of the following that the devices offer
    eSharedMemory, ///< memory that both have open: logical devices of one GPU
    ePeerMemory,   ///< from GPU to GPU, by NVLink or PCI Express: NVIDIA's, on Linux
    eHostMemory,   ///< one copies to host memory, the other from there, both directly
    eStaging       ///< the same, with a copy by the host between the two
};

struct DeviceGroupOptions {
    /// Places in listDevices(). The same place twice gives two logical devices on one physical
    /// one. Empty: every GPU, or what KOMPUTE_DEVICE names, or else the software driver.
    std::vector<uint32_t> deviceIds;
    /// Queues for each device; a single entry counts for all; empty: one. Queues past the first of
    /// a device are virtual (see Queue) unless queueFamilies says otherwise.
    std::vector<uint32_t> queueCounts;
    /// For each device the family of each of its queues, instead of queueCounts. Needs deviceIds.
    std::vector<std::vector<uint32_t>> queueFamilies;
    /// What else the managers are made with. It names no device and no queues.
    ManagerOptions manager;
    /// For tests and measurements.
    ExchangePath exchange = ExchangePath::eAuto;
};

/// What holds on every device of a group: the least of each limit.
struct GroupLimits {
    Workgroup maxWorkgroupCount{};
    Workgroup maxWorkgroupSize{};
    uint32_t maxWorkgroupInvocations = 0;
    uint64_t memoryBytes = 0; ///< of the smallest device
    bool timestamps = false;  ///< on all
};

/// Where something is launched: on every device, on one queue's, or on whichever has least to do.
class KOMPUTE_API GroupTarget {
public:
    static GroupTarget all() { return {}; }
    static GroupTarget any() { return GroupTarget(true, std::nullopt); }
    /// The device that queue @p index of the group belongs to, on that queue.
    static GroupTarget queue(uint32_t index) { return {false, index}; }

    bool isAny() const { return mAny; }
    const std::optional<uint32_t>& index() const { return mIndex; } ///< empty: all, or any

private:
    GroupTarget() = default;
    GroupTarget(bool any, std::optional<uint32_t> index) : mAny(any), mIndex(index) {}

    bool mAny = false;
    std::optional<uint32_t> mIndex;
};

/// Several devices as one: an ordinary Manager for each, and their queues in one row. Groups share
/// nothing but devices: there may be several at once, and when a device fails, the others go on.
///
/// Queues are numbered over all devices: first those of device 0, then those of device 1, and so
/// on. They are in order. What launch() and buffers do, they do on these queues.
///
/// All member functions but destroy() may be called from any thread at any time. Buffers and
/// kernels of a group keep its devices, also when the group itself is gone.
class KOMPUTE_API DeviceGroup {
public:
    /// Every GPU; see DeviceGroupOptions::deviceIds.
    /// @throws Unsupported, InvalidArgument as Manager
    DeviceGroup();
    explicit DeviceGroup(const std::vector<uint32_t>& deviceIds);
    /// @throws InvalidArgument also where lists have other lengths than there are devices
    explicit DeviceGroup(const DeviceGroupOptions& options);
    /// Of managers that exist, such as those of a host application's devices: with all their
    /// queues. They are shared with whoever else holds them, also when destroy() is called.
    /// @throws InvalidArgument for none, and where one is null or was destroyed
    static DeviceGroup of(const std::vector<std::shared_ptr<Manager>>& managers,
                          ExchangePath exchange = ExchangePath::eAuto);
    ~DeviceGroup();
    DeviceGroup(const DeviceGroup&) = delete;
    DeviceGroup& operator=(const DeviceGroup&) = delete;

    /// Number of devices.
    size_t size() const;
    /// The manager of a device. @throws InvalidArgument where there is no such device
    Manager& operator[](size_t device) const;
    const std::shared_ptr<Manager>& manager(size_t device) const;
    /// Place of each device in listDevices().
    std::vector<uint32_t> deviceIds() const;

    uint32_t queueCount() const;
    /// @throws InvalidArgument where there is no such queue
    const std::shared_ptr<Queue>& queue(uint32_t index) const;
    /// Which device a queue belongs to.
    uint32_t deviceOfQueue(uint32_t index) const;
    /// The first queue of a device.
    uint32_t firstQueueOf(size_t device) const;

    GroupLimits limits() const;
    /// How data travel between two devices of the group; empty within one.
    std::optional<ExchangePath> exchangePath(size_t from, size_t to) const;

    /// What forEach() calls, once for each device chosen.
    /// @param queue  index in the group
    using Task = std::function<std::optional<Event>(Manager& manager, uint32_t queue,
                                                    const std::vector<Event>& waitFor)>;
    /// Calls a function for each device that @p target chooses, in this thread: exactly once each,
    /// whatever the devices have to do already.
    ///
    /// What the first call throws is thrown. What a later one throws fails the event of its device,
    /// since the others are on their way.
    /// @return an event for each device chosen; done already where the function returned none
    std::vector<Event> forEach(const Task& task, GroupTarget target = GroupTarget::all(),
                               const std::vector<Event>& waitFor = {});

    /// Launches something that was made for each device. Errors as forEach().
    /// @param launchers  one for each device
    /// @param options    without a queue
    std::vector<Event> launch(const std::vector<std::shared_ptr<Launcher>>& launchers,
                              const LaunchOptions& options = {},
                              GroupTarget target = GroupTarget::all());
    std::vector<Event> launch(const std::vector<std::shared_ptr<KernelListLauncher>>& lists,
                              const LaunchOptions& options = {},
                              GroupTarget target = GroupTarget::all());
    /// As each algorithm is now: its memory, work groups and push constants.
    std::vector<Event> launch(const std::vector<std::shared_ptr<Algorithm>>& algorithms,
                              const std::vector<Event>& waitFor = {},
                              GroupTarget target = GroupTarget::all());

    /// Waits until every device has done everything it was given, and everything on the group's
    /// queues is over. @throws DeviceLost
    void waitIdle() const;
    /// Destroys what the managers made, as Manager::destroy. A second call does nothing.
    void destroy();
    bool isInit() const;

    struct Impl;
    /// For the library's own files.
    const std::shared_ptr<Impl>& impl() const { return mImpl; }

private:
    explicit DeviceGroup(std::shared_ptr<Impl> impl) : mImpl(std::move(impl)) {}

    std::shared_ptr<Impl> mImpl;
};

} // namespace kp
