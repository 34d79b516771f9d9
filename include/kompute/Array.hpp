// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include <kompute/Export.hpp>
#include <kompute/Tensor.hpp>
#include <kompute/arrays/DType.hpp>
#include <kompute/arrays/Shape.hpp>
#include <kompute/arrays/Slice.hpp>
#include <kompute/memory/ArrayView.hpp>

namespace kp {

struct Function;
class Manager;
class Operand;

/// An array on a device, with NumPy's semantics: types promote, shapes broadcast, slices are views.
///
///     kp::Array x = kp::linspace(0, 1, 1000);
///     kp::Array y = kp::sqrt(x) * 2 + 1;           // nothing is computed yet
///     float total = kp::sum(y).item<float>();      // one kernel, then one number is read
///     kp::Array last = y(kp::Slice(-10, kp::end)); // a view: last.assign(0) changes y
///
/// It is a strided view of a tensor, or an expression that is computed when its elements are
/// needed: when they are read, viewed, sorted and so on, or by evaluate(). Work runs on the
/// manager's default queue; only reading waits for it.
///
/// A handle: copies share their elements, and assigning to a variable names another array. copy()
/// makes new elements; assign() changes them. The manager must outlive the array's use; after
/// Manager::destroy() functions throw InvalidArgument.
///
/// Thread safety: several threads may read an array. While one changes it, no other uses it, or
/// arrays that share its memory.
///
/// Errors of all functions: InvalidArgument for shapes, types, axes and indices that do not fit,
/// and for arrays of different managers; Unsupported if the device has no arrays of the type;
/// OutOfMemory; DeviceLost.
class KOMPUTE_API Array {
public:
    /// No array. Every function but assignment throws InvalidArgument.
    Array() = default;
    /// Copies numbers of a program to a device.
    /// @param values   in C order
    /// @param shape    extents; their product is the number of values
    /// @param manager  null: defaultManager()
    template <typename T>
    static Array of(const std::vector<T>& values, const Shape& shape, Manager* manager = nullptr) {
        const DType dtype = dtypeOf(Memory::dataType<T>());
        if constexpr (std::is_same<T, bool>::value) { // std::vector<bool> has no data()
            const std::vector<uint8_t> bytes(values.begin(), values.end());
            return ofBytes(bytes.data(), bytes.size(), dtype, shape, manager);
        } else {
            return ofBytes(values.data(), values.size(), dtype, shape, manager);
        }
    }
    template <typename T>
    static Array of(const std::vector<T>& values, Manager* manager = nullptr) {
        return of(values, Shape{static_cast<int64_t>(values.size())}, manager);
    }
    /// @param values  count elements of the type: bool as bytes that are 0 or 1, complex numbers as
    ///                pairs
    static Array ofBytes(const void* values, size_t count, DType dtype, const Shape& shape,
                         Manager* manager = nullptr);
    /// Returns an array that shares the memory of a tensor: each sees the other's changes. It has
    /// one axis, or the shape given, and contains all elements.
    /// @param manager  that made the tensor
    /// @throws InvalidArgument for a tensor of structs
    static Array in(const std::shared_ptr<Tensor>& tensor, Manager& manager);
    static Array in(const std::shared_ptr<Tensor>& tensor, Manager& manager, const Shape& shape,
                    DType dtype);

    bool isNull() const { return mImpl == nullptr; }
    /// Would be true for x == y regardless of the elements. Use kp::all(x == y).item<bool>(), or
    /// isNull() to test for an array.
    explicit operator bool() const = delete;

    // --- attributes ------------------------------------------------------------------------------

    const Shape& shape() const;
    DType dtype() const;
    size_t ndim() const { return shape().size(); }
    /// Returns the number of elements.
    int64_t size() const { return shape().product(); }
    Manager& manager() const;
    /// Returns the strides in elements. An expression has the strides of C order.
    Shape strides() const;

    // --- evaluation ------------------------------------------------------------------------------

