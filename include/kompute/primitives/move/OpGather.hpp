// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include <kompute/primitives/Primitive.hpp>
#include <kompute/primitives/TensorRange.hpp>

namespace kp {

/// Copies the elements (or slices along an axis) with given indices: out[i] = in[indices[i]].
///
///     sequence->record<kp::OpGather>(values, indices, chosen);
///
/// **Types.** Elements of all types, also structs: only their size matters. Indices of
/// eUnsignedInt, eInt, eUnsignedLong or eLong.
///
/// **Indices out of range**, negative ones among them, are skipped: the device cannot throw. These
/// elements of the output keep their values.
class KOMPUTE_API OpGather : public Primitive {
public:
    /// @param out    an element (or slice) per index; must not overlap with @p in or @p indices
    /// @param shape  the extents of the input, outermost first (as NumPy's C order), at most 4.
    ///               Empty: one dimension
    /// @param axis   the axis that indices count along; negative ones count from the last. The
    ///               output has the number of indices as its extent there.
    /// @throws InvalidArgument if types, sizes or axis do not match; Unsupported if shaders of the
    ///         device cannot access elements of this size; OutOfMemory
    OpGather(const TensorRange& in, const TensorRange& indices, const TensorRange& out,
             const std::vector<uint64_t>& shape = {}, int axis = 0);
    ~OpGather() override;
};

} // namespace kp
