// SPDX-License-Identifier: Apache-2.0
#include "core/manager/MemoryReport.hpp"

#include <algorithm>
#include <numeric>
#include <string>
#include <utility>

#include "base/Text.hpp"
#include "core/manager/ManagerImpl.hpp"
#include "vulkan/memory/Allocator.hpp"

namespace kp {
namespace {

constexpr size_t kMaxObjectsListed = 5; ///< in a message
constexpr size_t kKindsOfObjects = 3;   ///< at the front of memoryKinds()

std::string describe(const MemoryObject& object) {
    return formatted("{}{} has {} bytes", object.name.empty() ? "" : "'" + object.name + "', ",
                     object.kind, object.bytes);
}

} // namespace

MemoryUsage memoryUsage(const vulkan::Device& device, const MemoryAccount& account) {
    const PeakCounter& reserved = device.allocator().reserved();
    MemoryUsage usage;
    usage.allocated = account.allocated.now();
    usage.peak = account.allocated.peak();
    usage.cached = account.cached.load() + device.cachedBytes().all();
    usage.reserved = reserved.now();
    usage.peakReserved = reserved.peak();
    return usage;
}

std::vector<MemoryKind> memoryKinds(const vulkan::Device& device, MemoryAccount& account) {
    const MemoryAccount::Kinds own = account.kinds();
    const vulkan::CachedBytes cached = device.cachedBytes();
    std::vector<MemoryKind> kinds = {{"tensors", own.tensors.count, own.tensors.bytes},
                                     {"images", own.images.count, own.images.bytes},
                                     {"arrays", own.arrays.count, own.arrays.bytes},
                                     {"freed arrays", own.cached.count, own.cached.bytes},
                                     {"freed small tensors", 0, cached.smallTensors},
                                     {"intermediate results", 0, cached.intermediates},
                                     {"constants", 0, cached.constants}};
    const uint64_t known =
        std::accumulate(kinds.begin(), kinds.end(), uint64_t{0},
                        [](uint64_t sum, const MemoryKind& kind) { return sum + kind.bytes; });
    const uint64_t reserved = device.allocator().reserved().now();
    kinds.push_back({"other", 0, reserved - std::min(reserved, known)});
    return kinds;
}

std::vector<MemoryHeap> memoryHeaps(const vulkan::Device& device) {
    std::vector<MemoryHeap> heaps;
    for (const vulkan::HeapUsage& heap : device.allocator().heaps())
        heaps.push_back({heap.deviceLocal, heap.size, heap.budget, heap.used, heap.reserved});
    return heaps;
}

OutOfMemory withHolders(const OutOfMemory& error, const vulkan::Device& device,
                        MemoryAccount& account) {
    const std::vector<MemoryObject> objects = account.objects();
    std::vector<std::string> reasons = error.reasons();
    uint64_t others = 0;
    for (size_t i = 0; i < objects.size(); ++i)
        if (i < kMaxObjectsListed)
            reasons.push_back(describe(objects[i]));
        else
            others += objects[i].bytes;
    if (objects.size() > kMaxObjectsListed)
        reasons.push_back(
            formatted("{} more have {} bytes", objects.size() - kMaxObjectsListed, others));
    const std::vector<MemoryKind> kinds = memoryKinds(device, account);
    for (size_t i = kKindsOfObjects; i < kinds.size(); ++i)
        if (kinds[i].bytes > 0)
            reasons.push_back(formatted("{}: {} bytes", kinds[i].kind, kinds[i].bytes));
    for (const MemoryHeap& heap : memoryHeaps(device))
        if (heap.deviceLocal)
            reasons.push_back(
                formatted("of the heap of {} bytes, this process uses {} and can have "
                          "{}",
                          heap.size, heap.used, heap.budget));
    const std::string whole = error.what();
    return OutOfMemory(whole.substr(0, whole.find('\n')), error.vkResult(), std::move(reasons));
}

uint64_t Manager::allocatedBytes() const {
    return device()->allocator().usage().blockBytes;
}

MemoryUsage Manager::memory() const {
    return memoryUsage(*device(), *mImpl->account);
}

std::vector<MemoryObject> Manager::memoryObjects() const {
    return mImpl->account->objects();
}

std::vector<MemoryKind> Manager::memoryKinds() const {
    return kp::memoryKinds(*device(), *mImpl->account);
}

std::vector<MemoryHeap> Manager::memoryHeaps() const {
    return kp::memoryHeaps(*device());
}

void Manager::failWithHolders(const OutOfMemory& error) const {
    throw withHolders(error, *device(), *mImpl->account);
}

void Manager::resetPeakMemory() {
    device()->allocator().reserved().resetPeak();
    mImpl->account->allocated.resetPeak();
}

} // namespace kp
