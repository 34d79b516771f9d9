// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>

#include "Cuda.hpp"

namespace kp::benchmark {

/// A call of one of NVIDIA's libraries, with its arguments and temporary memory, on a stream of its
/// own. Errors throw std::runtime_error.
class CudaLibrary {
public:
    virtual ~CudaLibrary() = default;
    /// Makes the call so many times and synchronizes.
    virtual void run(size_t times) = 0;
};

using CudaLibraryMaker = std::unique_ptr<CudaLibrary> (*)(const Cuda::Buffer& in,
                                                          const Cuda::Buffer& out, size_t count);

/// Returns null in a build without nvcc, like all of these.
std::unique_ptr<CudaLibrary> cubReduce(const Cuda::Buffer& in, const Cuda::Buffer& out,
                                       size_t count); ///< sum of floats
std::unique_ptr<CudaLibrary> cubScan(const Cuda::Buffer& in, const Cuda::Buffer& out,
                                     size_t count); ///< inclusive sums of floats
/// 256 even bins of floats from 0 to 1, counted in 32 bits. @param count  below 2^31
std::unique_ptr<CudaLibrary> cubHistogram(const Cuda::Buffer& in, const Cuda::Buffer& out,
                                          size_t count);

} // namespace kp::benchmark
