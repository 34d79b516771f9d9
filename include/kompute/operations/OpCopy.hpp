// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <kompute/operations/OpBase.hpp>

namespace kp {

class ByteKernel;

/// Copies the device memory of the first object to each of the others. Tensors and images can be
/// mixed. After the evaluation, the host view of each destination shows the copy.
class KOMPUTE_API OpCopy : public OpBase {
public:
    /// @throws InvalidArgument if there are fewer than two different objects, or one is null
    explicit OpCopy(const MemoryObjects& memObjects);
    ~OpCopy() override;

    Accesses accesses() override;
    /// @throws InvalidArgument if data types, sizes or (for two images) widths or heights differ,
    ///         or if tensors are views of one memory that overlap
    void record(const vk::CommandBuffer& commandBuffer) override;
    void preEval(const vk::CommandBuffer&) override {}
    void postEval(const vk::CommandBuffer& commandBuffer) override;

private:
    void recordKernels(VkCommandBuffer commandBuffer);

    std::vector<std::shared_ptr<Memory>> mMemObjects;
    bool mByKernel = false; ///< result of the last accesses(): a compute shader copies
    std::vector<std::shared_ptr<const ByteKernel>> mKernels; ///< to each destination, for OpRepeat
};

/// Kompute 0.9.0's name.
using OpTensorCopy = OpCopy;

} // namespace kp
