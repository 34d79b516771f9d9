// SPDX-License-Identifier: Apache-2.0
#include "CudaLibraries.hpp"

#include <cub/device/device_histogram.cuh>
#include <cub/device/device_reduce.cuh>
#include <cub/device/device_scan.cuh>
#include <cuda_runtime.h>

#include <stdexcept>
#include <string>
#include <utility>

namespace kp::benchmark {
namespace {

void requireSuccess(cudaError_t error, const char* what) {
    if (error != cudaSuccess)
        throw std::runtime_error(std::string("CUDA: ") + what + ": " + cudaGetErrorString(error));
}

/// A call of CUB: call(temporary memory, its size, stream). Without memory, it returns the size.
template <typename Call>
class CubCall final : public CudaLibrary {
public:
    explicit CubCall(Call call) : mCall(std::move(call)) {
        requireSuccess(cudaStreamCreateWithFlags(&mStream, cudaStreamNonBlocking),
                       "cudaStreamCreate");
        requireSuccess(mCall(nullptr, mBytes, mStream), "size of temporary memory");
        requireSuccess(cudaMalloc(&mMemory, mBytes), "cudaMalloc");
    }
    ~CubCall() override {
        cudaFree(mMemory);
        cudaStreamDestroy(mStream);
    }

    void run(size_t times) override {
        for (size_t i = 0; i < times; ++i)
            requireSuccess(mCall(mMemory, mBytes, mStream), "CUB");
        requireSuccess(cudaStreamSynchronize(mStream), "cudaStreamSynchronize");
    }

private:
    Call mCall;
    cudaStream_t mStream = nullptr;
    void* mMemory = nullptr;
    size_t mBytes = 0;
};

template <typename Call>
std::unique_ptr<CudaLibrary> cubCall(Call call) {
    return std::make_unique<CubCall<Call>>(std::move(call));
}

} // namespace

std::unique_ptr<CudaLibrary> cubReduce(const Cuda::Buffer& in, const Cuda::Buffer& out,
                                       size_t count) {
    const auto* from = static_cast<const float*>(in.address());
    auto* to = static_cast<float*>(out.address());
    return cubCall([=](void* memory, size_t& bytes, cudaStream_t stream) {
        return cub::DeviceReduce::Sum(memory, bytes, from, to, count, stream);
    });
}

std::unique_ptr<CudaLibrary> cubScan(const Cuda::Buffer& in, const Cuda::Buffer& out,
                                     size_t count) {
    const auto* from = static_cast<const float*>(in.address());
    auto* to = static_cast<float*>(out.address());
    return cubCall([=](void* memory, size_t& bytes, cudaStream_t stream) {
        return cub::DeviceScan::InclusiveSum(memory, bytes, from, to, count, stream);
    });
}

std::unique_ptr<CudaLibrary> cubHistogram(const Cuda::Buffer& in, const Cuda::Buffer& out,
                                          size_t count) {
    const auto* from = static_cast<const float*>(in.address());
    auto* to = static_cast<unsigned int*>(out.address());
    const int samples = static_cast<int>(count);
    return cubCall([=](void* memory, size_t& bytes, cudaStream_t stream) {
        return cub::DeviceHistogram::HistogramEven(memory, bytes, from, to, 257, 0.0f, 1.0f,
                                                   samples, stream);
    });
}

} // namespace kp::benchmark
