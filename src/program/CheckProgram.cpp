// SPDX-License-Identifier: Apache-2.0
#include "program/CheckProgram.hpp"

#include <algorithm>
#include <set>
#include <span>
#include <tuple>

#include <kompute/Algorithm.hpp>
#include <kompute/Error.hpp>
#include <kompute/shader/Reflection.hpp>

#include "base/Text.hpp"
#include "core/algorithm/AlgorithmChecks.hpp"
#include "shader/SpirvVersion.hpp"
#include "vulkan/queue/HazardTracker.hpp"

namespace kp::program {
namespace {

constexpr uint32_t kSpirvMagic = 0x07230203;
constexpr size_t kSpirvHeader = 5;
/// Far above what devices have.
constexpr uint64_t kMaxDescriptors = 1 << 16;
constexpr uint32_t kMaxSets = 32;
constexpr uint32_t kMaxPushBytes = 1 << 16;
constexpr uint64_t kMaxBytes = uint64_t{1} << 48;

[[noreturn]] void failUnsound(const std::string& why) {
    fail<InvalidArgument>("the program is damaged: {}", why);
}

void require(bool holds, const char* why) {
    if (!holds)
        failUnsound(why);
}

bool isInside(uint64_t offset, uint64_t bytes, uint64_t end) {
    return bytes <= end && offset <= end - bytes;
}

void requireSoundKernel(const Kernel& kernel, size_t modules) {
    require(kernel.module < modules, "a kernel has no module");
    require(!kernel.entryPoint.empty() && kernel.entryPoint.find('\0') == std::string::npos,
            "a kernel has no entry point");
    std::set<uint32_t> ids;
    for (const Kernel::Constant& constant : kernel.constants) {
        require(ids.insert(constant.id).second, "a kernel has a constant twice");
        require(constant.size == 1 || constant.size == 2 || constant.size == 4 ||
                    constant.size == 8,
                "a constant has a size that no number has");
        require(isInside(constant.offset, constant.size, kernel.constantBytes.size()),
                "a constant has no value");
    }
    std::set<std::pair<uint32_t, uint32_t>> places;
    uint64_t descriptors = 0;
    for (const Kernel::Binding& binding : kernel.bindings) {
        require(places.insert({binding.set, binding.binding}).second,
                "a kernel has a binding twice");
        descriptors += binding.count;
        require(binding.set < kMaxSets && binding.count > 0 && descriptors <= kMaxDescriptors,
                "a kernel has too many bindings");
    }
    require(kernel.pushBytes % 4 == 0 && kernel.pushBytes <= kMaxPushBytes,
            "a kernel has push constants of a wrong size");
}

void requireSoundTensor(const ProgramTensor& tensor, const Slot& slot) {
    require(!tensor.name.empty(), "a tensor has no name");
    require(tensor.input || tensor.output, "a tensor is neither an input nor an output");
    require(tensor.type >= Memory::DataTypes::eBool && tensor.type <= Memory::DataTypes::eBFloat16,
            "a tensor has a type that does not exist");
    const uint32_t known = Memory::dataTypeMemorySize(tensor.type);
    require(tensor.elementSize > 0 && (known == 0 || tensor.elementSize == known),
            "a tensor's elements have a size that its type does not have");
    uint64_t bytes = tensor.elementSize;
    for (const uint64_t extent : tensor.shape) {
        require(extent > 0 && extent <= kMaxBytes / bytes,
                "a tensor has a shape that no memory has");
        bytes *= extent;
    }
    require(slot.kind == Slot::Kind::eGiven && slot.bytes == bytes,
            "a tensor has other memory than its shape says");
    require(!slot.writes || tensor.output, "an input is written");
}

void requireSoundSlot(const Slot& slot, const Data& data) {
    require(slot.kind <= Slot::Kind::eState, "memory has a kind that does not exist");
    if (slot.kind == Slot::Kind::eGiven)
        return;
    require(slot.bytes > 0 && slot.bytes <= kMaxBytes && slot.bytes % 4 == 0,
            "memory has a wrong size");
    if (slot.kind == Slot::Kind::eScratch)
        return;
    require(slot.saved < data.contents.size() && data.contents[slot.saved].size() == slot.bytes,
            "the contents of memory are missing");
    require(slot.kind == Slot::Kind::eState || !slot.writes, "a constant is written");
}

/// Checks the commands of a variant, whose slots and tensors are sound.
class CommandChecks {
public:
    CommandChecks(const Data& data, const Variant& variant) : mData(data), mVariant(variant) {}

