// SPDX-License-Identifier: Apache-2.0
#include <kompute/memory/HostImport.hpp>

#include <optional>

#include <kompute/Error.hpp>
#include <kompute/logger/Logger.hpp>

#include "base/Text.hpp"
#include "vulkan/device/Device.hpp"
#include "vulkan/transfer/HostRanges.hpp"

namespace kp {

struct HostImport::Impl {
    void* memory = nullptr;
    uint64_t bytes = 0;
    std::string reason;
    std::optional<vulkan::ImportedHostMemory> imported;
};

HostImport::HostImport(std::shared_ptr<vulkan::Device> device, void* memory, uint64_t bytes)
    : mImpl(std::make_unique<Impl>()) {
    if (!memory || bytes == 0)
        fail<InvalidArgument>("importing host memory needs an address and at least one byte, but "
                              "{} bytes at {} were given",
                              bytes, memory ? "an address" : "null");
    mImpl->memory = memory;
    mImpl->bytes = bytes;
    try {
        mImpl->imported.emplace(std::move(device), memory, bytes);
    } catch (const Unsupported& error) {
        mImpl->reason = error.what();
        KP_LOG_DEBUG("host memory is not imported, its transfers go through staging: {}",
                     mImpl->reason);
    }
}

HostImport::~HostImport() = default;

bool HostImport::imported() const {
    return mImpl->imported.has_value();
}
const std::string& HostImport::reason() const {
    return mImpl->reason;
}
void* HostImport::data() const {
    return mImpl->memory;
}
uint64_t HostImport::bytes() const {
    return mImpl->bytes;
}

} // namespace kp
