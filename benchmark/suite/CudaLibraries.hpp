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

/// Computes results of @p out from @p count elements of @p in.
using CudaLibraryMaker = std::unique_ptr<CudaLibrary> (*)(const Cuda::Buffer& in,
                                                          const Cuda::Buffer& out, size_t count);

/// Returns null in a build without nvcc or without that library, like all of these.
std::unique_ptr<CudaLibrary> cubReduce(const Cuda::Buffer& in, const Cuda::Buffer& out,
                                       size_t count); ///< sum of floats
std::unique_ptr<CudaLibrary> cubScan(const Cuda::Buffer& in, const Cuda::Buffer& out,
                                     size_t count); ///< inclusive sums of floats
/// 256 even bins of floats from 0 to 1, counted in 32 bits. @param count  below 2^31
std::unique_ptr<CudaLibrary> cubHistogram(const Cuda::Buffer& in, const Cuda::Buffer& out,
                                          size_t count);
std::unique_ptr<CudaLibrary> cubSort(const Cuda::Buffer& in, const Cuda::Buffer& out,
                                     size_t count); ///< ascending keys of 32 bits
/// Forward transforms of so many arrays of @p length complex floats each. cuFFT.
std::unique_ptr<CudaLibrary> cuFft(const Cuda::Buffer& in, const Cuda::Buffer& out, size_t length,
                                   size_t arrays);
/// Philox 4x32-10 of cuRAND; the input is not used.
std::unique_ptr<CudaLibrary> cuRandUniform(const Cuda::Buffer& in, const Cuda::Buffer& out,
                                           size_t count); ///< floats
std::unique_ptr<CudaLibrary> cuRandNormal(const Cuda::Buffer& in, const Cuda::Buffer& out,
                                          size_t count); ///< floats

} // namespace kp::benchmark
