// SPDX-License-Identifier: Apache-2.0
#include "cuda/SharedPool.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include <kompute/Error.hpp>
#include <kompute/logger/Logger.hpp>

#include "base/Text.hpp"

namespace kp::cuda {

Regions& Regions::instance() {
    static auto* const regions = new Regions;
    return *regions;
}

uint64_t Regions::add(std::shared_ptr<Gpu::Region> region) {
    const std::lock_guard lock(mMutex);
    const uint64_t address = region->address();
    mRegions[address] = {std::move(region), ++mNumber};
    return mNumber;
}

bool Regions::remove(uint64_t address) {
    std::shared_ptr<Gpu::Region> freed; // without the lock
    const std::lock_guard lock(mMutex);
    const auto found = mRegions.find(address);
    if (found == mRegions.end())
        return false;
    freed = std::move(found->second.region);
    mRegions.erase(found);
    return true;
}

bool Regions::close(uint64_t address) {
    const uint64_t number = find(address).number;
    if (!remove(address))
        return false;
    const std::lock_guard lock(mPoolsMutex);
    for (SharedPool* const pool : mPools)
        pool->close(number);
    return true;
}

void Regions::add(SharedPool& pool) {
    const std::lock_guard lock(mPoolsMutex);
    mPools.push_back(&pool);
}

void Regions::remove(SharedPool& pool) {
    const std::lock_guard lock(mPoolsMutex);
    std::erase(mPools, &pool);
}

Regions::Found Regions::find(uint64_t address) const {
    const std::lock_guard lock(mMutex);
    auto next = mRegions.upper_bound(address);
    if (next == mRegions.begin())
        return {};
    const auto& [start, found] = *--next;
    return address - start < found.region->bytes() ? found : Found{};
}

bool Regions::has(uint64_t number) const {
    const std::lock_guard lock(mMutex);
    return std::ranges::any_of(mRegions,
                               [&](const auto& each) { return each.second.number == number; });
}

/// Gives a piece back when the device has finished with it.
struct SharedPool::PieceOwner {
    SharedPool& pool;
    uint64_t address;
    std::shared_ptr<vulkan::ResourceUse> use;

