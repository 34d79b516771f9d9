// SPDX-License-Identifier: Apache-2.0
#include "launch/KernelLauncherImpl.hpp"

#include <algorithm>
#include <cstring>
#include <functional>
#include <string_view>
#include <utility>

#include "core/algorithm/AlgorithmChecks.hpp"
#include "core/image/ImageChecks.hpp"
#include "core/queue/QueueImpl.hpp"
#include "launch/ConstantArguments.hpp"
#include "launch/LauncherImpl.hpp"
#include "shader/check/CheckMode.hpp"

namespace kp {
namespace {

using launch::throwFor;

constexpr char kAxes[] = "xyz";

bool sameConstants(const std::vector<SpecializationConstant>& a,
                   const std::vector<SpecializationConstant>& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const auto& x, const auto& y) {
        return x.id == y.id && x.bytes == y.bytes && x.value == y.value;
    });
}

/// Push constants with this name that are not given get the global size, so that the shader can
/// check its bounds. Of another type, they are missing.
bool isGlobalSize(const KernelArgument& argument) {
    return argument.kind == ArgumentKind::ePushConstant && argument.name == "kp_global_size" &&
           (argument.type == shader::ScalarType::eUint32 ||
            argument.type == shader::ScalarType::eInt32) &&
           argument.bytes <= 3 * sizeof(uint32_t);
}

size_t hashOf(const MemoryBinding& binding) {
    size_t hash = std::hash<const void*>()(binding.pipeline.get());
    for (const MemoryBinding::Use& use : binding.uses)
        hash = hash * 31 + std::hash<const void*>()(use.resource.get());
    return hash;
}

bool hasSameName(const MemoryBinding& a, const MemoryBinding& b) {
    const auto nameOf = [](const MemoryBinding& binding) {
        return binding.name ? std::string_view(*binding.name) : std::string_view();
    };
    return nameOf(a) == nameOf(b);
}

bool bindsTheSame(const MemoryBinding& a, const MemoryBinding& b) {
    return a.pipeline == b.pipeline && a.samplers == b.samplers &&
           std::equal(a.uses.begin(), a.uses.end(), b.uses.begin(), b.uses.end(),
                      [](const auto& x, const auto& y) { return x.resource == y.resource; });
}

} // namespace

const KernelArgument* findArgument(const KernelSignature& signature,
                                   const std::optional<uint32_t>& index, const std::string& name) {
    if (!index)
        return signature.find(name);
    return *index < signature.arguments().size() ? &signature.arguments()[*index] : nullptr;
}

std::shared_ptr<const MemoryBinding>
SharedBindings::shared(const std::shared_ptr<const MemoryBinding>& binding) {
    const std::lock_guard lock(mMutex);
    if (mBindings.size() >= mLimit) {
        std::erase_if(mBindings, [](const auto& each) { return each.second.expired(); });
        mLimit = std::max(kMinLimit, 2 * mBindings.size());
    }
    std::weak_ptr<const MemoryBinding>& entry = mBindings[hashOf(*binding)];
    std::shared_ptr<const MemoryBinding> known = entry.lock();
    if (!known) {
        entry = binding;
        return binding;
    }
    if (!bindsTheSame(*known, *binding))
        return binding;
    if (hasSameName(*known, *binding))
        return known;
    if (binding->notes.report) // its place in the descriptor set is where the named one reports
        return binding;
    auto renamed = std::make_shared<MemoryBinding>(*binding);
    renamed->set = known->set;
    renamed->furtherSets = known->furtherSets;
    return renamed;
}

