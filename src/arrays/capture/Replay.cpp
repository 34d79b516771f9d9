// SPDX-License-Identifier: Apache-2.0
#include "arrays/capture/Replay.hpp"

#include <algorithm>

#include "core/algorithm/AlgorithmImpl.hpp"
#include "core/memory/MemoryImpl.hpp"
#include "core/sequence/Recorder.hpp"

namespace kp::arrays {
namespace {

/// Choices of memory that stay recorded: a loop whose results are its next arguments takes turns
/// with a few.
constexpr size_t kMaxVariants = 8;

} // namespace

/// The part of operations that does not depend on their memory.
struct Replay::State {
    std::shared_ptr<vulkan::Device> device;
    std::vector<std::shared_ptr<OpBase>> operations;
    Tensors rebound;
    std::vector<std::shared_ptr<Algorithm>> algorithms;
    Derived derived;

    void bind(const Buffers& buffers) const {
        for (size_t i = 0; i < rebound.size(); ++i)
            implOf(*rebound[i]).buffer = buffers[i];
        for (const auto& [tensor, from] : derived)
            implOf(*tensor).buffer = implOf(*from).buffer;
        for (const std::shared_ptr<Algorithm>& algorithm : algorithms)
            implOf(*algorithm).bindMemory();
    }
};

/// All operations with one choice of memory.
class Replay::Operation final : public OpBase {
public:
    Operation(std::shared_ptr<const State> state, Buffers buffers)
        : mState(std::move(state)), mBuffers(std::move(buffers)) {}

    Accesses accesses() override { return {}; }
    void record(const vk::CommandBuffer& commandBuffer) override {
        mState->bind(mBuffers);
        for (const std::shared_ptr<OpBase>& operation : mState->operations)
            recordPart(commandBuffer, *operation);
    }
    void preEval(const vk::CommandBuffer&) override {}
    void postEval(const vk::CommandBuffer&) override {}

private:
    std::shared_ptr<const State> mState;
    Buffers mBuffers;
};

Replay::Replay(std::shared_ptr<vulkan::Device> device,
               std::vector<std::shared_ptr<OpBase>> operations, Tensors rebound,
               std::vector<std::shared_ptr<Algorithm>> algorithms, Derived derived)
    : mState(std::make_shared<State>(State{std::move(device), std::move(operations),
                                           std::move(rebound), std::move(algorithms),
                                           std::move(derived)})) {
    mWritten = Recorder::writtenBy(*mState->device, mState->operations);
}

Replay::~Replay() = default;

bool Replay::writes(const Tensor& tensor) const {
    return std::ranges::find(mWritten, implOf(tensor).buffer.get()) != mWritten.end();
}

void Replay::launch(const std::shared_ptr<Queue>& queue, const Buffers& buffers) {
    if (mState->operations.empty())
        return;
    auto known = std::ranges::find(mVariants, buffers, &Variant::buffers);
    if (known == mVariants.end()) {
        if (mVariants.size() == kMaxVariants)
            mVariants.pop_back();
        mVariants.push_front({buffers, std::make_shared<Operation>(mState, buffers),
                              std::make_shared<Repeater>(mState->device)});
    } else {
        mVariants.splice(mVariants.begin(), mVariants, known);
    }
    const Variant& variant = mVariants.front();
    launchRepeated(queue, variant.repeater, {variant.operation}, "captured function");
}

} // namespace kp::arrays
