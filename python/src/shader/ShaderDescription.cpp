// SPDX-License-Identifier: Apache-2.0
#include "shader/ShaderDescription.hpp"

#include <kompute/Reflection.hpp>
#include <kompute/Shader.hpp>

#include "base/Arrays.hpp"
#include "base/Values.hpp"
#include "shader/Spirv.hpp"

namespace kp::python {
namespace {

constexpr Named<shader::BindingKind> kBindingKinds[] = {
    {"storage_buffer", shader::BindingKind::eStorageBuffer},
    {"uniform_buffer", shader::BindingKind::eUniformBuffer},
    {"storage_image", shader::BindingKind::eStorageImage},
    {"sampled_image", shader::BindingKind::eSampledImage},
    {"combined_image_sampler", shader::BindingKind::eCombinedImageSampler},
    {"sampler", shader::BindingKind::eSampler},
    {"uniform_texel_buffer", shader::BindingKind::eUniformTexelBuffer},
    {"storage_texel_buffer", shader::BindingKind::eStorageTexelBuffer},
    {"other", shader::BindingKind::eOther}};

py::dict describeBinding(const shader::Binding& binding) {
    const bool image = binding.kind == shader::BindingKind::eStorageImage;
    return py::dict("set"_a = binding.set, "binding"_a = binding.binding,
                    "kind"_a = nameIn(kBindingKinds, binding.kind), "name"_a = binding.name,
                    "count"_a = binding.count, "reads"_a = binding.reads,
                    "writes"_a = binding.writes,
                    "dtype"_a = dtypeOf(image ? binding.imageType : binding.elementType),
                    "components"_a = binding.elementComponents, "fixed_size"_a = binding.fixedSize,
                    "array_stride"_a = binding.arrayStride, "image_format"_a = binding.imageFormat);
}

py::object defaultOf(const shader::SpecConstant& constant) {
    const py::object dtype = dtypeOf(constant.type);
    if (dtype.is_none())
        return dtype;
    const py::bytes bits(reinterpret_cast<const char*>(&constant.defaultBits),
                         static_cast<size_t>(py::cast<py::dtype>(dtype).itemsize()));
    const py::object value =
        py::module_::import("numpy").attr("frombuffer")(bits, dtype)[py::int_(0)];
    return constant.type == shader::ScalarType::eBool ? py::object(py::bool_(value))
                                                      : value.attr("item")();
}

} // namespace

py::dict describeShader(const std::vector<uint32_t>& spirv, const std::string& entryPoint) {
    shader::Reflection reflection;
    {
        const py::gil_scoped_release release;
        reflection = reflect(spirv, entryPoint);
    }
    py::list bindings, pushConstants, specConstants;
    for (const shader::Binding& binding : reflection.bindings)
        bindings.append(describeBinding(binding));
    for (const shader::PushConstantMember& member : reflection.pushConstants)
        pushConstants.append(py::dict("name"_a = member.name, "offset"_a = member.offset,
                                      "size"_a = member.size, "dtype"_a = dtypeOf(member.type),
                                      "components"_a = member.components));
    for (const shader::SpecConstant& constant : reflection.specConstants)
        specConstants.append(py::dict("id"_a = constant.id, "name"_a = constant.name,
                                      "dtype"_a = dtypeOf(constant.type),
                                      "default"_a = defaultOf(constant)));
    return py::dict("entry_point"_a = reflection.entryPoint,
                    "local_size"_a = py::tuple(py::cast(reflection.localSize)),
                    "local_size_ids"_a = py::tuple(py::cast(reflection.localSizeId)),
                    "bindings"_a = bindings, "push_constant_size"_a = reflection.pushConstantSize,
                    "push_constants"_a = pushConstants, "spec_constants"_a = specConstants,
                    "capabilities"_a = py::tuple(py::cast(reflection.capabilities)));
}

void bindShaderDescription(py::module_& module) {
    module.def(
        "_reflect",
        [](const py::object& shader, const std::string& entryPoint) {
            return describeShader(toSpirv(shader, 0), entryPoint);
        },
        "shader"_a, "entry_point"_a);
}

} // namespace kp::python
