// SPDX-License-Identifier: Apache-2.0
#include <kompute/operations/OpRepeat.hpp>

#include <algorithm>
#include <array>
#include <map>
#include <span>
#include <utility>

#include <ShaderSwitch.hpp>

#include "base/Text.hpp"
#include "core/Native.hpp"
#include "core/memory/MemoryImpl.hpp"
#include "core/sequence/Predication.hpp"
#include "core/sequence/Recorder.hpp"
#include "operations/ByteKernel.hpp"
#include "operations/StoragePipeline.hpp"

namespace kp {
namespace {

bool isFlag(Memory::DataTypes type) {
    switch (type) {
    case Memory::DataTypes::eBool:
    case Memory::DataTypes::eChar:
    case Memory::DataTypes::eUnsignedChar:
    case Memory::DataTypes::eShort:
    case Memory::DataTypes::eUnsignedShort:
    case Memory::DataTypes::eInt:
    case Memory::DataTypes::eUnsignedInt:
    case Memory::DataTypes::eLong:
    case Memory::DataTypes::eUnsignedLong:
        return true;
    default:
        return false;
    }
}

void requireElement(const Tensor& flag, uint64_t element) {
    implOf(flag).requireAlive();
    if (element >= implOf(flag).count)
        fail<InvalidArgument>("OpRepeat: the flag is element {} of a tensor that has {}", element,
                              counted(implOf(flag).count, "element"));
}

} // namespace

/// Switches off the dispatches of steps: its kernel, the first dispatch of each step, sets the
/// group counts of all, its own included.
class OpRepeat::Switch final : public OpBase, public Predication {
public:
    Switch(std::shared_ptr<Tensor> flag, uint64_t element)
        : mDevice(implOf(*flag).device), mFlag(std::move(flag)), mElement(element),
          mPipeline(storagePipeline(*mDevice, {.spirv = SHADERSWITCH_COMP_SPV,
                                               .bindings = 3,
                                               .pushConstantBytes = sizeof mPush})
                        .pipeline) {
        makeSkippable();
        reserve(kLeast);
        static_cast<void>(next({1, 1, 1})); // of the kernel itself
    }

    /// Completes the switch once all dispatches of a step are known.
    void complete() {
        finish();
        const size_t words = full().size();
        mFull = scratchTensor(mDevice, words * sizeof(uint32_t));
        std::vector<uint32_t> groups = full();
        mGroups = {static_cast<uint32_t>((words + kGroupSize - 1) / kGroupSize), 1, 1};
        std::copy(mGroups.begin(), mGroups.end(), groups.begin());
        implOf(*mFull).upload(groups.data(), words * sizeof(uint32_t), 0);

        const vulkan::Buffer& flag = *implOf(*mFlag).buffer;
        const uint32_t bytes = implOf(*mFlag).elementSize;
        const StorageView bound = storageView(flag, mElement * bytes, bytes, 1, sizeof(uint32_t));
        const uint64_t mask = UINT64_MAX >> (64 - 8 * bytes) << (8 * (bound.first % 4));
        mPush[0] = static_cast<uint32_t>(words);
        mPush[1] = bound.first / 4;
        mPush[2] = static_cast<uint32_t>(mask);
        mPush[3] = static_cast<uint32_t>(mask >> 32);
        const auto whole = [](const vulkan::Buffer& buffer) {
            return VkDescriptorBufferInfo{buffer.handle(), buffer.offset(), buffer.size()};
        };
        std::vector<vulkan::DescriptorWrite> writes(3);
        writes[0].buffer = bound.info;
        writes[1].buffer = whole(*implOf(*mFull).buffer);
        writes[2].buffer = whole(*counts());
        for (uint32_t i = 0; i < writes.size(); ++i)
            writes[i].binding = i;
        mSet = mDevice->descriptors().create(mPipeline->layout(), writes);
    }
    size_t dispatchesPerStep() const { return dispatches(); }

    Accesses accesses() override {
        Accesses accesses;
        accesses.read(mFlag).read(mFull).write(mCounts);
        return accesses;
    }
    void record(const vk::CommandBuffer& commandBuffer) override {
        const VkCommandBuffer commands = native::handleOf(commandBuffer);
        Recorder::withBoundState(*mDevice, commands, [&](BoundState& bound, Recorder* recorder) {
            if (recorder) {
                recorder->keep(mPipeline);
                recorder->keep(mSet);
            }
            bound.bind(*mPipeline, mSet.get());
            bound.push(*mPipeline, mPush, sizeof mPush);
            // The first one is not switched off yet.
            if (bound.predication())
                bound.dispatchIndirect({counts().get(), 0});
            else
                bound.dispatch(mGroups);
        });
    }
    void preEval(const vk::CommandBuffer&) override {}
    void postEval(const vk::CommandBuffer&) override {}

