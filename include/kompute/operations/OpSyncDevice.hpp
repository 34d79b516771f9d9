// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <kompute/operations/OpBase.hpp>

namespace kp {

/// Copies the host mirror to the device memory, for each memory object that has a mirror (eDevice,
/// and eDeviceAndHost where the device has no such memory). Others need no copy and are skipped.
class KOMPUTE_API OpSyncDevice : public OpBase {
public:
    /// @throws InvalidArgument where there are no objects
    explicit OpSyncDevice(const std::vector<std::shared_ptr<Memory>>& memObjects);
    template <typename M, typename = detail::EnableForDerived<M>>
    explicit OpSyncDevice(const std::vector<std::shared_ptr<M>>& memObjects)
        : OpSyncDevice(detail::toMemory(memObjects)) {}
    ~OpSyncDevice() override;

    Accesses accesses() override;
    void record(const vk::CommandBuffer& commandBuffer) override;
    void preEval(const vk::CommandBuffer& commandBuffer) override;
    void postEval(const vk::CommandBuffer& commandBuffer) override;

private:
    std::vector<std::shared_ptr<Memory>> mMemObjects;
};

/// Kompute 0.9.0's name.
using OpTensorSyncDevice = OpSyncDevice;

} // namespace kp
