// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <vector>

namespace kp::proof {

/// Elements of all memory of random programs.
inline constexpr uint32_t kElements = 128;
inline constexpr uint32_t kImageWidth = 16;

/// A random kernel's use of one binding's memory.
struct Binding {
    bool image = false;
    bool writes = false;
    /// The binding may have the same memory as an earlier one that the kernel writes, or reads
    /// while this one writes: each invocation accesses the same element through both.
    bool mayAlias = false;
};

/// A shader of random programs, and the function that computes the same on the CPU.
struct RandomKernel {
    using Push = std::array<uint32_t, 3>;
    using Run = void (*)(const std::vector<std::vector<uint32_t>*>& memory, const Push& push,
                         uint32_t groups);

    const char* name;
    std::vector<Binding> bindings;
    /// Work groups: any number up to kElements, all of kElements, or one of kElements invocations.
    enum class Groups { eAny, eAll, eOne } groups;
    std::vector<uint32_t> spirv;
    Run run;
};

/// All kernels, with push constants x, y and z each. Compiled at the first call.
const std::vector<RandomKernel>& randomKernels();

} // namespace kp::proof
