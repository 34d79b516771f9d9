// SPDX-License-Identifier: Apache-2.0
#include "arrays/Texts.hpp"

#include <kompute/Error.hpp>
#include <kompute/arrays/NumberType.hpp>

#include "arrays/Arrays.hpp"

namespace kp::python {
namespace {

/// @throws ValueError
DType dtypeNamed(const std::string& name) {
    for (size_t index = 0; index < kDTypes; ++index)
        if (name == toString(static_cast<DType>(index)))
            return static_cast<DType>(index);
    throw py::value_error("no type of array elements: " + name);
}

py::tuple numberTypes() {
    py::list types;
    for (size_t index = 0; index < kDTypes; ++index) {
        const NumberType& type = numberType(static_cast<DType>(index));
        types.append(py::make_tuple(toString(type.dtype), type.stored, type.computed, type.load,
                                    type.store, type.wrap, type.words, type.constant,
                                    type.extension));
    }
    return types;
}

} // namespace

void bindArrayTexts(py::module_& module) {
    module.def("_number_types", &numberTypes);
    module.def(
        "_convert",
        [](const std::string& value, const std::string& from, const std::string& to,
           bool observed) { return convert(value, dtypeNamed(from), dtypeNamed(to), observed); },
        "value"_a, "source"_a, "target"_a, "observed"_a);
    module.def(
        "_rounding_function",
        [](const std::string& from, const std::string& to) {
            return std::string(roundingFunction(from, to));
        },
        "source"_a, "target"_a);
}

} // namespace kp::python
