// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>

namespace kp {

/// Memory of a shared tensor, as CUDA sees it.
struct CudaMemory {
    uint64_t address = 0; ///< a CUdeviceptr
    int device = 0;       ///< CUDA's number of the GPU
    /// Keeps the memory from being freed or used again, also after the tensor is destroyed.
    std::shared_ptr<void> keeper;
};

} // namespace kp