void KernelLauncher::Impl::setArguments(const Arguments& given,
                                        const std::vector<ParameterPlace>& places) {
    for (const auto& [name, index] : places) {
        if (const ParameterPlace* other = parameterFor(index))
            throwFor(launcher.name(), "parameters '{}' and '{}' both stand for {}", other->name,
                     name, describe(index));
        parameters.push_back({name, index});
    }
    values.resize(declared().size());
    const std::shared_ptr<Algorithm>& source = sharedImplOf(kernel)->algorithm;
    if (!source || !given.empty() || !places.empty()) {
        setGiven(given);
        requireComplete();
        return;
    }
    const Algorithm::Impl& algorithm = implOf(*source);
    for (const KernelArgument& argument : declared()) {
        if (isMemory(argument)) {
            values[argument.index] = ArgumentValue(algorithm.memObjects[argument.place]);
        } else if (argument.kind == ArgumentKind::ePushConstant &&
                   algorithm.pushConstants.size() >= size_t{argument.place} + argument.bytes) {
            values[argument.index] = ArgumentValue::bytes(
                algorithm.pushConstants.data() + argument.place, argument.bytes);
        }
    }
    requireComplete();
}

std::string KernelLauncher::Impl::describe(uint32_t index) const {
    const KernelArgument& argument = declared()[index];
    const std::string name = argument.name.empty() ? "" : formatted(" '{}'", argument.name);
    return formatted("argument {}{} ({})", index, name, typeName(argument));
}

const KernelLauncher::ParameterPlace* KernelLauncher::Impl::parameterFor(uint32_t index) const {
    const auto found = std::ranges::find(parameters, index, &ParameterPlace::index);
    return found == parameters.end() ? nullptr : &*found;
}

uint32_t KernelLauncher::Impl::indexOf(const Argument& argument) const {
    if (const KernelArgument* found =
            findArgument(kernel.signature(), argument.index, argument.name))
        return found->index;
    if (argument.index)
        throwFor(launcher.name(), "argument {} was given, but the kernel has {}", *argument.index,
                 counted(declared().size(), "argument"));
    std::vector<std::string> known;
    for (const KernelArgument& each : declared())
        known.push_back(each.name.empty() ? "(no name)" : each.name);
    throwFor(launcher.name(), "the kernel has no argument '{}'; it has {}", argument.name,
             join(known));
}

void KernelLauncher::Impl::setGiven(const Arguments& given) {
    const auto isNamed = [](const Argument& argument) {
        return argument.index || !argument.name.empty();
    };
    const size_t named = static_cast<size_t>(std::count_if(given.begin(), given.end(), isNamed));
    if (named != 0 && named != given.size())
        throwFor(launcher.name(),
                 "arguments are either all by position, or all with an index or a name; {} of {} "
                 "have one",
                 named, given.size());
    if (given.size() > declared().size())
        throwFor(launcher.name(), "{} {} given, but the kernel has {}",
                 counted(given.size(), "argument"), given.size() == 1 ? "was" : "were",
                 declared().size());
    for (uint32_t i = 0; i < given.size(); ++i) {
        const uint32_t index = named ? indexOf(given[i]) : i;
        if (values[index].kind() != ArgumentValue::Kind::eNone)
            throwFor(launcher.name(), "{} was given twice", describe(index));
        if (const ParameterPlace* parameter = parameterFor(index))
            throwFor(launcher.name(), "{} was given, but parameter '{}' stands for it as well",
                     describe(index), parameter->name);
        launcher.checkKernelArg(given[i].value, index, declared()[index].name, declared()[index]);
        values[index] = given[i].value;
    }
}

void KernelLauncher::Impl::requireComplete() const {
    for (const KernelArgument& argument : declared()) {
        const bool known = parameterFor(argument.index) ||
                           values[argument.index].kind() != ArgumentValue::Kind::eNone;
        if (argument.kind == ArgumentKind::eSpecialization) {
            if (known && sharedImplOf(kernel)->algorithm)
                throwFor(launcher.name(),
                         "{} is fixed by the algorithm that the kernel was made from; make the "
                         "kernel from SPIR-V to choose it here",
                         describe(argument.index));
        } else if (!known && !isGlobalSize(argument)) {
            throwFor(launcher.name(), "{} is missing; the kernel has {}", describe(argument.index),
                     counted(declared().size(), "argument"));
        }
    }
}

