// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>

#include <kompute/operations/OpBase.hpp>

namespace kp {

/// Copies bytes from one tensor to another, or within one. The caller has checked the ranges.
class OpCopyRange final : public OpBase {
public:
    OpCopyRange(std::shared_ptr<Memory> source, uint64_t sourceOffset,
                std::shared_ptr<Memory> destination, uint64_t destinationOffset, uint64_t bytes);
    Accesses accesses() override;
    void record(const vk::CommandBuffer& commandBuffer) override;
    void preEval(const vk::CommandBuffer&) override {}
    void postEval(const vk::CommandBuffer&) override {}

private:
    std::shared_ptr<Memory> mSource;
    uint64_t mSourceOffset;
    std::shared_ptr<Memory> mDestination;
    uint64_t mDestinationOffset;
    uint64_t mBytes;
};

} // namespace kp
