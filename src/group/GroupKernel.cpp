// SPDX-License-Identifier: Apache-2.0
#include <kompute/group/GroupKernel.hpp>

#include <algorithm>
#include <utility>

#include <kompute/Error.hpp>

#include "group/BufferImpl.hpp"
#include "group/DeviceGroupImpl.hpp"
#include "launch/Steps.hpp"

namespace kp {
namespace {

/// Numbers of a shape for a push constant: the last axis first. Axes that it has no number for are
/// multiplied into its last one; those that the shape does not have are 1.
std::vector<uint64_t> axesOf(const std::vector<uint64_t>& shape, uint32_t components) {
    std::vector<uint64_t> axes(components, 1);
    for (size_t i = 0; i < shape.size(); ++i)
        axes[std::min<size_t>(i, components - 1)] *= shape[shape.size() - 1 - i];
    return axes;
}

/// What the library itself gives a shader that declares it; empty for other names.
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
    std::vector<uint32_t> queues;                     ///< of the copies it works on
    std::vector<std::shared_ptr<Launcher>> launchers; ///< for each; null: nothing to do
    std::shared_ptr<Buffer> shape;                    ///< that shards are about; may be null

    Impl(const DeviceGroup& used, std::string kernelName, GroupKernelOptions given)
        : name(std::move(kernelName)), group(used.impl()), options(std::move(given)) {}

    /// The launcher that works on the copies of a queue.
    const std::shared_ptr<Launcher>& launcherOf(uint32_t queue) const {
        group->requireQueue(queue);
        // Queues of one device share a copy unless each has its own.
        const bool each = launchers.size() == group->queues.size();
        return launchers[each ? queue : group->deviceOfQueue[queue]];
    }

    [[noreturn]] void refuse(const std::string& message) const { launch::throwFor(name, message); }

    /// @param kernelOf  makes the kernel of a device
    template <typename KernelOf>
    void build(const GroupArguments& arguments, const KernelOf& kernelOf) {
        choosePlaces(arguments);
        std::vector<Kernel> kernels;
        for (const std::shared_ptr<Manager>& manager : group->managers)
            kernels.push_back(kernelOf(*manager));
        for (const uint32_t queue : queues)
            launchers.push_back(
                makeLauncher(kernels[group->deviceOfQueue[queue]], arguments, queue));
    }

    void choosePlaces(const GroupArguments& arguments) {
        queues = group->firstQueue;
        for (const GroupArgument& argument : arguments) {
            if (!argument.buffer)
                continue;
            const Buffer::Impl& buffer = *argument.buffer->impl();
            buffer.requireAlive();
            if (buffer.group != group)
                refuse(buffer.describe() + " is of another device group");
            if (buffer.placement == BufferPlacement::eReplicatedByQueue)
                queues = buffer.queueOfCopy;
            if (!shape || (buffer.sharded() && !shape->impl()->sharded()))
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

    std::shared_ptr<Launcher> makeLauncher(const Kernel& kernel, const GroupArguments& arguments,
                                           uint32_t queue) {
        const Shard shard = shardOf(queue);
        if (shape && shard.size() == 0)
            return nullptr;
        KernelOptions own;
        if (options.globalSize)
            own.globalSize = options.globalSize(shard);
        else if (shape)
            own.globalSize = WorkSize(shard.size());
        else
            refuse("without a buffer among the arguments it needs a global size");
        own.localSize = options.localSize;
        own.queue = group->queues[queue];
        own.roundUp = options.roundUp;
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
            if (const KernelArgument* argument = find(kernel, target.index, target.name))
                set[argument->index] = true;

        Arguments all;
        for (size_t i = 0; i < given.size(); ++i) {
            const bool placed = given[i].index || !given[i].name.empty();
            const KernelArgument* argument = placed ? find(kernel, given[i].index, given[i].name)
                                             : i < byPosition.size() ? byPosition[i]
                                                                     : nullptr;
            if (!argument)
                refuse("argument " +
                       (given[i].name.empty()
                            ? std::to_string(given[i].index.value_or(static_cast<uint32_t>(i)))
                            : "'" + given[i].name + "'") +
                       " is none of the kernel's " + std::to_string(byPosition.size()));
            set[argument->index] = true;
            all.emplace_back(argument->index, valueOf(given[i], *argument, queue));
        }
        for (const KernelArgument& argument : declared)
            if (givesArgument(argument) && !set[argument.index])
                all.emplace_back(argument.index, numbersFor(argument, shard));
        return all;
    }

    static const KernelArgument* find(const Kernel& kernel, const std::optional<uint32_t>& index,
                                      const std::string& argument) {
        const KernelSignature& signature = kernel.signature();
        if (!index)
            return signature.find(argument);
        return *index < signature.arguments().size() ? &signature.arguments()[*index] : nullptr;
    }

    ArgumentValue valueOf(const GroupArgument& given, const KernelArgument& argument,
                          uint32_t queue) const {
        if (!given.buffer)
            return given.value;
        const Buffer::Impl& buffer = *given.buffer->impl();
        if (argument.writes && !buffer.writable)
            refuse("argument " + std::to_string(argument.index) + " is written to, but " +
                   buffer.describe() + " is read-only");
        return given.buffer->tensor(queue);
    }

    ArgumentValue numbersFor(const KernelArgument& argument, const Shard& shard) const {
        if (argument.type != shader::ScalarType::eUint32 &&
            argument.type != shader::ScalarType::eInt32)
            refuse("'" + argument.name + "' is a " + typeName(argument) +
                   ", but the library gives it as int or uint");
        const std::vector<uint64_t> values = shardValue(argument.name, shard, argument.components);
        if (values.size() != argument.components)
            refuse("'" + argument.name + "' is a " + typeName(argument) +
                   ", but it is a single number");
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
        mImpl->refuse("the shard of queue " + std::to_string(index) + " has no rows");
    return launcher;
}

} // namespace kp
