// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstring>

#include <kompute/operations/OpAlgoDispatch.hpp>

namespace kp {

/// Fills the device memory of tensors with one value. The host view of each shows it after the
/// evaluation.
class KOMPUTE_API OpFill : public OpBase {
public:
    /// @param value  the element that is repeated: 1, 2, 4 or 8 bytes (a number, kp::Half, ...)
    /// @throws InvalidArgument where there are no objects, one is an image, or its elements are not
    ///         as large as @p value
    template <typename T>
    OpFill(const std::vector<std::shared_ptr<Memory>>& memObjects, T value)
        : OpFill(memObjects, &value, sizeof value) {
        static_assert(std::is_trivially_copyable<T>::value && sizeof(T) <= 8, "a number");
    }
    template <typename T, typename M, typename = detail::EnableForDerived<M>>
    OpFill(const std::vector<std::shared_ptr<M>>& memObjects, T value)
        : OpFill(detail::toMemory(memObjects), &value, sizeof value) {}
    ~OpFill() override;

    Accesses accesses() override;
    void record(const vk::CommandBuffer& commandBuffer) override;
    void preEval(const vk::CommandBuffer& commandBuffer) override;
    void postEval(const vk::CommandBuffer& commandBuffer) override;

private:
    OpFill(const std::vector<std::shared_ptr<Memory>>& memObjects, const void* value, size_t bytes);
    void recordKernels(VkCommandBuffer commandBuffer);

    std::vector<std::shared_ptr<Memory>> mMemObjects;
    uint64_t mPattern = 0;  ///< the value repeated to 8 bytes
    bool mByKernel = false; ///< what accesses() said last: a compute shader fills
    /// One per tensor where the value has 8 different bytes, which no fill command takes.
    std::vector<std::shared_ptr<OpAlgoDispatch>> mDispatches;
};

} // namespace kp
