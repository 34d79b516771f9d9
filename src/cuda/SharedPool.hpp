// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "cuda/Gpu.hpp"

namespace kp::cuda {

class SharedPool;

/// All memory that CUDA and Vulkan both can use, by address: from the pools of all devices, and
/// from torch inside kp.torch_pool. Thread-safe; never destroyed.
class Regions {
public:
    static Regions& instance();

    /// @return the region's number, which no other region ever has
    uint64_t add(std::shared_ptr<Gpu::Region> region);
    /// Forgets the region that starts at the address. @return false if there is none
    bool remove(uint64_t address);
    /// As remove(), and closes the region on all devices. Not for regions of a pool.
    bool close(uint64_t address);

    void add(SharedPool& pool);
    void remove(SharedPool& pool);

    struct Found {
        std::shared_ptr<Gpu::Region> region; ///< null if none has the address
        uint64_t number = 0;
    };
    Found find(uint64_t address) const;
    bool has(uint64_t number) const;

private:
    mutable std::mutex mMutex;
    std::map<uint64_t, Found> mRegions; ///< by first address
    uint64_t mNumber = 0;
    std::mutex mPoolsMutex; ///< guards the next; locked before the mutex of a pool
    std::vector<SharedPool*> mPools;
};

/// Cuts memory that CUDA allocates in granules of 2 MiB into pieces for tensors of one device.
/// Memory that CUDA may have used is given out again once all work of CUDA at the time of its
/// return is done. Thread-safe. Must outlive its pieces.
class SharedPool {
public:
    /// Pieces start at multiples of this, as CUDA's allocations do.
    static constexpr uint64_t kAlignment = 512;
    /// Smaller pieces share a region of this size; CUDA and the driver take some 200 us for a new
    /// one.
    static constexpr uint64_t kRegionBytes = uint64_t{32} << 20;
    static constexpr uint64_t kLargeBytes = kRegionBytes / 4; ///< gets a region of its own
    /// Unused regions are kept up to this size in all, or up to the share of the device's memory
    /// if that is more. Two or three large arrays then take turns without new regions, which take
    /// a millisecond for 256 MiB.
    static constexpr uint64_t kIdleBytes = uint64_t{256} << 20;
    static constexpr uint64_t kIdleShare = 32; ///< one part in so many

    SharedPool(vulkan::Device& device, Gpu& gpu);
    ~SharedPool();

    struct Piece {
        std::shared_ptr<vulkan::Buffer> buffer;
        uint64_t address = 0;
    };
    /// @throws OutOfMemory, Unsupported; InvalidArgument for 0 bytes
    Piece make(uint64_t bytes);
    /// Makes a buffer at an address in shared memory, of this pool or not.
    /// @param owner  released once the device has finished with the buffer; may be null
    /// @return null if the address is in no shared memory
    /// @throws InvalidArgument if the memory ends too early, or for an address that the device
    ///         cannot bind
    std::shared_ptr<vulkan::Buffer> view(uint64_t address, uint64_t bytes,
                                         std::shared_ptr<void> owner);
    /// Closes memory of others. Buffers on it keep it.
    /// @param number  of the region
    void close(uint64_t number);
    /// Notes that CUDA may use the piece with this address.
    void noteCudaUse(uint64_t address);

private:
    struct Region {
        std::shared_ptr<vulkan::Buffer> whole;
        uint64_t bytes = 0;
        uint64_t used = 0;                   ///< bytes
        std::map<uint64_t, uint64_t> gaps{}; ///< bytes by offset
    };
    struct LivePiece {
        uint64_t bytes = 0;
        std::weak_ptr<vulkan::ResourceUse> use;
        bool cudaUsed = false;
    };
    struct Returned {
        uint64_t address;
        uint64_t bytes;
        std::unique_ptr<Gpu::Mark> mark;
    };
    /// Memory of others that this device has opened.
    struct Import {
        std::shared_ptr<Gpu::Region> region; ///< declared first, so destroyed last
        std::shared_ptr<vulkan::Buffer> whole;
        std::shared_ptr<vulkan::ResourceUse> use;
    };
    struct PieceOwner;

    // The mutex is locked.
    uint64_t take(uint64_t bytes);  ///< @return an address; 0 if no region has a gap
    void addRegion(uint64_t bytes); ///< frees unused regions if there is no memory
    void freeRegion(std::map<uint64_t, Region>::iterator region);
    bool freeUnused(); ///< @return whether there were any
    void giveBack(uint64_t address, uint64_t bytes);
    void collect();
    Region& regionOf(uint64_t address, uint64_t& start);

    void returnPiece(uint64_t address) noexcept;

    vulkan::Device& mDevice;
    Gpu& mGpu;
    const uint64_t mMaxIdleBytes;
    std::mutex mMutex;
    std::map<uint64_t, Region> mRegions;   ///< by address
    std::map<uint64_t, LivePiece> mPieces; ///< by address
    std::vector<Returned> mReturned;
    std::map<uint64_t, Import> mImports; ///< by the number of the region
};

} // namespace kp::cuda
