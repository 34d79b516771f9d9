// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "vulkan/device/Vulkan.hpp"
#include "vulkan/queue/HazardTracker.hpp"

namespace kp::vulkan {

class DescriptorSet;
class Pipeline;

/// Notes the commands that this thread records into one command buffer, so that they can be
/// recorded again with other memory. Used by one thread.
class CommandTape {
public:
    struct Command {
        enum class Kind : uint8_t { eDispatch, eDispatchIndirect, eCopy, eFill, eBarrier };
        Kind kind;

        // Of a dispatch. The pointers are valid as long as the recording.
        const Pipeline* pipeline = nullptr;
        std::vector<const DescriptorSet*> sets; ///< null for sets without bindings
        std::vector<unsigned char> push;
        std::array<uint32_t, 3> groups{};

        VkBuffer source = VK_NULL_HANDLE; ///< of a copy, or the group counts
        uint64_t sourceOffset = 0;        ///< of the group counts
        VkBuffer destination = VK_NULL_HANDLE;
        std::vector<VkBufferCopy> regions; ///< of a copy; of a fill: where, without a source
        uint32_t pattern = 0;

        HazardBarrier barrier;
    };

    explicit CommandTape(VkCommandBuffer commandBuffer) : mCommandBuffer(commandBuffer) {
        mOuter = tCurrent;
        tCurrent = this;
        sTapes.fetch_add(1, std::memory_order_relaxed);
    }
    ~CommandTape() {
        sTapes.fetch_sub(1, std::memory_order_relaxed);
        tCurrent = mOuter;
    }
    CommandTape(const CommandTape&) = delete;
    CommandTape& operator=(const CommandTape&) = delete;

    /// Returns the tape of a command buffer; null without one. Costs a load where there is none.
    static CommandTape* of(VkCommandBuffer commandBuffer) {
        if (sTapes.load(std::memory_order_relaxed) == 0) [[likely]]
            return nullptr;
        return tCurrent && tCurrent->mCommandBuffer == commandBuffer ? tCurrent : nullptr;
    }

    /// What operations declared of one memory, by its number in the recording's AccessList.
    struct Use {
        bool reads = false;      ///< some operation does
        bool writes = false;     ///< likewise
        bool readsFirst = false; ///< the first one that uses it reads it
        size_t lastWrite = 0;    ///< number of commands before the last one that writes it
    };

    const std::vector<Command>& commands() const { return mCommands; }
    Use useOf(uint32_t memory) const { return memory < mUses.size() ? mUses[memory] : Use{}; }
    /// Names a recorded command that a tape cannot hold, for messages; empty if there is none.
    const std::string& unknown() const { return mUnknown; }

    // For the functions that record commands.

    void bindPipeline(const Pipeline& pipeline) { mPipeline = &pipeline; }
    void bindSet(const DescriptorSet& set, uint32_t number) {
        if (mSets.size() <= number)
            mSets.resize(number + 1);
        mSets[number] = &set;
    }
    void push(const void* data, uint32_t bytes) {
        if (mPush.size() < bytes)
            mPush.resize(bytes);
        std::memcpy(mPush.data(), data, bytes);
    }
    void dispatch(const std::array<uint32_t, 3>& groups);
    void dispatchIndirect(VkBuffer counts, uint64_t offset);
    void copy(VkBuffer source, VkBuffer destination, std::span<const VkBufferCopy> regions);
    void fill(VkBuffer buffer, uint64_t offset, uint64_t bytes, uint32_t pattern);
    void barrier(const HazardBarrier& barrier);
    /// Notes what the next commands access.
    void noteAccesses(std::span<const HazardAccess> accesses);
    /// Notes that something else was recorded. @param what  "copies of images"
    void noteUnknown(std::string what) { mUnknown = std::move(what); }

private:
    Command boundDispatch(Command::Kind kind) const;

    inline static std::atomic<uint32_t> sTapes{0}; ///< of all threads
    inline static thread_local CommandTape* tCurrent = nullptr;

    const VkCommandBuffer mCommandBuffer;
    CommandTape* mOuter;
    std::vector<Command> mCommands;
    std::vector<Use> mUses;
    std::string mUnknown;
    const Pipeline* mPipeline = nullptr;
    std::vector<const DescriptorSet*> mSets;
    std::vector<unsigned char> mPush;
};

} // namespace kp::vulkan
