// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <kompute/primitives/Primitive.hpp>
#include <kompute/primitives/TensorRange.hpp>
#include <kompute/primitives/select/Predicate.hpp>
#include <kompute/primitives/select/SelectOptions.hpp>

namespace kp {

/// Copies the chosen elements to the start of the output, in their order.
///
///     sequence->record<kp::OpSelect>(values, kp::Predicate("x > 0"), positive, count);
///
/// The number of chosen elements stays on the device, where later work can use it: as a number, or
/// as the group counts of an indirect dispatch (see SelectOptions).
///
/// **Types.** All, also structs; a predicate needs numbers.
///
/// **Method.** One pass, in which work groups look back at the counts of earlier ones, as in
/// OpScan. On CPUs, on devices without the device-scope memory model, for OpPartition, and for
/// elements that are not moved in one access or do not fit a storage buffer's range, three passes:
/// the first marks elements, a bit each, and counts them in each tile; the second scans the
/// counts; the third moves elements.
class KOMPUTE_API OpSelect : public Primitive {
public:
    /// @param in     must not overlap with another argument
    /// @param flags  a number per element; elements are chosen if theirs is not 0
    /// @param out    of any size: elements that do not fit are dropped, but counted. Elements after
    ///               the chosen ones keep their values.
    /// @param count  one eUnsignedInt, eInt, eUnsignedLong or eLong, the number of chosen elements;
    ///               may be empty
    /// @throws InvalidArgument if types or sizes do not match; ShaderError if the predicate does
    ///         not compile; Unsupported if the device lacks a type; OutOfMemory
    OpSelect(const TensorRange& in, const TensorRange& flags, const TensorRange& out,
             const TensorRange& count, const SelectOptions& options = {});
    OpSelect(const TensorRange& in, const Predicate& predicate, const TensorRange& out,
             const TensorRange& count, const SelectOptions& options = {});
    ~OpSelect() override;
};

} // namespace kp
