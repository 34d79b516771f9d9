// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <mutex>
#include <unordered_map>

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

} // namespace kp
