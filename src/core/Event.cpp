// SPDX-License-Identifier: Apache-2.0
#include <kompute/Event.hpp>

#include "vulkan/Device.hpp"
#include "vulkan/Queue.hpp"

namespace kp {

Event::Event() = default;
Event::Event(std::shared_ptr<vulkan::Device> device, vulkan::Queue* queue, uint64_t value,
             vulkan::WaitMode waitMode)
    : mDevice(std::move(device)), mQueue(queue), mValue(value), mWaitMode(waitMode) {}
Event::~Event() = default;
Event::Event(const Event&) = default;
Event& Event::operator=(const Event&) = default;

bool Event::done() const {
    return !mQueue || mQueue->reached(mValue);
}

bool Event::wait(uint64_t timeout) const {
    return !mQueue || mQueue->wait(mValue, timeout, mWaitMode);
}

} // namespace kp
