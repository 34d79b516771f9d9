// SPDX-License-Identifier: Apache-2.0
#include "tune/TuningBuild.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <map>

#include <kompute/Error.hpp>
#include <kompute/memory/Half.hpp>

#include "base/Hash.hpp"
#include "base/Text.hpp"
#include "shader/reflect/Reflection.hpp"
#include "shader/reflect/VariableSizes.hpp"

namespace kp::tune {
namespace {

using shader::Reflection;
using shader::ScalarType;
using shader::SpecConstant;

std::string describe(const TunableKernel::Parameter& parameter, const TunableKernel& kernel) {
    return formatted("the tuning parameter '{}' of kernel '{}'", parameter.name, kernel.name());
}

SpecializationConstant encode(const TunableKernel::Parameter& parameter, const TuningValue& value,
                              ScalarType type, const TunableKernel& kernel) {
    const std::string what = describe(parameter, kernel);
    const uint32_t id = parameter.id;
    const int64_t* const integer = std::get_if<int64_t>(&value);
    const double* const real = std::get_if<double>(&value);
    const double number = real ? *real : integer ? static_cast<double>(*integer) : 0.0;
    if (type == ScalarType::eFloat16)
        return SpecializationConstant::of(id, Half(number));
    if (type == ScalarType::eFloat32)
        return SpecializationConstant::of(id, static_cast<float>(number));
    if (type == ScalarType::eFloat64)
        return SpecializationConstant::of(id, number);
    if (!integer)
        fail<InvalidArgument>("{} is a floating-point number, but its specialization constant is "
                              "an integer",
                              what);
    if (type == ScalarType::eBool)
        return SpecializationConstant::of(id, uint32_t{*integer != 0});
    const uint32_t bytes = shader::sizeOf(type);
    if (bytes == 0)
        fail<InvalidArgument>("{} sets a specialization constant of an unsupported type; use a "
                              "bool, an integer or a floating-point number",
                              what);
    // A bit pattern may be given as a signed or an unsigned number.
    const int64_t end = bytes < 8 ? int64_t{1} << (8 * bytes) : 0;
    if (bytes < 8 && (*integer < -end / 2 || *integer >= end))
        fail<InvalidArgument>(
            "{} has the value {}, which does not fit its specialization constant of {} bytes", what,
            *integer, bytes);
    SpecializationConstant constant{id, bytes, {}};
    std::memcpy(constant.value.data(), integer, bytes); // the low bytes come first
    return constant;
}

const SpecConstant* findConstant(const Reflection& reflection, uint32_t id) {
    const auto found = std::ranges::find(reflection.specConstants, id, &SpecConstant::id);
    return found == reflection.specConstants.end() ? nullptr : &*found;
}

void addConstant(TuningBuild& build, const SpecializationConstant& constant,
                 const TunableKernel& kernel) {
    const auto sameId = [&](const auto& other) { return other.id == constant.id; };
    if (std::ranges::any_of(build.specialization, sameId)) {
        fail<InvalidArgument>("kernel '{}' sets the specialization constant {} twice; work group "
                              "sizes use the constant ids that the shader assigns to them",
                              kernel.name(), constant.id);
    }
    build.specialization.push_back(constant);
}

void addSpecialization(TuningBuild& build, const TunableKernel& kernel,
                       const TuningConfiguration& configuration, const Reflection& reflection) {
    for (size_t i = 0; i < kernel.parameters().size(); ++i) {
        const TunableKernel::Parameter& parameter = kernel.parameters()[i];
        if (!parameter.isSpecialization)
            continue;
        if (const SpecConstant* constant = findConstant(reflection, parameter.id)) {
            const TuningValue& value = configuration.items()[i].second;
            addConstant(build, encode(parameter, value, constant->type, kernel), kernel);
        } else if (kernel.variants().empty()) {
            fail<InvalidArgument>(
                "{} is the specialization constant {}, which the shader does not have",
                describe(parameter, kernel), parameter.id);
        }
    }
    for (const SpecializationConstant& constant : kernel.constants()) {
        if (findConstant(reflection, constant.id) || kernel.variants().empty())
            addConstant(build, constant, kernel);
    }
}

/// Sets the work group size of the configuration, if it has one.
/// @return the size that the shader then has
Workgroup applyLocalSize(TuningBuild& build, const TunableKernel& kernel,
                         const TuningConfiguration& configuration, const Reflection& reflection) {
    const char* const names[] = {"local_size_x", "local_size_y", "local_size_z"};
    const Workgroup wanted = configuration.localSize();
    Workgroup size = reflection.localSize;
    const bool any =
        configuration.has(names[0]) || configuration.has(names[1]) || configuration.has(names[2]);
    for (size_t i = 0; i < 3; ++i) {
        if (any && reflection.localSizeId[i]) {
            addConstant(build, SpecializationConstant::of(*reflection.localSizeId[i], wanted[i]),
                        kernel);
            size[i] = wanted[i];
        } else if (any && size[i] != wanted[i]) {
            fail<ShaderError>("the shader's {0} is fixed to {1}, but the configuration has {2}; "
                              "declare it as a specialization constant ({0}_id) to tune it",
                              names[i], size[i], wanted[i]);
        } else if (reflection.localSizeId[i]) {
            for (const SpecializationConstant& constant : build.specialization) {
                if (constant.id == *reflection.localSizeId[i])
                    std::memcpy(&size[i], constant.value.data(), sizeof size[i]);
            }
        }
    }
    return size;
}

Workgroup countGroups(const TunableKernel& kernel, const TuningArguments& arguments,
                      const TuningConfiguration& configuration, const Workgroup& localSize) {
    Workgroup groups{};
    if (kernel.workgroupRule()) {
        groups = kernel.workgroupRule()(configuration);
    } else {
        for (size_t i = 0; i < 3; ++i) {
            const uint64_t count =
                (arguments.threads()[i] + localSize[i] - 1) / std::max(localSize[i], 1u);
            groups[i] = static_cast<uint32_t>(
                std::min<uint64_t>(count, std::numeric_limits<uint32_t>::max()));
        }
    }
    for (const uint32_t count : groups) {
        if (count == 0) {
            fail<InvalidArgument>("kernel '{}' has 0 work groups for the configuration {}: {}",
                                  kernel.name(), configuration.toString(),
                                  kernel.workgroupRule()
                                      ? "its work group rule returned 0"
                                      : "set the number of threads of the arguments, or a work "
                                        "group rule of the kernel");
        }
    }
    return groups;
}

std::string exceededSharedMemory(const TuningBuild& build, const TuningLimits& limits) {
    std::map<uint32_t, uint64_t> given;
    for (const SpecializationConstant& constant : build.specialization) {
        uint64_t bits = 0;
        std::memcpy(&bits, constant.value.data(), std::min<size_t>(constant.bytes, sizeof bits));
        given[constant.id] = bits;
    }
    const std::optional<uint64_t> bytes = shader::sharedMemoryBytes(build.spirv, given);
    if (!bytes || *bytes <= limits.maxSharedBytes)
        return "";
    return formatted("maxComputeSharedMemorySize = {} (the shader uses {} bytes)",
                     limits.maxSharedBytes, *bytes);
}

std::string exceededGroupCount(const Workgroup& groups, const TuningLimits& limits) {
    for (size_t i = 0; i < 3; ++i) {
        if (groups[i] > limits.maxCount[i]) {
            return formatted("maxComputeWorkGroupCount[{}] = {} (the dispatch has {})", i,
                             limits.maxCount[i], groups[i]);
        }
    }
    return "";
}

} // namespace

std::vector<uint32_t> spirvOf(const TunableKernel& kernel, const TuningConfiguration& configuration,
                              const Manager& manager) {
    if (kernel.factoryFunction())
        return kernel.factoryFunction()(configuration);
    if (kernel.glslFactoryFunction()) {
        CompileOptions options;
        options.fileName = formatted("{} ({})", kernel.name(), configuration.toString());
        return manager.compile(kernel.glslFactoryFunction()(configuration), options);
    }
    for (const TunableKernel::Variant& variant : kernel.variants()) {
        if (variant.name == configuration.text("variant"))
            return variant.spirv;
    }
    if (kernel.spirv().empty()) {
        fail<InvalidArgument>("kernel '{}' has no shader; give it SPIR-V, variants or a factory",
                              kernel.name());
    }
    return kernel.spirv();
}

std::string shaderKeyOf(const TunableKernel& kernel, const std::vector<uint32_t>& spirv) {
    if (!kernel.factoryKey().empty())
        return "key " + kernel.factoryKey();
    return toString(hashBytes(spirv.data(), spirv.size() * sizeof(uint32_t)));
}

TuningBuild buildConfiguration(const TunableKernel& kernel, const TuningArguments& arguments,
                               const TuningConfiguration& configuration,
                               std::vector<uint32_t> spirv, const TuningLimits& limits) {
    TuningBuild build;
    build.spirv = std::move(spirv);
    const Reflection reflection = kp::reflect(build.spirv);
    addSpecialization(build, kernel, configuration, reflection);
    const Workgroup localSize = applyLocalSize(build, kernel, configuration, reflection);
    build.exceededLimit = exceededLimit(limits, localSize);
    if (build.exceededLimit.empty())
        build.exceededLimit = exceededSharedMemory(build, limits);
    build.workgroup = countGroups(kernel, arguments, configuration, localSize);
    if (build.exceededLimit.empty())
        build.exceededLimit = exceededGroupCount(build.workgroup, limits);
    for (const shader::Binding& binding : reflection.bindings) {
        if ((!binding.writes && !reflection.usesBufferAddresses) || !binding.takesMemory())
            continue;
        for (uint32_t element = 0; element < binding.count; ++element)
            build.writtenObjects.push_back(binding.argument + element);
    }
    return build;
}

std::shared_ptr<Algorithm> makeAlgorithm(Manager& manager, const TuningArguments& arguments,
                                         const TuningBuild& build) {
    const std::vector<unsigned char>& push = arguments.pushConstantBytes();
    auto algorithm = manager.algorithm<SpecializationConstant, unsigned char>(
        arguments.memObjects(), build.spirv, build.workgroup, build.specialization, push);
    algorithm->setPushConstants(push.data(), push.size(), 1, arguments.pushConstantType());
    return algorithm;
}

} // namespace kp::tune
