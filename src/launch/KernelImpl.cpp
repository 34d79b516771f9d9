// SPDX-License-Identifier: Apache-2.0
#include "launch/KernelImpl.hpp"

#include <utility>

#include <kompute/Manager.hpp>

#include "base/Text.hpp"
#include "core/ManagerImpl.hpp"

namespace kp {

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
