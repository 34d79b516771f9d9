// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>

#include "cuda/Gpu.hpp"
#include "cuda/SharedPool.hpp"
#include "vulkan/device/Device.hpp"

namespace kp::cuda {

/// Memory that a Vulkan device shares with CUDA, and the order of their work. Lives as long as the
/// device. Thread-safe.
///
/// Order is kept by timeline semaphores. Each CUDA stream that work waits for has one, which it
/// signals; to the rest of the library it is a queue without submissions. Each queue that a
/// stream waits for has one as well, which follows its values. A signal is always queued before the
/// waits for it, so neither side can wait forever.
class Interop final : public vulkan::DeviceCompanion {
public:
    using Stream = Gpu::Stream;

    /// Returns a device's Interop, which the first call creates.
    /// @throws Unsupported, with the reason and the remedy
    static Interop& of(vulkan::Device& device);

    Interop(vulkan::Device& device, std::shared_ptr<Gpu> gpu);
    ~Interop() override;
    Interop(const Interop&) = delete;
    Interop& operator=(const Interop&) = delete;

    Gpu& gpu() { return *mGpu; }
    const std::shared_ptr<Gpu>& sharedGpu() const { return mGpu; }
    SharedPool& pool() { return mPool; }

    /// Returns the point that is reached when all current work of the stream is done; empty if it
    /// has none, so that the GPU need not change between CUDA and Vulkan.
    /// @throws InvalidArgument for a stream of another device
    vulkan::TimelinePoint pointOf(Stream stream);
    /// Lets later work of a stream wait for a point. Submits the point's work if it is gathered.
    /// @throws InvalidArgument for a stream of another device; the error of failed work
    void wait(Stream stream, const vulkan::TimelinePoint& point);
    /// A stream of the library, for copies and for waits of array producers.
    Stream stream();

private:
    struct Follower {
        std::unique_ptr<vulkan::SharedSemaphore> semaphore; ///< declared first, so destroyed last
        std::unique_ptr<Gpu::Semaphore> opened;
    };
    struct StreamTimeline : Follower {
        std::unique_ptr<vulkan::Queue> queue;
    };
    struct QueueFollower : Follower {
        uint64_t followed = 0;
    };

    void open(Follower& follower);
    /// More streams than this share timelines one after the other, so that a program that keeps
    /// making streams does not keep getting semaphores.
    static constexpr size_t kFewStreams = 16;
    StreamTimeline& timelineOf(Stream stream);

    vulkan::Device& mDevice;
    const std::shared_ptr<Gpu> mGpu;
    SharedPool mPool;
    std::mutex mMutex;                           ///< guards the members below
    std::map<uint64_t, StreamTimeline> mStreams; ///< by Gpu::streamId()
    std::map<vulkan::Queue*, QueueFollower> mQueues;
    Stream mStream = nullptr;
};

} // namespace kp::cuda