    const std::shared_ptr<vulkan::Buffer>& counts() const override {
        return implOf(*mCounts).buffer;
    }

private:
    static constexpr size_t kLeast = 64; ///< dispatches
    static constexpr size_t kGroupSize = 64;

    void reserve(size_t dispatches) override {
        const size_t words = std::max(dispatches, kLeast) * kSlotWords;
        if (!mCounts || implOf(*mCounts).count < words)
            mCounts = scratchTensor(mDevice, 2 * words * sizeof(uint32_t));
    }
    void copy(BoundState&, VkCommandBuffer commandBuffer, const Slot& from,
              const Slot& to) override {
        const vulkan::CopiedRange range{from.offset, to.offset, kSlotWords * sizeof(uint32_t)};
        // The operation that reads the buffer keeps it.
        const ByteKernel::BufferPtr source(std::shared_ptr<void>(), from.buffer);
        std::shared_ptr<const ByteKernel>& kernel = mCopies[to.offset];
        if (!kernel || !kernel->isFor(source, counts()))
            kernel = std::make_shared<const ByteKernel>(source, counts(), std::span(&range, 1));
        ByteKernel::record(kernel, commandBuffer);
    }

    const std::shared_ptr<vulkan::Device> mDevice;
    std::shared_ptr<Tensor> mFlag;
    uint64_t mElement;
    std::shared_ptr<vulkan::Pipeline> mPipeline;
    std::shared_ptr<vulkan::DescriptorSet> mSet;
    std::shared_ptr<Tensor> mCounts; ///< of dispatches(), in the order of a step
    std::shared_ptr<Tensor> mFull;   ///< full()
    std::map<uint64_t, std::shared_ptr<const ByteKernel>> mCopies; ///< by offset in the counts
    std::array<uint32_t, 3> mGroups{};
    uint32_t mPush[4] = {};
};

OpRepeat::OpRepeat(std::vector<std::shared_ptr<OpBase>> operations, std::shared_ptr<Tensor> flag,
                   uint32_t most, uint64_t element)
    : mOperations(std::move(operations)), mFlag(std::move(flag)), mMost(most), mElement(element) {
    if (mOperations.empty())
        throw InvalidArgument("OpRepeat was given no operations to repeat");
    for (const std::shared_ptr<OpBase>& operation : mOperations)
        if (!operation)
            throw InvalidArgument("OpRepeat was given an operation that is null");
    require(mFlag, mMost, mElement);
    makeSavable();
}

void OpRepeat::require(const std::shared_ptr<Tensor>& flag, uint32_t most, uint64_t element) {
    if (!flag)
        throw InvalidArgument("OpRepeat was given a flag that is null");
    if (!isFlag(flag->dataType()))
        fail<InvalidArgument>("OpRepeat takes a flag of {} or integers, not {}",
                              Memory::toString(Memory::DataTypes::eBool),
                              Memory::toString(flag->dataType()));
    requireElement(*flag, element);
    if (most == 0)
        throw InvalidArgument("OpRepeat takes the number of steps that may run, at least 1, not 0");
}

OpRepeat::~OpRepeat() = default;

Accesses OpRepeat::accesses() {
    return {};
}

void OpRepeat::record(const vk::CommandBuffer& commandBuffer) {
    Recorder* const recorder = Recorder::active(native::handleOf(commandBuffer));
    if (!recorder)
        throw InvalidArgument("OpRepeat is recorded by a sequence, a launcher or a queue; give it "
                              "to one of them");
    requireElement(*mFlag, mElement);
    // The step is recorded without effect first, because recorded commands cannot be removed.
    const auto made = std::make_shared<Switch>(mFlag, mElement);
    Recorder::rehearseStep(*implOf(*mFlag).device, mOperations, *made);
    made->complete();
    if (made->dispatchesPerStep() * mMost > kMaxDispatches)
        fail<InvalidArgument>(
            "OpRepeat records {} steps of {} each, over {} in all; let fewer steps "
            "run, and evaluate the sequence until the flag is set",
            mMost, counted(made->dispatchesPerStep(), "dispatch"), kMaxDispatches);
    recordPart(commandBuffer, *made);
    const std::shared_ptr<OpBase> next = made;
    for (uint32_t step = 0; step < mMost; ++step) {
        made->beginStep(1);
        if (step > 0)
            recorder->recordStep({&next, 1}, *made);
        recorder->recordStep(mOperations, *made);
    }
}

void OpRepeat::preEval(const vk::CommandBuffer& commandBuffer) {
    for (const std::shared_ptr<OpBase>& operation : mOperations)
        operation->preEval(commandBuffer);
}

void OpRepeat::postEval(const vk::CommandBuffer& commandBuffer) {
    for (const std::shared_ptr<OpBase>& operation : mOperations)
        operation->postEval(commandBuffer);
}

} // namespace kp
