// SPDX-License-Identifier: Apache-2.0
#include "launch/Calls.hpp"

#include "core/Classes.hpp"
#include "launch/LaunchArguments.hpp"

namespace kp::python {
namespace {

struct CopyHandle final : LauncherHandle {};

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

struct PrimitiveLauncherHandle final : LauncherHandle {};

std::unique_ptr<PrimitiveLauncherHandle> makePrimitiveLauncher(const std::string& name,
                                                               const py::object& operation,
                                                               const py::object& defaultQueue,
                                                               const OptionalSink& profiler) {
    const auto primitive = std::dynamic_pointer_cast<Primitive>(toOperation(operation.ptr()));
    if (!primitive)
        throwTypeError("primitive", "a primitive, such as kp.OpReduce", operation);
    auto handle = std::make_unique<PrimitiveLauncherHandle>();
    handle->launcher = std::make_shared<PrimitiveLauncher>(
        name, primitive, toQueue(defaultQueue, "default_queue"), profiler.value_or(nullptr));
    return handle;
}

} // namespace

void bindCopyLauncher(py::module_& module) {
    auto copy = callableClass<CopyHandle, LauncherHandle>(module, "CopyLauncher", doc(R"(
        Copies between tensors, or between a tensor and an array, which stays alive until the copy
        is done. Images are copied whole. Offsets and counts are bytes.)"));
    copy.def(py::init(&makeCopy), "varname"_a, "src"_a, "dst"_a, "src_device_offset"_a = py::none(),
             "dst_device_offset"_a = py::none(), "byte_count"_a = py::none(),
             "default_queue"_a = py::none(), "profiler"_a = py::none());
    setCall(copy, CallForm::ePlain);

    auto fill = callableClass<FillHandle, LauncherHandle>(
        module, "FillLauncher", "Fills a tensor, or a range of its bytes, with one number.");
    fill.def(py::init(&makeFill), "varname"_a, "dst"_a, "value"_a, "dst_device_offset"_a = 0,
             "byte_count"_a = py::none(), "default_queue"_a = py::none(),
             "profiler"_a = py::none());
    setCall(fill, CallForm::ePlain);

    auto primitive =
        callableClass<PrimitiveLauncherHandle, LauncherHandle>(module, "PrimitiveLauncher", doc(R"(
            Runs a primitive (kp.OpReduce, kp.OpSort, ...), alone or in a list. The operation may be
            in sequences, too.)"));
    primitive.def(py::init(&makePrimitiveLauncher), "name"_a, "primitive"_a,
                  "default_queue"_a = py::none(), "profiler"_a = py::none());
    setCall(primitive, CallForm::ePlain);
}

} // namespace kp::python
