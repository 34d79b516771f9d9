// SPDX-License-Identifier: Apache-2.0
#include "shader/reflect/Reflection.hpp"

#include <algorithm>
#include <exception>
#include <iterator>
#include <map>
#include <memory>
#include <set>

#include <kompute/Error.hpp>
#include <spirv-tools/libspirv.h>

#include "base/Text.hpp"
#include "shader/SpirvModule.hpp"
#include "shader/Validate.hpp"
#include "shader/compile/ContentKey.hpp"
#include "shader/compile/LruCache.hpp"
#include "shader/reflect/AccessAnalysis.hpp"
#include "shader/reflect/ReflectedTypes.hpp"
#include "shader/reflect/VariableSizes.hpp"

namespace kp::shader {
namespace {

using spirv_cross::Resource;
using spirv_cross::SPIRType;
using Resources = spirv_cross::SmallVector<Resource>;

/// Of one binding. Keeps tables of arguments small for any module.
constexpr uint64_t kMaxDescriptors = 65536;

/// Returns the number of descriptors of a variable; 0 if it is not fixed.
uint32_t descriptorCount(const SPIRType& type) {
    uint64_t count = 1;
    for (size_t i = 0; i < type.array.size() && count != 0; ++i) {
        count *= type.array_size_literal[i] ? type.array[i] : 0;
        if (count > kMaxDescriptors)
            fail<ShaderError>("a binding is an array of more than {} descriptors", kMaxDescriptors);
    }
    return static_cast<uint32_t>(count);
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
    else if (isArray && !sizedBySpecialization && lastIndex == 0)
        binding.fixedStride = inspector.type_struct_member_array_stride(block, lastIndex);
    if (isRuntimeArray || lastIndex == 0) {
        binding.elementType = scalarOf(last);
        binding.elementComponents = componentsOf(inspector, last, true);
        if (binding.elementType == ScalarType::eStruct)
            binding.members = membersOf(inspector, last);
    } else {
        binding.elementType = ScalarType::eStruct;
    }
}

void describeImage(const Inspector& inspector, const SPIRType& type, Binding& binding) {
    const auto& image = type.image;
    if (image.dim == spv::DimBuffer)
        binding.kind = binding.kind == BindingKind::eStorageImage
                           ? BindingKind::eStorageTexelBuffer
                           : BindingKind::eUniformTexelBuffer;
    binding.imageFormat = static_cast<uint32_t>(image.format);
    binding.imageType = scalarOf(inspector.get_type(image.type));
    binding.imageArrayed = image.arrayed;
    if (image.dim <= spv::Dim3D) // 1D, 2D and 3D are 0, 1 and 2
        binding.imageDimensions = image.dim + 1;
    // Cubes, several samples per texel, and samplers that compare.
    const bool sampled = binding.kind == BindingKind::eCombinedImageSampler ||
                         binding.kind == BindingKind::eSampledImage;
    if ((image.dim > spv::Dim3D && image.dim != spv::DimBuffer) || image.ms ||
        (sampled && image.depth))
        binding.kind = BindingKind::eOther;
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
    binding.count = descriptorCount(inspector.get_type(resource.type_id));
    binding.reads = access.reads;

    const SPIRType& type = inspector.get_type(resource.base_type_id);
    if (kind == BindingKind::eStorageBuffer || kind == BindingKind::eUniformBuffer)
        describeBuffer(inspector, type, binding);
    else if (kind == BindingKind::eStorageImage || kind == BindingKind::eSampledImage ||
             kind == BindingKind::eCombinedImageSampler)
        describeImage(inspector, type, binding);
    binding.writes = access.writes && (binding.kind == BindingKind::eStorageBuffer ||
                                       binding.kind == BindingKind::eStorageImage ||
                                       binding.kind == BindingKind::eStorageTexelBuffer);
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
    if (into.arrayStride != other.arrayStride || into.fixedStride != other.fixedStride) {
        into.members.clear();
        into.fixedStride = 0;
        if (into.elementType == ScalarType::eStruct)
            into.elementType = ScalarType::eUnknown;
    }
    // The view with the smaller elements counts, and among equal ones, the one with more numbers.
    const bool finer =
        other.arrayStride != 0 && (into.arrayStride == 0 || other.arrayStride < into.arrayStride ||
                                   (other.arrayStride == into.arrayStride &&
                                    other.elementComponents > into.elementComponents));
    if (into.elementType != other.elementType)
        into.elementType = ScalarType::eUnknown;
    if (finer) {
        into.arrayStride = other.arrayStride;
        into.elementComponents = other.elementComponents;
    } else if (into.arrayStride == 0 && into.elementComponents != other.elementComponents) {
        into.elementComponents = 1;
        into.fixedStride = 0;
        into.elementType = ScalarType::eUnknown; // no layout fits both
    }
    if (into.imageFormat != other.imageFormat || into.imageType != other.imageType) {
        into.imageFormat = 0;
        into.imageType = ScalarType::eUnknown;
    }
}

/// Numbers the memory objects of the bindings: by binding if there is one set without arrays and
/// separate samplers, else one after the other. Numbers the samplers one after the other.
void numberArguments(std::vector<Binding>& bindings) {
    const bool byBinding = std::ranges::all_of(bindings, [](const Binding& binding) {
        return binding.set == 0 && binding.count == 1 && binding.takesMemory();
    });
    uint32_t next = 0;
    uint32_t nextSampler = 0;
    for (Binding& binding : bindings) {
        binding.argument = byBinding ? binding.binding : next;
        binding.sampler = nextSampler;
        next += binding.takesMemory() ? binding.count : 0;
        nextSampler += binding.takesSampler() ? binding.count : 0;
    }
}

/// Notes which samplers each separate image is combined with.
void noteCombinations(const Inspector& inspector,
                      const std::map<uint32_t, VariableAccess>& accesses,
                      std::vector<Binding>& bindings) {
    const auto bindingOf = [&](uint32_t variable) {
        const auto place =
            std::pair(inspector.get_decoration(variable, spv::DecorationDescriptorSet),
                      inspector.get_decoration(variable, spv::DecorationBinding));
        return std::ranges::find(bindings, place, [](const Binding& binding) {
            return std::pair(binding.set, binding.binding);
        });
    };
    for (const auto& [variable, access] : accesses) {
        const auto image = access.samplers.empty() ? bindings.end() : bindingOf(variable);
        if (image == bindings.end())
            continue;
        for (const uint32_t each : access.samplers)
            if (const auto sampler = bindingOf(each); sampler != bindings.end())
                image->imageSamplers.push_back(static_cast<uint32_t>(sampler - bindings.begin()));
        std::ranges::sort(image->imageSamplers);
        std::vector<uint32_t>& samplers = image->imageSamplers;
        samplers.erase(std::unique(samplers.begin(), samplers.end()), samplers.end());
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
    numberArguments(merged);
    noteCombinations(inspector, accesses, merged);
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
    result.pushConstants = membersOf(inspector, block);
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

/// The constant that kp_index() of <kompute/index.glsl> multiplies with.
constexpr uint32_t kIndexConstantId = 2046;

/// Finds out whether the shader calls kp_index(), and hides its constant.
void readFlatIndex(const SpirvModule& module, Reflection& result) {
    const auto known = std::ranges::find(result.specConstants, kIndexConstantId, &SpecConstant::id);
    if (known == result.specConstants.end() || known->type != ScalarType::eUint32)
        return;
    result.specConstants.erase(known);
    uint32_t unit = 0;
    for (const Instruction& each : module.instructions) {
        if (each.opcode == spv::OpDecorate && each.word(2) == spv::DecorationSpecId &&
            each.word(3) == kIndexConstantId)
            unit = each.word(1);
        else if (each.opcode == spv::OpIMul && unit != 0)
            result.usesFlatIndex |= each.word(3) == unit || each.word(4) == unit;
    }
}

/// Finds out whether the shader reads the y or z of a position, or a position as a whole.
void readDimensions(const SpirvModule& module, Reflection& result) {
    std::set<uint32_t> positions;
    std::set<uint32_t> zeros;
    for (const Instruction& each : module.instructions) {
        switch (each.opcode) {
        case spv::OpDecorate:
            if (each.word(2) == spv::DecorationBuiltIn &&
                (each.word(3) == spv::BuiltInGlobalInvocationId ||
                 each.word(3) == spv::BuiltInWorkgroupId ||
                 each.word(3) == spv::BuiltInLocalInvocationId))
                positions.insert(each.word(1));
            break;
        case spv::OpConstant:
            if (each.size() == 4 && each.word(3) == 0)
                zeros.insert(each.word(2));
            break;
        case spv::OpLoad:
            result.readsYOrZ |= positions.contains(each.word(3));
            break;
        case spv::OpAccessChain:
        case spv::OpInBoundsAccessChain:
            result.readsYOrZ |= positions.contains(each.word(3)) && !zeros.contains(each.word(4));
            break;
        default:
            break;
        }
    }
}

/// Reads the work group size: the constant decorated WorkgroupSize, which takes precedence, else
/// the execution mode LocalSizeId or LocalSize.
void readLocalSize(const SpirvModule& module, uint32_t entryFunction, Reflection& result) {
    std::map<uint32_t, uint32_t> values;
    std::map<uint32_t, uint32_t> specIds;
    uint32_t workgroupSize = 0;
    const Instruction* sizes = nullptr;
    for (const Instruction& each : module.instructions) {
        switch (each.opcode) {
        case spv::OpExecutionMode:
            if (each.word(1) == entryFunction && each.word(2) == spv::ExecutionModeLocalSize)
                result.localSize = {each.word(3), each.word(4), each.word(5)};
            break;
        case spv::OpExecutionModeId:
            if (each.word(1) == entryFunction && each.word(2) == spv::ExecutionModeLocalSizeId)
                sizes = &each;
            break;
        case spv::OpDecorate:
            if (each.word(2) == spv::DecorationSpecId)
                specIds[each.word(1)] = each.word(3);
            else if (each.word(2) == spv::DecorationBuiltIn &&
                     each.word(3) == spv::BuiltInWorkgroupSize)
                workgroupSize = each.word(1);
            break;
        case spv::OpConstant:
        case spv::OpSpecConstant:
            values[each.word(2)] = each.word(3);
            break;
        case spv::OpConstantComposite:
        case spv::OpSpecConstantComposite:
            if (each.word(2) == workgroupSize)
                sizes = &each;
            break;
        default:
            break;
        }
    }
    for (size_t i = 0; sizes != nullptr && i < 3; ++i) {
        const uint32_t id = sizes->word(3 + i);
        if (const auto value = values.find(id); value != values.end())
            result.localSize[i] = value->second;
        if (const auto specId = specIds.find(id); specId != specIds.end())
            result.localSizeId[i] = specId->second;
    }
}

using ToolsContext = std::unique_ptr<spv_context_t, decltype(&spvContextDestroy)>;

/// SPIRV-Tools has no function for the name, so this disassembles a module of one instruction.
std::string capabilityName(const ToolsContext& context, uint32_t capability) {
    constexpr std::string_view kInstruction = "OpCapability ";
    const uint32_t words[] = {spv::MagicNumber, spv::Version, 0, 1, 0, 2u << 16 | spv::OpCapability,
                              capability};
    spv_text raw = nullptr;
    spvBinaryToText(context.get(), words, std::size(words), SPV_BINARY_TO_TEXT_OPTION_NO_HEADER,
                    &raw, nullptr);
    const std::unique_ptr<spv_text_t, decltype(&spvTextDestroy)> text(raw, &spvTextDestroy);
    if (!text)
        return formatted("Capability{}", capability);
    std::string name(text->str, text->length);
    name.erase(0, name.find(kInstruction) + kInstruction.size());
    return name.substr(0, name.find('\n'));
}

/// Returns the SPIR-V specification's names of the capabilities that a module declares, such as
/// "Float64"; "Capability<number>" for one that SPIRV-Tools does not know.
std::vector<std::string> capabilitiesOf(const SpirvModule& module) {
    const ToolsContext context(spvContextCreate(SPV_ENV_UNIVERSAL_1_6), &spvContextDestroy);
    std::vector<std::string> names;
    for (const Instruction& each : module.instructions) {
        if (each.opcode == spv::OpCapability)
            names.push_back(capabilityName(context, each.word(1)));
    }
    return names;
}

constexpr size_t kMaxReflectionBytes = size_t{16} << 20;

size_t bytesOf(const std::vector<Member>& members) {
    size_t bytes = members.size() * (sizeof(Member) + 32);
    for (const Member& member : members)
        bytes += member.axes.size() * sizeof(MemberAxis);
    return bytes;
}

size_t bytesOf(const Reflection& reflection) {
    size_t elements = 0;
    for (const Binding& binding : reflection.bindings)
        elements += bytesOf(binding.members);
    return sizeof(Reflection) + reflection.bindings.size() * (sizeof(Binding) + 32) + elements +
           bytesOf(reflection.pushConstants) +
           reflection.specConstants.size() * (sizeof(SpecConstant) + 32) +
           reflection.capabilities.size() * (sizeof(std::string) + 32) + 128;
}

} // namespace

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
    readLocalSize(module, entry->function, result);
    readDimensions(module, result);
    result.sharedBytes = sharedMemoryBytes(module);
    result.privateBytes = privateArrayBytes(module, entry->function);
    result.capabilities = capabilitiesOf(module);
    try {
        Inspector inspector(spirv.data(), spirv.size());
        inspector.set_entry_point(entryPoint, spv::ExecutionModelGLCompute);
        const auto resources = inspector.get_shader_resources();
        result.bindings =
            findBindings(inspector, resources, analyzeAccess(module, entry->function));
        readPushConstants(inspector, resources.push_constant_buffers, result);
        readSpecConstants(inspector, result);
        readFlatIndex(module, result);
    } catch (const ShaderError&) {
        throw;
    } catch (const std::exception& failure) {
        fail<ShaderError>("the shader's interface cannot be read: {}", failure.what());
    }
    return result;
}

std::shared_ptr<const Reflection> reflectCached(std::span<const uint32_t> spirv,
                                                const std::string& entryPoint) {
    return reflectCached(spirv, contentKey(spirv), entryPoint);
}

std::shared_ptr<const Reflection> reflectCached(std::span<const uint32_t> spirv,
                                                const Hash& contentKey,
                                                const std::string& entryPoint) {
    static auto& cache = *new LruCache<std::shared_ptr<const Reflection>>(kMaxReflectionBytes);
    const Hash name = hashBytes(entryPoint.data(), entryPoint.size());
    const Hash key{contentKey.low, name.low};
    if (auto found = cache.get(key); found && (*found)->entryPoint == entryPoint)
        return *found;
    auto made = std::make_shared<const Reflection>(reflect(spirv, entryPoint));
    cache.put(key, made, bytesOf(*made));
    return made;
}

} // namespace kp::shader

namespace kp {

shader::Reflection reflect(const std::vector<uint32_t>& spirv, const std::string& entryPoint) {
    constexpr uint32_t kNewestVulkan = (1u << 22) | (3u << 12);
    shader::validate(spirv, kNewestVulkan);
    return *shader::reflectCached(spirv, entryPoint);
}

} // namespace kp
