// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include <kompute/primitives/Primitive.hpp>
#include <kompute/primitives/TensorRange.hpp>

namespace kp {

/// Joins arrays along an axis.
///
///     sequence->record<kp::OpConcatenate>({first, second}, joined);
///
/// **Types.** All, also structs. Only the size of an element matters.
class KOMPUTE_API OpConcatenate : public Primitive {
public:
    /// @param in     at least one; their extents along the axis follow from their sizes; the other
    ///               extents equal the output's. None may overlap with @p out.
    /// @param out    as many elements as the inputs together, of the same type
    /// @param shape  the extents of the output, outermost first (as NumPy's C order), at most 4.
    ///               Empty: one dimension
    /// @param axis   negative ones count from the last
    /// @throws InvalidArgument if types, sizes or axis do not match; Unsupported if shaders of the
    ///         device cannot access elements of this size; OutOfMemory
    OpConcatenate(const std::vector<TensorRange>& in, const TensorRange& out,
                  const std::vector<uint64_t>& shape = {}, int axis = 0);
    OpConcatenate(const std::vector<std::shared_ptr<Tensor>>& in, const TensorRange& out,
                  const std::vector<uint64_t>& shape = {}, int axis = 0);
    ~OpConcatenate() override;
};

} // namespace kp
