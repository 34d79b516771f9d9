// SPDX-License-Identifier: Apache-2.0
#include <kompute/group/GroupKernel.hpp>

#include <algorithm>
#include <utility>

#include "group/BufferImpl.hpp"
#include "group/DeviceGroupImpl.hpp"
#include "launch/KernelLauncherImpl.hpp"
#include "launch/LauncherImpl.hpp"

namespace kp {
namespace {

/// Returns a shape as a push constant of this many components: the last axis first. Further axes
/// are multiplied into the last component; missing axes are 1.
std::vector<uint64_t> axesOf(const std::vector<uint64_t>& shape, uint32_t components) {
    std::vector<uint64_t> axes(components, 1);
    for (size_t i = 0; i < shape.size(); ++i)
        axes[std::min<size_t>(i, components - 1)] *= shape[shape.size() - 1 - i];
    return axes;
}

/// Returns the value of a push constant that the library provides; empty for other names.
std::vector<uint64_t> shardValue(const std::string& name, const Shard& shard, uint32_t components) {
    if (name == "kp_shard_index")
        return {shard.index};
    if (name == "kp_shard_count")
        return {shard.count};
    if (name == "kp_shard_offset")
        return {shard.offset};
    if (name == "kp_shard_shape")
        return axesOf(shard.shape, components);
    if (name == "kp_whole_shape")
        return axesOf(shard.wholeShape, components);
    return {};
}

} // namespace

struct GroupKernel::Impl {
    std::string name;
    std::shared_ptr<DeviceGroup::Impl> group;
    GroupKernelOptions options;
    std::vector<uint32_t> queues; ///< to launch on: the first of each device, or all
    std::vector<std::shared_ptr<Launcher>> launchers; ///< per entry; null for an empty shard
    std::shared_ptr<Buffer> shape;                    ///< whose shards the shader sees; may be null

    Impl(const DeviceGroup& used, std::string kernelName, GroupKernelOptions given)
        : name(std::move(kernelName)), group(sharedImplOf(used)), options(std::move(given)) {}

    bool usesEveryQueue() const { return queues.size() == group->queues.size(); }

    /// Returns the launcher for the copies of a queue.
    const std::shared_ptr<Launcher>& launcherOf(uint32_t queue) const {
        group->requireQueue(queue);
        return launchers[usesEveryQueue() ? queue : group->deviceOfQueue[queue]];
    }

    /// @param kernelOf  creates the kernel of a device
    template <typename KernelOf>
    void build(const GroupArguments& arguments, const KernelOf& kernelOf) {
        chooseQueues(arguments);
        std::vector<Kernel> kernels;
        for (const std::shared_ptr<Manager>& manager : group->managers)
            kernels.push_back(kernelOf(*manager));
        for (const uint32_t queue : queues)
            launchers.push_back(
                makeLauncher(kernels[group->deviceOfQueue[queue]], arguments, queue));
    }

    void chooseQueues(const GroupArguments& arguments) {
        queues = group->firstQueue;
        for (const GroupArgument& argument : arguments) {
            if (!argument.buffer)
                continue;
            const Buffer::Impl& buffer = *sharedImplOf(*argument.buffer);
            buffer.requireAlive();
            if (buffer.group != group)
                launch::throwFor(name, "{} is of another device group", buffer.describe());
            if (buffer.placement == BufferPlacement::eReplicatedByQueue)
                queues = buffer.queueOfCopy;
            if (!shape || (buffer.sharded() && !sharedImplOf(*shape)->sharded()))
                shape = argument.buffer;
        }
    }

    Shard shardOf(uint32_t queue) const {
        if (shape)
            return shape->shard(queue);
        Shard whole;
        whole.index =
            static_cast<uint32_t>(std::find(queues.begin(), queues.end(), queue) - queues.begin());
        whole.count = static_cast<uint32_t>(queues.size());
        return whole;
    }

    /// Returns the elements of the largest shard that a queue has of the sharded buffers, or of the
    /// largest buffer if none is sharded.
    uint64_t mostElements(const GroupArguments& arguments, uint32_t queue) const {
        const bool sharded = sharedImplOf(*shape)->sharded();
        uint64_t most = 0;
        for (const GroupArgument& argument : arguments)
            if (argument.buffer && sharedImplOf(*argument.buffer)->sharded() == sharded)
                most = std::max(most, argument.buffer->shard(queue).size());
        return most;
    }

    std::shared_ptr<Launcher> makeLauncher(const Kernel& kernel, const GroupArguments& arguments,
                                           uint32_t queue) {
        const Shard shard = shardOf(queue);
        if (shape && shard.size() == 0)
            return nullptr;
        KernelOptions own;
        if (options.globalSize)
            own.globalSize = options.globalSize(shard);
        else if (shape)
            own.globalSize = WorkSize(mostElements(arguments, queue));
        else
            launch::throwFor(name, "without a buffer among the arguments it needs a global size");
        own.localSize = options.localSize;
        own.queue = group->queues[queue];
        own.roundUp = options.roundUp;
        own.reinterpret = options.reinterpret;
        const Arguments all = argumentsFor(kernel, arguments, shard, queue);
        if (options.parameters.empty())
            return std::make_shared<KernelLauncher>(name, kernel, all, own);
        return std::make_shared<ParametrizedKernelLauncher>(name, kernel, options.parameters, all,
                                                            own);
    }

