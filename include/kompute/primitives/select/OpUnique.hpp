// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <kompute/primitives/Primitive.hpp>
#include <kompute/primitives/TensorRange.hpp>
#include <kompute/primitives/select/SelectOptions.hpp>

namespace kp {

/// Further outputs of OpUnique.
struct UniqueOptions : SelectOptions {
    /// How many elements in a row each result stands for; eUnsignedInt, eInt, eUnsignedLong or
    /// eLong. Of any size: counts that do not fit are dropped.
    TensorRange counts;
    /// For each element of the input the index of its result; of these types, too.
    TensorRange inverse;
};

/// Copies the first of each run of equal elements, in their order. Sorted input gives each value
/// once.
///
///     sequence->record<kp::OpUnique>(sorted, distinct, count);
///
/// **Types.** All. Numbers are equal if they compare equal, so NaN differs from NaN, and -0 equals
/// 0. Structs are equal if all their bytes are.
///
/// **Method.** As OpSelect, for the elements that differ from the one before.
class KOMPUTE_API OpUnique : public Primitive {
public:
    /// @param in     must not overlap with another argument
    /// @param out    of any size: elements that do not fit are dropped, but counted. The elements
    ///               after the results keep their values.
    /// @param count  one eUnsignedInt, eInt, eUnsignedLong or eLong, the number of results; may be
    ///               empty
    /// @throws InvalidArgument if types or sizes do not match; Unsupported if the device lacks a
    ///         type; OutOfMemory
    OpUnique(const TensorRange& in, const TensorRange& out, const TensorRange& count,
             const UniqueOptions& options = {});
    ~OpUnique() override;
};

} // namespace kp
