// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <kompute/primitives/Primitive.hpp>
#include <kompute/primitives/TensorRange.hpp>

namespace kp {

/// Which position OpSearchSorted finds for a number that equals sorted ones.
enum class SearchSide {
    eLeft, ///< before all equal ones: the number of smaller elements
    eRight ///< after all equal ones: the number of smaller and equal elements
};

/// Finds, for each needle, where to insert it among sorted elements so that they stay sorted.
///
///     sequence->record<kp::OpSearchSorted>(sorted, needles, places);
///
/// **Order.** Ascending, as OpSort and NumPy leave it. -0 equals +0. All NaNs are equal and larger
/// than any number. Denormal numbers are told apart on every device. If the elements are not
/// sorted, places are unspecified, but never more than the number of elements.
///
/// **Types.** All numbers and eBool; of 8 and 16 bits if the device's shaders have storage of that
/// size.
///
/// **Method.** A binary search per needle, several at a time in each invocation. Sorted elements
/// that no storage buffer can hold are searched part by part.
class KOMPUTE_API OpSearchSorted : public Primitive {
public:
    /// @param sorted   any number of elements, also 0
    /// @param needles  any number of elements of the same type; may overlap with @p sorted
    /// @param places   one per needle, of eUnsignedInt, eInt, eUnsignedLong or eLong, from 0 up to
    ///                 the number of sorted elements; must not overlap with another argument
    /// @throws InvalidArgument if types or sizes do not match, or if the places' type is too small;
    ///         Unsupported if the device lacks a type; OutOfMemory
    OpSearchSorted(const TensorRange& sorted, const TensorRange& needles, const TensorRange& places,
                   SearchSide side = SearchSide::eLeft);
    ~OpSearchSorted() override;
};

} // namespace kp
