// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <kompute/operations/OpBase.hpp>

namespace kp {

/// Copies the device memory to the host mirror of each memory object with a mirror: eDevice, and
/// eDeviceAndHost if the device has no such memory. Other objects need no copy and are skipped.
class KOMPUTE_API OpSyncLocal : public OpBase {
public:
    /// @throws InvalidArgument if there are no objects, or one is null
    explicit OpSyncLocal(const MemoryObjects& memObjects);
    ~OpSyncLocal() override;

    Accesses accesses() override;
    void record(const vk::CommandBuffer& commandBuffer) override;
    void preEval(const vk::CommandBuffer&) override {}
    void postEval(const vk::CommandBuffer& commandBuffer) override;

private:
    std::vector<std::shared_ptr<Memory>> mMemObjects;
};

/// Kompute 0.9.0's name.
using OpTensorSyncLocal = OpSyncLocal;

} // namespace kp