    void require(const Command& command) const {
        switch (command.kind) {
        case Command::Kind::eDispatchIndirect: {
            const Slot& counts = slot(command.source);
            program::require(counts.reads && command.countsOffset % 4 == 0 &&
                                 isInside(command.countsOffset, 3 * sizeof(uint32_t), counts.bytes),
                             "the counts of a dispatch are not in memory");
            return requireDispatch(command);
        }
        case Command::Kind::eDispatch:
            return requireDispatch(command);
        case Command::Kind::eCopy:
            return requireCopy(command);
        case Command::Kind::eFill:
            return requireFill(command);
        case Command::Kind::eBarrier:
            constexpr auto kKinds = static_cast<uint8_t>((1u << vulkan::kWorkKinds) - 1);
            return program::require(command.before <= kKinds && command.after <= kKinds,
                                    "a barrier is of unknown kinds");
        }
        failUnsound("a command is of a kind that does not exist");
    }

private:
    const Slot& slot(uint32_t number) const {
        program::require(number < mVariant.slots.size(), "a command uses memory that is missing");
        return mVariant.slots[number];
    }

    void requireDispatch(const Command& command) const {
        program::require(command.kernel < mData.kernels.size(), "a dispatch has no kernel");
        const Kernel& kernel = mData.kernels[command.kernel];
        program::require(command.pushFirst % 4 == 0 &&
                             isInside(command.pushFirst, kernel.pushBytes, mVariant.push.size()),
                         "the push constants of a dispatch are missing");
        program::require(isInside(command.boundFirst, command.boundCount, mVariant.bounds.size()),
                         "the descriptors of a dispatch are missing");
        std::set<std::tuple<uint32_t, uint32_t, uint32_t>> bound;
        uint64_t needed = 0;
        for (const Kernel::Binding& binding : kernel.bindings)
            needed += binding.count;
        for (const Bound& each :
             std::span(mVariant.bounds).subspan(command.boundFirst, command.boundCount)) {
            const Kernel::Binding* const binding = bindingOf(kernel, each);
            program::require(binding && each.element < binding->count &&
                                 bound.insert({each.set, each.binding, each.element}).second,
                             "a descriptor belongs to no binding of its kernel");
            const uint64_t bytes = slot(each.slot).bytes;
            program::require(each.bytes > 0 && each.offset < bytes &&
                                 isInside(each.offset, each.bytes, wholeWords(bytes)),
                             "a descriptor reaches beyond its memory");
        }
        program::require(bound.size() == needed, "a binding of a kernel has no memory");
    }

    void requireCopy(const Command& command) const {
        const Slot& source = slot(command.source);
        const Slot& destination = slot(command.destination);
        program::require(source.reads && destination.writes &&
                             command.source != command.destination,
                         "a copy uses the wrong memory");
        program::require(!command.regions.empty(), "a copy has no regions");
        for (const Command::Region& region : command.regions)
            program::require(
                region.bytes > 0 &&
                    isInside(region.source, region.bytes, wholeWords(source.bytes)) &&
                    isInside(region.destination, region.bytes, wholeWords(destination.bytes)),
                "a copy reaches beyond its memory");
    }

    void requireFill(const Command& command) const {
        const Slot& destination = slot(command.destination);
        program::require(destination.writes && command.regions.size() == 1, "a fill has no memory");
        const Command::Region& region = command.regions.front();
        program::require(
            region.bytes > 0 && region.bytes % 4 == 0 && region.destination % 4 == 0 &&
                isInside(region.destination, region.bytes, wholeWords(destination.bytes)),
            "a fill reaches beyond its memory");
    }

