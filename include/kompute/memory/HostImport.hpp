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

/// Ordinary host memory that is imported into the device, which then copies from and to it
/// directly. `upload` and `download` of any range in it need no staging and no host thread.
/// Worthwhile for memory that is transferred several times: the import takes about as long as one
/// transfer.
///
///     std::vector<float> samples(100'000'000);
///     auto import = manager.importHost(samples);
///     tensor->upload(samples); // directly from the vector
///
/// **Destroy the import before the memory is freed, resized or unmapped.** The device holds the
/// pages, not the address: if another allocation received that address, transfers would still
/// access the old pages. For the same reason the library never imports memory on its own.
///
/// If the device or driver cannot import the memory, imported() is false and transfers use staging
/// as usual. Manager::importHost creates imports; the caller owns them. The destructor waits for
/// transfers that use the memory. Thread-safe.
class KOMPUTE_API HostImport {
public:
    ~HostImport();
    HostImport(const HostImport&) = delete;
    HostImport& operator=(const HostImport&) = delete;

    bool imported() const;
    const std::string& reason() const; ///< why it is not imported; empty if it is
    void* data() const;
    uint64_t bytes() const;

private:
    friend class Manager;
    HostImport(std::shared_ptr<vulkan::Device> device, void* memory, uint64_t bytes);
    struct Impl;
    std::unique_ptr<Impl> mImpl;
};

} // namespace kp
