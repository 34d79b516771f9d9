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
    CublasProduct(const void* a, const void* b, void* c, const CublasTask& task)
        : mA(a), mB(b), mC(c), mTask(task) {
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
        const bool isDouble = mTask.type == CublasTask::Type::eDouble;
        const cudaDataType in = isDouble                                ? CUDA_R_64F
                                : mTask.type == CublasTask::Type::eHalf ? CUDA_R_16F
                                                                        : CUDA_R_32F;
        const float one = 1;
        const float zero = 0;
        const double wideOne = 1;
        const double wideZero = 0;
        const auto pointer = [&](const float& narrow, const double& wide) {
            return isDouble ? static_cast<const void*>(&wide) : &narrow;
        };
        const auto operation = [](bool transposed) {
            return transposed ? CUBLAS_OP_T : CUBLAS_OP_N;
        };
        const int n = mTask.n;
        // cuBLAS stores columns: the transposed product is the product of the transposed matrices.
        for (size_t i = 0; i < times; ++i)
            requireSuccess(cublasGemmEx(mHandle, operation(mTask.transposeB),
                                        operation(mTask.transposeA), n, n, n, pointer(one, wideOne),
                                        mB, in, n, mA, in, n, pointer(zero, wideZero), mC,
                                        isDouble ? CUDA_R_64F : CUDA_R_32F, n,
                                        isDouble ? CUBLAS_COMPUTE_64F : CUBLAS_COMPUTE_32F,
                                        CUBLAS_GEMM_DEFAULT),
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
    CublasTask mTask;
};

} // namespace

std::unique_ptr<CudaLibrary> cublasProduct(const Cuda::Buffer& a, const Cuda::Buffer& b,
                                           const Cuda::Buffer& c, const CublasTask& task) {
    return std::make_unique<CublasProduct>(a.address(), b.address(), c.address(), task);
}

} // namespace kp::benchmark
