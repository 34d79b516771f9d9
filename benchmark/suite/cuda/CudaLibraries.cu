// SPDX-License-Identifier: Apache-2.0
#include "CudaLibraries.hpp"

#include <cub/device/device_histogram.cuh>
#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_reduce.cuh>
#include <cub/device/device_run_length_encode.cuh>
#include <cub/device/device_scan.cuh>
#include <cub/device/device_segmented_reduce.cuh>
#include <cub/device/device_select.cuh>
#include <cuda_runtime.h>
#ifdef KOMPUTE_HAS_CUFFT
#include <cufft.h>
#endif
#ifdef KOMPUTE_HAS_CURAND
#include <curand.h>
#endif

#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

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

#ifdef KOMPUTE_HAS_CUFFT
void requireSuccess(cufftResult result, const char* what) {
    if (result != CUFFT_SUCCESS)
        throw std::runtime_error(std::string("cuFFT: ") + what + ": error " +
                                 std::to_string(static_cast<int>(result)));
}

class CuFft final : public CudaLibrary {
public:
    CuFft(void* from, void* to, size_t length, size_t arrays)
        : mFrom(static_cast<cufftComplex*>(from)), mTo(static_cast<cufftComplex*>(to)) {
        requireSuccess(cudaStreamCreateWithFlags(&mStream, cudaStreamNonBlocking),
                       "cudaStreamCreate");
        auto extent = static_cast<long long>(length);
        size_t bytes = 0;
        requireSuccess(cufftCreate(&mPlan), "cufftCreate");
        requireSuccess(cufftMakePlanMany64(mPlan, 1, &extent, nullptr, 1, extent, nullptr, 1,
                                           extent, CUFFT_C2C, static_cast<long long>(arrays),
                                           &bytes),
                       "cufftMakePlanMany64");
        requireSuccess(cufftSetStream(mPlan, mStream), "cufftSetStream");
    }
    ~CuFft() override {
        cufftDestroy(mPlan);
        cudaStreamDestroy(mStream);
    }

    void run(size_t times) override {
        for (size_t i = 0; i < times; ++i)
            requireSuccess(cufftExecC2C(mPlan, mFrom, mTo, CUFFT_FORWARD), "cufftExecC2C");
        requireSuccess(cudaStreamSynchronize(mStream), "cudaStreamSynchronize");
    }

private:
    cufftComplex* mFrom;
    cufftComplex* mTo;
    cudaStream_t mStream = nullptr;
    cufftHandle mPlan = 0;
};
#endif

#ifdef KOMPUTE_HAS_CURAND
void requireSuccess(curandStatus_t status, const char* what) {
    if (status != CURAND_STATUS_SUCCESS)
        throw std::runtime_error(std::string("cuRAND: ") + what + ": error " +
                                 std::to_string(static_cast<int>(status)));
}

/// A call of cuRAND: call(generator).
template <typename Call>
class CuRandCall final : public CudaLibrary {
public:
    explicit CuRandCall(Call call) : mCall(std::move(call)) {
        requireSuccess(cudaStreamCreateWithFlags(&mStream, cudaStreamNonBlocking),
                       "cudaStreamCreate");
        requireSuccess(curandCreateGenerator(&mGenerator, CURAND_RNG_PSEUDO_PHILOX4_32_10),
                       "curandCreateGenerator");
        requireSuccess(curandSetStream(mGenerator, mStream), "curandSetStream");
    }
    ~CuRandCall() override {
        curandDestroyGenerator(mGenerator);
        cudaStreamDestroy(mStream);
    }

    void run(size_t times) override {
        for (size_t i = 0; i < times; ++i)
            requireSuccess(mCall(mGenerator), "curandGenerate");
        requireSuccess(cudaStreamSynchronize(mStream), "cudaStreamSynchronize");
    }

private:
    Call mCall;
    cudaStream_t mStream = nullptr;
    curandGenerator_t mGenerator = nullptr;
};

template <typename Call>
std::unique_ptr<CudaLibrary> cuRandCall(Call call) {
    return std::make_unique<CuRandCall<Call>>(std::move(call));
}
#endif

/// Device memory of a call beside its input and output.
std::shared_ptr<void> deviceMemory(size_t bytes) {
    void* memory = nullptr;
    requireSuccess(cudaMalloc(&memory, bytes), "cudaMalloc");
    return {memory, [](void* held) { cudaFree(held); }};
}

struct IsAboveHalf {
    __host__ __device__ bool operator()(unsigned int word) const { return word > 0x80000000u; }
};

struct Larger {
    __host__ __device__ float operator()(float a, float b) const { return fmaxf(a, b); }
};

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

std::unique_ptr<CudaLibrary> cubMaximum(const Cuda::Buffer& in, const Cuda::Buffer& out,
                                        size_t count) {
    const auto* from = static_cast<const float*>(in.address());
    auto* to = static_cast<float*>(out.address());
    return cubCall([=](void* memory, size_t& bytes, cudaStream_t stream) {
        return cub::DeviceReduce::Max(memory, bytes, from, to, count, stream);
    });
}

