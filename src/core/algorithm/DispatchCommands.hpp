// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <kompute/operations/OpAlgoDispatch.hpp>

#include "core/algorithm/AlgorithmImpl.hpp"
#include "core/algorithm/BoundState.hpp"

namespace kp {

/// The commands of one OpAlgoDispatch, with its arguments checked and its memory bound. Everything
/// that records a dispatch does so through this class.
class DispatchCommands {
public:
    /// @throws InvalidArgument if the algorithm, its memory or the dispatch's arguments are invalid
    explicit DispatchCommands(const OpAlgoDispatch& dispatch);

    /// Returns a copy of a dispatch. Nothing else uses its algorithm, which is the second.
    /// @throws InvalidArgument if the algorithm is null or has no shader
    static std::pair<std::shared_ptr<OpAlgoDispatch>, std::shared_ptr<Algorithm>>
    copyOf(const OpAlgoDispatch& dispatch);

    /// Valid as long as the operation is.
    const Algorithm::Impl& algorithm() const { return *mAlgorithm; }
    /// Objects that must stay alive until record() is called, and then as long as the commands may
    /// run. The pointer is valid as long as the operation is.
    const std::shared_ptr<const MemoryBinding>& binding() const { return mAlgorithm->binding; }
    const MemoryBinding& bound() const { return *mBinding; }
    /// Returns true if the dispatch accesses the memory of its binding and nothing else, and the
    /// host has nothing to do before or after it.
    bool accessesBindingOnly() const {
        return !mGroupCounts && !mBinding->padded && mBinding->notes.empty() &&
               !mAlgorithm->accessesAnything();
    }

    /// Binds the memory anew if other recorded work reports mistakes where the dispatch would, so
    /// that each wait has the mistakes of its own work.
    /// @param known  reports of the recording that the dispatch belongs to
    void useOwnReport(const std::vector<std::shared_ptr<CheckReport>>& known);

    /// Names the dispatch in tools.
    const char* label() const {
        return mBinding->name ? mBinding->name->c_str() : "kp::OpAlgoDispatch";
    }
    /// Returns Algorithm::Impl::name of a dispatch; null if there is none.
    static const std::string* nameOf(const OpAlgoDispatch& dispatch) {
        return dispatch.mAlgorithm ? implOf(*dispatch.mAlgorithm).name.get() : nullptr;
    }
    /// Returns a text for messages: "dispatch of 'blur', a shader with 'source' and 'result', with
    /// 4 x 1 x 1 work groups".
    std::string describe() const;
    /// The push constants: the operation's, or its algorithm's.
    std::span<const unsigned char> constants() const { return mConstants; }
    /// Uses a copy of constants(), so that record() may be called when the operation has changed.
    void useConstantsAt(const unsigned char* copy) { mConstants = {copy, mConstants.size()}; }

    void record(BoundState& bound, VkCommandBuffer commandBuffer) const;

private:
    static Algorithm::Impl& checked(const OpAlgoDispatch& dispatch);
    void prepare(const OpAlgoDispatch& dispatch);

    Algorithm::Impl* mAlgorithm;
    const MemoryBinding* mBinding = nullptr;
    Workgroup mGroups;
    const vulkan::Buffer* mGroupCounts = nullptr; ///< of an indirect dispatch
    uint64_t mGroupCountsOffset = 0;
    std::span<const unsigned char> mConstants;
};

} // namespace kp
