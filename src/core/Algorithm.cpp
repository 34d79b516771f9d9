// SPDX-License-Identifier: Apache-2.0
#include <kompute/Algorithm.hpp>

#include <algorithm>
#include <cstring>
#include <limits>

#include <kompute/Error.hpp>

#include "core/AlgorithmChecks.hpp"
#include "core/AlgorithmImpl.hpp"
#include "core/MemoryImpl.hpp"
#include "core/Native.hpp"
#include "core/Recorder.hpp"
#include "shader/Hash.hpp"
#include "shader/ReflectionCache.hpp"
#include "shader/Validate.hpp"
#include "vulkan/Commands.hpp"

namespace kp {
namespace {

Workgroup normalised(const Workgroup& workgroup, uint32_t minSize) {
    if (workgroup[0] == 0)
        return {minSize, 1, 1};
    return {workgroup[0], std::max(workgroup[1], 1u), std::max(workgroup[2], 1u)};
}

uint32_t defaultGroups(const std::vector<std::shared_ptr<Memory>>& memObjects) {
    const uint64_t count = memObjects.empty() ? 1 : memObjects.front()->size();
    return static_cast<uint32_t>(std::min<uint64_t>(count, std::numeric_limits<uint32_t>::max()));
}

VkDescriptorType descriptorType(shader::BindingKind kind) {
    switch (kind) {
    case shader::BindingKind::eUniformBuffer:
        return VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER;
    case shader::BindingKind::eStorageImage:
        return VK_DESCRIPTOR_TYPE_STORAGE_IMAGE;
    default:
        return VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
    }
}

/// The local size with the specialization constants in force.
Workgroup localSizeOf(const shader::Reflection& reflection, const Specialization& specialization) {
    Workgroup size = reflection.localSize;
    for (size_t i = 0; i < 3; ++i) {
        if (!reflection.localSizeId[i])
            continue;
        const VkSpecializationMapEntry* given = specialization.find(*reflection.localSizeId[i]);
        if (given && given->size == sizeof(uint32_t))
            std::memcpy(&size[i], specialization.data.data() + given->offset, sizeof(uint32_t));
    }
    return size;
}

Specialization specializationOf(const void* values, size_t count, size_t elementSize, bool byId) {
    Specialization specialization;
    const auto* first = static_cast<const unsigned char*>(values);
    if (!byId) {
        specialization.data.assign(first, first + count * elementSize);
        for (size_t i = 0; i < count; ++i)
            specialization.entries.push_back(
                {static_cast<uint32_t>(i), static_cast<uint32_t>(i * elementSize), elementSize});
        return specialization;
    }
    const auto* constants = static_cast<const SpecializationConstant*>(values);
    for (size_t i = 0; i < count; ++i) {
        const SpecializationConstant& constant = constants[i];
        if (specialization.find(constant.id))
            throw InvalidArgument("specialization constant " + std::to_string(constant.id) +
                                  " was given twice");
        if (constant.bytes == 0 || constant.bytes > constant.value.size())
            throw InvalidArgument("specialization constant " + std::to_string(constant.id) +
                                  " was given with " + std::to_string(constant.bytes) +
                                  " bytes; it has 1 to 8");
        specialization.entries.push_back(
            {constant.id, static_cast<uint32_t>(specialization.data.size()), constant.bytes});
        // Eight bytes each, so that every value is aligned.
        specialization.data.insert(specialization.data.end(), constant.value.begin(),
                                   constant.value.end());
    }
    return specialization;
}

std::shared_ptr<vulkan::Pipeline>
makePipeline(vulkan::Device& device, const std::vector<uint32_t>& spirv, const shader::Hash& hash,
             const shader::Reflection& reflection, const Specialization& specialization,
             size_t pushConstantBytes) {
    std::vector<vulkan::DescriptorBinding> bindings;
    for (const shader::Binding& binding : reflection.bindings)
        bindings.push_back({binding.binding, descriptorType(binding.kind), 1});
    std::vector<VkSpecializationMapEntry> entries;
    for (const shader::SpecConstant& constant : reflection.specConstants)
        if (const VkSpecializationMapEntry* given = specialization.find(constant.id))
            entries.push_back(*given);

    vulkan::PipelineRequest request;
    request.spirv = spirv;
    request.spirvHash = {hash.low, hash.high};
    request.entryPoint = reflection.entryPoint;
    const uint32_t declared = (reflection.pushConstantSize + 3u) / 4u * 4u;
    request.layout = device.pipelines().layout(
        std::move(bindings), std::max(declared, static_cast<uint32_t>(pushConstantBytes)));
    request.specializationEntries = entries;
    request.specializationData = std::as_bytes(std::span(specialization.data));
    return device.pipelines().pipeline(request);
}

} // namespace

const VkSpecializationMapEntry* Specialization::find(uint32_t id) const {
    // Entry i is constant i, unless they were given by id.
    if (id < entries.size() && entries[id].constantID == id)
        return &entries[id];
    for (const VkSpecializationMapEntry& entry : entries)
        if (entry.constantID == id)
            return &entry;
    return nullptr;
}

Algorithm::Algorithm(std::shared_ptr<vulkan::Device> device) : mImpl(std::make_unique<Impl>()) {
    mImpl->device = std::move(device);
}

Algorithm::~Algorithm() = default;

std::shared_ptr<vulkan::Device> Algorithm::fromNative(const std::shared_ptr<vk::Device>& device) {
    return native::findDevice(device);
}

void Algorithm::rebuildBytes(const std::vector<std::shared_ptr<Memory>>& memObjects,
                             const std::vector<uint32_t>& spirv, const Workgroup& workgroup,
                             const Bytes& specializationConstants, bool specializationById,
                             const Bytes& pushConstants) {
    if (!mImpl->device)
        throw InvalidArgument("this algorithm was destroyed, or its manager was");
    // Built aside first, so that a failure leaves the algorithm as it was.
    Impl next;
    next.device = mImpl->device;
    next.memObjects = memObjects;
    next.specialization = mImpl->specialization;
    if (specializationConstants.count > 0)
        next.specialization =
            specializationOf(specializationConstants.data, specializationConstants.count,
                             specializationConstants.elementSize, specializationById);
    next.pushConstants = mImpl->pushConstants;
    if (pushConstants.count > 0) {
        const auto* first = static_cast<const unsigned char*>(pushConstants.data);
        next.pushConstants.assign(first, first + pushConstants.count * pushConstants.elementSize);
    }
    if (!spirv.empty()) {
        vulkan::Device& device = *next.device;
        device.requireAlive();
        const shader::Hash hash = shader::hashBytes(spirv.data(), spirv.size() * sizeof(uint32_t));
        shader::validate(spirv, hash, device.plan().apiVersion,
                         device.has(vulkan::Feature::eScalarBlockLayout));
        next.reflection = shader::reflectCached(spirv, hash);
        const shader::Reflection& reflection = *next.reflection;
        checkSpecialization(reflection, next.specialization);
        next.localSize = localSizeOf(reflection, next.specialization);
        checkDevice(reflection, device, next.localSize);
        checkBindings(reflection, device, memObjects);
        checkPushConstantLimit(reflection, device, next.pushConstants.size());
        next.pipeline = makePipeline(device, spirv, hash, reflection, next.specialization,
                                     next.pushConstants.size());
        next.bindMemory();
    }
    next.workgroup = normalised(workgroup, defaultGroups(memObjects));
    *mImpl = std::move(next);
}

void Algorithm::setMemObjects(const std::vector<std::shared_ptr<Memory>>& memObjects) {
    mImpl->requireReady();
    checkBindings(*mImpl->reflection, *mImpl->device, memObjects);
    const std::vector<std::shared_ptr<Memory>> previous = mImpl->memObjects;
    mImpl->memObjects = memObjects;
    try {
        mImpl->bindMemory();
    } catch (...) {
        mImpl->memObjects = previous;
        throw;
    }
}

bool Algorithm::isInit() const {
    return mImpl->device && mImpl->pipeline;
}

void Algorithm::destroy() {
    const Workgroup workgroup = mImpl->workgroup;
    Impl empty;
    empty.workgroup = workgroup;
    // The device goes last: what is let go of before still needs it.
    const std::shared_ptr<vulkan::Device> device = mImpl->device;
    *mImpl = std::move(empty);
}

void Algorithm::setWorkgroup(const Workgroup& workgroup, uint32_t minSize) {
    mImpl->workgroup = normalised(workgroup, minSize);
}

const Workgroup& Algorithm::getWorkgroup() const {
    return mImpl->workgroup;
}

void Algorithm::setThreadCount(uint64_t x, uint64_t y, uint64_t z) {
    mImpl->requireReady();
    const uint64_t threads[3] = {x, y, z};
    Workgroup groups{};
    for (size_t i = 0; i < 3; ++i) {
        if (threads[i] == 0)
            throw InvalidArgument("a dispatch of 0 invocations was asked for");
        const uint64_t count = (threads[i] - 1) / mImpl->localSize[i] + 1;
        groups[i] =
            static_cast<uint32_t>(std::min<uint64_t>(count, std::numeric_limits<uint32_t>::max()));
    }
    checkWorkgroup(groups, *mImpl->device);
    mImpl->workgroup = groups;
}

Workgroup Algorithm::getLocalSize() const {
    return mImpl->localSize;
}

void Algorithm::setPushConstants(const void* data, size_t count, size_t elementSize) {
    const size_t bytes = count * elementSize;
    if (bytes != mImpl->pushConstants.size())
        throw InvalidArgument(std::to_string(bytes) +
                              " bytes of push constants were given, but the "
                              "algorithm was built with " +
                              std::to_string(mImpl->pushConstants.size()));
    if (bytes > 0)
        std::memcpy(mImpl->pushConstants.data(), data, bytes);
}

const std::vector<std::shared_ptr<Memory>>& Algorithm::getMemObjects() const {
    return mImpl->memObjects;
}

std::vector<std::shared_ptr<Tensor>> Algorithm::getTensors() const {
    std::vector<std::shared_ptr<Tensor>> tensors;
    for (const std::shared_ptr<Memory>& memory : mImpl->memObjects)
        if (auto tensor = std::dynamic_pointer_cast<Tensor>(memory))
            tensors.push_back(std::move(tensor));
    return tensors;
}

const std::vector<unsigned char>& Algorithm::specializationBytes() const {
    return mImpl->specialization.data;
}

const std::vector<unsigned char>& Algorithm::pushConstantBytes() const {
    return mImpl->pushConstants;
}

void Algorithm::throwWrongSize(size_t bytes, size_t elementSize) {
    throw InvalidArgument(std::to_string(bytes) + " bytes of constants are not whole elements of " +
                          std::to_string(elementSize) + " bytes");
}

void Algorithm::recordBindCore(const vk::CommandBuffer& commandBuffer) {
    mImpl->requireReady();
    mImpl->recordBind(native::handleOf(commandBuffer));
}

void Algorithm::recordBindPush(const vk::CommandBuffer& commandBuffer) {
    mImpl->requireReady();
    mImpl->recordPush(native::handleOf(commandBuffer), mImpl->constantsFor({}));
}

void Algorithm::recordDispatch(const vk::CommandBuffer& commandBuffer) {
    mImpl->requireReady();
    mImpl->recordDispatch(native::handleOf(commandBuffer));
}

VkPipeline Algorithm::nativePipeline() const {
    return mImpl->pipeline ? mImpl->pipeline->handle() : VK_NULL_HANDLE;
}

VkPipelineLayout Algorithm::nativePipelineLayout() const {
    return mImpl->pipeline ? mImpl->pipeline->layout().handle() : VK_NULL_HANDLE;
}

VkDescriptorSet Algorithm::nativeDescriptorSet() const {
    return mImpl->binding && mImpl->binding->set ? mImpl->binding->set->handle() : VK_NULL_HANDLE;
}

void Algorithm::Impl::requireReady() const {
    if (!device)
        throw InvalidArgument("this algorithm was destroyed, or its manager was");
    if (!pipeline)
        throw InvalidArgument("this algorithm has no shader: give SPIR-V to Manager::algorithm, or "
                              "call rebuild()");
}

void Algorithm::Impl::bindMemory() {
    auto next = std::make_shared<Binding>();
    next->pipeline = pipeline;
    std::vector<vulkan::DescriptorWrite> writes;
    for (const shader::Binding& used : reflection->bindings) {
        const Memory::Impl& memory = memObjects[used.binding]->impl();
        memory.requireAlive();
        vulkan::DescriptorWrite write;
        write.binding = used.binding;
        write.type = descriptorType(used.kind);
        if (memory.buffer)
            write.buffer = {memory.buffer->handle(), memory.buffer->offset(), memory.bytes()};
        else
            write.image = {VK_NULL_HANDLE, memory.image->view(), VK_IMAGE_LAYOUT_GENERAL};
        writes.push_back(write);
        next->uses.push_back({memory.primary(), used.reads || !used.writes, used.writes});
        next->hostMayRead |= used.writes && (memory.buffer ? memory.buffer->hostReadable()
                                                           : memory.image->mapped() != nullptr);
        next->padded |= memory.padded;
    }
    if (!writes.empty())
        next->set = device->descriptors().create(pipeline->layout(), writes);
    binding = std::move(next);
}

void Algorithm::Impl::requireMemory() const {
    for (const shader::Binding& used : reflection->bindings)
        memObjects[used.binding]->impl().requireAlive();
}

void Algorithm::Impl::rebind() {
    checkBindings(*reflection, *device, memObjects); // a tensor may have another size now
    bindMemory();
}

void Algorithm::Impl::checkConstants(size_t bytes) const {
    if (!pushConstants.empty() && bytes != pushConstants.size())
        throw InvalidArgument(std::to_string(bytes) +
                              " bytes of push constants were given to a dispatch, but the "
                              "algorithm was built with " +
                              std::to_string(pushConstants.size()));
    checkPushConstants(*reflection, bytes);
}

Accesses Algorithm::Impl::accesses() const {
    if (!reflection)
        return {};
    Accesses accesses = reflection->usesBufferAddresses ? Accesses::anything() : Accesses();
    for (const shader::Binding& binding : reflection->bindings) {
        const std::shared_ptr<Memory>& memory = memObjects[binding.binding];
        if (binding.reads && binding.writes)
            accesses.readWrite(memory);
        else if (binding.writes)
            accesses.write(memory);
        else
            accesses.read(memory);
    }
    return accesses;
}

void Algorithm::Impl::recordBind(VkCommandBuffer commandBuffer) {
    refreshBinding();
    const VkDescriptorSet set = binding->set ? binding->set->handle() : VK_NULL_HANDLE;
    if (Recorder* const recorder = Recorder::active(commandBuffer)) {
        recorder->keep(binding);
        recorder->bind(*pipeline, set);
        return;
    }
    vulkan::recordBind(*device, commandBuffer, *pipeline);
    if (set)
        vulkan::recordBindSet(*device, commandBuffer, *pipeline, set);
}

void Algorithm::Impl::recordPush(VkCommandBuffer commandBuffer,
                                 std::span<const unsigned char> bytes) {
    if (bytes.empty())
        return;
    if (Recorder* recorder = Recorder::active(commandBuffer))
        recorder->push(*pipeline, bytes.data(), static_cast<uint32_t>(bytes.size()));
    else
        vulkan::recordPush(*device, commandBuffer, *pipeline, bytes.data(),
                           static_cast<uint32_t>(bytes.size()));
}

void Algorithm::Impl::recordDispatch(VkCommandBuffer commandBuffer) {
    checkWorkgroup(workgroup, *device);
    vulkan::recordDispatch(*device, commandBuffer, workgroup);
}

} // namespace kp
