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
#include <kompute/device/ManagerOptions.hpp>
#include <kompute/launch/KernelListLauncher.hpp>
#include <kompute/launch/Launcher.hpp>
#include <kompute/primitives/Operator.hpp>
#include <kompute/queue/Queue.hpp>

namespace kp {

class Buffer;

namespace group {
class Exchange;
}

/// How data is transferred between two devices of a group.
enum class ExchangePath {
    eAuto,         ///< the first of the following that both devices support
    eSharedMemory, ///< memory open in both: logical devices of one GPU
    ePeerMemory,   ///< from GPU to GPU over NVLink or PCI Express: NVIDIA on Linux
    eHostMemory,   ///< through host memory that both devices copy from and to directly
    eStaging       ///< through staging memory, with a copy by the host in between
};

/// Options of a DeviceGroup.
struct DeviceGroupOptions {
    /// Indices in listDevices(). Repeating an index creates a further logical device on the same
    /// physical device. Empty: every GPU that KOMPUTE_DEVICE (if set) allows, or else the software
    /// driver.
    std::vector<uint32_t> deviceIds;
    /// Queues per device. A single entry applies to all devices; empty means one. All but the first
    /// queue of a device are virtual (see Queue), unless queueFamilies is set.
    std::vector<uint32_t> queueCounts;
    /// For each device, the family of each of its queues. Replaces queueCounts; requires deviceIds.
    std::vector<std::vector<uint32_t>> queueFamilies;
    /// Further options of the managers. Must not select a device or queues.
    ManagerOptions manager;
    /// Forces a transfer path, for tests and measurements.
    ExchangePath exchange = ExchangePath::eAuto;
};

/// The limits that hold on every device of a group: the minimum of each.
struct GroupLimits {
    Workgroup maxWorkgroupCount{};
    Workgroup maxWorkgroupSize{};
    uint32_t maxWorkgroupInvocations = 0;
    uint64_t memoryBytes = 0; ///< of the smallest device
    bool timestamps = false;  ///< true if all devices have them
};

/// Selects where something is launched: on every device, on the device with the fewest unfinished
/// launches of the group, or on one queue of the group.
class KOMPUTE_API GroupTarget {
public:
    static GroupTarget all() { return {}; }
    static GroupTarget any() { return GroupTarget(true, std::nullopt); }
    static GroupTarget queue(uint32_t index) { return {false, index}; }

    bool isAny() const { return mAny; }
    const std::optional<uint32_t>& index() const { return mIndex; } ///< empty for all() and any()

private:
    GroupTarget() = default;
    GroupTarget(bool any, std::optional<uint32_t> index) : mAny(any), mIndex(index) {}

    bool mAny = false;
    std::optional<uint32_t> mIndex;
};

/// Several devices used as one: an ordinary Manager for each, and one list of all their queues.
///
///     kp::DeviceGroup group; // every GPU
///     auto x = std::make_shared<kp::Buffer>(group, std::vector<uint64_t>{1 << 20});
///     kp::GroupKernel twice(group, "twice", source, {x}); // GLSL
///     kp::Event::waitAll(twice());
///
/// Queues are numbered across devices: first the queues of device 0, then of device 1, and so on.
/// They are in-order. launch() and buffers use these queues. Groups are independent of each other,
/// even on the same devices, and if a device fails, the others continue.
///
/// Thread safety: every member function except destroy() may be called from any thread at any time.
/// Buffers and kernels of a group keep its devices alive, even after the group is destroyed.
class KOMPUTE_API DeviceGroup {
public:
    /// Opens every GPU; see DeviceGroupOptions::deviceIds.
    /// @throws Unsupported or InvalidArgument as Manager
    DeviceGroup();
    /// Opens the devices with these indices in listDevices(). Throws as above.
    explicit DeviceGroup(const std::vector<uint32_t>& deviceIds);
    /// Opens the devices that @p options selects.
    /// @throws Unsupported or InvalidArgument as Manager; InvalidArgument also for lists of the
    ///         wrong length, a device without queues, and a device or queues in
    ///         DeviceGroupOptions::manager
    explicit DeviceGroup(const DeviceGroupOptions& options);
    /// Creates a group from existing managers, such as managers of a host application's devices,
    /// with all their queues. The managers stay shared with their other owners; destroy() destroys
    /// them for all.
    /// @throws InvalidArgument if the list is empty, or a manager is null or destroyed
    static DeviceGroup of(const std::vector<std::shared_ptr<Manager>>& managers,
                          ExchangePath exchange = ExchangePath::eAuto);
    ~DeviceGroup();
    DeviceGroup(const DeviceGroup&) = delete;
    DeviceGroup& operator=(const DeviceGroup&) = delete;

    size_t size() const; ///< number of devices
    /// Returns the manager of a device.
    /// @throws InvalidArgument if there is no such device
    Manager& operator[](size_t device) const;
    const std::shared_ptr<Manager>& manager(size_t device) const;
    /// Returns the index of each device in listDevices().
    std::vector<uint32_t> deviceIds() const;

    uint32_t queueCount() const; ///< number of queues of all devices
    /// Return a queue, the index of its device, and the index of a device's first queue.
    /// @throws InvalidArgument if there is no such queue or device
    const std::shared_ptr<Queue>& queue(uint32_t index) const;
    uint32_t deviceOfQueue(uint32_t index) const;
    uint32_t firstQueueOf(size_t device) const;