    const Data& mData;
    const Variant& mVariant;
};

void requireSoundVariant(const Variant& variant, const Data& data) {
    require(variant.slotOf.size() == variant.tensors.size(), "a tensor has no memory");
    for (const Slot& slot : variant.slots)
        requireSoundSlot(slot, data);
    std::set<std::string> names;
    std::set<uint32_t> slots;
    for (size_t i = 0; i < variant.tensors.size(); ++i) {
        require(variant.slotOf[i] < variant.slots.size(), "a tensor has no memory");
        requireSoundTensor(variant.tensors[i], variant.slots[variant.slotOf[i]]);
        require(names.insert(variant.tensors[i].name).second, "two tensors have one name");
        require(slots.insert(variant.slotOf[i]).second, "two tensors have the same memory");
    }
    const auto given = std::ranges::count(variant.slots, Slot::Kind::eGiven, &Slot::kind);
    require(static_cast<size_t>(given) == variant.tensors.size(), "memory of no tensor is given");
    const CommandChecks commands(data, variant);
    for (const Command& command : variant.commands)
        commands.require(command);
}

/// Returns what the checks of algorithms need to know of a kernel.
shader::Reflection reflectionOf(const Kernel& kernel, const Data& data) {
    shader::Reflection reflection;
    reflection.capabilities = kernel.capabilities;
    reflection.spirvVersion = data.modules[kernel.module][1];
    for (const Kernel::Binding& binding : kernel.bindings) {
        shader::Binding described;
        described.set = binding.set;
        described.binding = binding.binding;
        described.count = binding.count;
        described.kind = binding.uniform ? shader::BindingKind::eUniformBuffer
                                         : shader::BindingKind::eStorageBuffer;
        reflection.bindings.push_back(described);
    }
    return reflection;
}

void requireKernel(const Kernel& kernel, const Data& data, const vulkan::Device& device) {
    const VkPhysicalDeviceLimits& limits = device.physical().properties.limits;
    const shader::Reflection reflection = reflectionOf(kernel, data);
    shader::requireSpirvVersion(data.modules[kernel.module], device.plan().apiVersion);
    requireCapabilities(kernel.capabilities, device);
    requireDescriptors(reflection, device);
    requireLocalSize(kernel.localSize, device);
    AlgorithmOptions options;
    options.subgroupSize = kernel.subgroupSize;
    options.fullSubgroups = kernel.fullSubgroups;
    options.robustAccess = kernel.robustAccess;
    requireOptions(options, reflection, kernel.localSize, device);
    if (kernel.sharedBytes > limits.maxComputeSharedMemorySize)
        fail<Unsupported>("the program's work groups share {} bytes, over {}'s "
                          "maxComputeSharedMemorySize of {}",
                          kernel.sharedBytes, device.name(), limits.maxComputeSharedMemorySize);
    if (kernel.pushBytes > limits.maxPushConstantsSize)
        fail<Unsupported>("the program has {} bytes of push constants, over {}'s "
                          "maxPushConstantsSize of {}",
                          kernel.pushBytes, device.name(), limits.maxPushConstantsSize);
    const VkPhysicalDeviceProperties& properties = device.physical().properties;
    const bool sameDevice =
        data.vendor == properties.vendorID && data.device == properties.deviceID;
    // Which sizes and types of these matrices a device has is its own.
    const auto cooperative = [](const std::string& name) {
        return name.starts_with("CooperativeMatrix");
    };
    if (!sameDevice && std::ranges::any_of(kernel.capabilities, cooperative))
        fail<Unsupported>("the program has kernels with cooperative matrices of another device "
                          "than {}; save it again on such a device",
                          device.name());
    const uint32_t here = device.physical().subgroupSize;
    if (usesSubgroups(kernel) && kernel.subgroupSize == 0 && data.subgroupSize != here)
        fail<Unsupported>("the program has kernels for subgroups of {}, but {} has subgroups of "
                          "{}; save it again on such a device",
                          data.subgroupSize, device.name(), here);
}

void requireDispatch(const Command& command, const Variant& variant, const Data& data,
                     const vulkan::Device& device) {
    const VkPhysicalDeviceLimits& limits = device.physical().properties.limits;
    for (size_t i = 0; i < 3; ++i)
        if (command.groups[i] > limits.maxComputeWorkGroupCount[i])
            fail<Unsupported>("the program dispatches {} work groups in {}, over {}'s "
                              "maxComputeWorkGroupCount of {}",
                              command.groups[i], "xyz"[i], device.name(),
                              limits.maxComputeWorkGroupCount[i]);
    const Kernel& kernel = data.kernels[command.kernel];
    for (const Bound& bound :
         std::span(variant.bounds).subspan(command.boundFirst, command.boundCount)) {
        const Kernel::Binding* const binding = bindingOf(kernel, bound);
        const uint64_t alignment = binding->uniform ? limits.minUniformBufferOffsetAlignment
                                                    : limits.minStorageBufferOffsetAlignment;
        const uint64_t most =
            binding->uniform ? limits.maxUniformBufferRange : limits.maxStorageBufferRange;
        if (bound.bytes > most || bound.offset % alignment != 0)
            fail<Unsupported>("the program binds {} bytes from byte {} of its memory, but {} binds "
                              "at most {} bytes, at multiples of {}; save it again for this device",
                              bound.bytes, bound.offset, device.name(), most, alignment);
    }
}

} // namespace

void requireSound(const Data& data) {
    for (const std::vector<uint32_t>& module : data.modules)
        require(module.size() >= kSpirvHeader && module[0] == kSpirvMagic,
                "a kernel's module is not SPIR-V");
    for (const Kernel& kernel : data.kernels)
        requireSoundKernel(kernel, data.modules.size());
    require(!data.variants.empty(), "it has no commands");
    for (const Variant& variant : data.variants)
        requireSoundVariant(variant, data);
    for (const Variant& variant : data.variants)
        require(std::ranges::equal(variant.tensors, data.variants.front().tensors, {},
                                   &ProgramTensor::name, &ProgramTensor::name),
                "its variants have different tensors");
}

void requireDevice(const Data& data, const vulkan::Device& device) {
    for (const Kernel& kernel : data.kernels)
        requireKernel(kernel, data, device);
    for (const Variant& variant : data.variants)
        for (const Command& command : variant.commands)
            if (isDispatch(command))
                requireDispatch(command, variant, data, device);
}

} // namespace kp::program
