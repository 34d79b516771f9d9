// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <list>
#include <memory>
#include <utility>
#include <vector>

#include <kompute/Algorithm.hpp>
#include <kompute/Tensor.hpp>
#include <kompute/operations/OpBase.hpp>
#include <kompute/queue/Queue.hpp>

#include "core/queue/Repeater.hpp"
#include "vulkan/device/Device.hpp"
#include "vulkan/memory/Buffer.hpp"

namespace kp::arrays {

/// Operations that are launched again with other memory. Each choice of memory is recorded once, as
/// long as it is one of the last ones. Callers have engineLock().
class Replay {
public:
    using Buffers = std::vector<std::shared_ptr<vulkan::Buffer>>;
    using Tensors = std::vector<std::shared_ptr<Tensor>>;
    using Derived = std::vector<std::pair<std::shared_ptr<Tensor>, const Tensor*>>;

    /// @param rebound     tensors of the operations whose memory changes
    /// @param algorithms  of the operations' dispatches, which nothing else uses
    /// @param derived     tensors in the memory of other ones, each after the one
    Replay(std::shared_ptr<vulkan::Device> device, std::vector<std::shared_ptr<OpBase>> operations,
           Tensors rebound, std::vector<std::shared_ptr<Algorithm>> algorithms, Derived derived);
    ~Replay();
    Replay(const Replay&) = delete;
    Replay& operator=(const Replay&) = delete;

    /// Returns true if the operations write the memory of a tensor, before the first launch().
    bool writes(const Tensor& tensor) const;
    /// Launches the operations and returns at once.
    /// @param buffers  the memory of the rebound tensors
    void launch(const std::shared_ptr<Queue>& queue, const Buffers& buffers);

private:
    class Operation;
    struct State;
    struct Variant {
        Buffers buffers;
        std::shared_ptr<OpBase> operation;
        std::shared_ptr<Repeater> repeater;
    };
    std::shared_ptr<State> mState;
    std::list<Variant> mVariants; ///< the last used first
    std::vector<const vulkan::Resource*> mWritten;
};

} // namespace kp::arrays
