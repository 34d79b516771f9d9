// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include <kompute/operations/OpBase.hpp>
#include <kompute/primitives/TensorRange.hpp>

#include "primitives/plan/Plan.hpp"
#include "primitives/plan/PreparedPlan.hpp"
#include "vulkan/device/Device.hpp"
#include "vulkan/memory/SharedScratch.hpp"

namespace kp::primitives {

/// An argument of a primitive, for messages.
struct Argument {
    TensorRange range;
    const char* name; ///< "the output"
    /// The operation overwrites every element. Else elements may keep their values.
    bool replaced = false;
};

/// Returns the device of a primitive's arguments, the first of which is not null.
/// @param operation  for messages: "OpReduce"
/// @throws InvalidArgument if one is null, destroyed, on another device, or does not have the
///         elements of its range
std::shared_ptr<vulkan::Device> deviceOf(const std::vector<Argument>& arguments,
                                         const char* operation);

/// Returns the checks of the manager of the arguments, which deviceOf() has checked; if it does not
/// choose, of this thread.
shader::CheckKinds checksOf(const std::vector<Argument>& arguments);

/// Returns true if two arguments checked by deviceOf() are the same elements of the same size.
bool isSameMemory(const Argument& a, const Argument& b);

/// @throws InvalidArgument if two arguments checked by deviceOf() share elements
void requireDisjoint(const Argument& a, const Argument& b, const char* operation);

/// Returns the elements of a range that deviceOf() has checked.
uint64_t elementsOf(const TensorRange& range);

/// A plan and the tensors that it works on, ready to be recorded. Used by one thread at a time.
class BoundPlan {
public:
    /// Replaces Dispatch::push of the first steps. The others have the plan's own.
    using Pushes = std::vector<std::vector<uint32_t>>;

    /// @param arguments  checked by deviceOf()
    BoundPlan(std::shared_ptr<vulkan::Device> device, std::shared_ptr<const PreparedPlan> plan,
              std::vector<Argument> arguments, const char* operation, Pushes pushes = {});
    /// Of a plan that nothing else uses.
    /// @throws ShaderError, OutOfMemory
    BoundPlan(std::shared_ptr<vulkan::Device> device, Plan plan, std::vector<Argument> arguments,
              const char* operation);
    ~BoundPlan();
    BoundPlan(const BoundPlan&) = delete;
    BoundPlan& operator=(const BoundPlan&) = delete;

    using Parts = std::vector<std::unique_ptr<OpBase>>;
    /// Returns the steps, bound to the tensors' current memory and to scratch memory of this
    /// object's own. Valid until the next call.
    /// @throws InvalidArgument as deviceOf(), OutOfMemory
    const Parts& parts();
    /// Returns the steps for one submission, bound to the tensors' current memory and to scratch
    /// memory that is lent until then.
    /// @throws as parts()
    Parts partsFor(vulkan::SharedScratch::Loan& scratch) const;

    /// Returns the plan of an operation; null unless it is a primitive.
    static BoundPlan* of(OpBase& operation);
    /// Appends what tells it from others with the same plan or memory.
    /// @return false if equal operations cannot be told: they push numbers of their own, or the
    /// host
    ///         has mirrors of their memory
    bool appendIdentity(std::vector<uint64_t>& words) const;
    /// Works on tensors of its own from now on, in the memory that the arguments have now.
    void ownTensors();
    /// Returns the bytes of the arguments and of scratch memory.
    uint64_t bytes() const;

    const std::shared_ptr<vulkan::Device>& device() const { return mDevice; }
    const std::vector<Argument>& arguments() const { return mArguments; }
    const char* operation() const { return mOperation; } ///< "OpReduce"

private:
    using Tensors = std::vector<std::shared_ptr<Tensor>>;

    bool isBound() const;
    Parts bound(const Tensors& scratch) const;
    /// @param take  returns memory of at least so many bytes
    template <typename Take>
    Tensors scratchOf(Take&& take) const;

    std::shared_ptr<vulkan::Device> mDevice;
    std::shared_ptr<const PreparedPlan> mPlan;
    std::vector<Argument> mArguments;
    std::vector<uint64_t> mElements; ///< of the arguments, by mPlan
    const char* mOperation;
    Pushes mPushes;
    // Of parts().
    Tensors mScratch;
    Parts mParts;
    std::vector<std::shared_ptr<vulkan::Buffer>> mBoundBuffers; ///< of the arguments
};

} // namespace kp::primitives
