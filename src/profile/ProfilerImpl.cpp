// SPDX-License-Identifier: Apache-2.0
#include "profile/ProfilerImpl.hpp"

#include <algorithm>
#include <atomic>
#include <functional>

#include "base/Text.hpp"

namespace kp {

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
    for (size_t i = 0; i < queues.size(); ++i) {
        if (queues[i].device == device && queues[i].queue == queue)
            return static_cast<uint32_t>(i);
    }
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
    keep(span);
}

void Profiler::Impl::keep(const Span& span) {
    if (spans.size() < maxSpans)
        spans.push_back(span);
    else
        ++dropped;
}

void Profiler::Impl::endScope(uint64_t id, uint64_t now) {
    const auto endIn = [&](uint32_t thread, std::vector<OpenScope>& scopes) {
        // Almost always the last one.
        for (size_t i = scopes.size(); i-- > 0;) {
            if (scopes[i].id != id)
                continue;
            const OpenScope ended = scopes[i];
            scopes.erase(scopes.begin() + static_cast<std::ptrdiff_t>(i));
            add({ended.node, thread, ended.startNs, std::max(now, ended.startNs), 0});
            return true;
        }
        return false;
    };
    const uint32_t mine = threadNumber();
    if (endIn(mine, open[mine]))
        return;
    // The scope object was moved to another thread.
    for (auto& [thread, scopes] : open) {
        if (endIn(thread, scopes))
            return;
    }
}

const std::string& Profiler::Impl::deviceName(const vulkan::Device& device) {
    const auto [place, isNew] = deviceNames.try_emplace(device.physical().deviceUuid);
    if (!isNew)
        return place->second;
    const std::string model = device.physical().name();
    std::string chosen = model;
    const auto isTaken = [&] {
        return std::any_of(deviceNames.begin(), deviceNames.end(),
                           [&](const auto& known) { return known.second == chosen; });
    };
    for (int number = 2; isTaken(); ++number)
        chosen = formatted("{} ({})", model, number);
    return place->second = chosen;
}

void Profiler::Impl::addCalibrations(const std::string& device,
                                     const std::vector<ClockCalibration>& added) {
    std::vector<ClockCalibration>& all = calibrations[device];
    all.insert(all.end(), added.begin(), added.end());
    std::ranges::stable_sort(all, {}, &ClockCalibration::deviceNs);
}

void Profiler::Impl::merge(const Impl& other) {
    std::vector<uint32_t> merged; ///< nodes here, by node there; parents precede their children
    for (const Node& from : other.nodes) {
        uint32_t queue = kNoParent;
        if (from.queue != kNoParent)
            queue = queueTrack(other.queues[from.queue].device, other.queues[from.queue].queue);
        const uint32_t parent = from.parent == kNoParent ? kNoParent : merged[from.parent];
        merged.push_back(node(parent, queue, other.names[from.name]));
        Node& into = nodes[merged.back()];
        into.count += from.count;
        into.totalNs += from.totalNs;
        into.minNs = std::min(into.minNs, from.minNs);
        into.maxNs = std::max(into.maxNs, from.maxNs);
    }
    dropped += other.dropped;
    for (Span span : other.spans) {
        span.node = merged[span.node];
        keep(span);
    }
    for (const auto& [thread, threadName] : other.threadNames)
        threadNames.try_emplace(thread, threadName);
    for (const auto& [device, added] : other.calibrations)
        addCalibrations(device, added);
}

std::vector<ProfileEntry> Profiler::Impl::entries() const {
    // An open scope has no count yet, but its finished children need it as a parent.
    std::vector<bool> shown(nodes.size());
    for (size_t i = nodes.size(); i-- > 0;) {
        if (nodes[i].count > 0)
            shown[i] = true;
        if (shown[i] && nodes[i].parent != kNoParent)
            shown[nodes[i].parent] = true;
    }
    std::vector<ProfileEntry> result;
    const auto add = [&](const Node& node, const std::string& track, uint64_t all) {
        result.push_back(
            {.name = names[node.name],
             .track = track,
             .depth = node.depth,
             .count = node.count,
             .totalNs = node.totalNs,
             .minNs = node.count ? node.minNs : 0,
             .maxNs = node.maxNs,
             .share = all ? static_cast<double>(node.totalNs) / static_cast<double>(all) : 0.0});
    };

    uint64_t hostTotal = 0;
    std::vector<std::vector<uint32_t>> children(nodes.size() + 1);
    for (uint32_t i = 0; i < nodes.size(); ++i) {
        const Node& node = nodes[i];
        if (node.queue != kNoParent || !shown[i])
            continue;
        const bool top = node.parent == kNoParent;
        children[top ? nodes.size() : node.parent].push_back(i);
        hostTotal += top ? node.totalNs : 0;
    }
    const std::function<void(size_t)> walk = [&](size_t parent) {
        for (const uint32_t child : children[parent]) {
            add(nodes[child], "host", hostTotal);
            walk(child);
        }
    };
    walk(nodes.size());

    for (uint32_t queue = 0; queue < queues.size(); ++queue) {
        std::vector<const Node*> ofQueue;
        uint64_t total = 0;
        for (const Node& node : nodes) {
            if (node.queue == queue && node.count > 0) {
                ofQueue.push_back(&node);
                total += node.totalNs;
            }
        }
        std::ranges::stable_sort(ofQueue, std::greater(), &Node::totalNs);
        const std::string track = formatted("{}, {}", queues[queue].device, queues[queue].queue);
        for (const Node* node : ofQueue)
            add(*node, track, total);
    }
    return result;
}

uint32_t Profiler::Impl::threadNumber() {
    static std::atomic<uint32_t> count{0};
    thread_local const uint32_t number = ++count;
    return number;
}

} // namespace kp
