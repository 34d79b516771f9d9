// SPDX-License-Identifier: Apache-2.0
#include <kompute/arrays/Shape.hpp>

#include <kompute/Error.hpp>

#include "base/Text.hpp"

namespace kp {

std::string toString(const Shape& shape) {
    std::string text = "(";
    for (size_t axis = 0; axis < shape.size(); ++axis)
        text += (axis ? ", " : "") + std::to_string(shape[axis]);
    return text + (shape.size() == 1 ? ",)" : ")");
}

Shape broadcast(const Shape& a, const Shape& b) {
    if (a == b)
        return a;
    const bool longer = a.size() > b.size();
    Shape result = longer ? a : b;
    const Shape& other = longer ? b : a;
    const size_t first = result.size() - other.size();
    for (size_t axis = 0; axis < other.size(); ++axis) {
        int64_t& extent = result[first + axis];
        if (extent == other[axis] || other[axis] == 1)
            continue;
        if (extent != 1)
            fail<InvalidArgument>("operands could not be broadcast together with shapes {} {}",
                                  toString(a), toString(b));
        extent = other[axis];
    }
    return result;
}

Shape contiguousStrides(const Shape& shape) {
    Shape strides = Shape::filled(shape.size(), 0);
    int64_t step = 1;
    for (size_t axis = shape.size(); axis-- > 0;) {
        strides[axis] = step;
        step *= shape[axis];
    }
    return strides;
}

} // namespace kp
