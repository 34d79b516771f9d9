// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>

#include <kompute/Export.hpp>
#include <kompute/device/VulkanHandles.hpp>
#include <kompute/queue/Event.hpp>

namespace kp {

/// A timeline semaphore: a number that only grows, which the library and other users of Vulkan (a
/// host application, another process, CUDA) signal and wait for on the device. at() turns a value
/// into an Event for wait lists; signalAfter() lets the others wait for work of the library.
///
/// Manager::wrapSemaphore, exportableSemaphore and importSemaphore create semaphores. A wrapped
/// VkSemaphore stays the host application's, and must outlive this object, its events, and the
/// work that waits for them. The others are destroyed with this object and its events, once
/// submitted work that may use them is done.
///
/// Thread safety: thread-safe. The caller owns it; Manager::destroy() does not affect it.
class KOMPUTE_API Semaphore {
public:
    ~Semaphore();
    Semaphore(const Semaphore&) = delete;
    Semaphore& operator=(const Semaphore&) = delete;

    /// Returns an event that is done when the semaphore has this value or a larger one.
    ///
    /// The device waits: the event needs no thread of the host, and work that waits for it is
    /// submitted at once. It then occupies its VkQueue until the value is there. So the signal must
    /// come from the host, from another VkQueue, or from work submitted earlier to the same one.
    Event at(uint64_t value);
    /// Signals the semaphore with a value when @p event is done: on the device if its work is
    /// submitted to this device, else from the host. If the event fails later, the value is
    /// signalled all the same, so that nothing waits forever.
    /// @param value  larger than all values signalled before
    /// @throws InvalidArgument if the semaphore has reached the value; the exception of an event
    ///         that has failed already; DeviceLost
    void signalAfter(const Event& event, uint64_t value);
    /// Signals it from the host.
    /// @param value  larger than all values signalled before
    void signal(uint64_t value);
    /// Returns the value that the semaphore has now.
    uint64_t value() const;

    /// Returns an opaque file descriptor of an exportable semaphore, for importSemaphore() of
    /// another device on the same GPU or in another process, or for CUDA. The caller closes it.
    /// @throws InvalidArgument if the semaphore is not exportable
    int exportHandle() const;
    /// Returns the handle, which stays the library's or the host application's.
    VkSemaphore nativeSemaphore() const;

    struct Impl;

private:
    friend class Manager;
    explicit Semaphore(std::shared_ptr<Impl> impl);

    std::shared_ptr<Impl> mImpl; ///< shared with events
};

} // namespace kp
