// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "primitives/plan/PushConstants.hpp"

namespace kp::primitives {

/// Views start at multiples of this (or of the device's alignment, if that is larger), so that
/// shaders can access blocks of 16 bytes.
constexpr uint64_t kViewAlignment = 16;

/// A compute shader. Its bindings 0, 1, ... are storage buffers in set 0.
struct Kernel {
    /// GLSL of the user, which the source mentions as a line `#include "name"`.
    struct UserText {
        std::string name; ///< in messages: "operator"
        std::string text;
        std::string expected; ///< its requirement, a sentence below errors in it; may be empty
        bool operator==(const UserText&) const = default;
    };

    std::string name;                ///< for messages
    std::string source;              ///< complete GLSL, usually of composeSource()
    std::vector<uint32_t> spirv;     ///< if not empty, this instead of the source
    std::vector<uint32_t> constants; ///< the specialization constants 0, 1, ...
    /// If not empty, the bindings have these numbers instead of 0, 1, ...; see mergeBindings().
    std::vector<uint32_t> slots;
    /// The shader uses subgroup operations and relies on full subgroups.
    bool subgroups = false;
    std::vector<UserText> userTexts;
    bool operator==(const Kernel&) const = default;
};

/// A part of a memory, bound to one or more neighbouring bindings. Neither its offset nor its end
/// needs alignment: the binding begins at an aligned address before it, and the shader receives the
/// number of elements between.
struct View {
    enum class Use { eRead, eWrite, eReadWrite };

    uint32_t memory = 0;       ///< Plan: the arguments, then scratch memory
    uint64_t offset = 0;       ///< bytes
    uint64_t bytes = 0;        ///< not 0, at most DeviceTraits::maxViewBytes
    uint32_t elementBytes = 4; ///< divides the offset
    Use use = Use::eRead;
    uint32_t bindings = 1; ///< 2: the same memory at two bindings, as blocks and as elements
};

/// Copies between memories, or within one if the parts do not overlap.
struct Copy {
    uint32_t source = 0;
    uint64_t sourceOffset = 0;
    uint32_t destination = 0;
    uint64_t destinationOffset = 0;
    uint64_t bytes = 0;
};

/// A dispatch. Its push constants are one word per view, the number of elements between the start
/// of the binding and the view's first element, followed by the words in `push`. They are the same
/// number in all dispatches of a kernel.
struct Dispatch {
    uint32_t kernel = 0; ///< Plan::kernels
    std::vector<View> views;
    std::vector<uint32_t> push;
    /// The members that `push` begins with; of external shaders none. For tests.
    std::span<const PushMember> pushMembers;
    /// @param values  a struct that the build made of the push constants of the kernel's text
    template <typename Push>
    void setPush(const Push& values) {
        push = pushWords(values);
        pushMembers = Push::kMembers;
    }
    /// Work groups, folded into x, y and z: flatGroup() in the shader is at least this many.
    uint64_t groups = 1;
    /// If not 0, exactly these work groups, for external shaders: their push constants are only
    /// `push`, and views begin at multiples of the device's alignment.
    std::array<uint32_t, 3> exactGroups{};
    bool isExact() const { return exactGroups[0] != 0; }
    /// If not kDirect, the group counts in x, y and z are read from this memory instead.
    static constexpr uint32_t kDirect = UINT32_MAX;
    uint32_t countsMemory = kDirect;
    uint64_t countsOffset = 0; ///< bytes
    /// Accesses other parts of the written memory than the dispatches right before it, back to one
    /// that is not joined. So it needs no barrier after them.
    bool joined = false;
    /// If not empty, the binding of each view; views of one binding are of one memory.
    std::vector<uint32_t> slots;
    std::vector<Copy> copies; ///< made before the dispatch
};

/// Fills a part of a memory with a 32-bit word. Offset and size are multiples of 4.
struct Fill {
    uint32_t memory = 0;
    uint64_t offset = 0;
    uint64_t bytes = 0;
    uint32_t word = 0;
};

using Step = std::variant<Dispatch, Fill, Copy>;

/// A primitive's work on the device, as data, computed only from sizes, types and DeviceTraits.
/// Steps run in order, with the barriers that their accesses need.
struct Plan {
    explicit Plan(uint32_t argumentCount) : arguments(argumentCount) {}

    uint32_t arguments;            ///< memories 0, 1, ... are the primitive's arguments
    std::vector<uint64_t> scratch; ///< bytes of the memories after the arguments
    /// Initial contents of some scratch memory. No step writes there.
    struct Constants {
        uint32_t memory = 0;
        std::vector<uint32_t> words;
    };
    std::vector<Constants> constants;
    std::vector<Kernel> kernels;
    std::vector<Step> steps;

    /// Returns the number of the memory.
    uint32_t addScratch(uint64_t bytes) {
        scratch.push_back(bytes);
        return arguments + static_cast<uint32_t>(scratch.size()) - 1;
    }
    /// @param words  at least one
    uint32_t addConstants(std::vector<uint32_t> words) {
        const uint32_t memory = addScratch(words.size() * sizeof words[0]);
        constants.push_back({memory, std::move(words)});
        return memory;
    }
    uint32_t addKernel(Kernel kernel) {
        kernels.push_back(std::move(kernel));
        return static_cast<uint32_t>(kernels.size()) - 1;
    }
    /// Returns the number of a kernel that is like this one, and adds it if there is none.
    uint32_t sharedKernel(Kernel kernel);
    /// Appends the steps of another plan.
    /// @param memories  the memories of this plan that are the other's arguments
    void append(Plan other, const std::vector<uint32_t>& memories);
    /// A memory, from one of its bytes on.
    struct Placed {
        uint32_t memory = 0;
        uint64_t offset = 0;
    };
    /// Same, with arguments that begin within memories.
    void appendAt(Plan other, const std::vector<Placed>& memories);
};

} // namespace kp::primitives
