// SPDX-License-Identifier: Apache-2.0
#include "launch/KernelImpl.hpp"

#include <algorithm>
#include <cstring>
#include <functional>
#include <limits>
#include <utility>

#include <kompute/Error.hpp>
#include <kompute/operations/OperationAllocator.hpp>

#include "core/AlgorithmChecks.hpp"
#include "core/MemoryImpl.hpp"
#include "core/QueueImpl.hpp"
#include "launch/Steps.hpp"

namespace kp {
namespace {

using launch::throwFor;

/// A push-constant member of this name that is not given gets the global size, so that a shader can
/// check its bounds where the size is rounded up.
constexpr const char* kGlobalSizeName = "kp_global_size";

bool isMemory(const KernelArgument& argument) {
    return argument.kind == ArgumentKind::eBuffer || argument.kind == ArgumentKind::eImage;
}

bool sameConstants(const std::vector<SpecializationConstant>& a,
                   const std::vector<SpecializationConstant>& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const auto& x, const auto& y) {
        return x.id == y.id && x.bytes == y.bytes && x.value == y.value;
    });
}

/// Another algorithm with the same pipeline.
std::shared_ptr<Algorithm> cloneOf(const Algorithm& algorithm) {
    auto clone = std::make_shared<Algorithm>(algorithm.impl().device);
    clone->impl() = algorithm.impl();
    clone->impl().pushConstants.clear();
    return clone;
}

size_t hashOf(const Binding& binding) {
    size_t hash = std::hash<const void*>()(binding.pipeline.get());
    for (const Binding::Use& use : binding.uses)
        hash = hash * 31 + std::hash<const void*>()(use.resource.get());
    return hash;
}

bool bindsTheSame(const Binding& a, const Binding& b) {
    return a.pipeline == b.pipeline &&
           std::equal(a.uses.begin(), a.uses.end(), b.uses.begin(), b.uses.end(),
                      [](const auto& x, const auto& y) { return x.resource == y.resource; });
}

} // namespace

std::shared_ptr<const Binding>
SharedBindings::shared(const std::shared_ptr<const Binding>& binding) {
    const std::lock_guard lock(mMutex);
    if (mBindings.size() >= mMost) {
        std::erase_if(mBindings, [](const auto& each) { return each.second.expired(); });
        mMost = std::max<size_t>(64, 2 * mBindings.size());
    }
    std::weak_ptr<const Binding>& place = mBindings[hashOf(*binding)];
    std::shared_ptr<const Binding> known = place.lock();
    if (known && bindsTheSame(*known, *binding))
        return known;
    if (!known)
        place = binding;
    return binding;
}

KernelLauncher::Impl::Impl(const std::string& launcherName, Kernel usedKernel,
                           const KernelOptions& given)
    : name(launcherName), kernel(std::move(usedKernel)), options(given),
      values(kernel.signature().arguments().size()) {}

std::string KernelLauncher::Impl::describe(uint32_t index) const {
    const KernelArgument& argument = arguments()[index];
    return "argument " + std::to_string(index) +
           (argument.name.empty() ? "" : " '" + argument.name + "'") + " (" + typeName(argument) +
           ")";
}

uint32_t KernelLauncher::Impl::indexOf(const Argument& argument) const {
    if (argument.index) {
        if (*argument.index >= arguments().size())
            throwFor(name, "argument " + std::to_string(*argument.index) +
                               " was given, but the kernel has " +
                               std::to_string(arguments().size()) + " arguments");
        return *argument.index;
    }
    const KernelArgument* found = kernel.signature().find(argument.name);
    if (!found) {
        std::string known;
        for (const KernelArgument& each : arguments())
            known += (known.empty() ? "" : ", ") + (each.name.empty() ? "(no name)" : each.name);
        throwFor(name, "the kernel has no argument '" + argument.name + "'; it has " + known);
    }
    return found->index;
}

void KernelLauncher::Impl::setArguments(const KernelLauncher& launcher, const Arguments& given) {
    const auto isNamed = [](const Argument& argument) {
        return argument.index || !argument.name.empty();
    };
    const size_t named = static_cast<size_t>(std::count_if(given.begin(), given.end(), isNamed));
    if (named != 0 && named != given.size())
        throwFor(name, "arguments are either all by position, or all with an index or a name; " +
                           std::to_string(named) + " of " + std::to_string(given.size()) +
                           " have one");
    if (given.size() > arguments().size())
        throwFor(name, std::to_string(given.size()) + " arguments were given, but the kernel has " +
                           std::to_string(arguments().size()));
    for (uint32_t i = 0; i < given.size(); ++i) {
        const uint32_t index = named ? indexOf(given[i]) : i;
        if (values[index].kind() != ArgumentValue::Kind::eNone)
            throwFor(name, describe(index) + " was given twice");
        for (const ParameterPlace& place : places)
            if (place.index == index)
                throwFor(name, describe(index) + " was given, but parameter '" + place.name +
                                   "' stands for it as well");
        launcher.checkKernelArg(given[i].value, index, arguments()[index].name, arguments()[index]);
        values[index] = given[i].value;
    }
}

