// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include <kompute/Export.hpp>

namespace kp {

namespace vulkan {
class Device;
}

/// Ordinary host memory that the device was told of, so that it copies from and to it directly:
/// `upload` and `download` of any range in it need no staging and no host thread. It pays for
/// memory that is sent or fetched several times: telling takes about as long as one transfer.
///
///     std::vector<float> samples(100'000'000);
///     auto import = manager.importHost(samples);
///     tensor->upload(samples);             // straight from the vector
///
/// **Let go of it before the memory is freed, resized or unmapped.** The device holds on to the
/// pages, not to the address. If the memory were freed and another allocation got the same address,
/// transfers would still go to the old pages. That is also why the library never imports by itself.
///
/// Where the device or its driver cannot import the memory, transfers go through staging as always
/// and imported() is false. Made by Manager::importHost. Letting go waits for transfers that use
/// it. May be used from any thread.
class KOMPUTE_API HostImport {
public:
    /// What a Manager calls.
    HostImport(std::shared_ptr<vulkan::Device> device, void* memory, uint64_t bytes);
    ~HostImport();
    HostImport(const HostImport&) = delete;
    HostImport& operator=(const HostImport&) = delete;

    /// True where the device copies from and to the memory directly.
    bool imported() const;
    /// Why it does not; empty where imported().
    const std::string& reason() const;
    void* data() const;
    uint64_t bytes() const;

private:
    struct Impl;
    std::unique_ptr<Impl> mImpl;
};

} // namespace kp