void KernelLauncher::Impl::requireDevice(const Queue& queue) const {
    const vulkan::Device& device = *sharedImplOf(kernel)->device;
    if (implOf(queue).device.get() != &device)
        throwFor(launcher.name(),
                 "its kernel is of device \"{}\", but the queue is of device \"{}\" (or of "
                 "another logical device of it)",
                 device.name(), queue.deviceName());
}

WorkSize KernelLauncher::Impl::globalSizeOf(const LaunchOptions& call) const {
    const std::optional<WorkSize>& size = call.globalSize ? call.globalSize : options.globalSize;
    if (!size)
        throwFor(launcher.name(),
                 "no global size was given with the call (LaunchOptions::globalSize), and there is "
                 "no default (KernelOptions::globalSize); it is the number of invocations");
    if (size->x == 0 || size->y == 0 || size->z == 0)
        throwFor(launcher.name(), "the global size {} x {} x {} has a 0", size->x, size->y,
                 size->z);
    return *size;
}

Workgroup KernelLauncher::Impl::localSizeOf(const LaunchOptions& call) const {
    const shader::Reflection& reflection = kernel.reflection();
    const std::shared_ptr<Algorithm>& algorithm = sharedImplOf(kernel)->algorithm;
    const Workgroup own = algorithm ? algorithm->getLocalSize() : Workgroup(reflection.localSize);
    const std::optional<WorkSize>& size = call.localSize ? call.localSize : options.localSize;
    if (!size)
        return own;
    const vulkan::Device& device = *sharedImplOf(kernel)->device;
    const VkPhysicalDeviceLimits& limits = device.physical().properties.limits;
    const uint64_t given[3] = {size->x, size->y, size->z};
    Workgroup chosen{};
    uint64_t invocations = 1;
    for (size_t i = 0; i < 3; ++i) {
        if (given[i] == 0 || given[i] > limits.maxComputeWorkGroupSize[i])
            throwFor(launcher.name(),
                     "the local size {} in {} is not between 1 and {}'s maxComputeWorkGroupSize "
                     "of {}",
                     given[i], kAxes[i], device.name(), limits.maxComputeWorkGroupSize[i]);
        chosen[i] = static_cast<uint32_t>(given[i]);
        invocations *= given[i];
        const bool selectable = reflection.localSizeId[i] && !algorithm;
        if (chosen[i] != own[i] && !selectable)
            throwFor(launcher.name(),
                     "a local size of {} in {} was given, but the {} fixes it to {}; declare "
                     "local_size_{}_id in the shader and make the kernel from SPIR-V or GLSL",
                     chosen[i], kAxes[i], algorithm ? "algorithm" : "shader", own[i], kAxes[i]);
    }
    if (invocations > limits.maxComputeWorkGroupInvocations)
        throwFor(launcher.name(),
                 "a local size of {} work items is over {}'s maxComputeWorkGroupInvocations of {}",
                 invocations, device.name(), limits.maxComputeWorkGroupInvocations);
    return chosen;
}

Workgroup KernelLauncher::Impl::groupCountsOf(const WorkSize& globalSize,
                                              const Workgroup& localSize) const {
    const std::array<uint64_t, 3> global = {globalSize.x, globalSize.y, globalSize.z};
    for (size_t i = 0; i < 3; ++i)
        if (global[i] % localSize[i] != 0 && !options.roundUp)
            throwFor(
                launcher.name(),
                "the global size {} in {} is not a multiple of the local size {}; choose another "
                "one, or roundUp (the shader then checks its bounds)",
                global[i], kAxes[i], localSize[i]);
    try {
        return groupsFor(global, localSize, kernel.reflection(), *sharedImplOf(kernel)->device);
    } catch (const InvalidArgument& error) {
        throwFor(launcher.name(), "{}", error.what());
    }
}