void KernelLauncher::Impl::takeAlgorithmsOwn() {
    const Algorithm::Impl& algorithm = kernel.impl()->algorithm->impl();
    for (const KernelArgument& argument : arguments()) {
        if (isMemory(argument)) {
            values[argument.index] = ArgumentValue(algorithm.memObjects[argument.place]);
        } else if (argument.kind == ArgumentKind::ePushConstant &&
                   algorithm.pushConstants.size() >= size_t{argument.place} + argument.bytes) {
            values[argument.index] = ArgumentValue::bytes(
                algorithm.pushConstants.data() + argument.place, argument.bytes);
        }
    }
}

void KernelLauncher::Impl::setPlaces(const std::vector<ParameterPlace>& given) {
    for (size_t i = 0; i < given.size(); ++i)
        for (size_t j = 0; j < i; ++j)
            if (given[i].index == given[j].index)
                throwFor(name, "parameters '" + given[j].name + "' and '" + given[i].name +
                                   "' both stand for " + describe(given[i].index));
    places = given;
}

void KernelLauncher::Impl::requireComplete() const {
    for (const KernelArgument& argument : arguments()) {
        const bool isPlace =
            std::any_of(places.begin(), places.end(),
                        [&](const ParameterPlace& place) { return place.index == argument.index; });
        if (isPlace || values[argument.index].kind() != ArgumentValue::Kind::eNone ||
            argument.kind == ArgumentKind::eSpecialization ||
            (argument.kind == ArgumentKind::ePushConstant && argument.name == kGlobalSizeName &&
             argument.bytes <= 3 * sizeof(uint32_t)))
            continue;
        throwFor(name, describe(argument.index) + " is missing; the kernel has " +
                           std::to_string(arguments().size()) + " arguments");
    }
    if (!kernel.impl()->algorithm)
        return;
    for (const KernelArgument& argument : arguments())
        if (argument.kind == ArgumentKind::eSpecialization &&
            (values[argument.index].kind() != ArgumentValue::Kind::eNone ||
             std::any_of(places.begin(), places.end(), [&](const ParameterPlace& place) {
                 return place.index == argument.index;
             })))
            throwFor(name, describe(argument.index) +
                               " is fixed by the algorithm that the kernel was made of; make the "
                               "kernel of SPIR-V to choose it here");
}

void KernelLauncher::Impl::requireDevice(const Queue& queue) const {
    const Kernel::Impl& used = *kernel.impl();
    if (queue.impl().device != used.device)
        throwFor(name, "its kernel is of device \"" + used.device->name() +
                           "\", but the queue is of device \"" + queue.deviceName() +
                           "\" (or of a manager with other options)");
}

WorkSize KernelLauncher::Impl::globalSizeOf(const LaunchOptions& call) const {
    const std::optional<WorkSize>& size = call.globalSize ? call.globalSize : options.globalSize;
    if (!size)
        throwFor(name, "no global size was given with the call, and there is no default");
    if (size->x == 0 || size->y == 0 || size->z == 0)
        throwFor(name, "the global size " + std::to_string(size->x) + " x " +
                           std::to_string(size->y) + " x " + std::to_string(size->z) + " has a 0");
    return *size;
}

Workgroup KernelLauncher::Impl::localSizeOf(const LaunchOptions& call) const {
    const shader::Reflection& reflection = kernel.reflection();
    const Workgroup own = kernel.impl()->algorithm ? kernel.impl()->algorithm->getLocalSize()
                                                   : Workgroup(reflection.localSize);
    const std::optional<WorkSize>& size = call.localSize ? call.localSize : options.localSize;
    if (!size)
        return own;
    const VkPhysicalDeviceLimits& limits = kernel.impl()->device->physical().properties.limits;
    const std::string device = kernel.impl()->device->name();
    const uint64_t given[3] = {size->x, size->y, size->z};
    Workgroup chosen{};
    uint64_t invocations = 1;
    for (size_t i = 0; i < 3; ++i) {
        const std::string axis(1, "xyz"[i]);
        if (given[i] == 0 || given[i] > limits.maxComputeWorkGroupSize[i])
            throwFor(name, "the local size " + std::to_string(given[i]) + " in " + axis +
                               " is not within 1 and " + device + "'s maxComputeWorkGroupSize of " +
                               std::to_string(limits.maxComputeWorkGroupSize[i]));
        chosen[i] = static_cast<uint32_t>(given[i]);
        invocations *= given[i];
        const bool free = reflection.localSizeId[i] && !kernel.impl()->algorithm;
        if (chosen[i] != own[i] && !free)
            throwFor(name, "a local size of " + std::to_string(chosen[i]) + " in " + axis +
                               " was given, but " +
                               (kernel.impl()->algorithm ? "the algorithm fixes it to "
                                                         : "the shader fixes it to ") +
                               std::to_string(own[i]) + "; declare local_size_" + axis +
                               "_id in the shader and make the kernel of SPIR-V or GLSL");
    }
    if (invocations > limits.maxComputeWorkGroupInvocations)
        throwFor(name, "a local size of " + std::to_string(invocations) + " work items is over " +
                           device + "'s maxComputeWorkGroupInvocations of " +
                           std::to_string(limits.maxComputeWorkGroupInvocations));
    return chosen;
}

