// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>

#include <kompute/operations/OpBase.hpp>

namespace kp {

class ByteKernel;

/// Fills a range of a tensor with copies of one element. The caller has checked the range.
class OpFillRange final : public OpBase {
public:
    OpFillRange(std::shared_ptr<Memory> tensor, uint64_t offset, uint64_t bytes,
                const unsigned char* element, size_t elementBytes);
    Accesses accesses() override;
    void record(const vk::CommandBuffer& commandBuffer) override;
    void preEval(const vk::CommandBuffer&) override {}
    void postEval(const vk::CommandBuffer&) override {}

private:
    /// Makes the kernel for the tensor's memory.
    void makeKernel();

    std::shared_ptr<Memory> mTensor;
    uint64_t mOffset;
    uint64_t mBytes;
    uint32_t mWord = 0;                        ///< used if mPattern is null
    std::shared_ptr<Tensor> mPattern;          ///< copied repeatedly if a fill command cannot do it
    std::shared_ptr<const ByteKernel> mKernel; ///< if it was recorded by one
};

} // namespace kp
