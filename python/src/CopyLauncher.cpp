// SPDX-License-Identifier: Apache-2.0
#include <pybind11/stl.h>

#include "LauncherClasses.hpp"

namespace kp::python {
namespace {

/// A kp.launcher.CopyLauncher.
struct CopyHandle final : LauncherHandle {};

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

} // namespace

void bindCopyLauncher(py::module_& module) {
    py::class_<CopyHandle, LauncherHandle> copy(
        module, "CopyLauncher",
        "Copies between tensors, or between a tensor and an array, which is kept alive\n"
        "until the copy is done. Images are copied whole. Offsets and counts are bytes.");
    copy.def(py::init(&makeCopy), py::arg("varname"), py::arg("src"), py::arg("dst"),
             py::arg("src_device_offset") = py::none(), py::arg("dst_device_offset") = py::none(),
             py::arg("byte_count") = py::none(), py::arg("default_queue") = py::none(),
             py::arg("profiler") = py::none());
    setCall(copy, CallForm::ePlain);
}

} // namespace kp::python
