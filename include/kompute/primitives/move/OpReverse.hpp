// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include <kompute/primitives/Primitive.hpp>
#include <kompute/primitives/TensorRange.hpp>

namespace kp {

/// Reverses the order of elements along some axes, or along all.
///
///     sequence->record<kp::OpReverse>(values, reversed);
///
/// **Types.** All, also structs. Only the size of an element matters.
class KOMPUTE_API OpReverse : public Primitive {
public:
    /// @param in     must not overlap with @p out
    /// @param out    as many elements of the same type
    /// @param shape  the extents, outermost first (as NumPy's C order), at most 4. Empty: one
    ///               dimension
    /// @param axes   the axes to reverse; negative ones count from the last. Empty: all
    /// @throws InvalidArgument if types, sizes or axes do not match; Unsupported if shaders of the
    ///         device cannot access elements of this size; OutOfMemory
    OpReverse(const TensorRange& in, const TensorRange& out,
              const std::vector<uint64_t>& shape = {}, const std::vector<int>& axes = {});
    ~OpReverse() override;
};

} // namespace kp