    PieceOwner(SharedPool& from, uint64_t at, std::shared_ptr<vulkan::ResourceUse> used)
        : pool(from), address(at), use(std::move(used)) {}
    ~PieceOwner() { pool.returnPiece(address); }
    PieceOwner(const PieceOwner&) = delete;
    PieceOwner& operator=(const PieceOwner&) = delete;
};

SharedPool::SharedPool(vulkan::Device& device, Gpu& gpu)
    : mDevice(device), mGpu(gpu),
      mMaxIdleBytes(std::max(kIdleBytes, device.allocator().heapSize(vulkan::MemoryPlace::eDevice) /
                                             kIdleShare)) {
    Regions::instance().add(*this);
}

SharedPool::~SharedPool() {
    Regions::instance().remove(*this);
    for (const auto& [address, region] : mRegions)
        Regions::instance().remove(address);
}

SharedPool::Piece SharedPool::make(uint64_t bytes) {
    if (bytes == 0)
        throw InvalidArgument("a zero-sized shared tensor cannot be created");
    const uint64_t rounded = (bytes + kAlignment - 1) / kAlignment * kAlignment;
    const auto use = std::make_shared<vulkan::ResourceUse>();
    uint64_t address = 0;
    uint64_t offset = 0;
    std::shared_ptr<vulkan::Buffer> whole;
    {
        const std::lock_guard lock(mMutex);
        collect();
        address = take(rounded);
        if (address == 0) {
            addRegion(rounded >= kLargeBytes ? rounded : kRegionBytes);
            address = take(rounded);
        }
        mPieces[address] = {rounded, use};
        whole = regionOf(address, offset).whole;
        offset = address - offset;
    }
    const auto owner = std::make_shared<PieceOwner>(*this, address, use);
    return {vulkan::Buffer::part(whole, offset, bytes, owner, use, true), address};
}

std::shared_ptr<vulkan::Buffer> SharedPool::view(uint64_t address, uint64_t bytes,
                                                 std::shared_ptr<void> owner) {
    const Regions::Found found = Regions::instance().find(address);
    if (!found.region)
        return nullptr;
    const uint64_t offset = address - found.region->address();
    if (bytes > found.region->bytes() - offset)
        fail<InvalidArgument>("{} bytes at {} are more than the {} bytes that the shared memory "
                              "there has left",
                              bytes, address, found.region->bytes() - offset);
    std::shared_ptr<vulkan::Buffer> whole;
    std::shared_ptr<vulkan::ResourceUse> use;
    {
        const std::lock_guard lock(mMutex);
        if (const auto own = mRegions.find(found.region->address()); own != mRegions.end()) {
            whole = own->second.whole;
            auto piece = mPieces.upper_bound(address);
            if (piece != mPieces.begin() && address - (--piece)->first < piece->second.bytes)
                use = piece->second.use.lock();
            if (!use)
                fail<InvalidArgument>("the shared memory at {} was freed", address);
        } else {
            std::erase_if(mImports, [](const auto& each) {
                return each.second.region.use_count() == 1 && !Regions::instance().has(each.first);
            });
            Import& import = mImports[found.number];
            if (!import.whole) {
                try {
                    import = {found.region, found.region->import(mDevice),
                              std::make_shared<vulkan::ResourceUse>()};
                } catch (...) {
                    mImports.erase(found.number);
                    throw;
                }
            }
            whole = import.whole;
            use = import.use;
        }
    }
    return vulkan::Buffer::part(whole, offset, bytes, std::move(owner), std::move(use), false);
}

void SharedPool::close(uint64_t number) {
    Import closed; // without the lock
    const std::lock_guard lock(mMutex);
    if (const auto import = mImports.find(number); import != mImports.end()) {
        closed = std::move(import->second);
        mImports.erase(import);
    }
}

void SharedPool::noteCudaUse(uint64_t address) {
    const std::lock_guard lock(mMutex);
    if (const auto piece = mPieces.find(address); piece != mPieces.end())
        piece->second.cudaUsed = true;
}

uint64_t SharedPool::take(uint64_t bytes) {
    for (auto& [address, region] : mRegions) {
        for (auto gap = region.gaps.begin(); gap != region.gaps.end(); ++gap) {
            const auto [offset, size] = *gap;
            if (size < bytes)
                continue;
            region.gaps.erase(gap);
            if (size > bytes)
                region.gaps[offset + bytes] = size - bytes;
            region.used += bytes;
            return address + offset;
        }
    }
    return 0;
}

void SharedPool::addRegion(uint64_t bytes) {
    std::shared_ptr<Gpu::Region> memory;
    try {
        memory = mGpu.allocate(bytes);
    } catch (const OutOfMemory&) {
        if (!freeUnused())
            throw;
        memory = mGpu.allocate(bytes);
    }
    Region region{memory->import(mDevice), memory->bytes()};
    region.gaps[0] = region.bytes;
    mRegions[memory->address()] = std::move(region);
    Regions::instance().add(std::move(memory));
}

SharedPool::Region& SharedPool::regionOf(uint64_t address, uint64_t& start) {
    auto& [first, region] = *--mRegions.upper_bound(address);
    start = first;
    return region;
}

void SharedPool::returnPiece(uint64_t address) noexcept {
    const std::lock_guard lock(mMutex);
    const auto piece = mPieces.find(address);
    const uint64_t bytes = piece->second.bytes;
    const bool cudaUsed = piece->second.cudaUsed;
    mPieces.erase(piece);
    try {
        if (cudaUsed)
            mReturned.push_back({address, bytes, mGpu.mark()});
        else
            giveBack(address, bytes);
    } catch (const std::exception& error) {
        KP_LOG_WARN("{} bytes of shared memory are not used again: {}", bytes, error.what());
    }
}

void SharedPool::collect() {
    for (size_t i = 0; i < mReturned.size();) {
        if (!mReturned[i].mark->reached()) {
            ++i;
            continue;
        }
        giveBack(mReturned[i].address, mReturned[i].bytes);
        mReturned[i] = std::move(mReturned.back());
        mReturned.pop_back();
    }
}

void SharedPool::giveBack(uint64_t address, uint64_t bytes) {
    uint64_t start = 0;
    Region& region = regionOf(address, start);
    region.used -= bytes;
    auto gap = region.gaps.emplace(address - start, bytes).first;
    const auto next = std::next(gap);
    if (next != region.gaps.end() && gap->first + gap->second == next->first) {
        gap->second += next->second;
        region.gaps.erase(next);
    }
    if (gap != region.gaps.begin()) {
        const auto previous = std::prev(gap);
        if (previous->first + previous->second == gap->first) {
            previous->second += gap->second;
            region.gaps.erase(gap);
        }
    }
    uint64_t idle = 0;
    for (const auto& [first, each] : mRegions)
        idle += each.used == 0 ? each.bytes : 0;
    if (region.used == 0 && idle > mMaxIdleBytes)
        freeRegion(mRegions.find(start));
}

void SharedPool::freeRegion(std::map<uint64_t, Region>::iterator region) {
    const uint64_t address = region->first;
    mRegions.erase(region);
    Regions::instance().remove(address);
}

bool SharedPool::freeUnused() {
    const size_t before = mRegions.size();
    for (auto region = mRegions.begin(); region != mRegions.end();) {
        const auto next = std::next(region);
        if (region->second.used == 0)
            freeRegion(region);
        region = next;
    }
    return mRegions.size() < before;
}

} // namespace kp::cuda
