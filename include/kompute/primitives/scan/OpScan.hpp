// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include <kompute/primitives/Determinism.hpp>
#include <kompute/primitives/Operator.hpp>
#include <kompute/primitives/Primitive.hpp>
#include <kompute/primitives/TensorRange.hpp>

namespace kp {

/// Options of OpScan. By default all elements are one sequence, scanned inclusively.
struct ScanOptions {
    bool exclusive = false; ///< results do not include their own element; the first is the identity
    /// The extents of the input, outermost first (as NumPy's C order), at most 4. Empty: one
    /// dimension.
    std::vector<uint64_t> shape;
    /// The axis to scan along; negative ones count from the last. Without one, the elements are one
    /// sequence.
    std::optional<int> axis;
    /// Starts again at each offset (eUnsignedInt, eInt, eUnsignedLong or eLong) of a
    /// one-dimensional input. Offsets may come in any order, repeat, and lie outside of the input.
    TensorRange segments;
    Determinism determinism = Determinism::eRunToRun; ///< see OpScan
};

/// Reduces the elements up to each one: prefix sums, running maxima, ...
///
///     sequence->record<kp::OpScan>(counts, offsets, kp::ReduceOperation::eSum, exclusive);
///
/// **Types.** As for OpReduce: computed in the output's type, in at least 32 bits. Sums, products
/// and expressions take any output type, except integers for floating-point input; the others need
/// the input's type. Expressions need not be commutative.
///
/// **Rounding.** Equal input gives equal bits on one device and driver, although work groups
/// combine earlier results in different ways from run to run: each published value is the same
/// either way. This costs no time, so Determinism::eNone changes nothing.
///
/// **Method.** One pass over the elements (Merrill and Garland, "Single-pass parallel prefix scan
/// with decoupled look-back", 2016), which reads and writes each once. A work group that waits too
/// long for an earlier one computes that group's part itself (Smith, Levien and Owens, "Decoupled
/// Fallback", 2025), so that any driver finishes. Along an axis other than the last, each
/// invocation scans a part of a column; if there are few columns, a first dispatch adds up these
/// parts.
class KOMPUTE_API OpScan : public Primitive {
public:
    /// @param in       any number of elements, also 0
    /// @param out      as many elements; may be @p in itself if the types have one size, but must
    ///                 not overlap with it otherwise
    /// @param combine  a ReduceOperation up to eXor, or an expression
    /// @throws InvalidArgument if types, sizes, shape or axis do not match; ShaderError if an
    ///         expression does not compile; Unsupported if the device lacks a type; OutOfMemory
    OpScan(const TensorRange& in, const TensorRange& out, const Operator& combine,
           const ScanOptions& options = {});
    ~OpScan() override;
};

} // namespace kp
