// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include <kompute/operations/OpBase.hpp>

namespace kp {

namespace primitives {
class BoundPlan;
}

/// Base class of the primitives (OpReduce, OpScan, ...): operations that consist of several
/// dispatches over the tensors given and over scratch memory, which the library manages.
///
/// A primitive is checked and compiled by its constructor and recorded by a sequence like any other
/// operation. Primitives with the types, sizes and options of an earlier one share its plan, so
/// making one takes microseconds. It reads and writes device memory. After the evaluation, the host
/// view of each output shows the result. Scratch memory is allocated when a primitive is first
/// recorded, belongs to it until it is destroyed, and is then reused by later primitives.
/// Queue::launch() lends it scratch memory instead.
class KOMPUTE_API Primitive : public OpBase {
public:
    ~Primitive() override;

    /// Returns no accesses: the dispatches are parts with their own accesses.
    Accesses accesses() override;
    /// @throws InvalidArgument if a tensor was destroyed or has become too small, or if no sequence
    ///         is recording
    void record(const vk::CommandBuffer& commandBuffer) override;
    void preEval(const vk::CommandBuffer&) override {}
    void postEval(const vk::CommandBuffer& commandBuffer) override;

protected:
    explicit Primitive(std::unique_ptr<primitives::BoundPlan> plan);

private:
    friend class PrimitiveLauncher;
    friend class primitives::BoundPlan;
    std::unique_ptr<primitives::BoundPlan> mPlan;
};

} // namespace kp
