// SPDX-License-Identifier: Apache-2.0
#include "core/algorithm/AlgorithmImpl.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <optional>
#include <span>
#include <string_view>

#include <kompute/Error.hpp>
#include <kompute/logger/Logger.hpp>

#include "base/Hash.hpp"
#include "base/Process.hpp"
#include "base/Text.hpp"
#include "core/algorithm/AlgorithmChecks.hpp"
#include "core/algorithm/BindingText.hpp"
#include "core/algorithm/LoweredShader.hpp"
#include "core/check/CheckedShader.hpp"
#include "core/image/ImageChecks.hpp"
#include "core/image/SamplerImpl.hpp"
#include "core/memory/MemoryImpl.hpp"
#include "shader/Validate.hpp"
#include "shader/check/CheckMode.hpp"
#include "shader/compile/ContentKey.hpp"
#include "shader/reflect/Reflection.hpp"

namespace kp {
namespace {

VkDescriptorType descriptorType(shader::BindingKind kind) {
    switch (kind) {
    case shader::BindingKind::eUniformBuffer:
        return VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER;
    case shader::BindingKind::eStorageImage:
        return VK_DESCRIPTOR_TYPE_STORAGE_IMAGE;
    case shader::BindingKind::eSampledImage:
        return VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE;
    case shader::BindingKind::eCombinedImageSampler:
        return VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER;
    case shader::BindingKind::eSampler:
        return VK_DESCRIPTOR_TYPE_SAMPLER;
    default:
        return VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
    }
}

/// @param spirv  for the driver, with its key
std::shared_ptr<vulkan::Pipeline> makePipeline(const Algorithm::Impl& algorithm,
                                               std::span<const uint32_t> spirv, const Hash& key,
                                               const LoweredShader* lowered) {
    const shader::Reflection& reflection = *algorithm.reflection;
    std::vector<vulkan::DescriptorBinding> bindings;
    for (const shader::Binding& binding : reflection.bindings)
        bindings.push_back(
            {binding.binding, descriptorType(binding.kind), binding.count, binding.set});
    if (algorithm.checked)
        addReportBindings(*algorithm.checked, bindings);
    Specialization given;
    given.data = algorithm.specialization.data;
    for (const shader::SpecConstant& constant : reflection.specConstants)
        if (const VkSpecializationMapEntry* entry = algorithm.specialization.find(constant.id))
            given.entries.push_back(*entry);
    if (lowered)
        given = loweredConstants(given, lowered->module);

    vulkan::PipelineCache& pipelines = algorithm.device->pipelines();
    vulkan::PipelineRequest request;
    request.spirv = spirv;
    request.spirvKey = {key.low, key.high};
    request.entryPoint = reflection.entryPoint;
    const uint32_t declared = (reflection.pushConstantSize + 3u) / 4u * 4u;
    request.layout =
        pipelines.layout(std::move(bindings),
                         std::max(declared, static_cast<uint32_t>(algorithm.pushConstants.size())));
    request.specializationEntries = given.entries;
    request.specializationData = std::as_bytes(std::span(given.data));
    request.fullSubgroups = algorithm.options.fullSubgroups;
    request.subgroupSize = algorithm.options.subgroupSize;
    request.robustAccess = algorithm.options.robustAccess;
    request.robustImages = algorithm.device->physical().has(vulkan::Feature::eRobustImageAccess2);
    return pipelines.pipeline(request);
}

/// Default counts that launch more invocations per element are warned of.
constexpr uint64_t kManyTimes = 16;

uint64_t elementsFor(const shader::Binding& used, const Memory::Impl& memory) {
    return used.arrayStride != 0 ? memory.bytes() / used.arrayStride : memory.hostCount;
}

/// Returns the coordinates of an image: width, height or layers, and depth or layers.
std::array<uint64_t, 3> coordinatesOf(const ImageOptions& image) {
    const bool line = image.type == ImageType::e1D || image.type == ImageType::e1DArray;
    return {image.width, line ? image.layers : image.height,
            image.type == ImageType::e3D ? image.depth : (line ? 1 : image.layers)};
}

} // namespace

void Algorithm::Impl::requireAlive() const {
    requireDriver();
    if (!device)
        fail<InvalidArgument>("{} was destroyed, or its manager was", describe());
}

void Algorithm::Impl::requireReady() const {
    requireAlive();
    if (!pipeline)
        fail<InvalidArgument>("{} has no shader: give SPIR-V to Manager::algorithm, or call "
                              "rebuild()",
                              describe());
}

void Algorithm::Impl::requireBuiltSize(size_t bytes) const {
    if (bytes != pushConstants.size())
        fail<InvalidArgument>(
            "{} bytes of push constants were given, but the algorithm was built with {}", bytes,
            pushConstants.size());
}

void Algorithm::Impl::setName(std::shared_ptr<const std::string> text) {
    name = std::move(text);
    if (binding) {
        auto next = std::make_shared<MemoryBinding>(*binding); // recordings have the other one
        next->name = name;
        binding = std::move(next);
        if (binding->notes.report)
            binding->notes.report->setName(name);
    }
    if (pipeline && name)
        device->setName(VK_OBJECT_TYPE_PIPELINE, pipeline->handle(), *name);
}

std::string Algorithm::Impl::describe() const {
    return name ? formatted("the algorithm '{}'", *name) : "this algorithm";
}

void Algorithm::Impl::setShader(std::span<const uint32_t> spirv) {
    device->requireAlive();
    const Hash key = shader::contentKey(spirv);
    shader::validate(spirv, key, device->plan().apiVersion,
                     device->has(vulkan::Feature::eScalarBlockLayout));
    reflection = shader::reflectCached(spirv, key);
    checkSpecialization(*reflection, specialization);
    localSize = localSizeOf(*reflection, specialization);
    // Checks come first, so that faults tell of the shader's own types.
    const std::optional<shader::CheckKinds> fixed = fixedChecks(options, managerQueue.lock().get());
    const shader::CheckKinds kinds = fixed ? *fixed : shader::currentChecks();
    checked = kinds.any() ? checkedFor(*device, spirv, key, *reflection, kinds) : nullptr;
    std::span<const uint32_t> words = checked ? checked->module.spirv : spirv;
    Hash wordsKey = checked ? checked->key : key;
    const std::shared_ptr<const LoweredShader> lowered =
        options.emulateTypes ? loweredFor(*device, words, wordsKey) : nullptr;
    requireLowered(spirv, key, lowered.get());
    requireDescriptors(*reflection, *device);
    requireLocalSize(localSize, *device);
    requireOptions(options, *reflection, localSize, *device);
    requireAddressed(options, *reflection, *device);
    checkBindings(*reflection, *device, memObjects, types);
    checkSamplers(*reflection, *device, options, memObjects);
    checkPushConstantLimit(*reflection, *device, pushConstants.size());
    takenPushTypes = pushTypesOf(*reflection);
    wordBuffers = lowered && lowered->module.wordBuffers;
    if (lowered) {
        words = lowered->module.spirv;
        wordsKey = lowered->key;
    }
    pipeline = makePipeline(*this, words, wordsKey, lowered.get());
    bindMemory();
    if (name)
        device->setName(VK_OBJECT_TYPE_PIPELINE, pipeline->handle(), *name);
}

void Algorithm::Impl::requireLowered(std::span<const uint32_t> spirv, const Hash& key,
                                     const LoweredShader* lowered) const {
    if (!lowered) {
        requireCapabilities(reflection->capabilities, *device);
        return requireVariables(spirv, key, *reflection, specialization, options, *device);
    }
    const std::vector<uint32_t>& words = lowered->module.spirv;
    const auto reflected = shader::reflectCached(words, lowered->key);
    requireCapabilities(reflected->capabilities, *device);
    requireVariables(words, lowered->key, *reflected, specialization, options, *device);
}

void Algorithm::Impl::setThreadCount(const std::array<uint64_t, 3>& threads) {
    const auto& [x, y, z] = threads;
    setWorkgroup(groupsFor({x, std::max<uint64_t>(y, 1), std::max<uint64_t>(z, 1)}, localSize,
                           *reflection, *device));
}

void Algorithm::Impl::setDefaultWorkgroup() {
    if (reflection && reflection->usesFlatIndex) {
        uint64_t largest = 1;
        eachUsed([&](const shader::Binding& used, const std::shared_ptr<Memory>& object) {
            largest = std::max(largest, elementsFor(used, implOf(*object)));
        });
        return setThreadCount({largest, 1, 1});
    }
    const uint64_t elements = memObjects.empty() ? 1 : memObjects.front()->size();
    constexpr uint64_t kMost = std::numeric_limits<uint32_t>::max();
    setWorkgroup({static_cast<uint32_t>(std::min(elements, kMost)), 1, 1});
    workgroupUnchecked = reflection != nullptr;
}

void Algorithm::Impl::checkDefaultWorkgroup() {
    workgroupUnchecked = false;
    uint64_t largest = 1;
    uint64_t written = 1;
    uint32_t writtenBinding = 0;
    std::optional<uint32_t> uncovered;
    eachUsed([&](const shader::Binding& used, const std::shared_ptr<Memory>& object) {
        const Memory::Impl& memory = implOf(*object);
        const uint64_t elements = elementsFor(used, memory);
        largest = std::max(largest, elements);
        if (used.writes && elements > written) {
            written = elements;
            writtenBinding = used.binding;
        }
        if (!used.writes || !memory.imageOptions)
            return;
        const std::array<uint64_t, 3> coordinates = coordinatesOf(*memory.imageOptions);
        for (size_t axis = 1; axis < 3; ++axis)
            if (coordinates[axis] > uint64_t{workgroup[axis]} * localSize[axis])
                uncovered = used.binding;
    });
    const uint64_t invocations =
        uint64_t{workgroup[0]} * localSize[0] * localSize[1] * localSize[2];
    constexpr std::string_view kDefault =
        "by default there is one work group per element of the first memory object, ";
    if (written > invocations)
        KP_LOG_WARN("{}so {}, but the shader writes binding {} with {} elements; give the number "
                    "of work groups or of invocations",
                    kDefault, counted(invocations, "invocation"), writtenBinding, written);
    else if (uncovered && reflection->readsYOrZ)
        KP_LOG_WARN("{}all of them in x, so {} in y and {} in z, but the shader writes binding {}, "
                    "an image with more; give the number of work groups or of invocations",
                    kDefault, counted(uint64_t{workgroup[1]} * localSize[1], "invocation"),
                    uint64_t{workgroup[2]} * localSize[2], *uncovered);
    else if (workgroup[0] > 1 && invocations / kManyTimes > largest)
        KP_LOG_WARN("{}so {} of {} each are launched, for {}; call Algorithm::setThreadCount() or "
                    "set AlgorithmOptions::threads to launch one invocation per element, or give "
                    "the number of work groups",
                    kDefault, counted(workgroup[0], "work group"),
                    counted(invocations / workgroup[0], "invocation"), counted(largest, "element"));
}

void Algorithm::Impl::warnOfIgnored(bool constantsGiven, bool pushConstantsGiven) const {
    std::vector<uint32_t> ids;
    for (const VkSpecializationMapEntry& entry : specialization.entries)
        if (std::ranges::find(reflection->specConstants, entry.constantID,
                              &shader::SpecConstant::id) == reflection->specConstants.end())
            ids.push_back(entry.constantID);
    if (constantsGiven && !ids.empty())
        KP_LOG_WARN("the shader has no specialization constants with the ids {}; their values are "
                    "ignored",
                    join(ids));
    size_t used = 0;
    for (const shader::Binding& binding : reflection->bindings)
        if (binding.takesMemory())
            used = std::max(used, size_t{binding.argument} + binding.count);
    if (memObjects.size() > used)
        KP_LOG_WARN("{} given, but the shader uses {}; the others are ignored",
                    counted(memObjects.size(), "memory object"),
                    used == 0 ? std::string("none") : formatted("the first {}", used));
    if (pushConstantsGiven && reflection->pushConstantSize == 0)
        KP_LOG_WARN("the shader has no push constants; the {} bytes given are ignored",
                    pushConstants.size());
}

void Algorithm::Impl::bindMemory() {
    auto next = std::make_shared<MemoryBinding>();
    next->pipeline = pipeline;
    next->name = name;
    next->reflection = reflection;
    const vulkan::PipelineLayout& layout = pipeline->layout();
    const uint32_t setCount = reflection->bindings.empty() && !checked ? 0 : layout.setCount();
    auto used = reflection->bindings.begin(); // sorted by set
    std::vector<vulkan::DescriptorWrite> writes;
    for (uint32_t set = 0; set < setCount; ++set) {
        writes.clear();
        for (; used != reflection->bindings.end() && used->set == set; ++used)
            for (uint32_t element = 0; element < used->count; ++element)
                writes.push_back(bindObject(*used, element, *next));
        std::shared_ptr<vulkan::DescriptorSet> made;
        if (!writes.empty())
            made = device->descriptors().create(layout, writes, set);
        else if (checked && set == checked->module.reportSet)
            made = bindReport(*next);
        if (set == 0)
            next->set = std::move(made);
        else
            next->furtherSets.push_back(std::move(made));
    }
    auto argument = static_cast<uint32_t>(memObjects.size());
    for (const std::shared_ptr<Memory>& addressed : options.addressed) {
        const Memory::Impl& memory = implOf(*addressed);
        memory.requireAlive();
        next->uses.push_back({memory.primary(), true, true, argument++});
        next->hostMayRead |= memory.hostReadable();
        if (memory.buffer && vulkan::WrittenMemory::follows(*memory.buffer))
            next->notes.unnoted.push_back({memory.buffer.get(), 0, memory.buffer->size()});
    }
    binding = std::move(next);
}

std::shared_ptr<vulkan::DescriptorSet> Algorithm::Impl::bindReport(MemoryBinding& next) const {
    std::vector<BoundMemory> bound;
    for (const shader::Binding& used : reflection->bindings) {
        if (!used.takesMemory())
            continue;
        const Memory::Impl& memory = implOf(*memObjects[used.argument]);
        bound.push_back({used.set, used.binding,
                         formatted("{}, {}", describeBinding(used), describeMemory(memory)),
                         memory.bytes()});
        bound.back().memory = memory.buffer.get();
        if (memory.buffer)
            bound.back().written = vulkan::WrittenMemory::of(*memory.buffer);
    }
    next.notes.report = std::make_shared<CheckReport>(*device, checked, std::move(bound), name);
    std::vector<AddressRange> ranges;
    for (const std::shared_ptr<Memory>& addressed : options.addressed)
        if (const vulkan::Buffer* const buffer = implOf(*addressed).buffer.get())
            ranges.push_back({buffer->deviceAddress(), buffer->size()});
    if (!ranges.empty())
        next.notes.report->allowAddresses(ranges);
    return next.notes.report->describe(pipeline->layout());
}

vulkan::DescriptorWrite Algorithm::Impl::bindObject(const shader::Binding& used, uint32_t element,
                                                    MemoryBinding& next) const {
    vulkan::DescriptorWrite write;
    write.binding = used.binding;
    write.element = element;
    write.type = descriptorType(used.kind);
    if (used.takesSampler()) {
        next.samplers.push_back(implOf(*samplerFor(options, used, element)).sampler);
        write.image.sampler = next.samplers.back()->handle();
    }
    if (!used.takesMemory())
        return write;
    const uint32_t argument = used.argument + element;
    const Memory::Impl& memory = implOf(*memObjects[argument]);
    memory.requireAlive();
    uint64_t range = memory.bytes();
    if (used.kind == shader::BindingKind::eUniformBuffer) // the block is smaller, by the checks
        range =
            std::min<uint64_t>(range, device->physical().properties.limits.maxUniformBufferRange);
    if (wordBuffers && memory.buffer && used.kind == shader::BindingKind::eStorageBuffer) {
        range = (range + 3) & ~uint64_t{3};
        if (range > memory.buffer->fillSize())
            fail<InvalidArgument>(
                "binding {} has {} bytes of memory that the library does not own, "
                "but {} accesses elements of 8 and 16 bits as words; use a "
                "multiple of 4 bytes",
                used.binding, memory.bytes(), device->name());
    }
    if (memory.buffer)
        write.buffer = {memory.buffer->handle(), memory.buffer->offset(), range};
    else
        write.image = {write.image.sampler, memory.image->view(), VK_IMAGE_LAYOUT_GENERAL};
    next.uses.push_back({memory.primary(), used.reads || !used.writes, used.writes, argument});
    next.hostMayRead |= used.writes && memory.hostReadable();
    next.padded |= memory.padded;
    if (used.writes && memory.buffer && !follows(checked.get(), used.set, used.binding) &&
        vulkan::WrittenMemory::follows(*memory.buffer)) [[unlikely]]
        next.notes.unnoted.push_back({memory.buffer.get(), 0, memory.buffer->size()});
    return write;
}

void Algorithm::Impl::requireMemory() const {
    eachUsed([](const shader::Binding&, const std::shared_ptr<Memory>& memory) {
        implOf(*memory).requireAlive();
    });
    for (const std::shared_ptr<Memory>& memory : options.addressed)
        implOf(*memory).requireAlive();
}

void Algorithm::Impl::rebind() {
    checkBindings(*reflection, *device, memObjects, types); // a tensor may have another size now
    checkSamplers(*reflection, *device, options, memObjects);
    bindMemory();
}

void Algorithm::Impl::checkConstants(size_t bytes, Memory::DataTypes type) const {
    if (!pushConstants.empty())
        requireBuiltSize(bytes);
    checkPushConstantLimit(*reflection, *device, bytes);
    checkPushConstants(*reflection, bytes, type);
}

void Algorithm::Impl::exposeMemory() const {
    eachUsed([](const shader::Binding&, const std::shared_ptr<Memory>& memory) {
        implOf(*memory).expose();
    });
}

Accesses Algorithm::Impl::accesses() const {
    if (!binding)
        return {};
    Accesses accesses = accessesAnything() ? Accesses::anything() : Accesses();
    for (const MemoryBinding::Use& use : binding->uses) {
        const std::shared_ptr<Memory>& memory =
            use.argument < memObjects.size() ? memObjects[use.argument]
                                             : options.addressed[use.argument - memObjects.size()];
        if (use.reads && use.writes)
            accesses.readWrite(memory);
        else if (use.writes)
            accesses.write(memory);
        else
            accesses.read(memory);
    }
    return accesses;
}

std::shared_ptr<Algorithm> cloneOf(const Algorithm& algorithm) {
    auto clone = Internals::make<Algorithm>(implOf(algorithm).device);
    implOf(*clone) = implOf(algorithm);
    implOf(*clone).pushConstants.clear();
    return clone;
}

} // namespace kp
