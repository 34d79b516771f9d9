// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <kompute/primitives/Determinism.hpp>
#include <kompute/primitives/Primitive.hpp>
#include <kompute/primitives/TensorRange.hpp>
#include <kompute/primitives/reduce/Bins.hpp>

namespace kp {

/// Options of OpHistogram.
struct HistogramOptions {
    /// One per element, of the output's type: bins are the sums of their elements' weights. Not
    /// given: bins count elements.
    TensorRange weights;
    Determinism determinism = Determinism::eRunToRun; ///< see OpHistogram
};

/// Counts the elements in each bin, or adds up their weights.
///
///     sequence->record<kp::OpHistogram>(values, counts, kp::Bins::even(0, 1));
///
/// Elements outside of all bins are skipped, and so are NaNs. (NumPy's bincount refuses negative
/// integers, and grows for large ones; the device can do neither.) See Bins for the edges: as in
/// NumPy's histogram, the last bin includes its upper edge.
///
/// **Types.** Elements: all numbers and eBool, of 8 and 16 bits if the device's shaders have
/// storage of that size; integers for Bins::integers(). Counts: eUnsignedInt, eInt, eUnsignedLong
/// or eLong. Weights and their sums: eFloat, or eDouble if the device has it.
///
/// **Rounding.** Counts are exact. Sums of weights are equal from run to run: elements are sorted
/// by bin, and each bin is reduced as OpReduce does it. That takes the time of sorting pairs by as
/// many bits as the number of bins has, and scratch memory of about 16 bytes per element (24 for
/// eDouble). With Determinism::eNone, sums of eFloat are added up in any order instead, which needs
/// neither; sums of eDouble are always sorted.
///
/// **Method.** Up to 4,096 bins are counted in the shared memory of each work group (if the device
/// has 32 KiB of it), in up to 8 copies, so that fewer invocations meet at one counter; larger
/// numbers of bins in device memory. Even bins are found by a multiplication, others by a binary
/// search.
class KOMPUTE_API OpHistogram : public Primitive {
public:
    /// @param in   any number of elements, also 0
    /// @param out  an element per bin; set, not added to; must not overlap with another argument
    /// @throws InvalidArgument if types or sizes do not match, if a type cannot count all elements,
    ///         or if limits are not finite or not in ascending order; Unsupported if the device
    ///         lacks a type; OutOfMemory
    OpHistogram(const TensorRange& in, const TensorRange& out, const Bins& bins,
                const HistogramOptions& options = {});
    ~OpHistogram() override;
};

} // namespace kp
