// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <initializer_list>
#include <type_traits>
#include <utility>
#include <vector>

namespace kp {

/// Elements in a row that belong to the caller: the argument of functions that read an array.
/// Vectors, arrays, spans, braced lists and everything else with data() and size() convert to it.
/// Valid as long as the elements; do not keep it.
template <typename T>
class ArrayView {
    template <typename Range>
    using EnableForArray = std::enable_if_t<
        std::is_convertible<decltype(std::declval<const Range&>().data()), const T*>::value &&
        std::is_convertible<decltype(std::declval<const Range&>().size()), size_t>::value>;

public:
    constexpr ArrayView() = default;
    constexpr ArrayView(const T* data, size_t size) : mData(data), mSize(size) {}
    constexpr ArrayView(std::initializer_list<T> list) : mData(list.begin()), mSize(list.size()) {}
    template <size_t N>
    constexpr ArrayView(const T (&array)[N]) : mData(array), mSize(N) {}
    /// From a pair of pointers, or of iterators of a std::vector.
    template <typename Pointer,
              typename = std::enable_if_t<std::is_convertible<Pointer, const T*>::value>>
    constexpr ArrayView(Pointer first, Pointer last)
        : mData(first), mSize(static_cast<size_t>(last - first)) {}
    ArrayView(typename std::vector<T>::const_iterator first,
              typename std::vector<T>::const_iterator last)
        : ArrayView(first == last ? nullptr : &*first, static_cast<size_t>(last - first)) {}
    template <typename Range, typename = EnableForArray<Range>>
    constexpr ArrayView(const Range& range)
        : mData(range.data()), mSize(static_cast<size_t>(range.size())) {}

    constexpr const T* data() const { return mData; }
    constexpr size_t size() const { return mSize; }
    constexpr size_t bytes() const { return mSize * sizeof(T); }
    constexpr bool empty() const { return mSize == 0; }
    constexpr const T* begin() const { return mData; }
    constexpr const T* end() const { return mData + mSize; }
    constexpr const T& operator[](size_t index) const { return mData[index]; }

private:
    const T* mData = nullptr;
    size_t mSize = 0;
};

} // namespace kp
