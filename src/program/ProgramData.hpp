// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <kompute/program/Program.hpp>

#include "core/algorithm/Specialization.hpp"

namespace kp::program {

/// A kernel as the driver gets it.
struct Kernel {
    struct Constant {
        uint32_t id;
        uint32_t offset; ///< into constantBytes
        uint32_t size;
    };
    struct Binding {
        uint32_t set;
        uint32_t binding;
        uint32_t count;
        bool uniform; ///< a uniform buffer; else a storage buffer
    };
    uint32_t module = 0; ///< its number in Data::modules
    std::string entryPoint;
    std::vector<Constant> constants;
    std::vector<std::byte> constantBytes;
    std::vector<Binding> bindings;
    uint32_t pushBytes = 0;
    std::array<uint32_t, 3> localSize{1, 1, 1};
    uint64_t sharedBytes = 0;
    std::vector<std::string> capabilities; ///< of its module
    uint32_t subgroupSize = 0;             ///< required; 0 lets the driver choose
    bool fullSubgroups = false;
    bool robustAccess = false;
};

/// Memory that the commands of a variant use.
struct Slot {
    enum class Kind : uint8_t {
        eGiven,    ///< a tensor of Variant::tensors
        eScratch,  ///< contents are undefined at the start
        eConstant, ///< contents are saved, and never written
        eState     ///< contents are saved, and restored at the start
    };
    Kind kind = Kind::eScratch;
    uint64_t bytes = 0;  ///< a multiple of 4 unless it is given
    uint32_t saved = 0;  ///< number in Data::contents of eConstant and eState
    bool reads = false;  ///< the commands read it
    bool writes = false; ///< the commands write it
};

/// The memory of one descriptor.
struct Bound {
    uint32_t set;
    uint32_t binding;
    uint32_t element;
    uint32_t slot;
    uint64_t offset;
    uint64_t bytes;
};

struct Command {
    enum class Kind : uint8_t { eDispatch, eDispatchIndirect, eCopy, eFill, eBarrier };
    struct Region {
        uint64_t source;
        uint64_t destination;
        uint64_t bytes;
    };
    Kind kind = Kind::eBarrier;

    // Of a dispatch.
    uint32_t kernel = 0;     ///< number in Data::kernels
    uint32_t boundFirst = 0; ///< its descriptors in Variant::bounds
    uint32_t boundCount = 0;
    uint32_t pushFirst = 0; ///< its push constants in Variant::push, in bytes
    std::array<uint32_t, 3> groups{};

    uint32_t source = 0;      ///< slot of a copy, or of the group counts
    uint32_t destination = 0; ///< slot of a copy or a fill
    uint64_t countsOffset = 0;
    std::vector<Region> regions; ///< of a copy; one of a fill, with its destination
    uint32_t pattern = 0;

    // Of a barrier: vulkan::HazardBarrier.
    uint8_t before = 0;
    uint8_t after = 0;
    bool everything = false;
};

/// The commands for tensors of certain sizes.
struct Variant {
    std::vector<ProgramTensor> tensors;
    std::vector<uint32_t> slotOf; ///< of each tensor
    std::vector<Slot> slots;
    std::vector<Bound> bounds;
    std::vector<unsigned char> push;
    std::vector<Command> commands;
};

/// All of a program: what its file holds.
struct Data {
    std::vector<std::vector<uint32_t>> modules; ///< SPIR-V
    std::vector<Kernel> kernels;
    std::vector<std::vector<std::byte>> contents; ///< of memory
    std::vector<Variant> variants;
    // Of the device that it was made on.
    uint32_t subgroupSize = 0;
    uint32_t vendor = 0; ///< VkPhysicalDeviceProperties::vendorID
    uint32_t device = 0; ///< deviceID
};

/// Descriptors and fills may cover the rest of the last word of memory.
constexpr uint64_t wholeWords(uint64_t bytes) {
    return (bytes + 3) / 4 * 4;
}

inline bool isDispatch(const Command& command) {
    return command.kind == Command::Kind::eDispatch ||
           command.kind == Command::Kind::eDispatchIndirect;
}

/// Returns the binding of a descriptor; null if the kernel has none there.
inline const Kernel::Binding* bindingOf(const Kernel& kernel, const Bound& bound) {
    for (const Kernel::Binding& binding : kernel.bindings)
        if (binding.set == bound.set && binding.binding == bound.binding)
            return &binding;
    return nullptr;
}

/// Returns the specialization constants, without types.
Specialization specializationOf(const Kernel& kernel);

/// Returns true for kernels whose results may depend on the size of subgroups.
bool usesSubgroups(const Kernel& kernel);

} // namespace kp::program
