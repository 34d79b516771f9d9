// SPDX-License-Identifier: Apache-2.0
#include "core/memory/StandIn.hpp"

#include "core/Internals.hpp"
#include "core/memory/MemoryImpl.hpp"

namespace kp {

std::shared_ptr<Tensor> standInFor(const Tensor& tensor) {
    const Memory::Impl& impl = implOf(tensor);
    return Internals::make<Tensor>(impl.device, impl.buffer, impl.count, impl.elementSize,
                                   impl.dataType, Memory::MemoryTypes::eStorage);
}

std::shared_ptr<vulkan::Buffer> bufferOf(const Tensor& tensor) {
    return implOf(tensor).buffer;
}

} // namespace kp
