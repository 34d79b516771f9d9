// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstring>

#include <kompute/operations/OpAlgoDispatch.hpp>

namespace kp {

/// Fills the device memory of tensors with a value. After the evaluation, the host view of each
/// tensor shows it.
class KOMPUTE_API OpFill : public OpBase {
public:
    /// @param memObjects  the tensors
    /// @param value       the element to repeat: 1, 2, 4 or 8 bytes (a number, kp::Half, ...)
    /// @throws InvalidArgument if there are no objects, one is an image, the element size of one
    ///         differs from the size of @p value, or one wraps a buffer and its size is not a
    ///         multiple of 4 bytes
    template <typename T>
    OpFill(const MemoryObjects& memObjects, T value) : OpFill(memObjects, &value, sizeof value) {
        static_assert(std::is_trivially_copyable<T>::value && sizeof(T) <= 8, "a number");
    }
    ~OpFill() override;

    Accesses accesses() override;
    void record(const vk::CommandBuffer& commandBuffer) override;
    void preEval(const vk::CommandBuffer&) override {}
    void postEval(const vk::CommandBuffer& commandBuffer) override;

private:
    OpFill(const MemoryObjects& memObjects, const void* value, size_t bytes);

    std::vector<std::shared_ptr<Memory>> mMemObjects;
    uint64_t mPattern = 0;  ///< the value, repeated to 8 bytes
    bool mByKernel = false; ///< result of the last accesses(): a compute shader fills
    /// One per tensor if the two halves of mPattern differ, which no Vulkan fill command supports.
    std::vector<std::shared_ptr<OpAlgoDispatch>> mDispatches;
};

} // namespace kp
