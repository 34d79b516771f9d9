// SPDX-License-Identifier: Apache-2.0
#include <kompute/queue/Queue.hpp>

#include <utility>

#include <kompute/Error.hpp>
#include <kompute/logger/Logger.hpp>

#include "base/Text.hpp"
#include "core/queue/OperationLaunch.hpp"
#include "core/queue/QueueImpl.hpp"

namespace kp {

Queue::Queue(std::shared_ptr<Impl> impl) : mImpl(std::move(impl)) {}
Queue::~Queue() = default;

uint32_t Queue::index() const {
    return mImpl->index;
}
bool Queue::inOrder() const {
    return mImpl->inOrder;
}
bool Queue::isVirtual() const {
    return mImpl->isVirtual;
}
std::string Queue::name() const {
    return *mImpl->name;
}
std::string Queue::deviceName() const {
    return mImpl->device->name();
}
uint32_t Queue::queueFamily() const {
    return mImpl->queue.family();
}
bool Queue::profiling() const {
    return mImpl->profiling.load(std::memory_order_relaxed);
}

void Queue::setProfiling(bool profiling) {
    if (profiling && mImpl->queue.timestampValidBits() == 0) {
        KP_LOG_WARN("{} of {} has no timestamps; launches are not profiled", mImpl->queue.name(),
                    mImpl->device->name());
        profiling = false;
    }
    mImpl->profiling.store(profiling, std::memory_order_relaxed);
}

Event Queue::barrier(const std::vector<Event>& waitFor) {
    return mImpl->barrier(waitFor);
}

Event Queue::hostFunction(std::function<void()> function, const std::vector<Event>& waitFor) {
    if (!function)
        fail<InvalidArgument>("the host function for {} is empty", name());
    return mImpl->launchHost(waitFor, profiling(), std::move(function));
}

Event Queue::launch(std::shared_ptr<OpBase> operation, const std::vector<Event>& waitFor) {
    std::vector<std::shared_ptr<OpBase>> operations;
    operations.push_back(std::move(operation));
    return launch(std::move(operations), waitFor);
}

Event Queue::launch(std::vector<std::shared_ptr<OpBase>> operations,
                    const std::vector<Event>& waitFor) {
    for (const std::shared_ptr<OpBase>& operation : operations)
        if (!operation)
            fail<InvalidArgument>("an operation to launch on {} is null", name());
    const CallGate::Call call(mImpl->gate);
    if (operations.empty())
        return mImpl->barrier(waitFor);
    return OperationLaunch::launch(*mImpl, std::move(operations), waitFor, profiling());
}

Event Queue::ready() const {
    const vulkan::TimelinePoint point = OperationLaunch::waitsFor(mImpl->queue);
    return point.queue ? Internals::event<Event>(mImpl->device, point.queue, point.value,
                                                 mImpl->rules.waitMode)
                       : Event();
}

void Queue::finish() {
    mImpl->finish();
}

} // namespace kp