std::unique_ptr<CudaLibrary> cubScanMaxima(const Cuda::Buffer& in, const Cuda::Buffer& out,
                                           size_t count) {
    const auto* from = static_cast<const float*>(in.address());
    auto* to = static_cast<float*>(out.address());
    return cubCall([=](void* memory, size_t& bytes, cudaStream_t stream) {
        return cub::DeviceScan::InclusiveScan(memory, bytes, from, to, Larger{}, count, stream);
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

std::unique_ptr<CudaLibrary> cubSortKeys(const Cuda::Buffer& in, const Cuda::Buffer& out,
                                         size_t count) {
    const auto* from = static_cast<const unsigned int*>(in.address());
    auto* to = static_cast<unsigned int*>(out.address());
    return cubCall([=](void* memory, size_t& bytes, cudaStream_t stream) {
        return cub::DeviceRadixSort::SortKeys(memory, bytes, from, to, static_cast<int>(count), 0,
                                              32, stream);
    });
}

std::unique_ptr<CudaLibrary> cubSortPairs(const Cuda::Buffer& in, const Cuda::Buffer& out,
                                          size_t count) {
    const auto* from = static_cast<const unsigned int*>(in.address());
    auto* to = static_cast<unsigned int*>(out.address());
    const auto values = deviceMemory(count * 4);
    const auto sorted = deviceMemory(count * 4);
    return cubCall([=](void* memory, size_t& bytes, cudaStream_t stream) {
        return cub::DeviceRadixSort::SortPairs(
            memory, bytes, from, to, static_cast<const unsigned int*>(values.get()),
            static_cast<unsigned int*>(sorted.get()), static_cast<int>(count), 0, 32, stream);
    });
}

std::unique_ptr<CudaLibrary> cubSelect(const Cuda::Buffer& in, const Cuda::Buffer& out,
                                       size_t count) {
    const auto* from = static_cast<const unsigned int*>(in.address());
    auto* to = static_cast<unsigned int*>(out.address());
    const auto number = deviceMemory(8);
    return cubCall([=](void* memory, size_t& bytes, cudaStream_t stream) {
        return cub::DeviceSelect::If(memory, bytes, from, to, static_cast<int*>(number.get()),
                                     static_cast<int>(count), IsAboveHalf{}, stream);
    });
}

std::unique_ptr<CudaLibrary> cubRunLength(const Cuda::Buffer& in, const Cuda::Buffer& out,
                                          size_t count) {
    const auto* from = static_cast<const unsigned int*>(in.address());
    auto* to = static_cast<unsigned int*>(out.address());
    const auto number = deviceMemory(8);
    const auto lengths = deviceMemory(count * 4);
    return cubCall([=](void* memory, size_t& bytes, cudaStream_t stream) {
        return cub::DeviceRunLengthEncode::Encode(
            memory, bytes, from, to, static_cast<int*>(lengths.get()),
            static_cast<int*>(number.get()), static_cast<int>(count), stream);
    });
}

std::unique_ptr<CudaLibrary> cubSegmentSums(const Cuda::Buffer& in, const Cuda::Buffer& out,
                                            size_t count) {
    const auto* from = static_cast<const float*>(in.address());
    auto* to = static_cast<float*>(out.address());
    const size_t segments = count / 1024;
    std::vector<int> starts(segments + 1);
    for (size_t i = 0; i < segments; ++i)
        starts[i] = static_cast<int>(segmentStart(i));
    starts[segments] = static_cast<int>(count);
    const auto memory = deviceMemory(starts.size() * sizeof(int));
    requireSuccess(cudaMemcpy(memory.get(), starts.data(), starts.size() * sizeof(int),
                              cudaMemcpyHostToDevice),
                   "cudaMemcpy");
    return cubCall([=](void* temporary, size_t& bytes, cudaStream_t stream) {
        const int* const offsets = static_cast<const int*>(memory.get());
        return cub::DeviceSegmentedReduce::Sum(
            temporary, bytes, from, to, static_cast<int>(segments), offsets, offsets + 1, stream);
    });
}

#ifdef KOMPUTE_HAS_CUFFT
std::unique_ptr<CudaLibrary> cuFft(const Cuda::Buffer& in, const Cuda::Buffer& out, size_t length,
                                   size_t arrays) {
    return std::make_unique<CuFft>(in.address(), out.address(), length, arrays);
}
#else
std::unique_ptr<CudaLibrary> cuFft(const Cuda::Buffer&, const Cuda::Buffer&, size_t, size_t) {
    return nullptr;
}
#endif

#ifdef KOMPUTE_HAS_CURAND
std::unique_ptr<CudaLibrary> cuRandUniform(const Cuda::Buffer&, const Cuda::Buffer& out,
                                           size_t count) {
    auto* to = static_cast<float*>(out.address());
    return cuRandCall(
        [=](curandGenerator_t generator) { return curandGenerateUniform(generator, to, count); });
}

std::unique_ptr<CudaLibrary> cuRandNormal(const Cuda::Buffer&, const Cuda::Buffer& out,
                                          size_t count) {
    auto* to = static_cast<float*>(out.address());
    return cuRandCall([=](curandGenerator_t generator) {
        return curandGenerateNormal(generator, to, count, 0, 1);
    });
}
#else
std::unique_ptr<CudaLibrary> cuRandUniform(const Cuda::Buffer&, const Cuda::Buffer&, size_t) {
    return nullptr;
}

std::unique_ptr<CudaLibrary> cuRandNormal(const Cuda::Buffer&, const Cuda::Buffer&, size_t) {
    return nullptr;
}
#endif

} // namespace kp::benchmark
