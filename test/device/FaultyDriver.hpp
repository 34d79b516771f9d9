// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <kompute/Kompute.hpp>

#include "vulkan/device/Instance.hpp"

namespace kp::test {

/// A layer between the library and the driver. It lets calls fail and tracks which Vulkan objects
/// are alive. Only managers made by manager() use it. There may be one FaultyDriver at a time, used
/// by one thread besides the library's own threads.
class FaultyDriver {
public:
    FaultyDriver();
    /// All its managers must have been destroyed.
    ~FaultyDriver();
    FaultyDriver(const FaultyDriver&) = delete;
    FaultyDriver& operator=(const FaultyDriver&) = delete;

    /// @param shares  false gives the manager a VkDevice of its own
    std::unique_ptr<kp::Manager> manager(kp::ManagerOptions options = {}, bool shares = false);

    /// Lets the devices of later managers have an extension that the driver lacks, in a simple
    /// form: "VK_AMD_buffer_marker" or "VK_NV_device_diagnostic_checkpoints".
    void offer(const std::string& extension);
    /// Hides an extension from later managers.
    void hide(const std::string& extension);
    /// Lets later managers see a tool that shows labels.
    void attachTool();
    /// The labels that were begun, in their order, and "" for each that ended.
    std::vector<std::string> labels() const;
    /// The names that were given to objects.
    std::vector<std::string> names() const;

    enum class Often {
        eOnce,      ///< the n-th call fails, later ones work
        eFromThenOn ///< the n-th call fails and all after it, until works()
    };
    /// Lets the @p number-th call of a function from now on (the next one is 1) return @p result
    /// without calling the driver. A call that returns VK_ERROR_DEVICE_LOST first waits for the
    /// device, because a lost device runs nothing.
    void fail(const std::string& function, uint64_t number, int32_t result, Often often);
    /// Lets the device stop within the @p number-th dispatch that is recorded from now on: neither
    /// that one nor a later one runs, and no breadcrumb says that it has ended. Combine it with
    /// fail() and VK_ERROR_DEVICE_LOST.
    void stopAt(uint64_t number);
    /// Lets every call work again, and later dispatches run.
    void works();
    /// True if a call failed since fail().
    bool failed() const;

    /// Calls @p attempt with a new manager and a number for fail(), for the first call, the second,
    /// and so on. Ends if @p attempt returns false (its call was not reached), if the test failed,
    /// or after @p maxCalls. Expects each manager to leave no Vulkan objects behind.
    template <typename MakeManager, typename Attempt>
    void forEachCall(uint64_t maxCalls, MakeManager makeManager, Attempt attempt) {
        bool reached = true;
        uint64_t following = 1;
        for (uint64_t number = 1; reached && !::testing::Test::HasFailure() && number <= maxCalls;
             number = following) {
            SCOPED_TRACE("call " + std::to_string(number));
            {
                const std::unique_ptr<kp::Manager> manager = makeManager();
                following = next(*manager, number);
                reached = attempt(*manager, number);
            }
            works();
            EXPECT_EQ(alive(), (std::map<std::string, int64_t>{}));
        }
    }

    /// Live objects by kind ("Buffer", "Memory", "DescriptorSet"), without kinds that have none.
    std::map<std::string, int64_t> alive() const;
    /// Destructions of objects that were not alive, and of pools with descriptor sets in use.
    uint64_t misuses() const;

private:
    /// The call to fail after the @p number-th. The software driver tries all calls, GPUs a sample:
    /// their drivers take a hundred times as long to create a device.
    static uint64_t next(kp::Manager& manager, uint64_t number);

    std::shared_ptr<vulkan::Instance> mInstance;
};

} // namespace kp::test
