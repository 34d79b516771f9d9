// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "RawVulkan.hpp"
#include "Suite.hpp"

// A minimal dispatch on each side: one workgroup increments the first 64 elements of a buffer of
// 1 KiB.

namespace kp::benchmark {

constexpr size_t kElements = 256;

/// Requires that a buffer, which started as @p initial, was incremented @p times times.
inline void requireIncrements(const std::vector<uint32_t>& initial,
                              const std::vector<uint32_t>& now, uint64_t times,
                              const std::string& side) {
    bool right = now.size() == initial.size();
    for (size_t i = 0; right && i < now.size(); ++i)
        right = now[i] == static_cast<uint32_t>(initial[i] + (i < 64 ? times : 0));
    Suite::require(right, side + ", expected " + std::to_string(times) + " increments, found " +
                              std::to_string(static_cast<uint32_t>(now[0] - initial[0])));
}

class KomputeIncrements {
public:
    KomputeIncrements(kp::Manager& manager, const std::vector<uint32_t>& spirv, size_t buffers,
                      const std::vector<uint32_t>& initial, uint32_t queue = 0)
        : sequence(manager.sequence(queue)), mInitial(initial) {
        for (size_t i = 0; i < buffers; ++i) {
            tensors.push_back(
                manager.tensorT<uint32_t>(initial, kp::Memory::MemoryTypes::eStorage));
            algorithms.push_back(manager.algorithm({tensors.back()}, spirv, {1, 1, 1}));
        }
    }

    /// Records @p count dispatches: one on each buffer, or all on the first.
    void record(size_t count, bool dependent) {
        sequence->begin();
        for (size_t i = 0; i < count; ++i)
            sequence->record<kp::OpAlgoDispatch>(algorithms[dependent ? 0 : i]);
        sequence->end();
    }

    void verify(uint64_t times, const std::string& side = "kompute") {
        for (const auto& tensor : tensors) {
            std::vector<uint32_t> now(mInitial.size());
            tensor->download(now.data(), now.size() * sizeof(uint32_t));
            requireIncrements(mInitial, now, times, side);
        }
    }

    std::vector<std::shared_ptr<kp::TensorT<uint32_t>>> tensors;
    std::vector<std::shared_ptr<kp::Algorithm>> algorithms;
    std::shared_ptr<kp::Sequence> sequence;

private:
    std::vector<uint32_t> mInitial;
};

class RawIncrements {
public:
    RawIncrements(const kp::Manager& manager, vulkan::WaitMode wait,
                  const std::vector<uint32_t>& spirv, size_t buffers,
                  const std::vector<uint32_t>& initial, uint32_t queueIndex = 0)
        : queue(manager, wait, queueIndex),
          mBuffers(queue, buffers, initial.size() * sizeof(uint32_t), RawMemory::eDevice),
          kernel(queue, spirv, 1, 0, static_cast<uint32_t>(buffers)), commands(queue),
          mInitial(initial) {
        for (size_t i = 0; i < buffers; ++i) {
            mBuffers.write(i, initial.data(), mBuffers.bytesEach());
            sets.push_back(kernel.bind({mBuffers[i]}));
        }
    }

    void record(size_t count, bool dependent, bool closingBarrier = true) {
        commands.begin();
        commands.bind(kernel);
        for (size_t i = 0; i < count; ++i) {
            if (dependent && i > 0)
                commands.computeBarrier();
            if (!dependent || i == 0)
                commands.bindSet(kernel, sets[dependent ? 0 : i]);
            commands.dispatch(1);
        }
        if (closingBarrier)
            commands.end();
        else
            commands.endWithoutBarrier();
    }
    /// Returns @p count command buffers of one dispatch each: one on each buffer, or, if there is
    /// only one buffer, all on that.
    std::vector<std::unique_ptr<RawCommands>> recordEach(size_t count) {
        std::vector<std::unique_ptr<RawCommands>> recorded;
        for (size_t i = 0; i < count; ++i) {
            recorded.push_back(std::make_unique<RawCommands>(queue));
            recorded.back()->begin();
            recorded.back()->bind(kernel);
            recorded.back()->bindSet(kernel, sets[i % sets.size()]);
            recorded.back()->dispatch(1);
            recorded.back()->end();
        }
        return recorded;
    }
    void run() { queue.run(commands.handle()); }
    VkBuffer buffer(size_t i) const { return mBuffers[i]; }

    void verify(uint64_t times) {
        for (size_t i = 0; i < mBuffers.count(); ++i) {
            std::vector<uint32_t> now(mInitial.size());
            mBuffers.read(i, now.data(), mBuffers.bytesEach());
            requireIncrements(mInitial, now, times, "raw");
        }
    }

    RawQueue queue;

private:
    RawBuffers mBuffers;

public:
    RawKernel kernel;
    RawCommands commands;
    std::vector<VkDescriptorSet> sets;

private:
    std::vector<uint32_t> mInitial;
};

} // namespace kp::benchmark
