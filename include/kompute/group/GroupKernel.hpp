// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <kompute/group/Buffer.hpp>
#include <kompute/group/DeviceGroup.hpp>
#include <kompute/launch/KernelLauncher.hpp>

namespace kp {

/// An argument of a GroupKernel: a buffer, or a value as other launchers take it. As Argument, it
/// has its place, an index or a name.
struct GroupArgument {
    GroupArgument(std::shared_ptr<Buffer> given) : buffer(std::move(given)) {}
    GroupArgument(uint32_t place, std::shared_ptr<Buffer> given)
        : index(place), buffer(std::move(given)) {}
    GroupArgument(std::string argument, std::shared_ptr<Buffer> given)
        : name(std::move(argument)), buffer(std::move(given)) {}
    template <typename V,
              typename = std::enable_if_t<std::is_constructible<ArgumentValue, V>::value>>
    GroupArgument(V&& given) : value(std::forward<V>(given)) {}
    GroupArgument(uint32_t place, ArgumentValue given) : index(place), value(std::move(given)) {}
    GroupArgument(std::string argument, ArgumentValue given)
        : name(std::move(argument)), value(std::move(given)) {}

    std::optional<uint32_t> index;
    std::string name;
    std::shared_ptr<Buffer> buffer; ///< null: value
    ArgumentValue value;
};
using GroupArguments = std::vector<GroupArgument>;

struct GroupKernelOptions {
    /// Work items for a shard. Without: its elements, in x.
    std::function<WorkSize(const Shard& shard)> globalSize;
    std::optional<WorkSize> localSize; ///< without: the shader's own
    /// Where the work items are no multiple of the local size, as those of shards hardly ever are:
    /// true launches the groups that cover them, and the shader checks its bounds; false is an
    /// error.
    bool roundUp = true;
    ParametersMap parameters; ///< arguments that are given with each call
};

/// One kernel on every device of a group, each working on its copy or shard of the buffers.
///
/// The shader is told which part it has through push constants of these names, as far as it
/// declares them, as uint or int, alone or in vectors:
///
///     kp_shard_index   place of the copy or shard
///     kp_shard_count   number of them
///     kp_shard_offset  first row of the shard in the whole buffer
///     kp_shard_shape   shape of the shard, last axis first (x); axes that it has no number for are
///                      multiplied into its last one, so a single number is the elements
///     kp_whole_shape   shape of the whole buffer, likewise
///
/// They are about the first sharded buffer among the arguments, or else the first buffer. A device
/// whose shard has no rows is passed over.
///
/// Used by one thread at a time.
class KOMPUTE_API GroupKernel {
public:
    /// @throws ShaderError, InvalidArgument as KernelLauncher, and where a buffer is of another
    ///         group, buffers are placed by queue and not, or the kernel writes to a buffer that is
    ///         not writable
    GroupKernel(const DeviceGroup& group, std::string name, const std::string& glsl,
                const GroupArguments& arguments, const GroupKernelOptions& options = {});
    GroupKernel(const DeviceGroup& group, std::string name, const std::vector<uint32_t>& spirv,
                const GroupArguments& arguments, const GroupKernelOptions& options = {});
    ~GroupKernel();
    GroupKernel(const GroupKernel&) = delete;
    GroupKernel& operator=(const GroupKernel&) = delete;

    /// True for a push constant that the library itself gives a shader which declares it.
    static bool givesArgument(const KernelArgument& argument);

    const std::string& name() const;
    /// Launches it on the devices that @p target chooses: exactly once on each, on the first of its
    /// queues (of buffers placed by queue: on every queue). Returns at once.
    /// @return an event for each of them
    /// @throws as DeviceGroup::forEach
    std::vector<Event> operator()(const std::vector<Event>& waitFor = {},
                                  const Parameters& parameters = {},
                                  GroupTarget target = GroupTarget::all());
    /// The launcher of one device, for lists. @param index  of a queue, as in Buffer
    /// @throws InvalidArgument where its shard has no rows
    std::shared_ptr<Launcher> launcher(uint32_t index) const;

private:
    struct Impl;
    std::unique_ptr<Impl> mImpl;
};

} // namespace kp
