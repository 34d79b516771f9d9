// SPDX-License-Identifier: Apache-2.0
#include "core/algorithm/AlgorithmChecks.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>
#include <map>
#include <optional>
#include <string>

#include <kompute/Error.hpp>

#include "base/Text.hpp"
#include "core/algorithm/BindingChecks.hpp"
#include "core/algorithm/BindingText.hpp"
#include "core/algorithm/Specialization.hpp"
#include "core/memory/MemoryImpl.hpp"
#include "core/memory/ScalarTypes.hpp"
#include "shader/reflect/Reflection.hpp"
#include "shader/reflect/VariableSizes.hpp"

namespace kp {
namespace {

using shader::BindingKind;
using shader::ScalarType;
using vulkan::Feature;

/// A SPIR-V capability and a device feature that allows it. One of a capability's rows is enough.
struct CapabilityFeature {
    const char* capability;
    Feature feature;
};

constexpr CapabilityFeature kCapabilityFeatures[] = {
    {"Float64", Feature::eShaderFloat64},
    {"Int64", Feature::eShaderInt64},
    {"Int16", Feature::eShaderInt16},
    {"Int8", Feature::eShaderInt8},
    {"Float16", Feature::eShaderFloat16},
    {"StorageBuffer16BitAccess", Feature::eStorageBuffer16BitAccess},
    {"StorageUniformBufferBlock16", Feature::eStorageBuffer16BitAccess},
    {"UniformAndStorageBuffer16BitAccess", Feature::eUniformAndStorageBuffer16BitAccess},
    {"StoragePushConstant16", Feature::eStoragePushConstant16},
    {"StorageBuffer8BitAccess", Feature::eStorageBuffer8BitAccess},
    {"UniformAndStorageBuffer8BitAccess", Feature::eUniformAndStorageBuffer8BitAccess},
    {"StoragePushConstant8", Feature::eStoragePushConstant8},
    {"VariablePointersStorageBuffer", Feature::eVariablePointersStorageBuffer},
    {"VariablePointers", Feature::eVariablePointers},
    {"VulkanMemoryModel", Feature::eVulkanMemoryModel},
    {"VulkanMemoryModelDeviceScope", Feature::eVulkanMemoryModelDeviceScope},
    {"PhysicalStorageBufferAddresses", Feature::eBufferDeviceAddress},
    {"StorageImageReadWithoutFormat", Feature::eShaderStorageImageReadWithoutFormat},
    {"StorageImageWriteWithoutFormat", Feature::eShaderStorageImageWriteWithoutFormat},
    {"ImageGatherExtended", Feature::eShaderImageGatherExtended},
    {"SampledImageArrayDynamicIndexing", Feature::eShaderSampledImageArrayDynamicIndexing},
    {"SampledImageArrayNonUniformIndexing", Feature::eShaderSampledImageArrayNonUniformIndexing},
    {"StorageBufferArrayDynamicIndexing", Feature::eShaderStorageBufferArrayDynamicIndexing},
    {"StorageImageArrayDynamicIndexing", Feature::eShaderStorageImageArrayDynamicIndexing},
    {"UniformBufferArrayDynamicIndexing", Feature::eShaderUniformBufferArrayDynamicIndexing},
    {"StorageBufferArrayNonUniformIndexing", Feature::eShaderStorageBufferArrayNonUniformIndexing},
    {"StorageImageArrayNonUniformIndexing", Feature::eShaderStorageImageArrayNonUniformIndexing},
    {"UniformBufferArrayNonUniformIndexing", Feature::eShaderUniformBufferArrayNonUniformIndexing},
    {"StorageImageExtendedFormats", Feature::eShaderStorageImageExtendedFormats},
    {"DotProduct", Feature::eShaderIntegerDotProduct},
    {"DotProductInput4x8Bit", Feature::eShaderIntegerDotProduct},
    {"DotProductInput4x8BitPacked", Feature::eShaderIntegerDotProduct},
    {"DotProductInputAll", Feature::eShaderIntegerDotProduct},
    {"WorkgroupMemoryExplicitLayoutKHR", Feature::eWorkgroupMemoryExplicitLayout},
    {"CooperativeMatrixKHR", Feature::eCooperativeMatrix},
    {"CooperativeMatrixReductionsNV", Feature::eCooperativeMatrixReductions},
    {"CooperativeMatrixConversionsNV", Feature::eCooperativeMatrixConversions},
    {"CooperativeMatrixPerElementOperationsNV", Feature::eCooperativeMatrixPerElementOperations},
    {"CooperativeMatrixTensorAddressingNV", Feature::eCooperativeMatrixTensorAddressing},
    {"CooperativeMatrixBlockLoadsNV", Feature::eCooperativeMatrixBlockLoads},
    {"BFloat16TypeKHR", Feature::eShaderBFloat16Type},
    {"BFloat16CooperativeMatrixKHR", Feature::eShaderBFloat16CooperativeMatrix},
    {"Int64Atomics", Feature::eShaderBufferInt64Atomics},
    {"Int64Atomics", Feature::eShaderSharedInt64Atomics},
    {"AtomicFloat32AddEXT", Feature::eShaderBufferFloat32AtomicAdd},
    {"AtomicFloat32AddEXT", Feature::eShaderSharedFloat32AtomicAdd},
    {"AtomicFloat32AddEXT", Feature::eShaderImageFloat32AtomicAdd},
    {"AtomicFloat64AddEXT", Feature::eShaderBufferFloat64AtomicAdd},
    {"AtomicFloat64AddEXT", Feature::eShaderSharedFloat64AtomicAdd},
    {"ShaderClockKHR", Feature::eShaderSubgroupClock},
    {"ShaderClockKHR", Feature::eShaderDeviceClock},
};

/// A SPIR-V capability and the operations of subgroups that allow it.
struct CapabilityOperations {
    const char* capability;
    VkSubgroupFeatureFlags operations;
    const char* name;
};

constexpr CapabilityOperations kCapabilityOperations[] = {
    {"GroupNonUniform", VK_SUBGROUP_FEATURE_BASIC_BIT, "basic"},
    {"GroupNonUniformVote", VK_SUBGROUP_FEATURE_VOTE_BIT, "vote"},
    {"GroupNonUniformArithmetic", VK_SUBGROUP_FEATURE_ARITHMETIC_BIT, "arithmetic"},
    {"GroupNonUniformBallot", VK_SUBGROUP_FEATURE_BALLOT_BIT, "ballot"},
    {"GroupNonUniformShuffle", VK_SUBGROUP_FEATURE_SHUFFLE_BIT, "shuffle"},
    {"GroupNonUniformShuffleRelative", VK_SUBGROUP_FEATURE_SHUFFLE_RELATIVE_BIT,
     "shuffle relative"},
    {"GroupNonUniformClustered", VK_SUBGROUP_FEATURE_CLUSTERED_BIT, "clustered"},
    {"GroupNonUniformQuad", VK_SUBGROUP_FEATURE_QUAD_BIT, "quad"},
};

/// Returns true if a constant may be given as numbers of a type; eCustom matches anything. A bool
/// may be a word, and two words (of an address) may be a long integer.
bool takesConstant(ScalarType declared, uint32_t components, Memory::DataTypes given) {
    using DataTypes = Memory::DataTypes;
    const bool isWord = given == DataTypes::eInt || given == DataTypes::eUnsignedInt;
    const bool isLong = given == DataTypes::eLong || given == DataTypes::eUnsignedLong;
    const bool isTwoWords = components == 2 && takes(declared, DataTypes::eUnsignedInt);
    return takes(declared, given) || (declared == ScalarType::eBool && isWord) ||
           (isTwoWords && isLong);
}

} // namespace

void requireCapabilities(const std::vector<std::string>& capabilities,
                         const vulkan::Device& device) {
    for (const std::string& capability : capabilities) {
        const CapabilityFeature* first = nullptr;
        bool allowed = false;
        for (const CapabilityFeature& entry : kCapabilityFeatures)
            if (capability == entry.capability) {
                first = first ? first : &entry;
                allowed = allowed || device.has(entry.feature);
            }
        if (first && !allowed)
            fail<ShaderError>("the shader needs {}, but {} {} the feature {}", capability,
                              device.name(),
                              device.wrapped() ? "was not created with" : "does not have",
                              vulkan::nameOf(first->feature));
        for (const CapabilityOperations& entry : kCapabilityOperations)
            if (capability == entry.capability &&
                (device.physical().subgroupOperations & entry.operations) == 0)
                fail<ShaderError>(
                    "the shader needs {}, but {} has no {} operations of subgroups in "
                    "compute shaders; use shared memory",
                    capability, device.name(), entry.name);
    }
}

void requireLocalSize(const Workgroup& localSize, const vulkan::Device& device) {
    const VkPhysicalDeviceLimits& limits = device.physical().properties.limits;
    uint64_t invocations = 1;
    for (size_t i = 0; i < 3; ++i) {
        invocations *= localSize[i];
        if (localSize[i] == 0 || localSize[i] > limits.maxComputeWorkGroupSize[i])
            fail<ShaderError>("the shader's local size of {} in dimension {} is not within 1 and "
                              "{}'s maxComputeWorkGroupSize of {}",
                              localSize[i], "xyz"[i], device.name(),
                              limits.maxComputeWorkGroupSize[i]);
    }
    if (invocations > limits.maxComputeWorkGroupInvocations)
        fail<ShaderError>("the shader's {} invocations per work group are over {}'s "
                          "maxComputeWorkGroupInvocations of {}",
                          invocations, device.name(), limits.maxComputeWorkGroupInvocations);
}

void requireVariables(std::span<const uint32_t> spirv, const Hash& contentKey,
                      const shader::Reflection& reflection, const Specialization& specialization,
                      const AlgorithmOptions& options, const vulkan::Device& device) {
    shader::VariableBytes bytes{reflection.sharedBytes, reflection.privateBytes};
    if ((bytes.shared != 0 || bytes.privateArrays != 0) && !specialization.entries.empty())
        bytes = shader::variableBytesCached(spirv, contentKey, reflection.entryPoint,
                                            specialization.bits());
    const uint32_t most = device.physical().properties.limits.maxComputeSharedMemorySize;
    if (bytes.shared && *bytes.shared > most)
        fail<ShaderError>("the work groups of the shader share {} bytes, which is over {}'s "
                          "maxComputeSharedMemorySize of {}",
                          *bytes.shared, device.name(), most);
    constexpr uint64_t kUnknown = UINT64_MAX;
    if (bytes.privateArrays.value_or(kUnknown) > options.maxPrivateBytes)
        fail<ShaderError>("each invocation of the shader has arrays of {} for itself, and the "
                          "maximum is {} bytes, because the driver reserves them for all "
                          "invocations in flight. Put tables and work space into buffers or shared "
                          "memory, or raise AlgorithmOptions::maxPrivateBytes",
                          bytes.privateArrays ? formatted("{} bytes", *bytes.privateArrays)
                                              : std::string("a size that cannot be computed"),
                          options.maxPrivateBytes);
}

void requireAddressed(const AlgorithmOptions& options, const shader::Reflection& reflection,
                      const vulkan::Device& device) {
    if (options.addressed.empty())
        return;
    if (!reflection.usesBufferAddresses)
        fail<InvalidArgument>("{} {} given as reached by address, but the shader uses no buffer "
                              "addresses (GL_EXT_buffer_reference); bind them",
                              counted(options.addressed.size(), "memory object"),
                              options.addressed.size() == 1 ? "was" : "were");
    requireObjects(options.addressed);
    for (const std::shared_ptr<Memory>& memory : options.addressed) {
        requireSameDevice(*memory, device, "an algorithm");
        if (memory->type() == Memory::Type::eImage)
            fail<InvalidArgument>("{} was given as reached by address, but images have no address",
                                  describeMemory(implOf(*memory)));
    }
}

void requireOptions(const AlgorithmOptions& options, const shader::Reflection& reflection,
                    const Workgroup& localSize, const vulkan::Device& device) {
    const vulkan::PhysicalDevice& physical = device.physical();
    const uint32_t required = options.subgroupSize;
    if (required != 0) {
        if (!device.has(Feature::eSubgroupSizeControl) || !physical.requiresSubgroupSizes())
            fail<Unsupported>("a subgroup size of {} was required, but {} cannot require one (it "
                              "needs subgroupSizeControl for compute shaders); leave the size 0, "
                              "so that the driver chooses it",
                              required, device.name());
        if (!std::has_single_bit(required) || required < physical.minSubgroupSize ||
            required > physical.maxSubgroupSize)
            fail<Unsupported>("a subgroup size of {} was required, but {} supports powers of two "
                              "from {} to {}",
                              required, device.name(), physical.minSubgroupSize,
                              physical.maxSubgroupSize);
        const uint64_t invocations = uint64_t{localSize[0]} * localSize[1] * localSize[2];
        const uint64_t subgroups = (invocations + required - 1) / required;
        if (subgroups > physical.maxComputeWorkgroupSubgroups)
            fail<InvalidArgument>("{} invocations per work group are {} subgroups of {}, over {}'s "
                                  "maxComputeWorkgroupSubgroups of {}; choose a smaller local size "
                                  "or larger subgroups",
                                  invocations, subgroups, required, device.name(),
                                  physical.maxComputeWorkgroupSubgroups);
    }
    if (options.robustAccess) {
        const Feature missing = !device.has(Feature::ePipelineRobustness)
                                    ? Feature::ePipelineRobustness
                                    : Feature::eRobustBufferAccess2;
        if (!device.has(Feature::ePipelineRobustness) ||
            !physical.has(Feature::eRobustBufferAccess2))
            fail<Unsupported>("robust access was required, but {} {} {} ({}); check bounds in the "
                              "shader",
                              device.name(),
                              device.wrapped() && physical.has(missing) ? "was created without"
                                                                        : "has no",
                              vulkan::nameOf(missing), vulkan::extensionOf(missing));
    }
    if (!options.fullSubgroups)
        return;
    if (!device.has(Feature::eComputeFullSubgroups))
        fail<Unsupported>("full subgroups were required, but {} does not offer "
                          "computeFullSubgroups",
                          device.name());
    // SPIR-V 1.6 lets the driver choose any size for each pipeline, earlier versions only one.
    const bool varies = reflection.spirvVersion >= 0x00010600;
    const uint32_t size = required != 0 ? required
                          : varies      ? physical.maxSubgroupSize
                                        : std::max(physical.subgroupSize, 1u);
    if (localSize[0] % size != 0)
        fail<InvalidArgument>("full subgroups were required, but the local size in x, {}, is not "
                              "a multiple of {}, the {}subgroup size of {}",
                              localSize[0], size, varies && required == 0 ? "largest " : "",
                              device.name());
}

void requireDescriptors(const shader::Reflection& reflection, const vulkan::Device& device) {
    const VkPhysicalDeviceLimits& limits = device.physical().properties.limits;
    const auto of = [](BindingKind kind) {
        return [kind](const shader::Binding& binding) { return binding.kind == kind; };
    };
    const auto sampled = [](const shader::Binding& binding) {
        return binding.kind == BindingKind::eSampledImage ||
               binding.kind == BindingKind::eCombinedImageSampler;
    };
    for (const shader::Binding& binding : reflection.bindings)
        if (binding.set >= limits.maxBoundDescriptorSets)
            fail<ShaderError>("{} is over {}'s maxBoundDescriptorSets of {}; use sets 0 to {}",
                              describeBinding(binding), device.name(),
                              limits.maxBoundDescriptorSets, limits.maxBoundDescriptorSets - 1);
    const auto requireAtMost = [&](uint64_t used, uint32_t limit, const char* name) {
        if (used > limit)
            fail<ShaderError>("the shader uses {} descriptors, over {}'s {} of {}", used,
                              device.name(), name, limit);
    };
    uint64_t all = 0;
    const auto requireKind = [&](const auto& counts, uint32_t limit, const char* name) {
        uint64_t used = 0;
        for (const shader::Binding& binding : reflection.bindings)
            used += counts(binding) ? binding.count : 0;
        requireAtMost(used, limit, name);
        all += used;
    };
    requireKind([](const shader::Binding& binding) { return binding.takesSampler(); },
                limits.maxPerStageDescriptorSamplers, "maxPerStageDescriptorSamplers");
    all = 0; // samplers are not resources
    requireKind(of(BindingKind::eStorageBuffer), limits.maxPerStageDescriptorStorageBuffers,
                "maxPerStageDescriptorStorageBuffers");
    requireKind(of(BindingKind::eUniformBuffer), limits.maxPerStageDescriptorUniformBuffers,
                "maxPerStageDescriptorUniformBuffers");
    requireKind(of(BindingKind::eStorageImage), limits.maxPerStageDescriptorStorageImages,
                "maxPerStageDescriptorStorageImages");
    requireKind(sampled, limits.maxPerStageDescriptorSampledImages,
                "maxPerStageDescriptorSampledImages");
    requireAtMost(all, limits.maxPerStageResources, "maxPerStageResources");
}

void checkSpecialization(const shader::Reflection& reflection,
                         const Specialization& specialization) {
    for (const shader::SpecConstant& constant : reflection.specConstants) {
        const VkSpecializationMapEntry* given = specialization.find(constant.id);
        if (!given)
            continue;
        const uint32_t declared = shader::sizeOf(constant.type);
        if (declared != 0 && declared != given->size)
            fail<ShaderError>("specialization constant {}{} is declared as {} ({} bytes), but "
                              "values of {} bytes were given",
                              constant.id, quotedName(constant.name), shader::nameOf(constant.type),
                              declared, given->size);
        const Memory::DataTypes type =
            specialization.types[static_cast<size_t>(given - specialization.entries.data())];
        if (!takesConstant(constant.type, 1, type))
            fail<ShaderError>("specialization constant {}{} is declared as {}, but was given as "
                              "{}; give a value of the declared type",
                              constant.id, quotedName(constant.name), shader::nameOf(constant.type),
                              shader::nameOf(scalarTypeOf(type)));
    }
}

void checkPushConstantLimit(const shader::Reflection& reflection, const vulkan::Device& device,
                            size_t bytes) {
    const uint32_t limit = device.physical().properties.limits.maxPushConstantsSize;
    const size_t largest = std::max<size_t>(bytes, reflection.pushConstantSize);
    if (largest > limit)
        fail<InvalidArgument>("{} bytes of push constants are over {}'s maxPushConstantsSize of {}",
                              largest, device.name(), limit);
    if (bytes % 4 != 0)
        fail<InvalidArgument>("push constants must be a multiple of 4 bytes, not {}", bytes);
}

uint32_t pushTypesOf(const shader::Reflection& reflection) {
    uint32_t taken = 0;
    constexpr auto kLast = static_cast<uint32_t>(Memory::DataTypes::eBFloat16);
    for (uint32_t type = 0; type <= kLast; ++type) {
        const auto takesIt = [&](const shader::PushConstantMember& member) {
            return takesConstant(member.type, member.components,
                                 static_cast<Memory::DataTypes>(type));
        };
        if (std::ranges::all_of(reflection.pushConstants, takesIt))
            taken |= 1u << type;
    }
    return taken;
}

void checkPushConstants(const shader::Reflection& reflection, size_t bytes,
                        Memory::DataTypes type) {
    // Unused push constants do no harm, and programs for the original Kompute pass them.
    if (reflection.pushConstantSize == 0)
        return;
    // A C++ struct may end in padding that the shader's block does not count.
    size_t alignment = 4;
    for (const shader::PushConstantMember& member : reflection.pushConstants) {
        const size_t number = shader::sizeOf(member.type);
        const size_t components = member.components == 3 ? 4 : member.components;
        alignment =
            std::max(alignment, number == 0 ? 16 : std::min<size_t>(number * components, 16));
    }
    const size_t padded = (reflection.pushConstantSize + alignment - 1) / alignment * alignment;
    if (bytes < reflection.pushConstantSize || bytes > padded) {
        std::vector<std::string> names;
        for (const shader::PushConstantMember& member : reflection.pushConstants)
            names.push_back(member.name);
        fail<InvalidArgument>("the shader declares {} bytes of push constants ({}), but {} were "
                              "given; give a value of each type in this order, or a struct of them",
                              reflection.pushConstantSize, join(names), bytes);
    }
    for (const shader::PushConstantMember& member : reflection.pushConstants)
        if (!takesConstant(member.type, member.components, type))
            fail<InvalidArgument>("push constant{} is declared as {}, but was given as {}; give "
                                  "numbers of the declared type, or a struct if types differ",
                                  quotedName(member.name), shader::nameOf(member.type),
                                  shader::nameOf(scalarTypeOf(type)));
}

std::array<uint32_t, 3> foldedGroups(uint64_t groups, const VkPhysicalDeviceLimits& limits) {
    const auto divide = [](uint64_t a, uint64_t b) { return (a + b - 1) / b; };
    const uint32_t* const most = limits.maxComputeWorkGroupCount;
    std::array<uint32_t, 3> folded{};
    const uint64_t z = divide(groups, uint64_t{most[0]} * most[1]);
    const uint64_t y = divide(divide(groups, z), most[0]);
    folded[2] = static_cast<uint32_t>(z);
    folded[1] = static_cast<uint32_t>(y);
    folded[0] = static_cast<uint32_t>(divide(groups, y * z));
    return folded;
}

Workgroup groupsFor(const std::array<uint64_t, 3>& invocations, const Workgroup& localSize,
                    const shader::Reflection& reflection, const vulkan::Device& device) {
    const VkPhysicalDeviceLimits& limits = device.physical().properties.limits;
    const auto& [x, y, z] = invocations;
    const auto groupsIn = [&](size_t axis) {
        return (invocations[axis] - 1) / localSize[axis] + 1;
    };
    if (reflection.usesFlatIndex && y == 1 && z == 1 &&
        groupsIn(0) > limits.maxComputeWorkGroupCount[0]) {
        if (x > std::numeric_limits<uint32_t>::max())
            fail<InvalidArgument>("{} invocations are more than the 2^32 that kp_index() can "
                                  "number; split the work",
                                  x);
        return foldedGroups(groupsIn(0), limits);
    }
    Workgroup groups{};
    for (size_t axis = 0; axis < 3; ++axis) {
        const uint64_t count = groupsIn(axis);
        const uint64_t limit = limits.maxComputeWorkGroupCount[axis];
        if (count > limit)
            fail<InvalidArgument>(
                "{} invocations in {} at a local size of {} are {} work groups, over {}'s "
                "maxComputeWorkGroupCount of {}, so that at most {} are possible; number the "
                "invocations of work in one dimension with kp_index() of <kompute/index.glsl>, "
                "which may be spread over x, y and z, or choose a larger local size, or let each "
                "invocation do more",
                invocations[axis], "xyz"[axis], localSize[axis], count, device.name(), limit,
                limit * localSize[axis]);
        groups[axis] = static_cast<uint32_t>(count);
    }
    return groups;
}

void refuseWorkgroup(const Workgroup& workgroup, const vulkan::Device& device) {
    const auto& limits = device.physical().properties.limits.maxComputeWorkGroupCount;
    size_t axis = 0;
    while (axis < 2 && workgroup[axis] <= limits[axis])
        ++axis;
    fail<InvalidArgument>("a dispatch of {} x {} x {} work groups is over {}'s "
                          "maxComputeWorkGroupCount of {} in dimension {}; let each work group do "
                          "more (a larger local size and a thread count), or spread the groups "
                          "over y and z",
                          workgroup[0], workgroup[1], workgroup[2], device.name(), limits[axis],
                          "xyz"[axis]);
}

} // namespace kp
