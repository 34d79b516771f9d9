// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include <kompute/launch/KernelLauncher.hpp>

#include "launch/SharedBindings.hpp"

namespace kp {

/// The shader of a Kernel. Never changes.
struct Kernel::Impl {
    std::shared_ptr<vulkan::Device> device;
    std::shared_ptr<const shader::Reflection> reflection;
    KernelSignature signature;
    std::vector<uint32_t> spirv;          ///< empty if made from an algorithm
    std::shared_ptr<Algorithm> algorithm; ///< a copy of that algorithm; otherwise null
    mutable SharedBindings bindings;
};

} // namespace kp
