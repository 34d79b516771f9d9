// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <list>
#include <memory>
#include <mutex>
#include <vector>

#include <kompute/Tensor.hpp>
#include <kompute/queue/Queue.hpp>

#include "core/queue/Repeater.hpp"
#include "vulkan/memory/Buffer.hpp"

namespace kp::program {

struct Loaded;
class OpProgram;

/// The last choices of memory that a program ran with, each of which stays recorded. Runs on one
/// queue share the memory of intermediate results. Thread-safe.
class ProgramRuns {
public:
    ProgramRuns();
    ~ProgramRuns();

    /// Runs a variant of the program, and returns at once. Does not keep the tensors, but their
    /// memory, until kMaxRuns others have come.
    /// @param tensors  in the order of the variant's tensors, with their sizes and types
    /// @throws as OpProgram and Queue::launch()
    void launch(const std::shared_ptr<const Loaded>& program, size_t variant,
                const std::vector<std::shared_ptr<Tensor>>& tensors,
                const std::shared_ptr<Queue>& queue);

private:
    /// A loop whose results are its next arguments takes turns with a few.
    static constexpr size_t kMaxRuns = 8;

    struct Run {
        const vulkan::Queue* queue;
        size_t variant;
        std::vector<std::shared_ptr<vulkan::Buffer>> memory;
        std::shared_ptr<OpProgram> operation;
        std::shared_ptr<Repeater> repeater;
    };
    const Run& runFor(const std::shared_ptr<const Loaded>& program, size_t variant,
                      const std::vector<std::shared_ptr<Tensor>>& tensors,
                      const vulkan::Queue& queue);

    std::mutex mMutex;
    std::list<Run> mRuns; ///< the last used first
};

} // namespace kp::program
