// SPDX-License-Identifier: Apache-2.0
#include <kompute/launch/Profiler.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <fstream>
#include <utility>

#include <kompute/Error.hpp>

#include "launch/ProfilerImpl.hpp"

namespace kp {
namespace {

void requireOrder(const std::string& name, uint64_t startNs, uint64_t endNs) {
    if (endNs < startNs)
        throw InvalidArgument("the span '" + name + "' ends at " + std::to_string(endNs) +
                              " ns, before it starts at " + std::to_string(startNs) + " ns");
}

} // namespace

// --- what is collected ---------------------------------------------------------------------------

uint32_t Profiler::Impl::intern(const std::string& text) {
    const auto [place, isNew] = nameIndex.try_emplace(text, static_cast<uint32_t>(names.size()));
    if (isNew)
        names.push_back(text);
    return place->second;
}

uint32_t Profiler::Impl::node(uint32_t parent, uint32_t queue, const std::string& text) {
    const uint32_t label = intern(text);
    const auto [place, isNew] =
        nodeIndex.try_emplace({parent, queue, label}, static_cast<uint32_t>(nodes.size()));
    if (isNew) {
        Node made;
        made.name = label;
        made.parent = parent;
        made.queue = queue;
        made.depth = parent == kNoParent ? 0 : nodes[parent].depth + 1;
        nodes.push_back(made);
    }
    return place->second;
}

uint32_t Profiler::Impl::queueTrack(const std::string& device, const std::string& queue) {
    for (size_t i = 0; i < queues.size(); ++i)
        if (queues[i].device == device && queues[i].queue == queue)
            return static_cast<uint32_t>(i);
    queues.push_back({device, queue});
    return static_cast<uint32_t>(queues.size() - 1);
}

uint32_t Profiler::Impl::currentParent() const {
    const auto mine = open.find(threadNumber());
    return mine == open.end() || mine->second.empty() ? kNoParent : mine->second.back().node;
}

void Profiler::Impl::add(const Span& span) {
    Node& at = nodes[span.node];
    const uint64_t duration = span.endNs - span.startNs;
    ++at.count;
    at.totalNs += duration;
    at.minNs = std::min(at.minNs, duration);
    at.maxNs = std::max(at.maxNs, duration);
    if (spans.size() < maxSpans)
        spans.push_back(span);
    else
        ++dropped;
}

void Profiler::Impl::endScope(uint64_t id, uint64_t now) {
    const auto endIn = [&](uint32_t thread, std::vector<Open>& scopes) {
        // Nearly always the last one.
        for (size_t i = scopes.size(); i-- > 0;) {
            if (scopes[i].id != id)
                continue;
            const Open ended = scopes[i];
            scopes.erase(scopes.begin() + static_cast<std::ptrdiff_t>(i));
            add({ended.node, thread, ended.startNs, std::max(now, ended.startNs), 0});
            return true;
        }
        return false;
    };
    const uint32_t mine = threadNumber();
    if (endIn(mine, open[mine]))
        return;
    // Moved to another thread.
    for (auto& [thread, scopes] : open)
        if (endIn(thread, scopes))
            return;
}

uint32_t Profiler::Impl::threadNumber() {
    static std::atomic<uint32_t> count{0};
    thread_local const uint32_t number = ++count;
    return number;
}

// --- scopes --------------------------------------------------------------------------------------

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
    } catch (...) { // no memory to note it down: a lost span is better than a lost program
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

// --- the profiler --------------------------------------------------------------------------------

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
    std::vector<ClockCalibration>& all = mImpl->clocks[device].calibrations;
    const auto place = std::upper_bound(
        all.begin(), all.end(), calibration,
        [](const ClockCalibration& a, const ClockCalibration& b) { return a.deviceNs < b.deviceNs; });
    all.insert(place, calibration);
}

void Profiler::writeTrace(const std::string& path) const {
    const std::string text = trace();
    std::ofstream out(path, std::ios::binary | std::ios::trunc);
    out.write(text.data(), static_cast<std::streamsize>(text.size()));
    out.close();
    if (!out)
        throw InvalidArgument("the trace cannot be written to " + path);
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
        throw InvalidArgument("a profiler cannot be merged with itself");
    const std::scoped_lock lock(mImpl->mutex, other.mImpl->mutex);
    Impl& mine = *mImpl;
    const Impl& theirs = *other.mImpl;
    // A parent always comes before its children.
    std::vector<uint32_t> place;
    for (const Impl::Node& node : theirs.nodes) {
        uint32_t queue = Impl::kNoParent;
        if (node.queue != Impl::kNoParent)
            queue = mine.queueTrack(theirs.queues[node.queue].device,
                                    theirs.queues[node.queue].queue);
        const uint32_t parent =
            node.parent == Impl::kNoParent ? Impl::kNoParent : place[node.parent];
        place.push_back(mine.node(parent, queue, theirs.names[node.name]));
        Impl::Node& at = mine.nodes[place.back()];
        at.count += node.count;
        at.totalNs += node.totalNs;
        at.minNs = std::min(at.minNs, node.minNs);
        at.maxNs = std::max(at.maxNs, node.maxNs);
    }
    for (Impl::Span span : theirs.spans) {
        span.node = place[span.node];
        if (mine.spans.size() < mine.maxSpans)
            mine.spans.push_back(span);
        else
            ++mine.dropped;
    }
    mine.dropped += theirs.dropped;
    for (const auto& [thread, name] : theirs.threadNames)
        mine.threadNames.try_emplace(thread, name);
    for (const auto& [device, clock] : theirs.clocks) {
        std::vector<ClockCalibration>& all = mine.clocks[device].calibrations;
        all.insert(all.end(), clock.calibrations.begin(), clock.calibrations.end());
        std::stable_sort(all.begin(), all.end(), [](const auto& a, const auto& b) {
            return a.deviceNs < b.deviceNs;
        });
    }
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

} // namespace kp
