// SPDX-License-Identifier: Apache-2.0
#include "launch/CopyLauncher.hpp"

#include "launch/LaunchArguments.hpp"
#include "launch/LauncherCall.hpp"

namespace kp::python {
namespace {

/// A kp.launcher.CopyLauncher.
struct CopyHandle final : LauncherHandle {};

/// A kp.launcher.FillLauncher.
struct FillHandle final : LauncherHandle {};

std::unique_ptr<CopyHandle> makeCopy(const std::string& name, const py::object& src,
                                     const py::object& dst, std::optional<uint64_t> srcOffset,
                                     std::optional<uint64_t> dstOffset,
                                     std::optional<uint64_t> byteCount,
                                     const py::object& defaultQueue, const OptionalSink& profiler) {
    auto handle = std::make_unique<CopyHandle>();
    handle->launcher = std::make_shared<CopyLauncher>(
        name, toCopyEnd(src, "src", false), toCopyEnd(dst, "dst", true),
        CopyRange{srcOffset.value_or(0), dstOffset.value_or(0), byteCount},
        toQueue(defaultQueue, "default_queue"), profiler.value_or(nullptr));
    return handle;
}

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
        name, tensor.tensor(), toArgument(value, &element, name, "value"), offset, byteCount,
        toQueue(defaultQueue, "default_queue"), profiler.value_or(nullptr));
    return handle;
}

} // namespace

void bindCopyLauncher(py::module_& module) {
    py::class_<CopyHandle, LauncherHandle> copy(module, "CopyLauncher", doc(R"(
        Copies between tensors, or between a tensor and an array, which stays alive until the copy
        is done. Images are copied whole. Offsets and counts are bytes.
    )"));
    copy.def(py::init(&makeCopy), py::arg("varname"), py::arg("src"), py::arg("dst"),
             py::arg("src_device_offset") = py::none(), py::arg("dst_device_offset") = py::none(),
             py::arg("byte_count") = py::none(), py::arg("default_queue") = py::none(),
             py::arg("profiler") = py::none());
    setCall(copy, CallForm::ePlain);

    py::class_<FillHandle, LauncherHandle> fill(
        module, "FillLauncher", "Fills a tensor, or a range of its bytes, with one number.");
    fill.def(py::init(&makeFill), py::arg("varname"), py::arg("dst"), py::arg("value"),
             py::arg("dst_device_offset") = 0, py::arg("byte_count") = py::none(),
             py::arg("default_queue") = py::none(), py::arg("profiler") = py::none());
    setCall(fill, CallForm::ePlain);
}

} // namespace kp::python
