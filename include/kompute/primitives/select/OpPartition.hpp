// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <kompute/primitives/Primitive.hpp>
#include <kompute/primitives/TensorRange.hpp>
#include <kompute/primitives/select/Predicate.hpp>
#include <kompute/primitives/select/SelectOptions.hpp>

namespace kp {

/// Copies the chosen elements to the start of the output, followed by the others, both in their
/// order.
///
///     sequence->record<kp::OpPartition>(values, flags, parts, count);
///
/// The number of chosen elements stays on the device, where later work can use it: as a number, or
/// as the group counts of an indirect dispatch (see SelectOptions).
///
/// **Types and method.** As OpSelect.
class KOMPUTE_API OpPartition : public Primitive {
public:
    /// @param in     must not overlap with another argument
    /// @param flags  a number per element; elements are chosen if theirs is not 0
    /// @param out    as many elements as the input
    /// @param count  one eUnsignedInt, eInt, eUnsignedLong or eLong, the number of chosen elements;
    ///               may be empty
    /// @throws InvalidArgument if types or sizes do not match; ShaderError if the predicate does
    ///         not compile; Unsupported if the device lacks a type; OutOfMemory
    OpPartition(const TensorRange& in, const TensorRange& flags, const TensorRange& out,
                const TensorRange& count, const SelectOptions& options = {});
    OpPartition(const TensorRange& in, const Predicate& predicate, const TensorRange& out,
                const TensorRange& count, const SelectOptions& options = {});
    ~OpPartition() override;
};

} // namespace kp
