// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <kompute/Export.hpp>
#include <kompute/queue/Event.hpp>

namespace kp {

class Manager;

/// Lets later work of a CUDA stream wait for an event. Never waits on the host: gathered work is
/// submitted. For order in the other direction, see Manager::cudaEvent.
/// @param stream  a CUstream or cudaStream_t of the event's GPU; null is the default stream
/// @throws InvalidArgument for a stream of another device, and for work that waits for the host
///         (a user event, a host function, an event of another device), as CUDA cannot wait for
///         work that is not submitted; the error of failed work
KOMPUTE_API void letCudaWait(void* stream, const Event& event);

/// Selects the manager whose device can use memory from cudaPoolAllocate() on its GPU.
/// @return CUDA's number of the GPU
/// @throws Unsupported as Manager::sharedTensor()
KOMPUTE_API int enableCudaPool(const Manager& manager);
/// Allocates CUDA memory that Manager::tensorAtCuda accepts, for allocators of other libraries.
/// @param device  CUDA's number of a GPU for which enableCudaPool() was called
/// @return null if there is no memory
KOMPUTE_API void* cudaPoolAllocate(uint64_t bytes, int device) noexcept;
/// Frees such memory, once CUDA and Vulkan have finished with it.
KOMPUTE_API void cudaPoolFree(void* memory) noexcept;

} // namespace kp
