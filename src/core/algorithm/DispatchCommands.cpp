// SPDX-License-Identifier: Apache-2.0
#include "core/algorithm/DispatchCommands.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include <kompute/Error.hpp>

#include "base/Text.hpp"
#include "core/algorithm/AlgorithmChecks.hpp"
#include "core/memory/MemoryImpl.hpp"
#include "vulkan/queue/Commands.hpp"

namespace kp {
namespace {

constexpr uint64_t kGroupCountsBytes = 3 * sizeof(uint32_t);

void requireGroupCounts(const Tensor& tensor, uint64_t offset, const vulkan::Device& device) {
    requireSameDevice(tensor, device, "an indirect dispatch");
    using DataTypes = Memory::DataTypes;
    const DataTypes type = tensor.dataType();
    if (type != DataTypes::eUnsignedInt && type != DataTypes::eInt && type != DataTypes::eCustom)
        fail<InvalidArgument>("the group counts of an indirect dispatch are three {}, not {}",
                              Memory::toString(DataTypes::eUnsignedInt), Memory::toString(type));
    const uint64_t bytes = implOf(tensor).bytes();
    if (offset % 4 != 0 || offset > bytes || bytes - offset < kGroupCountsBytes)
        fail<InvalidArgument>(
            "the group counts of an indirect dispatch are {} bytes at an offset "
            "that is a multiple of 4; offset {} does not fit a tensor of {} bytes",
            kGroupCountsBytes, offset, bytes);
}

} // namespace

DispatchCommands::DispatchCommands(const OpAlgoDispatch& dispatch)
    : mAlgorithm(&checked(dispatch)), mGroups(mAlgorithm->workgroup) {
    try {
        prepare(dispatch);
    } catch (const InvalidArgument& error) {
        if (mAlgorithm->name)
            fail<InvalidArgument>("'{}': {}", *mAlgorithm->name, error.what());
        throw;
    }
}

void DispatchCommands::prepare(const OpAlgoDispatch& dispatch) {
    mConstants = mAlgorithm->constantsFor(
        {dispatch.mPushConstants.data(), dispatch.mPushConstants.size()}, dispatch.mPushType);
    if (dispatch.mGroupCounts) [[unlikely]] {
        mGroupCountsOffset = dispatch.mGroupCountsOffset;
        requireGroupCounts(*dispatch.mGroupCounts, mGroupCountsOffset, *mAlgorithm->device);
        mGroupCounts = implOf(*dispatch.mGroupCounts).buffer.get();
    } else {
        mAlgorithm->checkWorkgroupOnce();
        checkWorkgroup(mGroups, *mAlgorithm->device);
    }
    mAlgorithm->refreshBinding();
    mBinding = mAlgorithm->binding.get();
}

void DispatchCommands::useOwnReport(const CheckReports& known) {
    const std::shared_ptr<CheckReport>& report = mBinding->notes.report;
    if (!report || report.use_count() == 1 || std::ranges::find(known, report) != known.end())
        return;
    mAlgorithm->bindMemory();
    mBinding = mAlgorithm->binding.get();
}

Algorithm::Impl& DispatchCommands::checked(const OpAlgoDispatch& dispatch) {
    if (!dispatch.mAlgorithm)
        throw InvalidArgument("the algorithm to dispatch is null");
    implOf(*dispatch.mAlgorithm).requireReady();
    return implOf(*dispatch.mAlgorithm);
}

std::pair<std::shared_ptr<OpAlgoDispatch>, std::shared_ptr<Algorithm>>
DispatchCommands::copyOf(const OpAlgoDispatch& dispatch) {
    const Algorithm::Impl& algorithm = checked(dispatch);
    std::shared_ptr<Algorithm> own = cloneOf(*dispatch.mAlgorithm);
    implOf(*own).pushConstants = algorithm.pushConstants;
    auto copy =
        dispatch.mGroupCounts
            ? std::make_shared<OpAlgoDispatch>(own, dispatch.mGroupCounts,
                                               dispatch.mGroupCountsOffset)
            : std::make_shared<OpAlgoDispatch>(own, dispatch.mPushConstants.data(),
                                               dispatch.mPushConstants.size(), dispatch.mPushType);
    return {std::move(copy), std::move(own)};
}

std::string DispatchCommands::describe() const {
    std::vector<std::string> bindings;
    for (const shader::Binding& binding : mBinding->reflection->bindings)
        bindings.push_back(binding.name.empty() ? formatted("binding {}", binding.binding)
                                                : formatted("'{}'", binding.name));
    const std::string groups =
        mGroupCounts ? "work groups counted on the device"
                     : formatted("{} x {} x {} work groups", mGroups[0], mGroups[1], mGroups[2]);
    return formatted("dispatch of {}a shader with {}, with {}",
                     mBinding->name ? formatted("'{}', ", *mBinding->name) : std::string(),
                     bindings.empty() ? "no bindings" : join(bindings), groups);
}

void DispatchCommands::record(BoundState& bound, VkCommandBuffer commandBuffer) const {
    mBinding->notes.record(bound.device(), commandBuffer);
    Predication::Slot counts{};
    if (mGroupCounts) [[unlikely]]
        counts = bound.indirectCounts(*mGroupCounts, mGroupCountsOffset);
    mBinding->bindTo(bound);
    if (!mConstants.empty())
        bound.push(*mBinding->pipeline, mConstants.data(),
                   static_cast<uint32_t>(mConstants.size()));
    if (mGroupCounts) [[unlikely]]
        bound.dispatchIndirect(counts);
    else
        bound.dispatch(mGroups);
}

} // namespace kp