bool KernelLauncher::Impl::takeParameters(Dispatch& dispatch, const LaunchOptions& call,
                                          const Parameters& iterated) {
    // All are checked before the first is taken, so that a wrong one changes nothing.
    mNewValues.assign(parameters.size(), nullptr);
    bool changed = false;
    for (size_t i = 0; i < parameters.size(); ++i) {
        const auto& [name, index] = parameters[i];
        const Parameter* found = launch::findNamed(iterated, name);
        if (!found)
            found = launch::findNamed(call.parameters, name);
        if (!found)
            throwFor(launcher.name(), "parameter '{}' is missing; it is {}", name, describe(index));
        if (found->value == dispatch.values[index])
            continue;
        launcher.checkKernelArg(found->value, index, name, declared()[index]);
        mNewValues[i] = &found->value;
        changed = true;
    }
    for (size_t i = 0; changed && i < parameters.size(); ++i)
        if (mNewValues[i])
            dispatch.values[parameters[i].index] = *mNewValues[i];
    return changed;
}

std::vector<std::shared_ptr<Memory>>
KernelLauncher::Impl::memoryOf(const Dispatch& dispatch) const {
    std::vector<std::shared_ptr<Memory>> memory;
    for (const KernelArgument& argument : declared()) {
        if (!isMemory(argument))
            continue;
        const std::shared_ptr<Memory>& given = dispatch.values[argument.index].memory();
        // Binding numbers that the shader skips are never used, but must not be null.
        if (memory.size() <= argument.place)
            memory.resize(argument.place + size_t{1}, given);
        memory[argument.place] = given;
    }
    return memory;
}

