// SPDX-License-Identifier: Apache-2.0
#include <cuda_runtime.h>

#include "Work.hpp"

namespace {

__global__ void work(uint32_t* values) {
    const uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
    values[i] = values[i] * 2654435761u + i;
}

bool succeeded(cudaError_t error) {
    if (error != cudaSuccess)
        std::fprintf(stderr, "CUDA: %s\n", cudaGetErrorString(error));
    return error == cudaSuccess;
}

} // namespace

int main() {
    const std::vector<uint32_t> before = cold::input();
    std::vector<uint32_t> after(cold::kCount);
    const size_t bytes = cold::kCount * sizeof(uint32_t);
    uint32_t* device = nullptr;
    if (!succeeded(cudaMalloc(&device, bytes)) ||
        !succeeded(cudaMemcpy(device, before.data(), bytes, cudaMemcpyHostToDevice)))
        return 2;
    work<<<cold::kCount / 64, 64>>>(device);
    if (!succeeded(cudaGetLastError()) ||
        !succeeded(cudaMemcpy(after.data(), device, bytes, cudaMemcpyDeviceToHost)))
        return 2;
    return cold::finish(before, after.data());
}
