// SPDX-License-Identifier: Apache-2.0
#include <kompute/Algorithm.hpp>

#include <algorithm>
#include <cstring>
#include <utility>

#include <kompute/Error.hpp>

#include "base/Text.hpp"
#include "core/Native.hpp"
#include "core/algorithm/AlgorithmChecks.hpp"
#include "core/algorithm/AlgorithmImpl.hpp"
#include "core/image/ImageChecks.hpp"
#include "core/manager/WrapHostDevice.hpp"
#include "core/memory/ScalarTypes.hpp"
#include "core/sequence/Recorder.hpp"
#include "vulkan/queue/Commands.hpp"

namespace kp {
namespace {

/// Replaces counts of 0 in y and z.
Workgroup completed(const Workgroup& workgroup) {
    return {workgroup[0], std::max(workgroup[1], 1u), std::max(workgroup[2], 1u)};
}

} // namespace

Algorithm::Algorithm(std::shared_ptr<vulkan::Device> device) : mImpl(std::make_unique<Impl>()) {
    mImpl->device = std::move(device);
}

Algorithm::~Algorithm() = default;

std::shared_ptr<vulkan::Device> Algorithm::fromNative(const std::shared_ptr<vk::Device>& device) {
    return findDevice(device);
}

void Algorithm::rebuildBytes(const MemoryObjects& objects, ArrayView<uint32_t> spirv,
                             const Workgroup& workgroup, const Bytes& specializationConstants,
                             bool specializationById, const Bytes& pushConstants,
                             const std::optional<AlgorithmOptions>& options) {
    const CallGate::Call call(mImpl->gate);
    mImpl->requireAlive();
    const std::vector<std::shared_ptr<Memory>>& memObjects = objects.get();
    requireObjects(memObjects);
    // A copy, so that a failure leaves the algorithm unchanged.
    Impl next;
    next.device = mImpl->device;
    next.managerQueue = mImpl->managerQueue;
    next.gate = mImpl->gate;
    next.name = mImpl->name;
    next.memObjects = memObjects;
    next.types = objects.areReinterpreted() ? TypeRule::eReinterpret : TypeRule::eSame;
    next.specialization = mImpl->specialization;
    const Bytes& constants = specializationConstants;
    if (constants.count > 0 && specializationById)
        next.specialization = Specialization::byId(
            static_cast<const SpecializationConstant*>(constants.data), constants.count);
    else if (constants.count > 0)
        next.specialization = Specialization::inOrder(constants.data, constants.count,
                                                      constants.elementSize, constants.type);
    next.pushConstants = mImpl->pushConstants;
    next.pushType = mImpl->pushType;
    if (pushConstants.count > 0) {
        const auto* first = static_cast<const unsigned char*>(pushConstants.data);
        next.pushConstants.assign(first, first + pushConstants.count * pushConstants.elementSize);
        next.pushType = pushConstants.type;
    }
    next.options = options.value_or(mImpl->options);
    if (!options)
        next.options.threads = {}; // the memory may have another size
    if (!spirv.empty())
        next.setShader({spirv.data(), spirv.size()});
    const bool countsThreads = next.options.threads[0] != 0;
    if (countsThreads && workgroup[0] != 0)
        fail<InvalidArgument>("{} work groups in x and {} threads were given; the workgroup counts "
                              "work groups and AlgorithmOptions::threads counts invocations, so "
                              "give one of them",
                              workgroup[0], next.options.threads[0]);
    if (workgroup[0] != 0)
        next.setWorkgroup(completed(workgroup));
    else if (countsThreads && next.reflection)
        next.setThreadCount(next.options.threads);
    else
        next.setDefaultWorkgroup();
    if (next.reflection) {
        if (pushConstants.count > 0)
            checkPushConstants(*next.reflection, next.pushConstants.size(), next.pushType);
        if (workgroup[0] != 0)
            checkWorkgroup(next.workgroup, *next.device);
        next.warnOfIgnored(constants.count > 0, pushConstants.count > 0);
    }
    *mImpl = std::move(next);
}

void Algorithm::setMemObjects(const MemoryObjects& memObjects) {
    const CallGate::Call call(mImpl->gate);
    mImpl->requireReady();
    const TypeRule types = memObjects.areReinterpreted() ? TypeRule::eReinterpret : mImpl->types;
    checkBindings(*mImpl->reflection, *mImpl->device, memObjects.get(), types);
    checkSamplers(*mImpl->reflection, *mImpl->device, mImpl->options, memObjects.get());
    std::vector<std::shared_ptr<Memory>> previous =
        std::exchange(mImpl->memObjects, memObjects.get());
    try {
        mImpl->bindMemory();
    } catch (...) {
        mImpl->memObjects = std::move(previous);
        throw;
    }
    mImpl->types = types;
}

bool Algorithm::isInit() const {
    return mImpl->device && mImpl->pipeline;
}

void Algorithm::destroy() {
    const std::shared_ptr<CallGate> gate = mImpl->gate;
    const CallGate::Call call(gate);
    Impl empty;
    empty.workgroup = mImpl->workgroup;
    empty.gate = gate;
    empty.name = mImpl->name;
    // The other members need the device while they are destroyed.
    const std::shared_ptr<vulkan::Device> device = mImpl->device;
    *mImpl = std::move(empty);
}

void Algorithm::setName(std::string_view name) {
    const CallGate::Call call(mImpl->gate);
    mImpl->requireAlive();
    mImpl->setName(name.empty() ? nullptr : std::make_shared<const std::string>(name));
}

void Algorithm::setWorkgroup(const Workgroup& workgroup, uint32_t minSize) {
    const Workgroup counts = workgroup[0] == 0 ? Workgroup{minSize, 1, 1} : completed(workgroup);
    if (workgroup[0] != 0 && mImpl->device)
        checkWorkgroup(counts, *mImpl->device);
    mImpl->setWorkgroup(counts);
}

const Workgroup& Algorithm::getWorkgroup() const {
    return mImpl->workgroup;
}

void Algorithm::setThreadCount(uint64_t x, uint64_t y, uint64_t z) {
    mImpl->requireReady();
    if (x == 0 || y == 0 || z == 0)
        fail<InvalidArgument>("a dispatch of {} x {} x {} invocations was asked for; it needs at "
                              "least 1 in each dimension",
                              x, y, z);
    mImpl->setThreadCount({x, y, z});
}

Workgroup Algorithm::getLocalSize() const {
    return mImpl->localSize;
}

void Algorithm::setPushConstants(const void* data, size_t count, size_t elementSize,
                                 Memory::DataTypes type) {
    const size_t bytes = count * elementSize;
    mImpl->requireBuiltSize(bytes);
    if (bytes > 0 && mImpl->reflection)
        checkPushConstants(*mImpl->reflection, bytes, type);
    if (bytes > 0)
        std::memcpy(mImpl->pushConstants.data(), data, bytes);
    mImpl->pushType = type;
}

const AlgorithmOptions& Algorithm::getOptions() const {
    return mImpl->options;
}

const std::vector<std::shared_ptr<Memory>>& Algorithm::getMemObjects() const {
    return mImpl->memObjects;
}

std::vector<std::shared_ptr<Tensor>> Algorithm::getTensors() const {
    std::vector<std::shared_ptr<Tensor>> tensors;
    for (const std::shared_ptr<Memory>& memory : mImpl->memObjects)
        if (auto tensor = detail::toTensor(memory))
            tensors.push_back(std::move(tensor));
    return tensors;
}

namespace {

void requireGiven(const char* what, Memory::DataTypes given, Memory::DataTypes asked) {
    if (!takes(scalarTypeOf(given), asked))
        fail<InvalidArgument>(
            "{} constants were given as {}, but asked for as {}; ask for the type "
            "that was given, or for bytes",
            what, Memory::toString(given), Memory::toString(asked));
}

} // namespace

const std::vector<unsigned char>& Algorithm::specializationBytes(Memory::DataTypes type) const {
    for (const Memory::DataTypes given : mImpl->specialization.types)
        requireGiven("specialization", given, type);
    return mImpl->specialization.data;
}

const std::vector<unsigned char>& Algorithm::pushConstantBytes(Memory::DataTypes type) const {
    requireGiven("push", mImpl->pushType, type);
    return mImpl->pushConstants;
}

void Algorithm::throwWrongSize(size_t bytes, size_t elementSize) {
    fail<InvalidArgument>("{} bytes of constants are not whole elements of {} bytes", bytes,
                          elementSize);
}

void Algorithm::recordBindCore(const vk::CommandBuffer& commandBuffer) {
    mImpl->requireReady();
    mImpl->refreshBinding();
    if (!Recorder::knowsAccesses(native::handleOf(commandBuffer)))
        mImpl->exposeMemory();
    Recorder::withBoundState(*mImpl->device, native::handleOf(commandBuffer),
                             [&](BoundState& bound, Recorder* recorder) {
                                 if (recorder)
                                     recorder->keepBinding(mImpl->binding);
                                 mImpl->binding->bindTo(bound);
                             });
}

void Algorithm::recordBindPush(const vk::CommandBuffer& commandBuffer) {
    mImpl->requireReady();
    const std::span<const unsigned char> constants =
        mImpl->constantsFor({}, Memory::DataTypes::eCustom);
    if (constants.empty())
        return;
    Recorder::withBoundState(
        *mImpl->device, native::handleOf(commandBuffer), [&](BoundState& bound, Recorder*) {
            bound.push(*mImpl->pipeline, constants.data(), static_cast<uint32_t>(constants.size()));
        });
}

void Algorithm::recordDispatch(const vk::CommandBuffer& commandBuffer) {
    mImpl->requireReady();
    mImpl->checkWorkgroupOnce();
    checkWorkgroup(mImpl->workgroup, *mImpl->device);
    mImpl->binding->notes.record(*mImpl->device, native::handleOf(commandBuffer));
    vulkan::recordDispatch(*mImpl->device, native::handleOf(commandBuffer), mImpl->workgroup);
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

} // namespace kp
