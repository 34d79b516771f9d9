// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>

#include <kompute/Kompute.hpp>

#include "vulkan/Instance.hpp"

namespace kp::test {

/// Stands between the library and the driver: makes calls fail, and knows which Vulkan objects are
/// alive. Only managers made by manager() go through it; each has a VkDevice of its own. One at a
/// time, used by one thread (the library's own threads aside).
class FaultyDriver {
public:
    FaultyDriver();
    /// All its managers must be gone.
    ~FaultyDriver();
    FaultyDriver(const FaultyDriver&) = delete;
    FaultyDriver& operator=(const FaultyDriver&) = delete;

    std::unique_ptr<kp::Manager> manager(kp::ManagerOptions options = {});

    enum class Often {
        eOnce,      ///< the n-th call fails, later ones work
        eFromThenOn ///< the n-th call fails and all after it, until works()
    };
    /// Makes the @p number-th call of a function from now on (the next is 1) fail with @p result,
    /// unseen by the real driver. A device that is "lost" first finishes what it has: to the
    /// library it looks as if it had stopped.
    void fail(const std::string& function, uint64_t number, int32_t result, Often often);
    /// Which call to fail after the @p number-th, where each attempt takes a device of its own: the
    /// one after it, or on GPUs, whose drivers make a device a hundred times as slowly, some later
    /// one.
    static uint64_t next(kp::Manager& manager, uint64_t number);
    /// Makes every call work again.
    void works();
    /// True once a call was made to fail since fail().
    bool failed() const;
    /// Calls of a function since the last reset.
    uint64_t calls(const std::string& function) const;
    void resetCalls();

    /// Objects alive by kind ("Buffer", "Memory", "DescriptorSet"); kinds without one are left out.
    std::map<std::string, int64_t> alive() const;
    /// Destructions of objects that were not alive, and pools destroyed with descriptor sets in
    /// use.
    uint64_t misuses() const;

private:
    std::shared_ptr<vulkan::Instance> mInstance;
};

} // namespace kp::test
