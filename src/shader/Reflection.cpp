// SPDX-License-Identifier: Apache-2.0
#include "shader/Reflection.hpp"

#include <algorithm>
#include <exception>
#include <iterator>

#include <kompute/Error.hpp>
#include <spirv_cross/spirv_cross.hpp>

#include "base/Text.hpp"
#include "shader/AccessAnalysis.hpp"
#include "shader/Capabilities.hpp"
#include "shader/LocalSize.hpp"
#include "shader/SpirvModule.hpp"
#include "shader/SpirvOpcodes.hpp"

namespace kp::shader {
namespace {

using spirv_cross::Resource;
using spirv_cross::SPIRType;
using Resources = spirv_cross::SmallVector<Resource>;

struct Scalar {
    const char* name;
    uint32_t bytes;
};

/// By ScalarType.
constexpr Scalar kScalars[] = {{"unknown", 0}, {"bool", 4},     {"int8_t", 1},    {"uint8_t", 1},
                               {"int16_t", 2}, {"uint16_t", 2}, {"int", 4},       {"uint", 4},
                               {"int64_t", 8}, {"uint64_t", 8}, {"float16_t", 2}, {"float", 4},
                               {"double", 8},  {"struct", 0}};
static_assert(std::size(kScalars) == static_cast<size_t>(ScalarType::eStruct) + 1);

class Inspector : public spirv_cross::Compiler {
public:
    using Compiler::Compiler;
    using Compiler::evaluate_constant_u32;
};

ScalarType scalarOf(const SPIRType& type) {
    if (type.pointer)
        return ScalarType::eUint64;
    switch (type.basetype) {
    case SPIRType::Boolean:
        return ScalarType::eBool;
    case SPIRType::SByte:
        return ScalarType::eInt8;
    case SPIRType::UByte:
        return ScalarType::eUint8;
    case SPIRType::Short:
        return ScalarType::eInt16;
    case SPIRType::UShort:
        return ScalarType::eUint16;
    case SPIRType::Int:
        return ScalarType::eInt32;
    case SPIRType::UInt:
        return ScalarType::eUint32;
    case SPIRType::Int64:
        return ScalarType::eInt64;
    case SPIRType::UInt64:
        return ScalarType::eUint64;
    case SPIRType::Half:
        return ScalarType::eFloat16;
    case SPIRType::Float:
        return ScalarType::eFloat32;
    case SPIRType::Double:
        return ScalarType::eFloat64;
    case SPIRType::Struct:
        return ScalarType::eStruct;
    default:
        return ScalarType::eUnknown;
    }
}

uint32_t dimension(const Inspector& inspector, const SPIRType& type, size_t index) {
    return type.array_size_literal[index] ? type.array[index]
                                          : inspector.evaluate_constant_u32(type.array[index]);
}

/// Returns the number of scalars in a value of a type.
/// @param skipOutermost  ignores the outermost array dimension
uint32_t componentsOf(const Inspector& inspector, const SPIRType& type, bool skipOutermost) {
    if (scalarOf(type) == ScalarType::eStruct)
        return 1;
    uint32_t count = std::max(1u, type.vecsize) * std::max(1u, type.columns);
    const size_t dimensions = type.array.size() - (skipOutermost && !type.array.empty() ? 1 : 0);
    for (size_t i = 0; i < dimensions; ++i)
        count *= std::max(1u, dimension(inspector, type, i));
    return count;
}

uint32_t arrayLength(const Inspector& inspector, const SPIRType& type) {
    uint32_t count = 1;
    for (size_t i = 0; i < type.array.size(); ++i)
        count *= dimension(inspector, type, i);
    return count;
}

void describeBuffer(const Inspector& inspector, const SPIRType& block, Binding& binding) {
    if (block.member_types.empty())
        return;
    const auto lastIndex = static_cast<uint32_t>(block.member_types.size() - 1);
    const SPIRType& last = inspector.get_type(block.member_types[lastIndex]);
    const bool isArray = !last.array.empty();
    const bool isRuntimeArray = isArray && last.array_size_literal.back() && last.array.back() == 0;
    const bool sizedBySpecialization = isArray && !last.array_size_literal.back();

    if (isRuntimeArray || sizedBySpecialization)
        binding.fixedSize = inspector.type_struct_member_offset(block, lastIndex);
    else
        binding.fixedSize = inspector.get_declared_struct_size(block);
    if (isRuntimeArray)
        binding.arrayStride = inspector.type_struct_member_array_stride(block, lastIndex);
    if (isRuntimeArray || lastIndex == 0) {
        binding.elementType = scalarOf(last);
        binding.elementComponents = componentsOf(inspector, last, true);
    } else {
        binding.elementType = ScalarType::eStruct;
    }
}

void describeImage(const Inspector& inspector, const SPIRType& type, Binding& binding) {
    const auto& image = type.image;
    const bool texels = image.dim == spv::DimBuffer;
    if (binding.kind == BindingKind::eStorageImage)
        binding.kind = texels ? BindingKind::eStorageTexelBuffer : binding.kind;
    else
        binding.kind = texels ? BindingKind::eUniformTexelBuffer : binding.kind;
    binding.imageFormat = static_cast<uint32_t>(image.format);
    binding.imageType = scalarOf(inspector.get_type(image.type));
    binding.imageArrayed = image.arrayed;
    switch (image.dim) {
    case spv::Dim1D:
        binding.imageDimensions = 1;
        break;
    case spv::Dim2D:
        binding.imageDimensions = 2;
        break;
    case spv::Dim3D:
        binding.imageDimensions = 3;
        break;
    default:
        break;
    }
}

Binding describe(const Inspector& inspector, const Resource& resource, BindingKind kind,
                 const VariableAccess& access) {
    Binding binding;
    binding.set = inspector.get_decoration(resource.id, spv::DecorationDescriptorSet);
    binding.binding = inspector.get_decoration(resource.id, spv::DecorationBinding);
    binding.kind = kind;
    binding.name = inspector.get_name(resource.id);
    if (binding.name.empty())
        binding.name = inspector.get_name(resource.base_type_id);
    binding.count = arrayLength(inspector, inspector.get_type(resource.type_id));
    binding.reads = access.reads;
    binding.writes = access.writes;

    const SPIRType& type = inspector.get_type(resource.base_type_id);
    if (kind == BindingKind::eStorageBuffer || kind == BindingKind::eUniformBuffer)
        describeBuffer(inspector, type, binding);
    else if (kind == BindingKind::eStorageImage || kind == BindingKind::eSampledImage ||
             kind == BindingKind::eCombinedImageSampler)
        describeImage(inspector, type, binding);
    switch (binding.kind) {
    case BindingKind::eStorageBuffer:
    case BindingKind::eStorageImage:
    case BindingKind::eStorageTexelBuffer:
        break;
    default:
        binding.writes = false;
    }
    return binding;
}

/// Merges two variables with one binding, such as views of a buffer as float[] and as vec4[].
/// Properties in which they differ become unknown, and the accesses of both count.
void mergeAlias(Binding& into, const Binding& other) {
    into.kind = into.kind == other.kind ? into.kind : BindingKind::eOther;
    into.count = into.count == 0 || other.count == 0 ? 0 : std::max(into.count, other.count);
    into.reads |= other.reads;
    into.writes |= other.writes;
    into.fixedSize = std::max(into.fixedSize, other.fixedSize);
    if (into.arrayStride != 0 && other.arrayStride != 0)
        into.arrayStride = std::min(into.arrayStride, other.arrayStride);
    else
        into.arrayStride = std::max(into.arrayStride, other.arrayStride);
    if (into.elementType != other.elementType)
        into.elementType = ScalarType::eUnknown;
    if (into.elementComponents != other.elementComponents)
        into.elementComponents = 1;
    if (into.imageFormat != other.imageFormat || into.imageType != other.imageType) {
        into.imageFormat = 0;
        into.imageType = ScalarType::eUnknown;
    }
}

std::vector<Binding> findBindings(const Inspector& inspector,
                                  const spirv_cross::ShaderResources& resources,
                                  const std::map<uint32_t, VariableAccess>& accesses) {
    std::vector<Binding> found;
    const auto take = [&](const Resources& list, BindingKind kind) {
        for (const Resource& resource : list) {
            const auto access = accesses.find(resource.id);
            if (access != accesses.end())
                found.push_back(describe(inspector, resource, kind, access->second));
        }
    };
    take(resources.storage_buffers, BindingKind::eStorageBuffer);
    take(resources.uniform_buffers, BindingKind::eUniformBuffer);
    take(resources.storage_images, BindingKind::eStorageImage);
    take(resources.separate_images, BindingKind::eSampledImage);
    take(resources.sampled_images, BindingKind::eCombinedImageSampler);
    take(resources.separate_samplers, BindingKind::eSampler);
    take(resources.acceleration_structures, BindingKind::eOther);

    std::ranges::stable_sort(
        found, {}, [](const Binding& binding) { return std::pair(binding.set, binding.binding); });
    std::vector<Binding> merged;
    for (Binding& binding : found) {
        if (!merged.empty() && merged.back().set == binding.set &&
            merged.back().binding == binding.binding)
            mergeAlias(merged.back(), binding);
        else
            merged.push_back(std::move(binding));
    }
    return merged;
}

void readPushConstants(const Inspector& inspector, const Resources& blocks, Reflection& result) {
    if (blocks.empty())
        return;
    const Resource* used = &blocks.front();
    if (blocks.size() > 1) {
        const auto active = inspector.get_active_interface_variables();
        for (const Resource& block : blocks)
            used = active.contains(block.id) ? &block : used;
    }
    const SPIRType& block = inspector.get_type(used->base_type_id);
    result.pushConstantSize = static_cast<uint32_t>(inspector.get_declared_struct_size(block));
    for (uint32_t i = 0; i < block.member_types.size(); ++i) {
        const SPIRType& type = inspector.get_type(block.member_types[i]);
        result.pushConstants.push_back(
            {.name = inspector.get_member_name(used->base_type_id, i),
             .offset = inspector.type_struct_member_offset(block, i),
             .size = static_cast<uint32_t>(inspector.get_declared_struct_member_size(block, i)),
             .type = scalarOf(type),
             .components = componentsOf(inspector, type, false)});
    }
}

void readSpecConstants(const Inspector& inspector, Reflection& result) {
    for (const auto& each : inspector.get_specialization_constants()) {
        const auto& constant = inspector.get_constant(each.id);
        const ScalarType type = scalarOf(inspector.get_type(constant.constant_type));
        const uint32_t bits = 8 * sizeOf(type);
        uint64_t value = constant.m.c[0].r[0].u64;
        if (bits < 64)
            value &= (uint64_t{1} << bits) - 1;
        result.specConstants.push_back({.id = each.constant_id,
                                        .name = inspector.get_name(each.id),
                                        .type = type,
                                        .defaultBits = value});
    }
    std::ranges::stable_sort(result.specConstants, {}, &SpecConstant::id);
    const auto sameId = [](const SpecConstant& a, const SpecConstant& b) { return a.id == b.id; };
    result.specConstants.erase(
        std::unique(result.specConstants.begin(), result.specConstants.end(), sameId),
        result.specConstants.end());
}

} // namespace

uint32_t sizeOf(ScalarType type) {
    return kScalars[static_cast<size_t>(type)].bytes;
}

const char* nameOf(ScalarType type) {
    return kScalars[static_cast<size_t>(type)].name;
}

Reflection reflect(std::span<const uint32_t> spirv, const std::string& entryPoint) {
    const SpirvModule module = parseSpirv(spirv);
    const SpirvModule::EntryPoint* entry = module.compute(entryPoint);
    if (entry == nullptr) {
        fail<ShaderError>("the module has no compute entry point '{}'; its entry points: {}",
                          entryPoint, module.describeEntryPoints());
    }

    Reflection result;
    result.entryPoint = entryPoint;
    result.spirvVersion = module.version;
    result.usesBufferAddresses = module.addressing == spv::AddressingModelPhysicalStorageBuffer64;
    const LocalSize local = findLocalSize(module, entry->function);
    result.localSize = local.size;
    result.localSizeId = local.specId;
    result.capabilities = capabilitiesOf(module);
    try {
        Inspector inspector(spirv.data(), spirv.size());
        inspector.set_entry_point(entryPoint, spv::ExecutionModelGLCompute);
        const auto resources = inspector.get_shader_resources();
        result.bindings =
            findBindings(inspector, resources, analyzeAccess(module, entry->function));
        readPushConstants(inspector, resources.push_constant_buffers, result);
        readSpecConstants(inspector, result);
    } catch (const std::exception& failure) {
        fail<ShaderError>("the shader's interface cannot be read: {}", failure.what());
    }
    return result;
}

} // namespace kp::shader
