// SPDX-License-Identifier: Apache-2.0
#include <kompute/launch/Profiler.hpp>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <optional>
#include <utility>

#include <kompute/Error.hpp>
#include <kompute/Manager.hpp>

#include "base/Text.hpp"
#include "base/files/Path.hpp"
#include "core/manager/ManagerImpl.hpp"
#include "core/queue/EventState.hpp"
#include "profile/ProfilerImpl.hpp"
#include "vulkan/device/ClockCalibration.hpp"
#include "vulkan/queue/Pools.hpp"

namespace kp {
namespace {

constexpr const char* kHostFunctionsName = "host functions";
constexpr uint64_t kCalibrationIntervalNs = 1'000'000'000;

/// Reads both clocks; returns nothing if the device has no calibrated timestamps.
std::optional<ClockCalibration> calibrationOf(const vulkan::Device& device) {
    const std::optional<vulkan::ClockSample> sample = vulkan::sampleClocks(device);
    if (!sample)
        return std::nullopt;
    const double period = device.physical().properties.limits.timestampPeriod;
    ClockCalibration calibration;
    calibration.deviceNs = vulkan::toNanoseconds({sample->deviceTicks}, 64, period).front();
    calibration.hostNs = sample->hostNs;
    calibration.deviationNs = sample->deviationNs;
    return calibration;
}

/// Formats a duration in a suitable unit, such as "12.30 us".
std::string durationText(double ns) {
    if (ns < 1e3)
        return formatted("{:.0f} ns", ns);
    if (ns < 1e6)
        return formatted("{:.2f} us", ns / 1e3);
    if (ns < 1e9)
        return formatted("{:.2f} ms", ns / 1e6);
    return formatted("{:.3f} s", ns / 1e9);
}

/// Counts the characters of UTF-8 text: all bytes but continuation bytes.
size_t columnsOf(const std::string& text) {
    return static_cast<size_t>(std::count_if(text.begin(), text.end(), [](char letter) {
        return (static_cast<unsigned char>(letter) & 0xc0) != 0x80;
    }));
}

void requireOrder(const std::string& name, uint64_t startNs, uint64_t endNs) {
    if (endNs < startNs) {
        fail<InvalidArgument>("the span '{}' ends at {} ns, before it starts at {} ns", name, endNs,
                              startNs);
    }
}

} // namespace

Profiler::Scope::Scope(Scope&& other) noexcept
    : mProfiler(std::move(other.mProfiler)), mId(std::exchange(other.mId, 0)) {}

Profiler::Scope& Profiler::Scope::operator=(Scope&& other) noexcept {
    if (this != &other) {
        end();
        mProfiler = std::move(other.mProfiler);
        mId = std::exchange(other.mId, 0);
    }
    return *this;
}

Profiler::Scope::~Scope() {
    try {
        end();
    } catch (...) { // out of memory: the span is lost
    }
}

void Profiler::Scope::end() {
    const uint64_t id = std::exchange(mId, 0);
    if (id == 0)
        return;
    const uint64_t now = hostNow();
    if (const std::shared_ptr<Impl> impl = std::static_pointer_cast<Impl>(mProfiler.lock())) {
        const std::lock_guard lock(impl->mutex);
        impl->endScope(id, now);
    }
    mProfiler.reset();
}

Profiler::Scope Profiler::scope(const std::string& name) {
    Scope made;
    {
        const std::lock_guard lock(mImpl->mutex);
        const uint32_t node = mImpl->node(mImpl->currentParent(), Impl::kNoParent, name);
        made.mId = ++mImpl->lastId;
        mImpl->open[Impl::threadNumber()].push_back({made.mId, node, hostNow()});
    }
    made.mProfiler = mImpl;
    return made;
}

Profiler::Profiler(std::string name, size_t maxSpans) : mImpl(std::make_shared<Impl>()) {
    mImpl->name = std::move(name);
    mImpl->maxSpans = maxSpans;
}

Profiler::~Profiler() = default;

uint64_t Profiler::hostNow() {
    return static_cast<uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(
                                     std::chrono::steady_clock::now().time_since_epoch())
                                     .count());
}

void Profiler::nameThread(const std::string& name) {
    const std::lock_guard lock(mImpl->mutex);
    mImpl->threadNames[Impl::threadNumber()] = name;
}

void Profiler::addHostSpan(const std::string& name, uint64_t startNs, uint64_t endNs) {
    requireOrder(name, startNs, endNs);
    const std::lock_guard lock(mImpl->mutex);
    const uint32_t node = mImpl->node(mImpl->currentParent(), Impl::kNoParent, name);
    mImpl->add({node, Impl::threadNumber(), startNs, endNs, 0});
}

void Profiler::addDeviceSpan(const DeviceSpan& span) {
    requireOrder(span.name, span.startNs, span.endNs);
    const std::lock_guard lock(mImpl->mutex);
    const uint32_t queue = mImpl->queueTrack(span.device, span.queue);
    const uint32_t node = mImpl->node(Impl::kNoParent, queue, span.name);
    mImpl->add({node, 0, span.startNs, span.endNs, span.submittedNs});
}

