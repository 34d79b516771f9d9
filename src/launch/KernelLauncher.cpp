// SPDX-License-Identifier: Apache-2.0
#include <kompute/launch/KernelLauncher.hpp>

#include <algorithm>
#include <utility>

#include <kompute/Error.hpp>
#include <kompute/launch/KernelListLauncher.hpp>

#include "core/AlgorithmChecks.hpp"
#include "core/MemoryImpl.hpp"
#include "core/QueueImpl.hpp"
#include "launch/KernelImpl.hpp"
#include "launch/Steps.hpp"

namespace kp {
namespace {

std::string sizeText(const WorkSize& size) {
    return "[" + std::to_string(size.x) + "," + std::to_string(size.y) + "," +
           std::to_string(size.z) + "]";
}

} // namespace

KernelLauncher::KernelLauncher(std::string name, Kernel kernel, const Arguments& arguments,
                               const KernelOptions& options)
    : KernelLauncher(std::move(name), std::move(kernel), arguments, std::vector<ParameterPlace>{},
                     options) {}

KernelLauncher::KernelLauncher(std::string name, Kernel kernel, const Arguments& arguments,
                               const std::vector<ParameterPlace>& parameters,
                               const KernelOptions& options)
    : Launcher(name, options.profiler),
      mImpl(std::make_unique<Impl>(name, std::move(kernel), options)) {
    mImpl->setPlaces(parameters);
    if (arguments.empty() && parameters.empty() && mImpl->kernel.impl()->algorithm)
        mImpl->takeAlgorithmsOwn();
    else
        mImpl->setArguments(*this, arguments);
    mImpl->requireComplete();
}

KernelLauncher::~KernelLauncher() = default;

std::shared_ptr<Queue> KernelLauncher::queueOf(const LaunchOptions& options) const {
    return launch::chosenQueue(name(), options, defaultQueue());
}

std::optional<Event> KernelLauncher::operator()(const LaunchOptions& options) {
    const std::shared_ptr<Queue> queue = queueOf(options);
    launch::requireKnownParameters(name(), options.parameters, parameters());
    return runSteps(queue, options);
}

void KernelLauncher::appendSteps(launch::StepList& steps, const launch::CallContext& context) {
    mImpl->requireDevice(context.queue);
    const Impl::Position& position = mImpl->prepare(*this, 0, context.options, {});
    launch::Step& step = steps.add(*this);
    step.operation = position.operation;
    step.padded = position.padded;
    if (context.tracing)
        step.message =
            name() + "<<<" + sizeText(position.globalSize) + ", " +
            sizeText({position.localSize[0], position.localSize[1], position.localSize[2]}) + ">>>";
}

void KernelLauncher::checkKernelArg(const ArgumentValue& value, uint32_t index,
                                    const std::string& name, const KernelArgument& expected) const {
    const auto refuse = [&](const std::string& more = {}) {
        launch::throwFor(this->name(), "argument " + std::to_string(index) +
                                           (name.empty() ? "" : " '" + name + "'") + " is a " +
                                           typeName(expected) + ", but was given " +
                                           value.describe() + more);
    };
    const bool isMemory =
        expected.kind == ArgumentKind::eBuffer || expected.kind == ArgumentKind::eImage;
    if (!isMemory) {
        const bool sameNumbers = value.kind() == ArgumentValue::Kind::eNumbers &&
                                 value.type() == expected.type &&
                                 value.components() == expected.components;
        const bool bytes = value.kind() == ArgumentValue::Kind::eBytes;
        if ((!sameNumbers && !bytes) || value.size() != expected.bytes)
            refuse(sameNumbers ? "; its layout has " + std::to_string(expected.bytes) +
                                     " bytes, so give them as bytes"
                               : "");
        return;
    }
    if (value.kind() != ArgumentValue::Kind::eMemory || !value.memory())
        refuse();
    if (!value.memory()->isInit())
        refuse(", which was destroyed");
    const bool isImage = value.memory()->type() == Memory::Type::eImage;
    if (isImage != (expected.kind == ArgumentKind::eImage))
        refuse();
    // The library's own check, of this binding alone.
    shader::Reflection alone;
    for (const shader::Binding& binding : kernel().reflection().bindings)
        if (binding.binding == expected.place)
            alone.bindings = {binding};
    const std::vector<std::shared_ptr<Memory>> memory(expected.place + size_t{1}, value.memory());
    try {
        checkBindings(alone, *kernel().impl()->device, memory);
    } catch (const Error& error) {
        refuse(std::string(": ") + error.what());
    }
}

bool KernelLauncher::queueConfigured() const {
    return mImpl->options.queue != nullptr;
}
bool KernelLauncher::globalSizeConfigured() const {
    return mImpl->options.globalSize.has_value();
}
const std::shared_ptr<Queue>& KernelLauncher::defaultQueue() const {
    return mImpl->options.queue;
}
const std::optional<WorkSize>& KernelLauncher::defaultGlobalSize() const {
    return mImpl->options.globalSize;
}
const std::optional<WorkSize>& KernelLauncher::defaultLocalSize() const {
    return mImpl->options.localSize;
}
const Kernel& KernelLauncher::kernel() const {
    return mImpl->kernel;
}

Arguments KernelLauncher::arguments() const {
    Arguments known;
    for (uint32_t i = 0; i < mImpl->values.size(); ++i)
        if (mImpl->values[i].kind() != ArgumentValue::Kind::eNone)
            known.emplace_back(i, mImpl->values[i]);
    return known;
}

std::shared_ptr<KernelListLauncher> KernelLauncher::asListLauncher(std::string name) {
    auto list = std::make_shared<KernelListLauncher>(std::move(name));
    list->push(shared_from_this());
    return list;
}

namespace {

std::vector<std::string> namesOf(const ParametersMap& map) {
    std::vector<std::string> names;
    for (const auto& [name, target] : map)
        names.push_back(name);
    return names;
}

} // namespace

// The places are found before the base is made, so that it can check the arguments against them.
static std::vector<uint32_t> placesOf(const std::string& launcher, const Kernel& kernel,
                                      const ParametersMap& map) {
    std::vector<uint32_t> places;
    const KernelSignature& signature = kernel.signature();
    for (const auto& [name, target] : map) {
        const KernelArgument* argument = nullptr;
        if (!target.index)
            argument = signature.find(target.name);
        else if (*target.index < signature.arguments().size())
            argument = &signature.arguments()[*target.index];
        if (!argument)
            launch::throwFor(
                launcher,
                "parameter '" + name + "' stands for argument " +
                    (target.index ? std::to_string(*target.index) : "'" + target.name + "'") +
                    ", but the kernel has " + std::to_string(signature.arguments().size()) +
                    " arguments and none of that " + (target.index ? "index" : "name"));
        if (target.type != shader::ScalarType::eUnknown && target.type != argument->type) {
            KernelArgument wanted = *argument;
            wanted.type = target.type;
            launch::throwFor(launcher, "parameter '" + name + "' is expected to be a " +
                                           typeName(wanted) + ", but argument " +
                                           std::to_string(argument->index) + " is a " +
                                           typeName(*argument));
        }
        places.push_back(argument->index);
    }
    return places;
}

ParametrizedKernelLauncher::ParametrizedKernelLauncher(std::string name, Kernel kernel,
                                                       const ParametersMap& parametersMap,
                                                       const Arguments& arguments,
                                                       const KernelOptions& options)
    : KernelLauncher(
          name, kernel, arguments,
          [&] {
              const std::vector<uint32_t> indices = placesOf(name, kernel, parametersMap);
              const std::vector<std::string> names = namesOf(parametersMap);
              std::vector<ParameterPlace> places;
              for (size_t i = 0; i < names.size(); ++i)
                  places.push_back({names[i], indices[i]});
              return places;
          }(),
          options),
      mParametersMap(parametersMap) {}

ParametrizedKernelLauncher::~ParametrizedKernelLauncher() = default;

std::vector<ParameterInfo> ParametrizedKernelLauncher::parameters() const {
    std::vector<ParameterInfo> infos;
    for (const ParameterPlace& place : impl().places)
        infos.push_back({place.name, typeName(impl().arguments()[place.index]), {name()}});
    return infos;
}

} // namespace kp