    Arguments argumentsFor(const Kernel& kernel, const GroupArguments& given, const Shard& shard,
                           uint32_t queue) const {
        const std::vector<KernelArgument>& declared = kernel.signature().arguments();
        std::vector<const KernelArgument*> byPosition;
        for (const KernelArgument& argument : declared)
            if (!givesArgument(argument))
                byPosition.push_back(&argument);
        std::vector<bool> set(declared.size(), false);
        for (const auto& [parameter, target] : options.parameters)
            if (const KernelArgument* argument =
                    findArgument(kernel.signature(), target.index, target.name))
                set[argument->index] = true;

        Arguments all;
        for (size_t i = 0; i < given.size(); ++i) {
            const auto& [index, argumentName, buffer, value] = given[i];
            const bool byIndexOrName = index || !argumentName.empty();
            const KernelArgument* argument =
                byIndexOrName           ? findArgument(kernel.signature(), index, argumentName)
                : i < byPosition.size() ? byPosition[i]
                                        : nullptr;
            if (!argument)
                launch::throwFor(name, "argument {} is none of the kernel's {}",
                                 argumentName.empty()
                                     ? formatted("{}", index.value_or(static_cast<uint32_t>(i)))
                                     : formatted("'{}'", argumentName),
                                 byPosition.size());
            set[argument->index] = true;
            all.emplace_back(argument->index, valueOf(given[i], *argument, queue));
        }
        for (const KernelArgument& argument : declared)
            if (givesArgument(argument) && !set[argument.index])
                all.emplace_back(argument.index, numbersFor(argument, shard));
        return all;
    }

    ArgumentValue valueOf(const GroupArgument& given, const KernelArgument& argument,
                          uint32_t queue) const {
        if (!given.buffer)
            return given.value;
        const Buffer::Impl& buffer = *sharedImplOf(*given.buffer);
        if (argument.writes && !buffer.writable)
            launch::throwFor(name, "argument {} is written to, but {} is read-only", argument.index,
                             buffer.describe());
        const bool queuesShareCopies = group->queues.size() > group->managers.size() &&
                                       buffer.placement != BufferPlacement::eReplicatedByQueue;
        if (argument.writes && queuesShareCopies && usesEveryQueue())
            launch::throwFor(name,
                             "argument {} is written to on every queue, because another buffer is "
                             "replicated by queue, but the queues of a device share their copy of "
                             "{}; replicate it by queue, too",
                             argument.index, buffer.describe());
        return given.buffer->tensor(queue);
    }

    ArgumentValue numbersFor(const KernelArgument& argument, const Shard& shard) const {
        if (argument.type != shader::ScalarType::eUint32 &&
            argument.type != shader::ScalarType::eInt32)
            launch::throwFor(name, "'{}' is a {}, but the library provides it as int or uint",
                             argument.name, typeName(argument));
        const std::vector<uint64_t> values = shardValue(argument.name, shard, argument.components);
        if (values.size() != argument.components)
            launch::throwFor(name, "'{}' is a {}, but its value is a single number", argument.name,
                             typeName(argument));
        std::vector<uint32_t> words(values.begin(), values.end());
        return ArgumentValue::numbers(argument.type, argument.components, words.data(),
                                      words.size() * sizeof(uint32_t));
    }
};

GroupKernel::GroupKernel(const DeviceGroup& group, std::string name, const std::string& glsl,
                         const GroupArguments& arguments, const GroupKernelOptions& options)
    : mImpl(std::make_unique<Impl>(group, std::move(name), options)) {
    mImpl->build(arguments, [&](Manager& manager) { return Kernel(manager, glsl); });
}

GroupKernel::GroupKernel(const DeviceGroup& group, std::string name,
                         const std::vector<uint32_t>& spirv, const GroupArguments& arguments,
                         const GroupKernelOptions& options)
    : mImpl(std::make_unique<Impl>(group, std::move(name), options)) {
    mImpl->build(arguments, [&](Manager& manager) { return Kernel(manager, spirv); });
}

GroupKernel::~GroupKernel() = default;

bool GroupKernel::givesArgument(const KernelArgument& argument) {
    return argument.kind == ArgumentKind::ePushConstant &&
           !shardValue(argument.name, {}, argument.components).empty();
}

const std::string& GroupKernel::name() const {
    return mImpl->name;
}

std::vector<Event> GroupKernel::operator()(const std::vector<Event>& waitFor,
                                           const Parameters& parameters, GroupTarget target) {
    LaunchOptions options;
    options.waitFor = waitFor;
    options.parameters = parameters;
    return mImpl->group->forEach(
        mImpl->group->choose(target, mImpl->queues),
        [&](Manager&, uint32_t queue, const std::vector<Event>&) -> std::optional<Event> {
            const std::shared_ptr<Launcher>& launcher = mImpl->launcherOf(queue);
            if (!launcher)
                return std::nullopt;
            options.queue = mImpl->group->queues[queue];
            return (*launcher)(options);
        },
        waitFor);
}

std::shared_ptr<Launcher> GroupKernel::launcher(uint32_t index) const {
    const std::shared_ptr<Launcher>& launcher = mImpl->launcherOf(index);
    if (!launcher)
        launch::throwFor(name(), "the shard of queue {} has no rows", index);
    return launcher;
}

} // namespace kp