Workgroup KernelLauncher::Impl::groupsOf(const WorkSize& globalSize,
                                         const Workgroup& localSize) const {
    const uint64_t global[3] = {globalSize.x, globalSize.y, globalSize.z};
    const auto& limits =
        kernel.impl()->device->physical().properties.limits.maxComputeWorkGroupCount;
    Workgroup groups{};
    for (size_t i = 0; i < 3; ++i) {
        if (global[i] % localSize[i] != 0 && !options.roundUp)
            throwFor(name, "the global size " + std::to_string(global[i]) + " in " + "xyz"[i] +
                               " is no multiple of the local size " + std::to_string(localSize[i]) +
                               "; choose another one, or roundUp (the shader then checks its "
                               "bounds)");
        const uint64_t count = (global[i] - 1) / localSize[i] + 1;
        if (count > limits[i])
            throwFor(name, std::to_string(count) + " work groups in " + "xyz"[i] + " are over " +
                               kernel.impl()->device->name() + "'s maxComputeWorkGroupCount of " +
                               std::to_string(limits[i]));
        groups[i] = static_cast<uint32_t>(count);
    }
    return groups;
}

bool KernelLauncher::Impl::takeParameters(const KernelLauncher& launcher, Position& position,
                                          const LaunchOptions& call, const Parameters& iterated) {
    const auto find = [](const Parameters& all, const std::string& wanted) -> const Parameter* {
        for (const Parameter& parameter : all)
            if (parameter.name == wanted)
                return &parameter;
        return nullptr;
    };
    // Checked first, all of them, so that a wrong one changes nothing.
    newValues.assign(places.size(), nullptr);
    bool changed = false;
    for (size_t i = 0; i < places.size(); ++i) {
        const ParameterPlace& place = places[i];
        const Parameter* given = find(iterated, place.name);
        if (!given)
            given = find(call.parameters, place.name);
        if (!given)
            throwFor(name,
                     "parameter '" + place.name + "' is missing; it is " + describe(place.index));
        if (given->value == position.values[place.index])
            continue;
        launcher.checkKernelArg(given->value, place.index, place.name, arguments()[place.index]);
        newValues[i] = &given->value;
        changed = true;
    }
    if (changed)
        for (size_t i = 0; i < places.size(); ++i)
            if (newValues[i])
                position.values[places[i].index] = *newValues[i];
    return changed;
}

std::vector<std::shared_ptr<Memory>>
KernelLauncher::Impl::memoryOf(const Position& position) const {
    std::vector<std::shared_ptr<Memory>> memory;
    for (const KernelArgument& argument : arguments()) {
        if (!isMemory(argument))
            continue;
        const std::shared_ptr<Memory>& given = position.values[argument.index].memory();
        // Bindings that the shader leaves out are never looked at, but have to be something.
        if (memory.size() <= argument.place)
            memory.resize(argument.place + size_t{1}, given);
        memory[argument.place] = given;
    }
    return memory;
}

std::vector<SpecializationConstant>
KernelLauncher::Impl::constantsOf(const Position& position) const {
    std::vector<SpecializationConstant> constants;
    for (const KernelArgument& argument : arguments()) {
        const ArgumentValue& value = position.values[argument.index];
        if (argument.kind != ArgumentKind::eSpecialization ||
            value.kind() == ArgumentValue::Kind::eNone)
            continue;
        SpecializationConstant constant{argument.place, static_cast<uint32_t>(value.size()), {}};
        std::memcpy(constant.value.data(), value.data(), value.size());
        constants.push_back(constant);
    }
    const auto& sizeIds = kernel.reflection().localSizeId;
    for (size_t i = 0; i < 3; ++i)
        if (sizeIds[i])
            constants.push_back(SpecializationConstant::of(*sizeIds[i], position.localSize[i]));
    return constants;
}

