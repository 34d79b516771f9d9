// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include <kompute/primitives/Primitive.hpp>
#include <kompute/primitives/TensorRange.hpp>

namespace kp {

/// Copies elements (or slices along an axis) to given indices: out[indices[i]] = in[i]. The other
/// elements of the output keep their values.
///
///     sequence->record<kp::OpScatter>(values, indices, table);
///
/// **Types.** Elements of all types, also structs: only their size matters. Indices of
/// eUnsignedInt, eInt, eUnsignedLong or eLong.
///
/// **Indices out of range**, negative ones among them, are skipped: the device cannot throw.
///
/// **Equal indices.** The element has the value of any of them, which may differ from run to run. A
/// slice, or an element of more than 4 bytes, may then be a mixture.
class KOMPUTE_API OpScatter : public Primitive {
public:
    /// @param in     an element (or slice) per index
    /// @param out    must not overlap with @p in or @p indices
    /// @param shape  the extents of the output, outermost first (as NumPy's C order), at most 4.
    ///               Empty: one dimension
    /// @param axis   the axis that indices count along; negative ones count from the last. The
    ///               input has the number of indices as its extent there.
    /// @throws InvalidArgument if types, sizes or axis do not match; Unsupported if shaders of the
    ///         device cannot access elements of this size; OutOfMemory
    OpScatter(const TensorRange& in, const TensorRange& indices, const TensorRange& out,
              const std::vector<uint64_t>& shape = {}, int axis = 0);
    ~OpScatter() override;
};

} // namespace kp
