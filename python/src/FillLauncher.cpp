// SPDX-License-Identifier: Apache-2.0
#include <pybind11/stl.h>

#include "LauncherClasses.hpp"

namespace kp::python {
namespace {

/// A kp.launcher.FillLauncher.
struct FillHandle final : LauncherHandle {};

std::unique_ptr<FillHandle> makeFill(const std::string& name, const py::object& dst,
                                     const py::object& value, uint64_t offset,
                                     std::optional<uint64_t> byteCount,
                                     const py::object& defaultQueue, const OptionalSink& profiler) {
    const auto& tensor = handleOf<TensorHandle>(dst, "dst");
    KernelArgument element;
    element.name = "value";
    element.kind = ArgumentKind::ePushConstant;
    element.type = toScalarType(tensor.dtype);
    element.bytes = static_cast<uint32_t>(tensor.dtype.itemsize());
    auto handle = std::make_unique<FillHandle>();
    handle->launcher = std::make_shared<FillLauncher>(
        name, std::dynamic_pointer_cast<Tensor>(tensor.memory),
        toArgument(value, &element, name, "value"), offset, byteCount,
        toQueue(defaultQueue, "default_queue"), profiler.value_or(nullptr));
    return handle;
}

} // namespace

void bindFillLauncher(py::module_& module) {
    py::class_<FillHandle, LauncherHandle> fill(
        module, "FillLauncher", "Fills a tensor, or a range of bytes of it, with one number.");
    fill.def(py::init(&makeFill), py::arg("varname"), py::arg("dst"), py::arg("value"),
             py::arg("dst_device_offset") = 0, py::arg("byte_count") = py::none(),
             py::arg("default_queue") = py::none(), py::arg("profiler") = py::none());
    setCall(fill, CallForm::ePlain);
}

} // namespace kp::python