    /// Starts computing the elements, if that has not happened yet. Returns the array at once.
    const Array& evaluate() const;
    /// Returns false for an expression that is not computed yet.
    bool isEvaluated() const;
    /// Returns the shader that computes the expression, or that would copy the elements.
    std::string glsl() const;

    // --- to the host -----------------------------------------------------------------------------

    /// Returns the only element. A floating-point element loses its fraction as an integer.
    /// @throws InvalidArgument unless there is one, of a real type, that T has a value for
    template <typename T>
    T item() const {
        static_assert(std::is_arithmetic<T>::value, "an item is a number");
        if constexpr (std::is_same<T, bool>::value)
            return floatItem() != 0;
        else if constexpr (std::is_integral<T>::value)
            return static_cast<T>(integerItem(8 * sizeof(T), std::is_signed<T>::value));
        else
            return static_cast<T>(floatItem());
    }
    /// Returns the elements in C order.
    /// @throws InvalidArgument if T is not the type of the elements; see astype()
    template <typename T>
    std::vector<T> vector() const {
        requireType(dtypeOf(Memory::dataType<T>()));
        std::vector<std::conditional_t<std::is_same<T, bool>::value, uint8_t, T>> values(
            static_cast<size_t>(size()));
        read(values.data());
        if constexpr (std::is_same<T, bool>::value)
            return std::vector<bool>(values.begin(), values.end());
        else
            return values;
    }
    /// Copies the elements in C order, size() x itemSize(dtype()) bytes. Waits for the work that
    /// writes them.
    void read(void* elements) const;
    /// Returns a tensor with the elements in C order, for sequences, algorithms and launchers: the
    /// array's own memory if it holds nothing else, and a copy otherwise. From then on, the array
    /// and the tensor see each other's changes.
    std::shared_ptr<Tensor> tensor() const;

    // --- views and copies ------------------------------------------------------------------------

    /// Returns a view of the selected elements: x(0), x(kp::Slice(1, kp::end), kp::newAxis).
    template <typename... Indices>
    Array operator()(const Indices&... indices) const {
        return select({Index(indices)...});
    }
    Array select(const std::vector<Index>& indices) const;
    /// Returns the elements with other extents, as a view if that is possible.
    /// @param shape  one extent may be -1, which then follows from the others
    Array reshape(const Shape& shape) const;
    /// Returns a view with the axes in another order; in reverse without one.
    Array transpose(const Shape& axes = {}) const;
    /// Returns a view that repeats elements along axes of one element, and along new ones in front.
    Array broadcastTo(const Shape& shape) const;
    /// Returns the elements in another type, as NumPy's astype().
    Array astype(DType dtype) const;
    /// Returns the bytes of the elements as elements of another type, in the same memory. If the
    /// types differ in size, the last axis has more or fewer elements.
    /// @throws InvalidArgument if an array without axes, a last axis with gaps, or a number of
    ///         bytes does not allow that; Unsupported if elements would begin within others, or for
    ///         a type that the device has no arrays of
    Array view(DType dtype) const;
    /// Returns a copy that shares no memory.
    Array copy() const;
    /// Returns a view of the memory, which must contain all its elements.
    /// @param offset, strides  in elements, from the first of this view's memory
    Array strided(int64_t offset, const Shape& shape, const Shape& strides,
                  bool writable = true) const;
    /// Returns the element of the memory at which the view begins.
    int64_t offset() const;
    /// Returns false for a view that repeats elements.
    bool isWritable() const;
    /// Returns true if the elements are in C order without gaps.
    bool isContiguous() const;
    /// Returns true if these are all elements of the memory, in C order.
    bool isWhole() const;

    // --- changes ---------------------------------------------------------------------------------

    /// Assigns a value, which broadcasts to the shape. Expressions that read
    /// the old elements keep them.
    /// @throws InvalidArgument if the array is not writable, or the type cannot hold the value
    const Array& assign(const Operand& value) const;

    struct State;

private:
    friend struct Internals;
    friend class Operand;
    explicit Array(std::shared_ptr<State> state) : mImpl(std::move(state)) {}

    double floatItem() const;
    int64_t integerItem(size_t bits, bool isSigned) const; ///< two's complement
    void requireType(DType dtype) const;

