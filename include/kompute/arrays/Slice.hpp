// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <type_traits>

#include <kompute/Export.hpp>

namespace kp {

/// Where a Slice begins and ends if nothing else is given, in the direction of its step: with a
/// negative one, it begins at the last element and ends with the first.
inline constexpr int64_t begin = INT64_MIN;
inline constexpr int64_t end = INT64_MAX;

/// Every step-th element from `start` to before `stop`, as Python's start:stop:step. Negative
/// numbers count from the end of the axis; numbers beyond it are cut.
///
///     kp::Slice(2, kp::end)              // all but the first two
///     kp::Slice(kp::begin, kp::end, -1)  // all, in reverse order
struct KOMPUTE_API Slice {
    /// All elements.
    Slice() = default;
    /// @throws InvalidArgument when it is used with a step of 0
    Slice(int64_t first, int64_t last, int64_t each = 1) : start(first), stop(last), step(each) {}

    int64_t start = begin;
    int64_t stop = end;
    int64_t step = 1;
};

/// A new axis of one element, in an index.
struct NewAxis {};
inline constexpr NewAxis newAxis{};

/// All axes that an index does not name.
struct Ellipsis {};
inline constexpr Ellipsis ellipsis{};

/// An index along an axis: an integer, a Slice, newAxis or ellipsis.
class Index {
public:
    enum class Kind : uint8_t { eInteger, eSlice, eNewAxis, eEllipsis };

    template <typename T, typename = std::enable_if_t<std::is_integral<T>::value &&
                                                      !std::is_same<T, bool>::value>>
    Index(T index) : kind(Kind::eInteger), integer(static_cast<int64_t>(index)) {
        if (std::is_unsigned<T>::value && integer < 0)
            integer = INT64_MAX; // which no axis has
    }
    Index(const Slice& chosen) : kind(Kind::eSlice), slice(chosen) {}
    Index(NewAxis) : kind(Kind::eNewAxis) {}
    Index(Ellipsis) : kind(Kind::eEllipsis) {}

    Kind kind;
    int64_t integer = 0;
    Slice slice;
};

} // namespace kp
