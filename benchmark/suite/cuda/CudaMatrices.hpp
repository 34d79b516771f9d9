// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "CudaLibraries.hpp"

namespace kp::benchmark {

/// A product of square matrices in C order.
struct CublasTask {
    enum class Type { eFloat, eHalf, eDouble };

    int n = 0; ///< rows and columns
    /// Of A and B. C and sums are of float for half.
    Type type = Type::eFloat;
    bool transposeA = false;
    bool transposeB = false;
};

/// The product by cuBLAS. Returns null in a build without nvcc or cuBLAS.
std::unique_ptr<CudaLibrary> cublasProduct(const Cuda::Buffer& a, const Cuda::Buffer& b,
                                           const Cuda::Buffer& c, const CublasTask& task);

} // namespace kp::benchmark
