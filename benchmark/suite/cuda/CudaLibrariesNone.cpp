// SPDX-License-Identifier: Apache-2.0
#include "CudaLibraries.hpp"

namespace kp::benchmark {

std::unique_ptr<CudaLibrary> cubReduce(const Cuda::Buffer&, const Cuda::Buffer&, size_t) {
    return nullptr;
}

std::unique_ptr<CudaLibrary> cubScan(const Cuda::Buffer&, const Cuda::Buffer&, size_t) {
    return nullptr;
}

std::unique_ptr<CudaLibrary> cubMaximum(const Cuda::Buffer&, const Cuda::Buffer&, size_t) {
    return nullptr;
}

std::unique_ptr<CudaLibrary> cubScanMaxima(const Cuda::Buffer&, const Cuda::Buffer&, size_t) {
    return nullptr;
}

std::unique_ptr<CudaLibrary> cubHistogram(const Cuda::Buffer&, const Cuda::Buffer&, size_t) {
    return nullptr;
}
std::unique_ptr<CudaLibrary> cubSortKeys(const Cuda::Buffer&, const Cuda::Buffer&, size_t) {
    return nullptr;
}
std::unique_ptr<CudaLibrary> cubSortPairs(const Cuda::Buffer&, const Cuda::Buffer&, size_t) {
    return nullptr;
}
std::unique_ptr<CudaLibrary> cubSelect(const Cuda::Buffer&, const Cuda::Buffer&, size_t) {
    return nullptr;
}
std::unique_ptr<CudaLibrary> cubRunLength(const Cuda::Buffer&, const Cuda::Buffer&, size_t) {
    return nullptr;
}
std::unique_ptr<CudaLibrary> cubSegmentSums(const Cuda::Buffer&, const Cuda::Buffer&, size_t) {
    return nullptr;
}

std::unique_ptr<CudaLibrary> cuFft(const Cuda::Buffer&, const Cuda::Buffer&, size_t, size_t) {
    return nullptr;
}

std::unique_ptr<CudaLibrary> cuRandUniform(const Cuda::Buffer&, const Cuda::Buffer&, size_t) {
    return nullptr;
}

std::unique_ptr<CudaLibrary> cuRandNormal(const Cuda::Buffer&, const Cuda::Buffer&, size_t) {
    return nullptr;
}

} // namespace kp::benchmark
