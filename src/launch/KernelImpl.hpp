// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <vector>

#include <kompute/launch/KernelLauncher.hpp>

#include "core/AlgorithmImpl.hpp"

namespace kp {

/// The bindings of one kernel that are in use. Launchers with the same memory share one, so that a
/// command buffer binds it once for all of them. Thread-safe.
class SharedBindings {
public:
    /// @return an equal binding in use, or else @p binding
    std::shared_ptr<const MemoryBinding>
    shared(const std::shared_ptr<const MemoryBinding>& binding);

private:
    static constexpr size_t kMinLimit = 64;

    std::mutex mMutex;
    std::unordered_map<size_t, std::weak_ptr<const MemoryBinding>> mBindings; ///< by hash
    size_t mLimit = kMinLimit; ///< number of bindings at which expired ones are erased
};

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
