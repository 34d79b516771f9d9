// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace kp::benchmark {

/// CUDA's side of the rows: what a programmer would write with the runtime API, on one stream with
/// the default way to wait. Errors throw std::runtime_error. Plain C++, so that only one file needs
/// nvcc; without it create() always gives null.
class Cuda {
public:
    /// @param uuid  of the Vulkan device; lower-case hexadecimal with dashes
    /// @param why   receives the reason where null is returned
    static std::unique_ptr<Cuda> create(const std::string& uuid, std::string& why);
    virtual ~Cuda() = default;

    /// "CUDA 13.0, driver for 13.0"
    virtual std::string version() const = 0;

    /// Small buffers of which a kernel of one block of 64 threads increments each of the first 64
    /// elements.
    class Increments {
    public:
        virtual ~Increments() = default;
        /// One launch on each buffer, or @p times launches on the first; then a synchronization.
        virtual void launch(size_t times, bool dependent) = 0;
        /// A graph of as many kernel nodes: independent ones, or in a chain.
        virtual void makeGraph(size_t nodes, bool dependent) = 0;
        virtual void launchGraph() = 0;
        virtual std::vector<uint32_t> read(size_t buffer) = 0;
    };
    virtual std::unique_ptr<Increments> increments(size_t buffers,
                                                   const std::vector<uint32_t>& initial) = 0;

    /// Large device memory.
    class Buffer {
    public:
        virtual ~Buffer() = default;
        virtual void upload(const void* data) = 0;      ///< cudaMemcpy
        virtual void download(void* data) = 0;          ///< cudaMemcpy
        virtual void copyFrom(const Buffer& other) = 0; ///< cudaMemcpyAsync, synchronized
        virtual void fill(int byte) = 0;                ///< cudaMemsetAsync, synchronized
        virtual void* address() const = 0;
    };
    virtual std::unique_ptr<Buffer> buffer(size_t bytes) = 0;
    /// y = a * x + y as many times in a row; then a synchronization.
    virtual void saxpy(const Buffer& x, Buffer& y, size_t floats, float a, int times) = 0;
    /// cudaMallocHost memory.
    virtual std::shared_ptr<void> pinned(size_t bytes) = 0;

    /// cudaMalloc of each, then cudaFree of each.
    virtual void allocateAndFree(size_t count, size_t bytes) = 0;

    /// Upload, compute and download of chunks on three streams, ordered by events.
    class Pipeline {
    public:
        virtual ~Pipeline() = default;
        virtual void run(bool upload, bool compute, bool download) = 0;
    };
    /// @param up, down  pinned memory of chunks x bytes
    virtual std::unique_ptr<Pipeline> pipeline(const void* up, void* down, size_t chunks,
                                               size_t bytesEach, size_t slots, uint32_t rounds) = 0;
};

} // namespace kp::benchmark
