// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include <kompute/primitives/Primitive.hpp>
#include <kompute/primitives/TensorRange.hpp>

namespace kp {

/// Permutes the axes of an array: axis i of the output is axis `axes[i]` of the input.
///
///     sequence->record<kp::OpTranspose>(matrix, transposed, std::vector<uint64_t>{rows, columns});
///
/// **Types.** All, also structs. Only the size of an element matters.
///
/// **Method.** Neighbouring axes that stay together count as one. If elements that are neighbours
/// in the output are not neighbours in the input, work groups move tiles through shared memory, and
/// so read and write whole cache lines (Ruetsch and Micikevicius, "Optimizing matrix transpose in
/// CUDA", 2009).
class KOMPUTE_API OpTranspose : public Primitive {
public:
    /// @param in     must not overlap with @p out
    /// @param out    as many elements of the same type
    /// @param shape  the extents of the input, outermost first (as NumPy's C order), at most 4
    /// @param axes   a permutation of the axes; negative ones count from the last. Empty: the axes
    ///               in reverse order
    /// @throws InvalidArgument if types, sizes or axes do not match; Unsupported if shaders of the
    ///         device cannot access elements of this size; OutOfMemory
    OpTranspose(const TensorRange& in, const TensorRange& out, const std::vector<uint64_t>& shape,
                const std::vector<int>& axes = {});
    ~OpTranspose() override;
};

} // namespace kp
