// SPDX-License-Identifier: Apache-2.0
#include "primitives/plan/KnownPlans.hpp"

namespace kp::primitives {

KnownPlans& KnownPlans::of(vulkan::Device& device) {
    return device.companion<KnownPlans>([&] { return std::make_shared<KnownPlans>(device); });
}

bool KnownPlans::freeMemory() noexcept {
    decltype(mLists) removed; // destroyed without the lock
    const std::lock_guard lock(mMutex);
    removed.swap(mLists);
    return !removed.empty();
}

} // namespace kp::primitives