void Profiler::addDeviceSpans(const std::vector<DeviceSpan>& spans) {
    for (const DeviceSpan& span : spans)
        requireOrder(span.name, span.startNs, span.endNs);
    for (const DeviceSpan& span : spans)
        addDeviceSpan(span);
}

void Profiler::addCalibration(const std::string& device, const ClockCalibration& calibration) {
    const std::lock_guard lock(mImpl->mutex);
    mImpl->addCalibrations(device, {calibration});
}

bool Profiler::calibrate(const std::string& device, const Manager& manager) {
    {
        const std::lock_guard lock(mImpl->mutex);
        mImpl->deviceNames[implOf(manager).device->physical().deviceUuid] = device;
    }
    ClockCalibration calibration;
    if (!calibrateClock(manager, calibration))
        return false;
    addCalibration(device, calibration);
    return true;
}

void Profiler::addTiming(const std::string& name, const Event& event, const EventProfile& profile,
                         uint64_t) {
    const std::shared_ptr<vulkan::Device> device =
        Internals::state(event) ? Internals::state(event)->device() : nullptr;
    std::string label = kHostFunctionsName;
    uint64_t calibratedAt = 0;
    {
        const std::lock_guard lock(mImpl->mutex);
        if (device)
            label = mImpl->deviceName(*device);
        const auto known = mImpl->calibrations.find(label);
        if (known != mImpl->calibrations.end())
            calibratedAt = known->second.back().hostNs;
    }
    const uint64_t now = hostNow();
    if (!device) {
        if (calibratedAt == 0)
            addCalibration(label, {now, now, 0});
    } else if (now > calibratedAt + kCalibrationIntervalNs) {
        try {
            if (const std::optional<ClockCalibration> calibration = calibrationOf(*device))
                addCalibration(label, *calibration);
        } catch (const Error&) { // a lost device: its spans are aligned by their submissions
        }
    }
    addDeviceSpan({name, label, event.queueName(), profile.start,
                   std::max(profile.start, profile.end), profile.submitted});
}

std::vector<ProfileEntry> Profiler::entries() const {
    const std::lock_guard lock(mImpl->mutex);
    return mImpl->entries();
}

std::string Profiler::table() const {
    const std::vector<ProfileEntry> all = entries();
    size_t width = 4;
    for (const ProfileEntry& entry : all) {
        width =
            std::max({width, columnsOf(entry.name) + 2 * entry.depth + 2, columnsOf(entry.track)});
    }
    const auto line = [&](const std::string& name, const auto&... cells) {
        return formatted("{:<{}}  {:>9}  {:>10}  {:>10}  {:>10}  {:>10}  {:>7}\n", name, width,
                         cells...);
    };
    std::string text = line("name", "count", "total", "mean", "min", "max", "share");
    std::string track;
    for (const ProfileEntry& entry : all) {
        if (entry.track != track)
            text += (track = entry.track) + "\n";
        const std::string name = formatted("{:{}}{}", "", 2 + 2 * entry.depth, entry.name);
        if (entry.count == 0) {
            text += line(name, "open", "", "", "", "", "");
        } else {
            text += line(name, entry.count, durationText(entry.totalNs),
                         durationText(entry.meanNs()), durationText(entry.minNs),
                         durationText(entry.maxNs), formatted("{:.1f} %", entry.share * 100));
        }
    }
    return text;
}

std::string Profiler::trace() const {
    const std::lock_guard lock(mImpl->mutex);
    return mImpl->trace();
}

void Profiler::writeTrace(const std::string& path) const {
    const std::string text = trace();
    std::ofstream out(toPath(path), std::ios::binary | std::ios::trunc);
    out.write(text.data(), static_cast<std::streamsize>(text.size()));
    out.close();
    if (!out) {
        fail<InvalidArgument>("the trace cannot be written to {}; the folder must exist and be "
                              "writable",
                              path);
    }
}

size_t Profiler::spanCount() const {
    const std::lock_guard lock(mImpl->mutex);
    return mImpl->spans.size();
}

uint64_t Profiler::droppedSpans() const {
    const std::lock_guard lock(mImpl->mutex);
    return mImpl->dropped;
}

void Profiler::merge(const Profiler& other) {
    if (&other == this)
        fail<InvalidArgument>("a profiler cannot be merged with itself");
    const std::scoped_lock lock(mImpl->mutex, other.mImpl->mutex);
    mImpl->merge(*other.mImpl);
}

void Profiler::clear() {
    const std::lock_guard lock(mImpl->mutex);
    for (Impl::Node& node : mImpl->nodes) {
        node.count = node.totalNs = node.maxNs = 0;
        node.minNs = UINT64_MAX;
    }
    mImpl->spans.clear();
    mImpl->dropped = 0;
}

bool calibrateClock(const Manager& manager, ClockCalibration& calibration) {
    const std::optional<ClockCalibration> now = calibrationOf(*implOf(manager).device);
    if (now)
        calibration = *now;
    return now.has_value();
}

} // namespace kp
