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
std::unique_ptr<CudaLibrary> cubMaximum(const Cuda::Buffer& in, const Cuda::Buffer& out,
                                        size_t count); ///< of floats
std::unique_ptr<CudaLibrary> cubScanMaxima(const Cuda::Buffer& in, const Cuda::Buffer& out,
                                           size_t count); ///< inclusive maxima of floats
/// 256 even bins of floats from 0 to 1, counted in 32 bits. @param count  below 2^31
std::unique_ptr<CudaLibrary> cubHistogram(const Cuda::Buffer& in, const Cuda::Buffer& out,
                                          size_t count);
/// Keys of 32 bits. @param count  below 2^31 for all that follow
std::unique_ptr<CudaLibrary> cubSortKeys(const Cuda::Buffer& in, const Cuda::Buffer& out,
                                         size_t count);
/// Keys of 32 bits and as many values; the outputs are the sorted keys alone.
std::unique_ptr<CudaLibrary> cubSortPairs(const Cuda::Buffer& in, const Cuda::Buffer& out,
                                          size_t count);
/// The words above 2^31, in their order.
std::unique_ptr<CudaLibrary> cubSelect(const Cuda::Buffer& in, const Cuda::Buffer& out,
                                       size_t count);
/// The first word of each run of equal ones. The lengths are in memory of the call.
std::unique_ptr<CudaLibrary> cubRunLength(const Cuda::Buffer& in, const Cuda::Buffer& out,
                                          size_t count);
/// Sums of floats between segmentStart(i) and segmentStart(i + 1), count / 1024 of them.
std::unique_ptr<CudaLibrary> cubSegmentSums(const Cuda::Buffer& in, const Cuda::Buffer& out,
                                            size_t count);
/// Forward transforms of so many arrays of @p length complex floats each. cuFFT.
std::unique_ptr<CudaLibrary> cuFft(const Cuda::Buffer& in, const Cuda::Buffer& out, size_t length,
                                   size_t arrays);
/// Philox 4x32-10 of cuRAND; the input is not used.
std::unique_ptr<CudaLibrary> cuRandUniform(const Cuda::Buffer& in, const Cuda::Buffer& out,
                                           size_t count); ///< floats
std::unique_ptr<CudaLibrary> cuRandNormal(const Cuda::Buffer& in, const Cuda::Buffer& out,
                                          size_t count); ///< floats

/// Segments of 924 to 1124 elements.
inline size_t segmentStart(size_t segment) {
    return segment * 1024 + segment % 3 * 100;
}

} // namespace kp::benchmark
