// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/Handles.hpp"

/// Classes of operations.
namespace kp::python {

/// A handle type for each class, by which pybind11 tells them apart.
template <typename Op>
struct HandleOf final : OpHandle {
    template <typename... Args>
    explicit HandleOf(Args&&... args) {
        op = std::make_shared<Op>(std::forward<Args>(args)...);
    }
};

/// Makes sequences record instances of a class directly, faster than instances of derived classes.
void addOperationType(py::handle type);

/// Declares a class of operations.
template <typename Handle>
py::class_<Handle, OpHandle> declareOperation(py::module_& module, const char* name,
                                              const char* documentation) {
    py::class_<Handle, OpHandle> type(module, name, documentation);
    addOperationType(type);
    return type;
}

} // namespace kp::python
