// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include <kompute/primitives/Primitive.hpp>
#include <kompute/primitives/TensorRange.hpp>

namespace kp {

/// Which elements OpTopK finds. By default the largest of all.
struct TopKOptions {
    bool smallest = false;
    /// The extents of the input, outermost first (as NumPy's C order), at most 4. Empty: one
    /// dimension.
    std::vector<uint64_t> shape;
    /// The axis along which to find k elements each; negative ones count from the last. Outputs
    /// have k as their extent there. Without one, all elements are one row.
    std::optional<int> axis;
};

/// Finds the k largest (or smallest) elements and their indices, in order.
///
///     sequence->record<kp::OpTopK>(values, 10, largest, indices);
///
/// **Order.** As OpArgSort, descending (or, for the smallest, ascending): the outputs are the
/// beginning of its outputs. So the largest element comes first, and of equal elements the one with
/// the smallest index. All NaNs are equal and larger than any number, as in NumPy's sort and
/// PyTorch's topk. +0 is larger than -0. Bits of elements are never changed.
///
/// **Types.** All numbers and eBool; of 8 and 16 bits if the device's shaders have storage of that
/// size.
///
/// **Method.** Rows of a few thousand elements are sorted by a work group each. Of longer ones,
/// each chunk is reduced to its k first elements, by a radix selection of 8 bits at a time in one
/// work group (Alabi et al., "Fast k-selection algorithms for graphics processing units", 2012);
/// then the remaining elements are a shorter row. Up to a k of about 1,500, a work group reads
/// its chunk once: it gathers elements that are before the k-th one so far, and selects among
/// these. If k is more than a quarter of a long row, rows are sorted. Along an axis other than the
/// last, the input is transposed first.
///
/// Scratch memory: at most an eighth of the input; if the input is sorted or transposed, one to
/// three times the input.
class KOMPUTE_API OpTopK : public Primitive {
public:
    /// @param in       at least k elements in each row
    /// @param k        how many elements; may be 0
    /// @param values   k elements per row, of the input's type; may be empty if @p indices is not
    /// @param indices  as many eUnsignedInt, eInt, eUnsignedLong or eLong, from the start of the
    ///                 row; may be empty. No output may overlap with another argument.
    /// @throws InvalidArgument if types, sizes, shape or axis do not match, or if the indices' type
    ///         is too small; Unsupported if the device lacks a type; OutOfMemory
    OpTopK(const TensorRange& in, uint64_t k, const TensorRange& values,
           const TensorRange& indices = {}, const TopKOptions& options = {});
    ~OpTopK() override;
};

} // namespace kp
