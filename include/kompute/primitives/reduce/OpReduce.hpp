// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include <kompute/primitives/Operator.hpp>
#include <kompute/primitives/Primitive.hpp>
#include <kompute/primitives/TensorRange.hpp>

namespace kp {

/// Options of OpReduce. By default all elements are reduced to one.
struct ReduceOptions {
    /// The extents of the input, outermost first (as NumPy's C order), at most 4. Empty: one
    /// dimension.
    std::vector<uint64_t> shape;
    /// The axis to reduce; negative ones count from the last. The output has the remaining axes.
    std::optional<int> axis;
    /// Reduces each segment of a one-dimensional input: n + 1 ascending offsets (eUnsignedInt,
    /// eInt, eUnsignedLong or eLong) for n results. Segment i has the elements from offset i up to,
    /// but without, offset i + 1, and may be empty. Parts of segments outside of the input are
    /// ignored.
    TensorRange segments;
};

/// Reduces elements to one, or to one per row, column or segment.
///
///     sequence->record<kp::OpReduce>(values, sum, kp::ReduceOperation::eSum);
///
/// **Types.** All numbers and eBool (0 or 1) if the device's shaders support them. Computed in the
/// output's type, but in at least 32 bits, and in eFloat for eHalf and eBFloat16. So an eChar input
/// and an eLong output give an exact 64-bit sum. Sums, products, counts and expressions take any
/// output type, except integers for floating-point input. eMean needs a floating-point output,
/// eArgMinimum and eArgMaximum an integer of 32 or 64 bits, eAny and eAll an integer or eBool. The
/// others need the input's type.
///
/// **Rounding.** The order of operations is fixed, so equal input gives equal bits on one device
/// and driver. It is a tree: the error of a floating-point sum grows with the logarithm of the
/// number of elements, plus at most 200 roundings.
///
/// **Method.** Each work group reduces a part by blocks of 16 bytes, several of them in flight per
/// invocation, then its subgroups exchange values. If there are fewer rows than work groups to fill
/// the device, a second dispatch reduces the parts of a row (Harris, "Optimizing parallel reduction
/// in CUDA", 2007; Merrill's CUB).
class KOMPUTE_API OpReduce : public Primitive {
public:
    /// @param in       any number of elements, also 0; must not overlap with @p out
    /// @param out      one element per result
    /// @param combine  a ReduceOperation, or an expression
    /// @throws InvalidArgument if types, sizes, shape or axis do not match; ShaderError if an
    ///         expression does not compile; Unsupported if the device lacks a type; OutOfMemory
    OpReduce(const TensorRange& in, const TensorRange& out, const Operator& combine,
             const ReduceOptions& options = {});
    ~OpReduce() override;
};

} // namespace kp
