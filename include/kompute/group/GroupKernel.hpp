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

/// An argument of a GroupKernel: a buffer, or a value as for other launchers. Given by position, by
/// index or by name; see Argument.
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
    std::shared_ptr<Buffer> buffer; ///< null if value is used
    ArgumentValue value;
};
using GroupArguments = std::vector<GroupArgument>;

/// Options of a GroupKernel.
struct GroupKernelOptions {
    /// Returns the global size for a shard. Default: the number of elements, in x, of the largest
    /// shard on the device, or of the largest buffer if none is sharded.
    std::function<WorkSize(const Shard& shard)> globalSize;
    std::optional<WorkSize> localSize; ///< default: the shader's
    /// Behaviour if the global size is not a multiple of the local size, as is usual for shards.
    /// True launches enough work groups to cover it, and the shader checks its bounds; false
    /// throws.
    bool roundUp = true;
    ParametersMap parameters; ///< arguments given with each call
    bool reinterpret = false; ///< see KernelOptions
};

/// A kernel on every device of a group. Each device works on its copies or shards of the buffers.
///
/// The shader learns its part from push constants with these names, if it declares them as int or
/// uint:
///
///     kp_shard_index   index of the copy or shard
///     kp_shard_count   number of copies or shards
///     kp_shard_offset  first row of the shard in the whole buffer
///     kp_shard_shape   shape of the shard, last axis first (x)
///     kp_whole_shape   shape of the whole buffer, last axis first (x)
///
/// The shapes may be scalars or vectors. If a shape has more axes than the push constant has
/// components, the remaining axes are multiplied into the last component, so a scalar is the number
/// of elements. The values refer to the first sharded buffer among the arguments, or else the first
/// buffer. Devices whose shard has no rows are skipped.
///
/// Thread safety: one thread at a time.
class KOMPUTE_API GroupKernel {
public:
    /// Creates the kernel from GLSL or SPIR-V, and a launcher for each device.
    /// @param name       name in messages, trace and statistics
    /// @param arguments  all arguments except parameters and the push constants above
    /// @throws ShaderError or InvalidArgument as KernelLauncher; InvalidArgument also if a buffer
    ///         belongs to another group, the kernel writes to a buffer that is not writable or,
    ///         launched on every queue, to one that several queues share, or there is neither a
    ///         buffer nor GroupKernelOptions::globalSize
    GroupKernel(const DeviceGroup& group, std::string name, const std::string& glsl,
                const GroupArguments& arguments, const GroupKernelOptions& options = {});
    GroupKernel(const DeviceGroup& group, std::string name, const std::vector<uint32_t>& spirv,
                const GroupArguments& arguments, const GroupKernelOptions& options = {});
    ~GroupKernel();
    GroupKernel(const GroupKernel&) = delete;
    GroupKernel& operator=(const GroupKernel&) = delete;

    /// Returns true for a push constant whose value the library provides.
    static bool givesArgument(const KernelArgument& argument);

    const std::string& name() const;
    /// Launches the kernel exactly once on each device that @p target selects, on the device's
    /// first queue; on every queue if a buffer is eReplicatedByQueue. Returns at once.
    /// @return one event per selected device or queue; already done for a skipped one
    /// @throws as DeviceGroup::forEach
    std::vector<Event> operator()(const std::vector<Event>& waitFor = {},
                                  const Parameters& parameters = {},
                                  GroupTarget target = GroupTarget::all());
    /// Returns the launcher of one device, for use in lists. @p index is as in Buffer.
    /// @throws InvalidArgument if there is no such queue, or its shard has no rows
    std::shared_ptr<Launcher> launcher(uint32_t index) const;

private:
    struct Impl;
    std::unique_ptr<Impl> mImpl;
};

} // namespace kp
