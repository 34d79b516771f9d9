// SPDX-License-Identifier: Apache-2.0
#include <kompute/queue/Semaphore.hpp>

#include <vector>

#include <kompute/Error.hpp>
#include <kompute/Manager.hpp>
#include <kompute/logger/Logger.hpp>
#include <kompute/queue/Queue.hpp>

#include "base/Process.hpp"
#include "base/Text.hpp"
#include "core/manager/ManagerImpl.hpp"
#include "core/queue/Dependencies.hpp"
#include "core/queue/EventState.hpp"
#include "core/queue/HostWorkers.hpp"
#include "vulkan/queue/DeletionQueue.hpp"
#include "vulkan/queue/Queue.hpp"

namespace kp {

/// Events keep it alive as their device.
struct Semaphore::Impl {
    Impl(std::shared_ptr<vulkan::Device> used, std::unique_ptr<vulkan::SharedSemaphore> opened,
         bool exports)
        : device(std::move(used)), semaphore(std::move(opened)), exportable(exports),
          queue(std::make_unique<vulkan::Queue>(*device, *semaphore)) {}

    ~Impl() {
        queue.reset();
        if (driverGone()) {
            (void)semaphore.release();
            return;
        }
        // Submitted work of any queue may still wait for it or signal it.
        std::vector<vulkan::TimelinePoint> points;
        for (size_t i = 0; i < device->queueCount(); ++i)
            if (const uint64_t last = device->queue(i).lastValue())
                points.push_back({&device->queue(i), last});
        const auto kept = std::shared_ptr<vulkan::SharedSemaphore>(std::move(semaphore));
        device->deletionQueue().push(std::move(points), [kept] {});
    }

    /// @throws InvalidArgument unless the value is greater than the present one: drivers treat
    ///         others as a lost device
    void requireGrowth(uint64_t value) const {
        device->requireAlive();
        if (const uint64_t now = semaphore->value(); value <= now)
            fail<InvalidArgument>("a semaphore has the value {} and only grows, but {} was to be "
                                  "signalled",
                                  now, value);
    }

    const std::shared_ptr<vulkan::Device> device;
    std::unique_ptr<vulkan::SharedSemaphore> semaphore;
    const bool exportable;
    std::unique_ptr<vulkan::Queue> queue; ///< follows the semaphore
};

namespace {

void requireTimelines(const vulkan::Device& device) {
    if (!device.plan().timelineSemaphores)
        fail<Unsupported>("semaphores as events need timeline semaphores, which {} lacks, or "
                          "which were switched off or not enabled",
                          device.name());
}

void requireHandles(const vulkan::Device& device) {
    requireTimelines(device);
    if (!device.plan().hasExtension("VK_KHR_external_semaphore_fd") ||
        !device.vk().vkGetSemaphoreFdKHR)
        fail<Unsupported>(
            "{} has no VK_KHR_external_semaphore_fd, by which semaphores are exported "
            "and imported; if the device is a host application's, that must enable it",
            device.name());
    if (!device.physical().sharesTimelines)
        fail<Unsupported>("{} has VK_KHR_external_semaphore_fd, but not for timeline semaphores",
                          device.name());
}

} // namespace

Semaphore::Semaphore(std::shared_ptr<Impl> impl) : mImpl(std::move(impl)) {}
Semaphore::~Semaphore() = default;

Event Semaphore::at(uint64_t value) {
    if (value == 0)
        return {};
    mImpl->queue->expect(value);
    const std::shared_ptr<vulkan::Device> device(mImpl, mImpl->device.get());
    return Internals::event<Event>(device, mImpl->queue.get(), value,
                                   mImpl->device->defaultWaitMode());
}

void Semaphore::signalAfter(const Event& event, uint64_t value) {
    mImpl->requireGrowth(value);
    const auto signalOnDevice = [&](const vulkan::TimelinePoint& point) {
        point.queue->requireSucceeded(point.value);
        point.queue->signalAfter(point.value, *mImpl->semaphore, value);
    };
    const std::shared_ptr<EventState>& state = Internals::state(event);
    if (state && state->phase() == EventState::Phase::eFailed)
        std::rethrow_exception(state->error());
    if (state && state->phase() == EventState::Phase::eSubmitted &&
        state->device() == mImpl->device && state->point().queue->handle()) {
        signalOnDevice(state->point());
        return;
    }
    vulkan::Queue* const queue = state ? nullptr : Internals::queue(event);
    if (queue && queue->handle() && Internals::device(event).get() == mImpl->device.get()) {
        signalOnDevice({queue, event.value()});
        return;
    }
    whenDone(event, [impl = mImpl, value] {
        try {
            impl->requireGrowth(value);
            impl->semaphore->signal(value);
        } catch (const std::exception& error) {
            KP_LOG_ERROR("a semaphore could not be signalled with {}: {}", value, error.what());
        }
    });
}

void Semaphore::signal(uint64_t value) {
    mImpl->requireGrowth(value);
    mImpl->semaphore->signal(value);
}

uint64_t Semaphore::value() const {
    return mImpl->semaphore->value();
}

int Semaphore::exportHandle() const {
    if (!mImpl->exportable)
        throw InvalidArgument("this semaphore cannot be exported; create it with "
                              "Manager::exportableSemaphore()");
    return mImpl->semaphore->exportHandle();
}

VkSemaphore Semaphore::nativeSemaphore() const {
    return mImpl->semaphore->handle();
}

std::shared_ptr<Semaphore> Manager::wrapSemaphore(VkSemaphore semaphore) const {
    const std::shared_ptr<vulkan::Device> owner = implOf(*this).device;
    if (!semaphore)
        throw InvalidArgument("a semaphore to wrap is null");
    requireTimelines(*owner);
    return std::shared_ptr<Semaphore>(new Semaphore(std::make_shared<Semaphore::Impl>(
        owner, std::make_unique<vulkan::SharedSemaphore>(*owner, semaphore), false)));
}

std::shared_ptr<Semaphore> Manager::exportableSemaphore() const {
    const std::shared_ptr<vulkan::Device> owner = implOf(*this).device;
    requireHandles(*owner);
    return std::shared_ptr<Semaphore>(new Semaphore(std::make_shared<Semaphore::Impl>(
        owner, std::make_unique<vulkan::SharedSemaphore>(*owner, true), true)));
}

std::shared_ptr<Semaphore> Manager::importSemaphore(int fd) const {
    const std::shared_ptr<vulkan::Device> owner = implOf(*this).device;
    requireHandles(*owner);
    return std::shared_ptr<Semaphore>(new Semaphore(std::make_shared<Semaphore::Impl>(
        owner, vulkan::SharedSemaphore::import(*owner, fd), false)));
}

Event Manager::wrapFence(VkFence fence) const {
    std::shared_ptr<vulkan::Device> owner = implOf(*this).device;
    if (!fence)
        throw InvalidArgument("a fence to wrap is null");
    const auto state = std::make_shared<EventState>(nullptr, vulkan::WaitMode::eBlock, nullptr);
    HostWorkers::instance().post([owner = std::move(owner), fence, state]() mutable {
        try {
            const HostWorkers::DeviceWait waiting;
            owner->check(
                owner->vk().vkWaitForFences(owner->handle(), 1, &fence, VK_TRUE, UINT64_MAX),
                "vkWaitForFences");
            owner.reset(); // the host application may destroy the device as soon as it sees the
                           // event
            state->complete();
        } catch (...) {
            owner.reset();
            state->fail(std::current_exception());
        }
    });
    return Internals::event<Event>(state);
}

} // namespace kp