void KernelLauncher::Impl::writePushConstants(const Position& position) {
    std::vector<unsigned char>& bytes = pushConstants;
    bytes.resize((kernel.reflection().pushConstantSize + size_t{3}) / 4 * 4);
    for (const KernelArgument& argument : arguments()) {
        if (argument.kind != ArgumentKind::ePushConstant)
            continue;
        const ArgumentValue& value = position.values[argument.index];
        if (value.kind() != ArgumentValue::Kind::eNone) {
            std::memcpy(bytes.data() + argument.place, value.data(), argument.bytes);
            continue;
        }
        const WorkSize& size = position.globalSize;
        const uint32_t words[3] = {static_cast<uint32_t>(size.x), static_cast<uint32_t>(size.y),
                                   static_cast<uint32_t>(size.z)};
        std::memcpy(bytes.data() + argument.place, words, argument.bytes);
    }
}

std::shared_ptr<Algorithm>
KernelLauncher::Impl::pipelineFor(const Position& position,
                                  const std::vector<std::shared_ptr<Memory>>& memory) {
    const Kernel::Impl& used = *kernel.impl();
    if (used.algorithm)
        return used.algorithm;
    const std::vector<SpecializationConstant> constants = constantsOf(position);
    for (const Variant& variant : variants)
        if (variant.localSize == position.localSize && sameConstants(variant.constants, constants))
            return variant.algorithm;
    auto made = std::make_shared<Algorithm>(used.device);
    made->rebuild(memory, used.spirv, Workgroup{1, 1, 1}, constants, std::vector<float>{});
    variants.push_back({position.localSize, constants, made});
    return made;
}

bool KernelLauncher::Impl::boundAs(const Position& position) const {
    return std::all_of(places.begin(), places.end(), [&](const ParameterPlace& place) {
        const KernelArgument& argument = arguments()[place.index];
        return argument.kind == ArgumentKind::ePushConstant ||
               (isMemory(argument) && position.algorithm->impl().memObjects[argument.place] ==
                                          position.values[place.index].memory());
    });
}

void KernelLauncher::Impl::build(Position& position) {
    const std::vector<std::shared_ptr<Memory>> memory = memoryOf(position);
    const Workgroup groups = groupsOf(position.globalSize, position.localSize);
    std::shared_ptr<Algorithm> algorithm = cloneOf(*pipelineFor(position, memory));
    Algorithm::Impl& impl = algorithm->impl();
    if (impl.memObjects != memory || impl.memoryChanged()) {
        checkBindings(*impl.reflection, *impl.device, memory);
        impl.memObjects = memory;
        impl.bindMemory();
    }
    impl.binding = kernel.impl()->bindings.shared(impl.binding);
    impl.workgroup = groups;
    position.algorithm = std::move(algorithm);
    position.padded =
        std::any_of(memory.begin(), memory.end(),
                    [](const std::shared_ptr<Memory>& each) { return each->impl().padded; });
}

KernelLauncher::Impl::Position& KernelLauncher::Impl::prepare(const KernelLauncher& launcher,
                                                              size_t place,
                                                              const LaunchOptions& call,
                                                              const Parameters& iterated) {
    if (positions.size() <= place)
        positions.resize(place + 1);
    Position& position = positions[place];
    if (position.values.empty())
        position.values = values;
    const WorkSize globalSize = globalSizeOf(call);
    const Workgroup localSize = localSizeOf(call);
    const bool newSizes =
        !position.algorithm || globalSize != position.globalSize || localSize != position.localSize;
    if (newSizes)
        groupsOf(globalSize, localSize); // checked before anything is changed
    const bool newValues = takeParameters(launcher, position, call, iterated);
    try {
        const bool newMemory = !newSizes && position.algorithm->impl().memoryChanged();
        if (position.operation && !newValues && !newSizes && !newMemory)
            return position;
        position.operation.reset();
        position.globalSize = globalSize;
        position.localSize = localSize;
        // Other push constants alone are another operation on the same algorithm.
        if (newSizes || newMemory || (newValues && !boundAs(position))) {
            position.algorithm.reset();
            build(position);
        }
        writePushConstants(position);
        position.operation = std::allocate_shared<OpAlgoDispatch>(
            detail::OperationAllocator<OpAlgoDispatch>(), position.algorithm, pushConstants.data(),
            pushConstants.size());
    } catch (const InvalidArgument& error) {
        position.algorithm.reset();
        position.operation.reset();
        throwFor(name, error.what());
    } catch (...) {
        position.algorithm.reset();
        position.operation.reset();
        throw;
    }
    return position;
}

} // namespace kp
