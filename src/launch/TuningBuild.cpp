// SPDX-License-Identifier: Apache-2.0
#include "launch/TuningBuild.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <map>

#include <kompute/Error.hpp>
#include <kompute/Half.hpp>

#include "shader/Hash.hpp"
#include "shader/SharedMemory.hpp"

namespace kp::launch {
namespace {

using shader::Reflection;
using shader::ScalarType;
using shader::SpecConstant;

std::string nameOf(const TunableKernel::Parameter& parameter, const TunableKernel& kernel) {
    return "the tuning parameter '" + parameter.name + "' of kernel '" + kernel.name() + "'";
}

template <typename T>
SpecializationConstant fitted(uint32_t id, int64_t value, const std::string& what) {
    // A shader's bit pattern may be given with or without its sign.
    const bool fits = value >= static_cast<int64_t>(std::numeric_limits<std::make_signed_t<T>>::min()) &&
                      (sizeof(T) == 8 ||
                       value <= static_cast<int64_t>(
                                    std::numeric_limits<std::make_unsigned_t<T>>::max()));
    if (!fits)
        throw InvalidArgument(what + " has the value " + std::to_string(value) +
                              ", which does not fit its specialization constant of " +
                              std::to_string(sizeof(T)) + " bytes");
    return SpecializationConstant::of(id, static_cast<T>(value));
}

SpecializationConstant encode(const TunableKernel::Parameter& parameter, const TuningValue& value,
                              ScalarType type, const std::string& what) {
    const uint32_t id = parameter.id;
    const int64_t* const integer = std::get_if<int64_t>(&value);
    const double* const real = std::get_if<double>(&value);
    const double number = real ? *real : integer ? static_cast<double>(*integer) : 0.0;
    switch (type) {
    case ScalarType::eFloat16:
        return SpecializationConstant::of(id, Half(static_cast<float>(number)));
    case ScalarType::eFloat32:
        return SpecializationConstant::of(id, static_cast<float>(number));
    case ScalarType::eFloat64:
        return SpecializationConstant::of(id, number);
    default:
        break;
    }
    if (!integer)
        throw InvalidArgument(what + " is a floating-point number, but its specialization constant "
                                     "is an integer");
    switch (type) {
    case ScalarType::eBool:
        return SpecializationConstant::of(id, uint32_t{*integer != 0});
    case ScalarType::eInt8:
    case ScalarType::eUint8:
        return fitted<uint8_t>(id, *integer, what);
    case ScalarType::eInt16:
    case ScalarType::eUint16:
        return fitted<uint16_t>(id, *integer, what);
    case ScalarType::eInt32:
    case ScalarType::eUint32:
        return fitted<uint32_t>(id, *integer, what);
    case ScalarType::eInt64:
    case ScalarType::eUint64:
        return fitted<uint64_t>(id, *integer, what);
    default:
        throw InvalidArgument(what + " sets a specialization constant of an unknown type");
    }
}

const SpecConstant* find(const Reflection& reflection, uint32_t id) {
    for (const SpecConstant& constant : reflection.specConstants)
        if (constant.id == id)
            return &constant;
    return nullptr;
}

void addConstant(TuningBuild& build, const SpecializationConstant& constant,
                 const TunableKernel& kernel) {
    for (const SpecializationConstant& other : build.specialization)
        if (other.id == constant.id)
            throw InvalidArgument("kernel '" + kernel.name() + "' sets the specialization constant " +
                                  std::to_string(constant.id) +
                                  " in two ways (work-group sizes take the ids that the shader "
                                  "gives them)");
    build.specialization.push_back(constant);
}

void addSpecialization(TuningBuild& build, const TunableKernel& kernel,
                       const TuningConfiguration& configuration, const Reflection& reflection) {
    for (size_t i = 0; i < kernel.parameters().size(); ++i) {
        const TunableKernel::Parameter& parameter = kernel.parameters()[i];
        if (!parameter.isSpecialization)
            continue;
        if (const SpecConstant* constant = find(reflection, parameter.id))
            addConstant(build,
                        encode(parameter, configuration.items()[i].second, constant->type,
                               nameOf(parameter, kernel)),
                        kernel);
        else if (kernel.variants().empty())
            throw InvalidArgument(nameOf(parameter, kernel) + " is the specialization constant " +
                                  std::to_string(parameter.id) + ", which the shader does not have");
    }
    for (const SpecializationConstant& constant : kernel.constants())
        if (find(reflection, constant.id) || kernel.variants().empty())
            addConstant(build, constant, kernel);
}

/// Sets the work-group size asked for, where one is; @return the size in force
Workgroup applyLocalSize(TuningBuild& build, const TunableKernel& kernel,
                         const TuningConfiguration& configuration, const Reflection& reflection) {
    const char* const names[] = {"local_size_x", "local_size_y", "local_size_z"};
    const Workgroup wanted = configuration.localSize();
    Workgroup size = reflection.localSize;
    const bool any = configuration.has(names[0]) || configuration.has(names[1]) ||
                     configuration.has(names[2]);
    for (size_t i = 0; i < 3; ++i) {
        if (any && reflection.localSizeId[i]) {
            addConstant(build, SpecializationConstant::of(*reflection.localSizeId[i], wanted[i]),
                        kernel);
            size[i] = wanted[i];
        } else if (any && size[i] != wanted[i]) {
            throw ShaderError("the shader's " + std::string(names[i]) + " is fixed to " +
                              std::to_string(size[i]) + ", not " + std::to_string(wanted[i]) +
                              "; it is tunable as a specialization constant (" + names[i] +
                              "_id)");
        } else if (reflection.localSizeId[i]) {
            for (const SpecializationConstant& constant : build.specialization)
                if (constant.id == *reflection.localSizeId[i])
                    std::memcpy(&size[i], constant.value.data(), sizeof size[i]);
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
    for (const uint32_t count : groups)
        if (count == 0)
            throw InvalidArgument(
                "kernel '" + kernel.name() + "' has 0 work groups for the configuration " +
                configuration.toString() +
                (kernel.workgroupRule() ? ": that is what its work-group rule says"
                                        : ": give the arguments a number of threads, or the "
                                          "kernel a work-group rule"));
    return groups;
}

std::string overSharedMemory(const TuningBuild& build, const TuningLimits& limits) {
    std::map<uint32_t, uint64_t> given;
    for (const SpecializationConstant& constant : build.specialization) {
        uint64_t bits = 0;
        std::memcpy(&bits, constant.value.data(), std::min<size_t>(constant.bytes, sizeof bits));
        given[constant.id] = bits;
    }
    const std::optional<uint64_t> bytes = shader::sharedMemoryBytes(build.spirv, given);
    if (!bytes || *bytes <= limits.maxSharedBytes)
        return "";
    return "maxComputeSharedMemorySize = " + std::to_string(limits.maxSharedBytes) +
           " (the shader shares " + std::to_string(*bytes) + " bytes)";
}

std::string overGroupCount(const Workgroup& groups, const TuningLimits& limits) {
    for (size_t i = 0; i < 3; ++i)
        if (groups[i] > limits.maxCount[i])
            return "maxComputeWorkGroupCount[" + std::to_string(i) + "] = " +
                   std::to_string(limits.maxCount[i]) + " (the dispatch has " +
                   std::to_string(groups[i]) + ")";
    return "";
}

} // namespace

std::vector<uint32_t> spirvOf(const TunableKernel& kernel, const TuningConfiguration& configuration,
                              const Manager& manager) {
    if (kernel.factoryFunction())
        return kernel.factoryFunction()(configuration);
    if (kernel.glslFactoryFunction()) {
        CompileOptions options;
        options.fileName = kernel.name() + " (" + configuration.toString() + ")";
        return manager.compile(kernel.glslFactoryFunction()(configuration), options);
    }
    for (const TunableKernel::Variant& variant : kernel.variants())
        if (variant.name == configuration.text("variant"))
            return variant.spirv;
    if (kernel.spirv().empty())
        throw InvalidArgument("kernel '" + kernel.name() +
                              "' has no shader: neither SPIR-V nor variants nor a factory");
    return kernel.spirv();
}

std::string shaderKeyOf(const TunableKernel& kernel, const std::vector<uint32_t>& spirv) {
    if (!kernel.factoryKey().empty())
        return "key " + kernel.factoryKey();
    return toString(shader::hashBytes(spirv.data(), spirv.size() * sizeof(uint32_t)));
}

TuningBuild buildConfiguration(const TunableKernel& kernel, const TuningArguments& arguments,
                               const TuningConfiguration& configuration,
                               std::vector<uint32_t> spirv, const TuningLimits& limits) {
    TuningBuild build;
    build.spirv = std::move(spirv);
    const Reflection reflection = kp::reflect(build.spirv);
    addSpecialization(build, kernel, configuration, reflection);
    const Workgroup localSize = applyLocalSize(build, kernel, configuration, reflection);
    build.overLimit = overLimits(limits, localSize);
    if (build.overLimit.empty())
        build.overLimit = overSharedMemory(build, limits);
    build.workgroup = countGroups(kernel, arguments, configuration, localSize);
    if (build.overLimit.empty())
        build.overLimit = overGroupCount(build.workgroup, limits);
    for (const shader::Binding& binding : reflection.bindings)
        if (binding.writes || reflection.usesBufferAddresses)
            build.writtenBindings.push_back(binding.binding);
    return build;
}

} // namespace kp::launch
