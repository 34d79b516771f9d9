// SPDX-License-Identifier: Apache-2.0
#include "cuda/Interop.hpp"

#include <algorithm>
#include <chrono>
#include <thread>
#include <utility>

#include <kompute/Error.hpp>
#include <kompute/logger/Logger.hpp>

#include "base/Process.hpp"
#include "base/Text.hpp"

namespace kp::cuda {

Interop& Interop::of(vulkan::Device& device) {
    return device.companion<Interop>([&] {
        if (!device.plan().timelineSemaphores)
            fail<Unsupported>("sharing memory with CUDA needs timeline semaphores, which {} "
                              "lacks, or which were switched off",
                              device.name());
        return std::make_shared<Interop>(device, Gpu::of(device));
    });
}

Interop::Interop(vulkan::Device& device, std::shared_ptr<Gpu> gpu)
    : mDevice(device), mGpu(std::move(gpu)), mPool(device, *mGpu) {
    if (mGpu->importsExported() && (!device.plan().hasExtension("VK_KHR_external_semaphore_fd") ||
                                    !device.vk().vkGetSemaphoreFdKHR))
        fail<Unsupported>(
            "{} has no VK_KHR_external_semaphore_fd, by which CUDA and Vulkan keep "
            "the order of their work; if the device is a host application's, that must "
            "enable it",
            device.name());
}

Interop::~Interop() {
    if (driverGone())
        return;
    // Semaphores may be destroyed only once nothing waits for them or signals them.
    try {
        const std::unique_ptr<Gpu::Mark> end = mGpu->mark();
        const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(10);
        while (!end->reached()) {
            if (std::chrono::steady_clock::now() > deadline)
                throw Unsupported("CUDA's work on this device does not end");
            std::this_thread::sleep_for(std::chrono::microseconds(50));
        }
    } catch (const std::exception& error) {
        KP_LOG_WARN("semaphores shared with CUDA stay open: {}", error.what());
        for (auto& [id, timeline] : mStreams) {
            (void)timeline.opened.release();
            (void)timeline.semaphore.release();
        }
        for (auto& [queue, follower] : mQueues) {
            (void)follower.opened.release();
            (void)follower.semaphore.release();
        }
    }
}

void Interop::open(Follower& follower) {
    auto semaphore = std::make_unique<vulkan::SharedSemaphore>(mDevice, mGpu->importsExported());
    follower.opened = mGpu->import(*semaphore);
    follower.semaphore = std::move(semaphore);
}

Interop::StreamTimeline& Interop::timelineOf(Stream stream) {
    const uint64_t id = mGpu->streamId(stream);
    if (mStreams.size() >= kFewStreams && !mStreams.contains(id)) {
        const auto unused = std::ranges::find_if(mStreams, [](const auto& each) {
            vulkan::Queue* const queue = each.second.queue.get();
            return !queue || queue->reached(queue->lastValue());
        });
        if (unused != mStreams.end()) {
            auto node = mStreams.extract(unused);
            node.key() = id;
            mStreams.insert(std::move(node));
        }
    }
    StreamTimeline& timeline = mStreams[id];
    if (!timeline.queue) {
        open(timeline);
        timeline.queue = std::make_unique<vulkan::Queue>(mDevice, *timeline.semaphore);
    }
    return timeline;
}

vulkan::TimelinePoint Interop::pointOf(Stream stream) {
    const std::lock_guard lock(mMutex);
    StreamTimeline& timeline = timelineOf(stream);
    if (mGpu->idle(stream))
        return {};
    const uint64_t value = timeline.queue->signalledBy(
        [&](uint64_t next) { mGpu->signal(*timeline.opened, next, stream); });
    return {timeline.queue.get(), value};
}

void Interop::wait(Stream stream, const vulkan::TimelinePoint& point) {
    const uint64_t id = mGpu->streamId(stream);
    if (!point.queue || point.value == 0)
        return;
    point.queue->requireSucceeded(point.value);
    if (point.queue->reached(point.value))
        return;
    const std::lock_guard lock(mMutex);
    for (auto& [other, timeline] : mStreams) {
        if (timeline.queue.get() != point.queue)
            continue;
        if (other != id) // a stream keeps its order
            mGpu->wait(*timeline.opened, point.value, stream);
        return;
    }
    QueueFollower& follower = mQueues[point.queue];
    if (!follower.semaphore)
        open(follower);
    point.queue->submitSignal(point.value, *follower.semaphore, follower.followed);
    point.queue->requireSucceeded(point.value);
    mGpu->wait(*follower.opened, point.value, stream);
}

Interop::Stream Interop::stream() {
    const std::lock_guard lock(mMutex);
    if (!mStream)
        mStream = mGpu->makeStream();
    return mStream;
}

} // namespace kp::cuda
