// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <type_traits>
#include <vector>

#include <kompute/Export.hpp>

namespace kp {

/// A number per axis of an array: extents, or strides in elements. Up to six need no allocation. A
/// value type.
class KOMPUTE_API Shape {
public:
    Shape() = default;
    Shape(std::initializer_list<int64_t> values) : Shape(values.begin(), values.size()) {}
    Shape(const std::vector<int64_t>& values) : Shape(values.data(), values.size()) {}
    Shape(const int64_t* values, size_t size) { assign(values, size); }
    Shape(const Shape& other) { assign(other.data(), other.size()); }
    Shape(Shape&& other) noexcept { swap(other); }
    Shape& operator=(const Shape& other) {
        if (this != &other)
            assign(other.data(), other.size());
        return *this;
    }
    Shape& operator=(Shape&& other) noexcept {
        swap(other);
        return *this;
    }
    ~Shape() {
        if (mMany)
            delete[] mMany;
    }
    /// Returns @p size numbers that are @p value.
    static Shape filled(size_t size, int64_t value) {
        Shape shape;
        for (size_t i = 0; i < size; ++i)
            shape.push_back(value);
        return shape;
    }

    size_t size() const { return mSize; }
    bool empty() const { return mSize == 0; }
    const int64_t* data() const { return mMany ? mMany : mFew; }
    int64_t* data() { return mMany ? mMany : mFew; }
    const int64_t* begin() const { return data(); }
    const int64_t* end() const { return data() + mSize; }
    int64_t* begin() { return data(); }
    int64_t* end() { return data() + mSize; }
    int64_t operator[](size_t axis) const { return data()[axis]; }
    int64_t& operator[](size_t axis) { return data()[axis]; }
    int64_t back() const { return data()[mSize - 1]; }
    int64_t& back() { return data()[mSize - 1]; }

    void push_back(int64_t value) {
        reserve(mSize + 1);
        data()[mSize++] = value;
    }
    void clear() { mSize = 0; }
    void insert(size_t axis, int64_t value) {
        push_back(value);
        std::rotate(begin() + axis, end() - 1, end());
    }
    void erase(size_t axis) {
        std::copy(begin() + axis + 1, end(), begin() + axis);
        --mSize;
    }
    void append(const Shape& other) {
        for (size_t i = 0, count = other.size(); i < count; ++i)
            push_back(other[i]);
    }

    /// Returns the product of all numbers: of extents, the number of elements.
    int64_t product() const {
        int64_t product = 1;
        for (const int64_t value : *this)
            product *= value;
        return product;
    }

    bool operator==(const Shape& other) const {
        return mSize == other.mSize && std::equal(begin(), end(), other.begin());
    }
    bool operator!=(const Shape& other) const { return !(*this == other); }

private:
    static constexpr size_t kFew = 6;

    void assign(const int64_t* values, size_t size) {
        reserve(size);
        std::copy(values, values + size, data());
        mSize = size;
    }
    void reserve(size_t size) {
        if (size <= mCapacity)
            return;
        const size_t capacity = (std::max)(size, 2 * mCapacity);
        auto* const many = new int64_t[capacity];
        std::copy(begin(), end(), many);
        delete[] mMany;
        mMany = many;
        mCapacity = capacity;
    }
    void swap(Shape& other) noexcept {
        std::swap_ranges(mFew, mFew + kFew, other.mFew);
        std::swap(mMany, other.mMany);
        std::swap(mSize, other.mSize);
        std::swap(mCapacity, other.mCapacity);
    }

    int64_t mFew[kFew] = {};
    int64_t* mMany = nullptr;
    size_t mSize = 0;
    size_t mCapacity = kFew;
};

/// Returns extents as Python writes them: "(2, 3)", "(4,)", "()".
KOMPUTE_API std::string toString(const Shape& shape);

/// Returns the shape that two shapes broadcast to, by NumPy's rules.
/// @throws InvalidArgument with both shapes if there is none
KOMPUTE_API Shape broadcast(const Shape& a, const Shape& b);

/// Returns the strides, in elements, of an array in C order.
KOMPUTE_API Shape contiguousStrides(const Shape& shape);

/// The axes of a function; all by default.
struct Axes {
    Axes() = default;
    template <typename T, typename = std::enable_if_t<std::is_integral<T>::value &&
                                                      !std::is_same<T, bool>::value>>
    Axes(T axis) : axes{static_cast<int64_t>(axis)}, all(false) {}
    Axes(std::initializer_list<int64_t> given) : axes(given), all(false) {}

    std::vector<int64_t> axes; ///< negative ones count from the last
    bool all = true;
};

} // namespace kp