    GroupLimits limits() const;
    /// Returns how data is transferred between two devices of the group; empty within one device.
    /// @throws InvalidArgument if there is no such device
    std::optional<ExchangePath> exchangePath(size_t from, size_t to) const;

    /// A function that forEach() calls once per selected device. @p queue is the index of a queue
    /// in the group.
    using Task = std::function<std::optional<Event>(Manager& manager, uint32_t queue,
                                                    const std::vector<Event>& waitFor)>;
    /// Calls a function in this thread, exactly once for each device that @p target selects,
    /// no matter how busy the devices are.
    /// @param waitFor  passed to the function
    /// @return one event per selected device; already done if the function returned none
    /// @throws InvalidArgument if @p task is empty; the exception of the first call. The exception
    ///         of a later call fails its device's event instead, because the others have started
    std::vector<Event> forEach(const Task& task, GroupTarget target = GroupTarget::all(),
                               const std::vector<Event>& waitFor = {});

    /// Launches one object on each selected device. Errors as in forEach().
    /// @param launchers  one per device
    /// @param options    options of each launch; the queue is replaced
    /// @return one event per selected device
    /// @throws InvalidArgument also if the number of objects differs from the number of devices, or
    ///         one is null
    std::vector<Event> launch(const std::vector<std::shared_ptr<Launcher>>& launchers,
                              const LaunchOptions& options = {},
                              GroupTarget target = GroupTarget::all());
    std::vector<Event> launch(const std::vector<std::shared_ptr<KernelListLauncher>>& lists,
                              const LaunchOptions& options = {},
                              GroupTarget target = GroupTarget::all());
    /// Dispatches each algorithm with its current memory, work group counts and push constants.
    /// Arguments, result and errors as above.
    std::vector<Event> launch(const std::vector<std::shared_ptr<Algorithm>>& algorithms,
                              const std::vector<Event>& waitFor = {},
                              GroupTarget target = GroupTarget::all());

    // Primitives over the rows of a sharded buffer. Like its collectives, they return at once, with
    // one event per queue of the copies that take part, and keep the order of these queues. They
    // throw InvalidArgument for buffers of another group, vectors, matrices, complex numbers and
    // structs, unsuitable shapes and placements, and as the operation that each device runs
    // (OpReduce, OpSort, OpMatMul).

    /// Reduces the elements of a sharded buffer, as OpReduce.
    ///
    ///     group.reduce(values, total, kp::ReduceOperation::eMaximum);
    ///
    /// The shards' results are combined in the order of the shards, so equal input and shards give
    /// equal bits. Other shards may round sums and products of floating-point numbers differently.
    /// @param out   another buffer. Replicated, with one element, or along axis 0 with one per
    ///              element of a row: every copy gets the result. Along another axis: sharded, with
    ///              the rows of @p in
    /// @param axis  the axis to reduce; negative ones count from the last. Default: all elements
    std::vector<Event> reduce(const Buffer& in, Buffer& out,
                              const Operator& combine = ReduceOperation::eSum,
                              std::optional<int> axis = std::nullopt,
                              const std::vector<Event>& waitFor = {}) const;
    /// Sorts the keys of a sharded buffer of one dimension in place, as OpSort: stable, and equal
    /// to one device's result. Each shard keeps its number of rows.
    ///
    /// Each device sorts its shard. Splitters, found on the host from samples and the keys between
    /// them, divide the sorted shards exactly. Each device then receives its parts and sorts again.
    /// (Frazer and McKellar, "Samplesort", 1970; exact splitting as in Varman et al., "Merging
    /// multiple lists on hierarchical-memory multiprocessors", 1991.) Takes memory for another
    /// copy of the shards.
    std::vector<Event> sort(Buffer& keys, bool descending = false,
                            const std::vector<Event>& waitFor = {}) const;
    /// Moves the elements of another buffer, of 4 or 8 bytes, with the keys.
    /// @param values  with the shape and shards of @p keys
    std::vector<Event> sort(Buffer& keys, Buffer& values, bool descending = false,
                            const std::vector<Event>& waitFor = {}) const;
    /// Multiplies matrices, as OpMatMul: C = A B. Each device computes the rows of C that it has of
    /// A.
    /// @param a  rows x inner, sharded
    /// @param b  inner x columns, or inner alone. Replicated; or sharded, and copied to each device
    /// @param c  another buffer, rows x columns or rows alone, sharded as @p a
    std::vector<Event> matmul(const Buffer& a, const Buffer& b, Buffer& c,
                              const std::vector<Event>& waitFor = {}) const;

    /// Waits until all devices have finished all work, and all launches on the group's queues have
    /// ended.
    /// @throws DeviceLost
    void waitIdle() const;
    /// Destroys all managers. Further calls have no effect.
    /// @throws as Manager::destroy(); call it again then
    void destroy();
    bool isInit() const; ///< false after destroy(), or if one of the managers was destroyed

    struct Impl;

private:
    friend struct Internals;
    struct Made {};
    DeviceGroup(Made, std::shared_ptr<Impl> impl) : mImpl(std::move(impl)) {}

    std::shared_ptr<Impl> mImpl;
};

} // namespace kp
