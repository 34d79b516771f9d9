// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <kompute/primitives/Primitive.hpp>
#include <kompute/primitives/TensorRange.hpp>

namespace kp {

/// How OpSort and OpArgSort sort.
struct SortOptions {
    static constexpr uint32_t kAllBits = UINT32_MAX;

    bool descending = false;
    /// -0 and +0 are equal keys, which keep their order, as in NumPy's stable sorts and in CUB's.
    /// Otherwise -0 is before +0, so that sorted floats have one order of bits.
    bool equalZeros = false;
    /// Only the bits from firstBit up to, but without, endBit decide, so that fewer have to be
    /// looked at. They are bits of the key in its order: of an unsigned integer itself, of a signed
    /// one with the sign bit flipped, of a floating-point number with the sign bit flipped or, if
    /// it is negative, all bits.
    uint32_t firstBit = 0;
    uint32_t endBit = kAllBits;
    /// Sorts rows of so many neighbouring elements, each separately. 0: all elements are one row.
    uint64_t rowLength = 0;
    /// Sorts each segment separately: n + 1 ascending offsets (eUnsignedInt, eInt, eUnsignedLong or
    /// eLong) for n segments. Segment i has the elements from offset i up to, but without, offset
    /// i + 1, and may be empty. Elements in no segment stay if the sort is in place; in another
    /// output, their positions have unspecified contents. If segments overlap, all contents are
    /// unspecified.
    TensorRange segments;
    /// Outputs for the sorted keys and values. Empty, or equal to the input: in place.
    TensorRange sortedKeys;
    TensorRange sortedValues;
};

/// Sorts keys, and moves values with them.
///
///     sequence->record<kp::OpSort>(keys);
///     sequence->record<kp::OpSort>(keys, values);
///
/// **Order.** Stable: equal keys keep their order. -0 is before +0, unless
/// SortOptions::equalZeros is set. All NaNs are equal and larger than any number, so they are last,
/// or first if descending. Bits of keys are never changed.
///
/// **Types.** Keys: all numbers and eBool; of 8 and 16 bits if the device's shaders have storage of
/// that size. Values: any type of 4 or 8 bytes per element. For others, use OpArgSort's indices.
///
/// **Method.** A radix sort by 8 bits at a time. Inputs of a few thousand keys are sorted by one
/// work group in one dispatch; larger ones by one dispatch per digit, which reads and writes each
/// key once and in which work groups look back at the counts of earlier ones (Adinets and Merrill,
/// "Onesweep", 2022). It needs no progress of other work groups: if a count does not appear for a
/// while, it is computed again (Smith, Levien and Owens, "Decoupled Fallback", 2025). Devices
/// without the device-scope memory model, CPUs, and tensors larger than a storage buffer's range
/// take three dispatches per digit. Segments of a few thousand keys are sorted by a work group
/// each, and short ones several by one.
///
/// Scratch memory: as much as keys and values, and about an eighth of the keys (a
/// quarter if they have 64 bits).
class KOMPUTE_API OpSort : public Primitive {
public:
    /// @param keys    any number of elements, also 0
    /// @param values  as many elements, or none; must not overlap with the keys
    /// @throws InvalidArgument if types, sizes, bits or segments do not match, or if tensors
    ///         overlap in part; Unsupported if the device lacks a type, or if segments are given by
    ///         offsets and the keys or values are larger than its storage buffers' range. Offsets
    ///         are in device memory, so the sort cannot be split between segments when it is
    ///         planned. Rows (rowLength) and whole sorts have no such limit. OutOfMemory
    explicit OpSort(const TensorRange& keys, const TensorRange& values = {},
                    const SortOptions& options = {});
    ~OpSort() override;
};

/// Sorts the indices of keys: with `sorted[i] = keys[indices[i]]`, `sorted` equals the keys sorted
/// by OpSort. The keys stay as they are. Indices count from the start of the row or segment.
///
///     sequence->record<kp::OpArgSort>(keys, indices);
///
/// With SortOptions::sortedKeys, the sorted keys are written there, too. Otherwise as OpSort.
class KOMPUTE_API OpArgSort : public Primitive {
public:
    /// @param indices  as many elements as the keys, of eUnsignedInt, eInt, eUnsignedLong or eLong
    /// @throws as OpSort(), and InvalidArgument if the indices' type is too small for them
    OpArgSort(const TensorRange& keys, const TensorRange& indices, const SortOptions& options = {});
    ~OpArgSort() override;
};

} // namespace kp
