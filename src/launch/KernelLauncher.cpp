// SPDX-License-Identifier: Apache-2.0
#include <kompute/launch/KernelLauncher.hpp>

#include <algorithm>
#include <utility>

#include <kompute/Manager.hpp>
#include <kompute/Shader.hpp>
#include <kompute/launch/KernelListLauncher.hpp>
#include <kompute/shader/Check.hpp>
#include <kompute/shader/Reflection.hpp>

#include "base/Text.hpp"
#include "core/algorithm/AlgorithmChecks.hpp"
#include "core/algorithm/BindingChecks.hpp"
#include "core/check/CheckedShader.hpp"
#include "core/manager/ManagerImpl.hpp"
#include "core/memory/MemoryImpl.hpp"
#include "launch/ConstantArguments.hpp"
#include "launch/KernelLauncherImpl.hpp"
#include "launch/LauncherImpl.hpp"
#include "shader/check/CheckMode.hpp"

namespace kp {
namespace {

/// Returns the index of the argument that a parameter stands for.
uint32_t targetIndex(const std::string& launcher, const KernelSignature& signature,
                     const std::string& parameter, const ParameterTarget& target) {
    const KernelArgument* const argument = findArgument(signature, target.index, target.name);
    if (!argument)
        launch::throwFor(
            launcher,
            "parameter '{}' stands for argument {}, but the kernel has {} and none of that {}",
            parameter,
            target.index ? formatted("{}", *target.index) : formatted("'{}'", target.name),
            counted(signature.arguments().size(), "argument"), target.index ? "index" : "name");
    if (target.type != shader::ScalarType::eUnknown && target.type != argument->type) {
        KernelArgument wanted = *argument;
        wanted.type = target.type;
        launch::throwFor(launcher, "parameter '{}' is expected to be a {}, but argument {} is a {}",
                         parameter, typeName(wanted), argument->index, typeName(*argument));
    }
    return argument->index;
}

std::vector<uint32_t> compiledFor(const shader::CheckKinds& checks,
                                  const std::function<std::vector<uint32_t>()>& compile) {
    const CheckScope scope(shader::textOf(checks));
    return compile();
}

/// @throws InvalidArgument if a kernel would have other arguments than it was made with
void requireSameArguments(const KernelSignature& made, const KernelSignature& now) {
    const auto same = [](const KernelArgument& a, const KernelArgument& b) {
        return a.kind == b.kind && a.place == b.place && a.bytes == b.bytes;
    };
    if (std::ranges::equal(made.arguments(), now.arguments(), same))
        return;
    const auto listed = [](const KernelSignature& signature) {
        std::vector<std::string> names;
        for (const KernelArgument& each : signature.arguments())
            names.push_back(each.name.empty() ? formatted("{}", each.index) : each.name);
        return names.empty() ? std::string("none") : join(names);
    };
    fail<InvalidArgument>("with the checks of this launch, the kernel has other arguments ({}) "
                          "than without ({}), because its assertions use them; make the kernel "
                          "with the same checks as its launches",
                          listed(now), listed(made));
}

std::shared_ptr<Kernel::Impl> newImpl(const Manager& manager, std::vector<uint32_t> spirv,
                                      AlgorithmOptions options) {
    if (options.threads[0] != 0)
        fail<InvalidArgument>("a kernel was given AlgorithmOptions::threads of {}; its launchers "
                              "take their size from KernelOptions::globalSize or the call",
                              options.threads[0]);
    auto impl = std::make_shared<Kernel::Impl>();
    impl->device = implOf(manager).device;
    impl->managerQueue = implOf(manager).defaultQueue;
    impl->reflection = std::make_shared<const shader::Reflection>(reflect(spirv));
    impl->signature = KernelSignature(*impl->reflection);
    impl->spirv = std::move(spirv);
    impl->options = std::move(options);
    impl->checks = fixedChecks(impl->options, impl->managerQueue.get());
    return impl;
}

} // namespace

Kernel::Kernel(std::shared_ptr<Algorithm> algorithm) {
    if (!algorithm)
        fail<InvalidArgument>("the algorithm to make a kernel from is null");
    const Algorithm::Impl& source = implOf(*algorithm);
    source.requireReady();
    auto impl = std::make_shared<Impl>();
    impl->device = source.device;
    impl->managerQueue = source.managerQueue.lock();
    impl->reflection = source.reflection;
    impl->signature = KernelSignature(*source.reflection);
    impl->algorithm = Internals::make<Algorithm>(source.device);
    implOf(*impl->algorithm) = source;
    impl->checks = shader::CheckKinds(); // the algorithm has its own
    mImpl = std::move(impl);
}

Kernel::Kernel(Manager& manager, std::vector<uint32_t> spirv, AlgorithmOptions options)
    : mImpl(newImpl(manager, std::move(spirv), std::move(options))) {}

Kernel::Kernel(Manager& manager, std::string_view glsl, AlgorithmOptions options)
    : Kernel(
          manager,
          [text = std::string(glsl), compileOptions = manager.compileOptions()] {
              return kp::compile(text, compileOptions);
          },
          std::move(options)) {}

Kernel::Kernel(Manager& manager, std::function<std::vector<uint32_t>()> compile,
               AlgorithmOptions options) {
    if (!compile)
        fail<InvalidArgument>("the function that compiles a kernel is null");
    const std::optional<shader::CheckKinds> fixed =
        fixedChecks(options, implOf(manager).defaultQueue.get());
    const shader::CheckKinds checks = fixed ? *fixed : shader::currentChecks();
    std::shared_ptr<Impl> impl = newImpl(manager, compiledFor(checks, compile), std::move(options));
    impl->compile = std::move(compile);
    impl->compiledForChecks = checks.any();
    mImpl = std::move(impl);
}

const std::vector<uint32_t>& Kernel::Impl::spirvFor(const shader::CheckKinds& wanted) const {
    if (!compile || wanted.any() == compiledForChecks)
        return spirv;
    {
        const std::lock_guard lock(mMutex);
        if (!mOther.empty())
            return mOther;
    }
    std::vector<uint32_t> made = compiledFor(wanted, compile); // may wait for Python's lock
    requireSameArguments(signature, KernelSignature(reflect(made)));
    const std::lock_guard lock(mMutex);
    if (mOther.empty())
        mOther = std::move(made);
    return mOther;
}

const KernelSignature& Kernel::signature() const {
    return mImpl->signature;
}

const shader::Reflection& Kernel::reflection() const {
    return *mImpl->reflection;
}

KernelLauncher::KernelLauncher(std::string name, Kernel kernel, const Arguments& arguments,
                               const KernelOptions& options)
    : KernelLauncher(std::move(name), std::move(kernel), arguments, std::vector<ParameterPlace>{},
                     options) {}

KernelLauncher::KernelLauncher(std::string name, Kernel kernel, const Arguments& arguments,
                               const std::vector<ParameterPlace>& parameters,
                               const KernelOptions& options)
    : Launcher(std::move(name), options.profiler),
      mImpl(std::make_unique<Impl>(*this, std::move(kernel), options)) {
    mImpl->setArguments(arguments, parameters);
}

KernelLauncher::~KernelLauncher() = default;

const std::shared_ptr<Queue>& KernelLauncher::queueOf(const LaunchOptions& options) const {
    return launch::queueFor(*this, options, defaultQueue());
}

std::optional<Event> KernelLauncher::operator()(const LaunchOptions& options) {
    return runSteps(queueOf(options), options);
}

void KernelLauncher::appendSteps(launch::StepList& steps, const launch::CallContext& context) {
    mImpl->requireDevice(context.queue);
    const Impl::Dispatch& dispatch = mImpl->prepare(0, context.options, {});
    launch::Step& step = steps.add(*this);
    step.operation = dispatch.operation;
    const WorkSize& global = dispatch.globalSize;
    const Workgroup& local = dispatch.localSize;
    context.trace(step, "{}<<<[{},{},{}], [{},{},{}]>>>", name(), global.x, global.y, global.z,
                  local[0], local[1], local[2]);
}

void KernelLauncher::checkKernelArg(const ArgumentValue& value, uint32_t index,
                                    const std::string& name, const KernelArgument& expected) const {
    const auto refuse = [&](const std::string& more = {}) {
        launch::throwFor(this->name(), "argument {}{} is a {}, but was given {}{}", index,
                         name.empty() ? "" : formatted(" '{}'", name), typeName(expected),
                         value.describe(), more);
    };
    const bool isImage = expected.kind == ArgumentKind::eImage;
    const bool givesMemory = value.kind() == ArgumentValue::Kind::eMemory;
    if (!isMemory(expected)) {
        if (!takesValue(expected, value))
            refuse(givesMemory ? "; give the value itself" : "");
        return;
    }
    if (!givesMemory)
        refuse(isImage ? ", which is not memory; give an image, which Manager::image() makes"
                       : ", which is not memory; give a tensor, which Manager::tensor() makes from "
                         "numbers");
    if (!value.memory())
        refuse();
    if (!value.memory()->isInit())
        refuse(", which was destroyed");
    if (isImage != (value.memory()->type() == Memory::Type::eImage))
        refuse(isImage ? "; give an image" : "; give a tensor");
    const vulkan::Device& device = *sharedImplOf(kernel())->device;
    try {
        requireSameDevice(*value.memory(), device, "an algorithm");
        for (const shader::Binding& binding : kernel().reflection().bindings)
            if (binding.takesMemory() && expected.place - binding.argument < binding.count)
                checkBinding(binding, expected.place - binding.argument, *value.memory(), device,
                             mImpl->types());
    } catch (const Error& error) {
        refuse(formatted(": {}", error.what()));
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
const std::shared_ptr<Queue>& KernelLauncher::managerQueue() const {
    return sharedImplOf(mImpl->kernel)->managerQueue;
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
    const std::vector<ArgumentValue>& values = mImpl->values;
    for (uint32_t i = 0; i < values.size(); ++i)
        if (values[i].kind() != ArgumentValue::Kind::eNone)
            known.emplace_back(i, values[i]);
    return known;
}

std::shared_ptr<KernelListLauncher> KernelLauncher::asListLauncher(std::string name) {
    auto list = std::make_shared<KernelListLauncher>(std::move(name));
    list->push(shared_from_this());
    return list;
}

ParametrizedKernelLauncher::ParametrizedKernelLauncher(std::string name, Kernel kernel,
                                                       const ParametersMap& parametersMap,
                                                       const Arguments& arguments,
                                                       const KernelOptions& options)
    : KernelLauncher(
          name, kernel, arguments,
          [&] {
              std::vector<ParameterPlace> places;
              for (const auto& [parameter, target] : parametersMap)
                  places.push_back(
                      {parameter, targetIndex(name, kernel.signature(), parameter, target)});
              return places;
          }(),
          options),
      mParametersMap(parametersMap) {}

ParametrizedKernelLauncher::~ParametrizedKernelLauncher() = default;

std::vector<ParameterInfo> ParametrizedKernelLauncher::parameters() const {
    std::vector<ParameterInfo> infos;
    for (const auto& [parameter, index] : impl().parameters)
        infos.push_back({parameter, typeName(impl().declared()[index]), {name()}});
    return infos;
}

} // namespace kp
