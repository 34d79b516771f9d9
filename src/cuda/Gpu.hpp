// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>

#include "vulkan/device/Device.hpp"
#include "vulkan/memory/Buffer.hpp"

namespace kp::cuda {

/// One GPU as CUDA sees it: memory that Vulkan imports, streams, and semaphores of both. Streams
/// are raw handles (CUstream, cudaStream_t); null is the default stream. Thread-safe. Objects that
/// it made may be destroyed at any time, also while the process ends.
class Gpu {
public:
    using Stream = void*;

    /// Memory at an address that CUDA and, once it is imported, Vulkan use.
    class Region {
    public:
        Region() = default;
        virtual ~Region();
        Region(const Region&) = delete;
        Region& operator=(const Region&) = delete;

        virtual uint64_t address() const = 0;
        virtual uint64_t bytes() const = 0;
        /// Imports all of it. The buffer does not keep the region.
        virtual std::shared_ptr<vulkan::Buffer> import(vulkan::Device& device) const = 0;
    };

    /// A Vulkan semaphore that CUDA has opened.
    class Semaphore {
    public:
        Semaphore() = default;
        virtual ~Semaphore();
        Semaphore(const Semaphore&) = delete;
        Semaphore& operator=(const Semaphore&) = delete;
    };

    /// The work of all streams at one time.
    class Mark {
    public:
        Mark() = default;
        virtual ~Mark();
        Mark(const Mark&) = delete;
        Mark& operator=(const Mark&) = delete;

        virtual bool reached() = 0; ///< true once that work is done. Never blocks
    };

    Gpu() = default;
    virtual ~Gpu();
    Gpu(const Gpu&) = delete;
    Gpu& operator=(const Gpu&) = delete;

    /// Returns the GPU of a Vulkan device. The first call opens CUDA's driver library.
    /// @throws Unsupported if CUDA has no such GPU, with the reason and the remedy
    static std::shared_ptr<Gpu> of(const vulkan::Device& device);
    /// For tests: replaces the GPUs of devices that have not asked for theirs, until it is called
    /// with null.
    static void replace(std::shared_ptr<Gpu> gpu);

    /// CUDA's number of the device.
    virtual int ordinal() const = 0;
    /// Whether semaphores for import() must be exported.
    virtual bool importsExported() const = 0;
    /// Returns CUDA's number of the device that memory belongs to; -1 if it is not CUDA memory.
    virtual int deviceOf(uint64_t address) const = 0;
    /// Returns a number that no other stream ever has.
    /// @throws InvalidArgument for a stream of another device, or one that is being captured
    virtual uint64_t streamId(Stream stream) = 0;

    /// @throws OutOfMemory, Unsupported
    virtual std::unique_ptr<Region> allocate(uint64_t bytes) = 0;
    virtual std::unique_ptr<Semaphore> import(const vulkan::SharedSemaphore& semaphore) = 0;
    virtual Stream makeStream() = 0; ///< never destroyed
    /// Returns true if the stream has no unfinished work. Never blocks.
    virtual bool idle(Stream stream) = 0;

    // Each adds work to a stream and returns at once.

    virtual void signal(Semaphore& semaphore, uint64_t value, Stream stream) = 0;
    virtual void wait(Semaphore& semaphore, uint64_t value, Stream stream) = 0;
    virtual void copy(uint64_t to, uint64_t from, uint64_t bytes, Stream stream) = 0;

    virtual std::unique_ptr<Mark> mark() = 0;
};

} // namespace kp::cuda