std::vector<SpecializationConstant>
KernelLauncher::Impl::constantsOf(const Dispatch& dispatch) const {
    std::vector<SpecializationConstant> constants;
    for (const KernelArgument& argument : declared()) {
        const ArgumentValue& value = dispatch.values[argument.index];
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
            constants.push_back(SpecializationConstant::of(*sizeIds[i], dispatch.localSize[i]));
    return constants;
}

void KernelLauncher::Impl::writePushConstants(const Dispatch& dispatch) {
    mPushConstants.resize((kernel.reflection().pushConstantSize + size_t{3}) / 4 * 4);
    for (const KernelArgument& argument : declared()) {
        if (argument.kind != ArgumentKind::ePushConstant)
            continue;
        const ArgumentValue& value = dispatch.values[argument.index];
        if (value.kind() != ArgumentValue::Kind::eNone) {
            writeConstant(argument, value, mPushConstants);
            continue;
        }
        const WorkSize& size = dispatch.globalSize;
        const uint32_t words[3] = {static_cast<uint32_t>(size.x), static_cast<uint32_t>(size.y),
                                   static_cast<uint32_t>(size.z)};
        std::memcpy(mPushConstants.data() + argument.place, words, argument.bytes);
    }
}

std::shared_ptr<Algorithm>
KernelLauncher::Impl::pipelineFor(const Dispatch& dispatch,
                                  const std::vector<std::shared_ptr<Memory>>& memory) {
    const Kernel::Impl& used = *sharedImplOf(kernel);
    if (used.algorithm)
        return used.algorithm;
    const std::vector<SpecializationConstant> constants = constantsOf(dispatch);
    for (const Variant& variant : mVariants)
        if (variant.localSize == dispatch.localSize && variant.checks == dispatch.checks &&
            sameConstants(variant.constants, constants))
            return variant.algorithm;
    auto made = Internals::make<Algorithm>(used.device);
    implOf(*made).managerQueue = used.managerQueue;
    if (dispatch.checks.any() || used.device->namesWork())
        implOf(*made).name = std::make_shared<const std::string>(launcher.name());
    MemoryObjects objects(memory);
    if (types() == TypeRule::eReinterpret)
        objects = reinterpreted(std::move(objects));
    made->rebuild(objects, used.spirvFor(dispatch.checks), Workgroup{1, 1, 1}, constants,
                  std::vector<float>{}, used.options);
    mVariants.push_back({dispatch.localSize, constants, made, dispatch.checks});
    return made;
}

TypeRule KernelLauncher::Impl::types() const {
    const std::shared_ptr<Algorithm>& algorithm = sharedImplOf(kernel)->algorithm;
    return options.reinterpret ? TypeRule::eReinterpret
           : algorithm         ? implOf(*algorithm).types
                               : TypeRule::eSame;
}

bool KernelLauncher::Impl::isCurrent(const Dispatch& dispatch) const {
    return std::all_of(parameters.begin(), parameters.end(), [&](const auto& parameter) {
        const KernelArgument& argument = declared()[parameter.index];
        return argument.kind == ArgumentKind::ePushConstant ||
               (isMemory(argument) && implOf(*dispatch.algorithm).memObjects[argument.place] ==
                                          dispatch.values[parameter.index].memory());
    });
}

void KernelLauncher::Impl::build(Dispatch& dispatch) {
    const std::vector<std::shared_ptr<Memory>> memory = memoryOf(dispatch);
    std::shared_ptr<Algorithm> algorithm = cloneOf(*pipelineFor(dispatch, memory));
    Algorithm::Impl& impl = implOf(*algorithm);
    if (impl.checked || impl.device->namesWork())
        impl.name = std::make_shared<const std::string>(launcher.name());
    const bool renamed = impl.binding->name != impl.name;
    if (impl.memObjects != memory || impl.memoryChanged() || renamed) {
        impl.types = types();
        checkBindings(*impl.reflection, *impl.device, memory, impl.types);
        checkSamplers(*impl.reflection, *impl.device, impl.options, memory);
        impl.memObjects = memory;
        impl.bindMemory();
    }
    impl.binding = sharedImplOf(kernel)->bindings.shared(impl.binding);
    impl.setWorkgroup(groupCountsOf(dispatch.globalSize, dispatch.localSize));
    dispatch.algorithm = std::move(algorithm);
}

const KernelLauncher::Impl::Dispatch& KernelLauncher::Impl::prepare(size_t number,
                                                                    const LaunchOptions& call,
                                                                    const Parameters& iterated) {
    if (mDispatches.size() <= number)
        mDispatches.resize(number + 1);
    Dispatch& dispatch = mDispatches[number];
    if (dispatch.values.empty())
        dispatch.values = values;
    const WorkSize globalSize = globalSizeOf(call);
    const Workgroup localSize = localSizeOf(call);
    const Kernel::Impl& used = *sharedImplOf(kernel);
    const shader::CheckKinds checks = used.checks ? *used.checks : shader::currentChecks();
    const bool newSizes = !dispatch.algorithm || globalSize != dispatch.globalSize ||
                          localSize != dispatch.localSize || checks != dispatch.checks;
    if (newSizes) // checked before anything changes
        groupCountsOf(globalSize, localSize);
    const bool newValues = takeParameters(dispatch, call, iterated);
    try {
        const bool newMemory = !newSizes && implOf(*dispatch.algorithm).memoryChanged();
        if (dispatch.operation && !newValues && !newSizes && !newMemory)
            return dispatch;
        dispatch.operation.reset();
        dispatch.globalSize = globalSize;
        dispatch.localSize = localSize;
        dispatch.checks = checks;
        // New push constants alone need another operation, but no other algorithm.
        if (newSizes || newMemory || (newValues && !isCurrent(dispatch))) {
            dispatch.algorithm.reset();
            build(dispatch);
        }
        writePushConstants(dispatch);
        dispatch.operation = std::make_shared<OpAlgoDispatch>(
            dispatch.algorithm, mPushConstants.data(), mPushConstants.size());
    } catch (const InvalidArgument& error) {
        dispatch.algorithm.reset();
        dispatch.operation.reset();
        throwFor(launcher.name(), "{}", error.what());
    } catch (...) {
        dispatch.algorithm.reset();
        dispatch.operation.reset();
        throw;
    }
    return dispatch;
}

} // namespace kp
