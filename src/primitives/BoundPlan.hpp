// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include <kompute/operations/OpBase.hpp>
#include <kompute/primitives/TensorRange.hpp>

#include "primitives/Plan.hpp"
#include "vulkan/device/Device.hpp"
#include "vulkan/pipeline/PipelineCache.hpp"

namespace kp::primitives {

/// An argument of a primitive, for messages.
struct Argument {
    TensorRange range;
    const char* name; ///< "the output"
    /// The operation writes every element, whatever it was. Else elements may keep their values.
    bool replaced = false;
};

/// Returns the device of a primitive's arguments, the first of which is not null.
/// @param operation  for messages: "OpReduce"
/// @throws InvalidArgument if one is null, destroyed, on another device, or does not have the
///         elements of its range
std::shared_ptr<vulkan::Device> deviceOf(const std::vector<Argument>& arguments,
                                         const char* operation);

/// Returns true if two arguments checked by deviceOf() are the same elements of the same size.
bool isSameMemory(const Argument& a, const Argument& b);

/// @throws InvalidArgument if two arguments checked by deviceOf() share elements
void requireDisjoint(const Argument& a, const Argument& b, const char* operation);

/// Returns the elements of a range that deviceOf() has checked.
uint64_t elementsOf(const TensorRange& range);

/// A plan with its pipelines, its scratch memory and the tensors it works on, ready to be recorded.
/// Used by one thread at a time.
class BoundPlan {
public:
    /// Compiles the kernels and takes the scratch memory.
    /// @param arguments  checked by deviceOf()
    /// @throws ShaderError, OutOfMemory
    BoundPlan(std::shared_ptr<vulkan::Device> device, Plan plan, std::vector<Argument> arguments,
              const char* operation);
    ~BoundPlan();
    BoundPlan(const BoundPlan&) = delete;
    BoundPlan& operator=(const BoundPlan&) = delete;

    /// Returns the steps, bound to the tensors' current memory. Valid until the next call.
    /// @throws InvalidArgument as deviceOf()
    const std::vector<std::unique_ptr<OpBase>>& parts();

    const std::vector<Argument>& arguments() const { return mArguments; }
    const char* operation() const { return mOperation; } ///< "OpReduce"

private:
    bool isBound() const;
    void bind();

    std::shared_ptr<vulkan::Device> mDevice;
    Plan mPlan;
    std::vector<Argument> mArguments;
    std::vector<uint64_t> mElements; ///< of the arguments, by mPlan
    const char* mOperation;
    std::vector<std::shared_ptr<vulkan::Pipeline>> mPipelines;
    std::vector<std::shared_ptr<Tensor>> mScratch;
    std::vector<std::unique_ptr<OpBase>> mParts;
    std::vector<std::shared_ptr<vulkan::Buffer>> mBoundBuffers; ///< of the arguments, by mParts
};

} // namespace kp::primitives