    std::shared_ptr<State> mImpl;
};

/// An argument of a function: an array or a number. Numbers adapt to the type of arrays beside
/// them, as Python's do in NumPy: an integer to every type, a floating-point number to
/// floating-point types.
class KOMPUTE_API Operand {
public:
    enum class Kind : uint8_t { eArray, eInteger, eFloat, eComplex };

    Operand(const Array& array) : mArray(array) {}
    Operand(bool value) : Operand(DType::eBool, value ? 1 : 0) {}
    template <typename T, std::enable_if_t<std::is_arithmetic<T>::value, int> = 0>
    Operand(T value) {
        if (std::is_floating_point<T>::value) {
            mKind = Kind::eFloat;
            mReal = static_cast<double>(value);
        } else {
            mKind = Kind::eInteger;
            mInteger = static_cast<uint64_t>(value);
            mNegative = std::is_signed<T>::value && value < T(0);
        }
    }
    /// A number of a type, which does not adapt.
    /// @param number  that the type can hold
    Operand(DType dtype, const Operand& number) : Operand(number) {
        mTyped = true;
        mDType = dtype;
    }
    static Operand complex(double real, double imaginary) {
        Operand made(real);
        made.mKind = Kind::eComplex;
        made.mImaginary = imaginary;
        return made;
    }

    Kind kind() const { return mKind; }
    bool isArray() const { return mKind == Kind::eArray; }
    const Array& array() const { return mArray; }
    /// Returns true for a number that adapts, so that it has no type.
    bool adapts() const { return !isArray() && !mTyped; }
    DType dtype() const { return isArray() ? mArray.dtype() : mDType; }
    double real() const { return mReal; }
    double imaginary() const { return mImaginary; }
    uint64_t integer() const { return mInteger; } ///< two's complement
    bool isNegative() const { return mNegative; } ///< of an integer

private:
    Kind mKind = Kind::eArray;
    DType mDType = DType::eBool;
    bool mTyped = false;
    bool mNegative = false;
    double mReal = 0;
    double mImaginary = 0;
    uint64_t mInteger = 0;
    Array mArray;
};

/// Returns the manager of arrays that are made without one: on the default device, created at first
/// use, and kept to the end of the process.
KOMPUTE_API Manager& defaultManager();

/// Returns an elementwise function of operands that broadcast, by NumPy's name: "add", "sqrt", ...
/// Types are NumPy's.
/// @throws InvalidArgument for an unknown name, a wrong number of operands, and types that the
///         function does not take; Unsupported for what devices cannot compute
KOMPUTE_API Array apply(std::string_view name, const std::vector<Operand>& operands);

/// Same, for a function of the table.
KOMPUTE_API Array apply(const Function& function, const Operand* operands, size_t count);

/// Returns GLSL over {0}, {1}, ..., computed for each element of arrays that broadcast.
/// @param expression  of the type in which @p dtype is computed, such as float for float16
/// @param operands    at least one array; numbers have a type. Values are in the computed types.
///                    They broadcast to their common shape, or to the one given
KOMPUTE_API Array glsl(std::string_view expression, DType dtype,
                       const std::vector<Operand>& operands);
KOMPUTE_API Array glsl(std::string_view expression, DType dtype,
                       const std::vector<Operand>& operands, const Shape& shape);

} // namespace kp

#include <kompute/arrays/Comparing.hpp>
#include <kompute/arrays/Creation.hpp>
#include <kompute/arrays/Elementwise.hpp>
#include <kompute/arrays/Histograms.hpp>
#include <kompute/arrays/LinearAlgebra.hpp>
#include <kompute/arrays/Manipulation.hpp>
#include <kompute/arrays/Padding.hpp>
#include <kompute/arrays/Printing.hpp>
#include <kompute/arrays/Products.hpp>
#include <kompute/arrays/Random.hpp>
#include <kompute/arrays/Reductions.hpp>
#include <kompute/arrays/Scans.hpp>
#include <kompute/arrays/Searching.hpp>
#include <kompute/arrays/Selecting.hpp>
