// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <exception>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "vulkan/device/Vulkan.hpp"

namespace kp::vulkan {

/// Commands that are still being recorded while they wait for their submission.
class OpenCommands {
public:
    virtual ~OpenCommands() = default;
    virtual VkCommandBuffer handle() const = 0;
    /// Ends the recording. @throws OutOfMemory
    virtual void end() = 0;
};

/// Work that a Queue submits together, in this order. Not thread-safe.
class Gathering {
public:
    /// Adds command buffers that the caller keeps until they have run.
    void add(std::span<const VkCommandBuffer> commandBuffers) {
        endOpen();
        mCommands.insert(mCommands.end(), commandBuffers.begin(), commandBuffers.end());
    }
    /// Adds commands that the gathering keeps until they have run.
    void open(const std::shared_ptr<OpenCommands>& commands) {
        endOpen();
        mKept.push_back(commands);
        mCommands.push_back(commands->handle());
        mOpen = commands.get();
    }
    /// Commands that follow all else and are not ended yet; null if there are none.
    OpenCommands* last() const { return mOpen; }

    /// Ends what is open.
    /// @param commands  set to all command buffers
    /// @return what must be kept until they have run
    /// @throws the first error of OpenCommands::end(); nothing may run then
    std::vector<std::shared_ptr<const void>> finish(std::vector<VkCommandBuffer>& commands) {
        endOpen();
        if (mError)
            std::rethrow_exception(mError);
        commands.swap(mCommands);
        return std::move(mKept);
    }
    void clear() { *this = Gathering(); }

private:
    /// Keeps the error for finish(): whoever adds work next did not cause it.
    void endOpen() {
        if (OpenCommands* const ended = std::exchange(mOpen, nullptr)) {
            try {
                ended->end();
            } catch (...) {
                mError = std::current_exception();
            }
        }
    }

    std::vector<VkCommandBuffer> mCommands;
    std::vector<std::shared_ptr<const void>> mKept;
    OpenCommands* mOpen = nullptr; ///< the last of mKept
    std::exception_ptr mError;
};

} // namespace kp::vulkan
