// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include <kompute/operations/OpAlgoDispatch.hpp>

#include "core/AlgorithmImpl.hpp"
#include "core/BoundState.hpp"

namespace kp {

/// The commands of one OpAlgoDispatch, with its arguments checked and its memory bound. Everything
/// that records a dispatch does so through this class. Lives no longer than the operation.
class DispatchCommands {
public:
    /// @throws InvalidArgument if the algorithm, its memory or the dispatch's arguments are invalid
    explicit DispatchCommands(const OpAlgoDispatch& dispatch);

    const Algorithm::Impl& algorithm() const { return mAlgorithm; }
    /// What must stay alive as long as the commands may run.
    const std::shared_ptr<const MemoryBinding>& binding() const { return mAlgorithm.binding; }

    /// Returns true if the dispatch accesses the memory of its binding and nothing else, and the
    /// host has nothing to do before or after it.
    bool accessesBindingOnly() const {
        return !mDispatch.mGroupCounts && !binding()->padded &&
               !mAlgorithm.reflection->usesBufferAddresses;
    }

    void record(BoundState& bound, VkCommandBuffer commandBuffer) const;

private:
    static Algorithm::Impl& checked(const OpAlgoDispatch& dispatch);

    const OpAlgoDispatch& mDispatch;
    Algorithm::Impl& mAlgorithm;
    std::span<const unsigned char> mConstants;
};

} // namespace kp
