// SPDX-License-Identifier: Apache-2.0
#include "cuda/PeerLink.hpp"

#include <mutex>
#include <utility>

#include "cuda/CudaLink.hpp"

namespace kp::cuda {
namespace {

std::mutex replacementMutex;
std::shared_ptr<PeerLink> replacement; ///< guarded by replacementMutex

} // namespace

PeerLink::Memory::~Memory() = default;
PeerLink::~PeerLink() = default;

std::shared_ptr<PeerLink> PeerLink::between(const vulkan::Device& a, const vulkan::Device& b) {
    std::shared_ptr<PeerLink> link;
    {
        const std::lock_guard lock(replacementMutex);
        link = replacement;
    }
    if (!link && a.physical().isNvidia() && b.physical().isNvidia())
        link = cudaLink();
    return link && link->connects(a, b) ? link : nullptr;
}

void PeerLink::replace(std::shared_ptr<PeerLink> link) {
    const std::lock_guard lock(replacementMutex);
    replacement.swap(link);
}

} // namespace kp::cuda
