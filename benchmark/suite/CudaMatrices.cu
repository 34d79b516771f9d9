// SPDX-License-Identifier: Apache-2.0
#include "CudaMatrices.hpp"

#include <cublas_v2.h>
#include <cuda_runtime.h>

#include <stdexcept>
#include <string>

namespace kp::benchmark {
namespace {

void requireSuccess(cublasStatus_t status, const char* what) {
    if (status != CUBLAS_STATUS_SUCCESS)
        throw std::runtime_error(std::string("cuBLAS: ") + what + ": " +
                                 cublasGetStatusString(status));
}

class CublasProduct final : public CudaLibrary {
public:
    CublasProduct(const void* a, const void* b, void* c, int n, bool half)
        : mA(a), mB(b), mC(c), mSize(n), mType(half ? CUDA_R_16F : CUDA_R_32F) {
        requireSuccess(cublasCreate(&mHandle), "cublasCreate");
        if (cudaStreamCreateWithFlags(&mStream, cudaStreamNonBlocking) != cudaSuccess)
            throw std::runtime_error("CUDA: cudaStreamCreate failed");
        requireSuccess(cublasSetStream(mHandle, mStream), "cublasSetStream");
    }
    ~CublasProduct() override {
        cublasDestroy(mHandle);
        cudaStreamDestroy(mStream);
    }

    void run(size_t times) override {
        const float one = 1;
        const float zero = 0;
        // cuBLAS stores columns: the transposed product is that of the transposed matrices.
        for (size_t i = 0; i < times; ++i)
            requireSuccess(cublasGemmEx(mHandle, CUBLAS_OP_N, CUBLAS_OP_N, mSize, mSize, mSize,
                                        &one, mB, mType, mSize, mA, mType, mSize, &zero, mC,
                                        CUDA_R_32F, mSize, CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT),
                           "cublasGemmEx");
        if (cudaStreamSynchronize(mStream) != cudaSuccess)
            throw std::runtime_error("CUDA: cudaStreamSynchronize failed");
    }

private:
    cublasHandle_t mHandle = nullptr;
    cudaStream_t mStream = nullptr;
    const void* mA;
    const void* mB;
    void* mC;
    int mSize;
    cudaDataType mType;
};

} // namespace

std::unique_ptr<CudaLibrary> cublasProduct(const Cuda::Buffer& a, const Cuda::Buffer& b,
                                           const Cuda::Buffer& c, int n, bool half) {
    return std::make_unique<CublasProduct>(a.address(), b.address(), c.address(), n, half);
}

} // namespace kp::benchmark
