// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace kp::benchmark {

/// The CUDA side of the rows, with the runtime API, one stream and the default way to wait. Errors
/// throw std::runtime_error. The header is plain C++, so that only one file needs nvcc. In a build
/// without nvcc create() always returns null.
class Cuda {
public:
    /// @param uuid  of the Vulkan device, in lower-case hexadecimal with dashes
    /// @param why   receives the reason if null is returned
    static std::unique_ptr<Cuda> create(const std::string& uuid, std::string& why);
    virtual ~Cuda() = default;

    /// For example "CUDA 13.0, driver for CUDA 13.0".
    virtual std::string version() const = 0;

    /// Small buffers, and a kernel of one block of 64 threads that increments the first 64 elements
    /// of one.
    class Increments {
    public:
        virtual ~Increments() = default;
        /// Launches @p times kernels, one on each buffer or all on the first, and synchronizes.
        void launch(size_t times, bool dependent) {
            launchOnly(times, dependent);
            synchronize();
        }
        virtual void launchOnly(size_t times, bool dependent) = 0;
        virtual void synchronize() = 0;
        /// Creates a graph of kernel nodes, which are independent or form a chain.
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
    /// Computes y = a * x + y @p times times and synchronizes.
    virtual void saxpy(const Buffer& x, Buffer& y, size_t floats, float a, int times) = 0;
    /// Returns memory from cudaMallocHost.
    virtual std::shared_ptr<void> pinned(size_t bytes) = 0;

    /// Calls cudaMalloc for each buffer, then cudaFree for each.
    virtual void allocateAndFree(size_t count, size_t bytes) = 0;

    /// Upload, compute and download of chunks on three streams, ordered by events.
    class Pipeline {
    public:
        virtual ~Pipeline() = default;
        virtual void run(bool upload, bool compute, bool download) = 0;
    };
    /// @param up, down  pinned memory for all chunks
    virtual std::unique_ptr<Pipeline> pipeline(const void* up, void* down, size_t chunks,
                                               size_t bytesEach, size_t slots, uint32_t rounds) = 0;
};

} // namespace kp::benchmark
