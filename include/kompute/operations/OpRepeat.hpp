// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include <kompute/operations/OpBase.hpp>

namespace kp {

/// Repeats operations until a flag on the device is set. The host does nothing in between:
///
///     sequence->record<kp::OpRepeat>(step, done, 100)->eval();
///
/// Before each step, the device looks at the flag, an element of a tensor that the operations may
/// write. Once it is not 0, no further step runs: the dispatches of those that were recorded get 0
/// work groups. A flag that is set from the start skips all steps, so a sequence may be evaluated
/// again for further steps, and evaluations after the last one change nothing.
///
/// **Operations.** Dispatches, primitives, OpCopy and OpFill of tensors, OpMult, and operations
/// that consist of such parts (OpBase::makeSkippable()). Others, such as OpSyncLocal and operations
/// with commands of their own, are refused, because the device cannot skip them.
///
/// **Cost.** All steps are recorded, once, so recording and memory grow with their number. A step
/// takes one more dispatch than its operations. If many steps may be needed, record some, and
/// evaluate the sequence until the flag is set.
///
/// It is one operation: it has one timestamp, and the host functions preEval() and postEval() of
/// its operations are called once.
class KOMPUTE_API OpRepeat : public OpBase {
public:
    /// Dispatches that all steps may have together.
    static constexpr uint64_t kMaxDispatches = uint64_t{1} << 20;

    /// @param operations  of a step, in order; the sequence keeps them
    /// @param flag        a tensor of eBool or integers on the device of the operations
    /// @param most        steps that may run, 1 or more
    /// @param element     number of the flag in its tensor
    /// @throws InvalidArgument if there are no operations, one is null, or the flag is null, of
    ///         another type or not in its tensor
    OpRepeat(std::vector<std::shared_ptr<OpBase>> operations, std::shared_ptr<Tensor> flag,
             uint32_t most, uint64_t element = 0);
    ~OpRepeat() override;
    /// Throws what the constructor throws for these arguments.
    static void require(const std::shared_ptr<Tensor>& flag, uint32_t most, uint64_t element);

    const std::vector<std::shared_ptr<OpBase>>& operations() const { return mOperations; }

    /// Returns no accesses: the operations are parts, which have their own.
    Accesses accesses() override;
    /// @throws InvalidArgument if no sequence is recording, an operation cannot be skipped, or
    /// there
    ///         are more than kMaxDispatches; what the operations throw. Nothing is recorded then
    void record(const vk::CommandBuffer& commandBuffer) override;
    void preEval(const vk::CommandBuffer& commandBuffer) override;
    void postEval(const vk::CommandBuffer& commandBuffer) override;

private:
    class Switch;

    std::vector<std::shared_ptr<OpBase>> mOperations;
    std::shared_ptr<Tensor> mFlag;
    uint32_t mMost;
    uint64_t mElement;
};

} // namespace kp
