// SPDX-License-Identifier: Apache-2.0
#include <kompute/arrays/Printing.hpp>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <ostream>
#include <vector>

#include <kompute/arrays/Manipulation.hpp>
#include <kompute/arrays/NumberType.hpp>

#include "arrays/ArrayState.hpp"
#include "base/Text.hpp"

namespace kp {
namespace {

/// More elements are not printed, but the first and last ones along each axis.
constexpr int64_t kMost = 1000;
constexpr int64_t kEdge = 3;

template <typename T>
T at(const void* elements, size_t index) {
    T value;
    std::memcpy(&value, static_cast<const char*>(elements) + index * sizeof(T), sizeof(T));
    return value;
}

template <typename T>
std::string floatText(T value) {
    if (std::isnan(value))
        return "nan";
    if (std::isinf(value))
        return value < 0 ? "-inf" : "inf";
    const std::string text = formatted("{}", value);
    return text.find_first_of(".e") == std::string::npos ? text + "." : text;
}

template <typename T>
std::string complexNumber(const void* elements, size_t index) {
    const T imaginary = at<T>(elements, 2 * index + 1);
    return floatText(at<T>(elements, 2 * index)) + (std::signbit(imaginary) ? "" : "+") +
           floatText(imaginary) + "j";
}

/// Returns an element as text.
std::string textOf(const void* elements, size_t index, DType dtype) {
    switch (dtype) {
    case DType::eBool:
        return at<uint8_t>(elements, index) ? "True" : "False";
    case DType::eInt8:
        return formatted("{}", static_cast<int>(at<int8_t>(elements, index)));
    case DType::eUint8:
        return formatted("{}", static_cast<int>(at<uint8_t>(elements, index)));
    case DType::eInt16:
        return formatted("{}", at<int16_t>(elements, index));
    case DType::eUint16:
        return formatted("{}", at<uint16_t>(elements, index));
    case DType::eInt32:
        return formatted("{}", at<int32_t>(elements, index));
    case DType::eUint32:
        return formatted("{}", at<uint32_t>(elements, index));
    case DType::eInt64:
        return formatted("{}", at<int64_t>(elements, index));
    case DType::eUint64:
        return formatted("{}", at<uint64_t>(elements, index));
    case DType::eFloat16:
        return floatText(static_cast<float>(at<Half>(elements, index)));
    case DType::eFloat32:
        return floatText(at<float>(elements, index));
    case DType::eFloat64:
        return floatText(at<double>(elements, index));
    case DType::eComplex64:
        return complexNumber<float>(elements, index);
    case DType::eComplex128:
        return complexNumber<double>(elements, index);
    }
    return {};
}

/// The printed parts: elements as text, and the axes along which some are omitted.
struct Printed {
    Shape shape;
    std::vector<bool> shortened;
    std::vector<std::string> texts;
    size_t width = 0;

    /// Appends the elements along an axis, and those within.
    void append(std::string& text, size_t axis, size_t& next) const {
        if (axis == shape.size()) {
            text.append(width - texts[next].size(), ' ') += texts[next];
            ++next;
            return;
        }
        const bool innermost = axis + 1 == shape.size();
        const std::string separator =
            innermost ? " "
                      : std::string(shape.size() - axis - 1, '\n') + std::string(axis + 1, ' ');
        text += '[';
        for (int64_t i = 0; i < shape[axis]; ++i) {
            if (i)
                text += separator;
            if (shortened[axis] && i == kEdge)
                text += "..." + separator;
            append(text, axis + 1, next);
        }
        text += ']';
    }
};

} // namespace

std::string toString(const Array& x) {
    Printed printed;
    Array shown = x;
    for (size_t axis = 0; axis < x.ndim(); ++axis) {
        const bool isLong = x.size() > kMost && x.shape()[axis] > 2 * kEdge;
        printed.shortened.push_back(isLong);
        if (!isLong)
            continue;
        std::vector<Index> first(axis, Slice());
        std::vector<Index> last = first;
        first.emplace_back(Slice(begin, kEdge));
        last.emplace_back(Slice(-kEdge, end));
        shown = concat({shown.select(first), shown.select(last)}, static_cast<int64_t>(axis));
    }
    printed.shape = shown.shape();
    const auto count = static_cast<size_t>(shown.size());
    std::vector<char> elements(count * itemSize(x.dtype()));
    shown.read(elements.data());
    for (size_t i = 0; i < count; ++i) {
        printed.texts.push_back(textOf(elements.data(), i, x.dtype()));
        printed.width = std::max(printed.width, printed.texts.back().size());
    }
    std::string text;
    size_t next = 0;
    printed.append(text, 0, next);
    return text;
}

std::ostream& operator<<(std::ostream& stream, const Array& x) {
    return stream << (x.isNull() ? "no array" : toString(x));
}

} // namespace kp
