// SPDX-License-Identifier: Apache-2.0
#include "launch/KernelImpl.hpp"

#include <algorithm>
#include <functional>
#include <utility>

#include <kompute/Manager.hpp>

#include "base/Text.hpp"
#include "core/ManagerImpl.hpp"

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

Kernel::Kernel(std::shared_ptr<Algorithm> algorithm) {
    if (!algorithm)
        fail<InvalidArgument>("the algorithm to make a kernel from is null");
    const Algorithm::Impl& source = algorithm->impl();
    source.requireReady();
    auto impl = std::make_shared<Impl>();
    impl->device = source.device;
    impl->reflection = source.reflection;
    impl->signature = KernelSignature(*source.reflection);
    impl->algorithm = std::make_shared<Algorithm>(source.device);
    impl->algorithm->impl() = source;
    mImpl = std::move(impl);
}

Kernel::Kernel(Manager& manager, std::vector<uint32_t> spirv) {
    auto impl = std::make_shared<Impl>();
    impl->device = manager.impl().device;
    impl->reflection = std::make_shared<const shader::Reflection>(reflect(spirv));
    impl->signature = KernelSignature(*impl->reflection);
    impl->spirv = std::move(spirv);
    mImpl = std::move(impl);
}

Kernel::Kernel(Manager& manager, const std::string& glsl)
    : Kernel(manager, manager.compile(glsl)) {}

const KernelSignature& Kernel::signature() const {
    return mImpl->signature;
}

const shader::Reflection& Kernel::reflection() const {
    return *mImpl->reflection;
}

} // namespace kp
