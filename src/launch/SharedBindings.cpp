// SPDX-License-Identifier: Apache-2.0
#include "launch/SharedBindings.hpp"

#include <algorithm>
#include <functional>

namespace kp {
namespace {

size_t hashOf(const MemoryBinding& binding) {
    size_t hash = std::hash<const void*>()(binding.pipeline.get());
    for (const MemoryBinding::Use& use : binding.uses)
        hash = hash * 31 + std::hash<const void*>()(use.resource.get());
    return hash;
}

bool bindsTheSame(const MemoryBinding& a, const MemoryBinding& b) {
    return a.pipeline == b.pipeline &&
           std::equal(a.uses.begin(), a.uses.end(), b.uses.begin(), b.uses.end(),
                      [](const auto& x, const auto& y) { return x.resource == y.resource; });
}

} // namespace

std::shared_ptr<const MemoryBinding>
SharedBindings::shared(const std::shared_ptr<const MemoryBinding>& binding) {
    const std::lock_guard lock(mMutex);
    if (mBindings.size() >= mLimit) {
        std::erase_if(mBindings, [](const auto& each) { return each.second.expired(); });
        mLimit = std::max(kMinLimit, 2 * mBindings.size());
    }
    std::weak_ptr<const MemoryBinding>& entry = mBindings[hashOf(*binding)];
    std::shared_ptr<const MemoryBinding> known = entry.lock();
    if (known && bindsTheSame(*known, *binding))
        return known;
    if (!known)
        entry = binding;
    return binding;
}

} // namespace kp
