// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace kp::vulkan {

class Buffer;
class Device;
class Queue;

/// Memory for intermediate results that submissions to a queue share. A submission follows the
/// earlier ones of its queue, so it may write memory that they still use: work that is launched
/// faster than the device runs it needs no more memory than one launch. Thread-safe. Owned by its
/// Device.
class SharedScratch {
public:
    explicit SharedScratch(Device& device) : mDevice(device) {}
    SharedScratch(const SharedScratch&) = delete;
    SharedScratch& operator=(const SharedScratch&) = delete;

    /// Memory that work of a queue has until it is submitted. Used by one thread at a time.
    class Loan {
    public:
        Loan(SharedScratch& owner, const Queue& queue) : mOwner(owner), mQueue(queue) {}
        /// Gives everything back to later submissions.
        ~Loan() { mOwner.give(mQueue, std::move(mBuffers)); }
        Loan(const Loan&) = delete;
        Loan& operator=(const Loan&) = delete;

        /// Returns memory of at least so many bytes, with undefined contents.
        /// @throws as Buffer::createScratch()
        std::shared_ptr<Buffer> take(uint64_t bytes);
        /// The buffers that were taken.
        const std::vector<std::shared_ptr<Buffer>>& buffers() const { return mBuffers; }

    private:
        SharedScratch& mOwner;
        const Queue& mQueue;
        std::vector<std::shared_ptr<Buffer>> mBuffers;
    };

    /// Forgets all memory. @return false if there is none
    bool clear();
    uint64_t bytes() const;

private:
    using Shelf = std::pair<const Queue*, uint64_t>; ///< the queue, and the bytes of each buffer

    /// Returns null if there is none.
    std::shared_ptr<Buffer> take(const Shelf& shelf);
    void give(const Queue& queue, std::vector<std::shared_ptr<Buffer>> buffers) noexcept;

    Device& mDevice;
    mutable std::mutex mMutex; ///< guards the members below
    std::map<Shelf, std::vector<std::shared_ptr<Buffer>>> mShelves;
    uint64_t mBytes = 0;
};

} // namespace kp::vulkan
