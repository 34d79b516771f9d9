// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "CudaLibraries.hpp"

namespace kp::benchmark {

/// The product of two square matrices in C order by cuBLAS, of float, or of half with sums and
/// result in float. Returns null in a build without nvcc or cuBLAS.
/// @param n  rows and columns
std::unique_ptr<CudaLibrary> cublasProduct(const Cuda::Buffer& a, const Cuda::Buffer& b,
                                           const Cuda::Buffer& c, int n, bool half);

} // namespace kp::benchmark
