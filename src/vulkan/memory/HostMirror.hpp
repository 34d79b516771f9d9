// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>

namespace kp::vulkan {

class Buffer;
class Image;
class Resource;

/// How a submission uses device memory that may have a HostMirror.
struct MirrorUse {
    bool replaces = false; ///< its first access replaces all contents; else these must be there
    bool uploads = false;  ///< it copies from the mirror
    bool synced = false;   ///< it copies from or to the mirror
    bool agrees = false;   ///< at its end, mirror and device memory are equal
    /// A copy or a fill wrote the device memory, and the mirror has not been copied since.
    bool copied = false;

    bool changesMirror() const { return replaces || synced || copied; }
};

/// The host's copy of device memory, and which of the two is newer. The device memory owns it.
///
/// Newer host data is copied to the device before the next submission that uses the memory
/// (beforeUse()), and newer device data before the host accesses the view (view(), give()). A
/// number in the Resource says whether there is anything to copy to the device, so that submissions
/// pay one relaxed load per memory. Writes by the device cost a submission nothing: ResourceUse
/// counts them anyway, and the mirror knows the count at which both were equal.
///
/// A program that records sync operations keeps their exact meaning: noteSyncDevice() and
/// noteSyncLocal() end parts of the automatism.
///
/// Thread safety: submissions of any thread call beforeUse() and noteUse(); the rest is for one
/// thread at a time.
class HostMirror {
public:
    // The state of the host's data. Bits of Resource::hostNewer().
    static constexpr uint8_t kViewGiven = 1; ///< it may write through a pointer that it was given
    static constexpr uint8_t kChanged = 2;   ///< a call changed the mirror
    static constexpr uint8_t kOnlyHost = 4;  ///< the device memory has never had contents

    HostMirror(const std::shared_ptr<Buffer>& memory, uint64_t bytes);
    HostMirror(const std::shared_ptr<Image>& memory, uint64_t bytes);
    ~HostMirror();
    HostMirror(const HostMirror&) = delete;
    HostMirror& operator=(const HostMirror&) = delete;

    /// Returns the mirror, allocated at first use. Its contents may be old.
    const std::shared_ptr<Buffer>& buffer();
    /// Returns the mirror if it was used; else null.
    const std::shared_ptr<Buffer>& bufferIfUsed() const { return mBuffer; }
    /// Frees the mirror. Copies end.
    void release();

    /// Returns the mirror's memory with the newest contents.
    void* view();
    /// As view(), for a pointer that the host may write through.
    void* give();
    /// As give() or view(); null if that would have to copy or wait.
    void* viewAtOnce(bool given);
    /// Overwrites the mirror.
    void replace(const void* data);
    /// The host has changed the mirror through a pointer.
    void noteHostChange();
    /// Returns false if view() has to copy or wait.
    bool current() const;
    /// Returns false if the device memory has never been written.
    bool deviceHasContents() const;

    /// Copies the device memory to the mirror if a copy or a fill has written the device memory
    /// since. Before the mirror is copied to the device, which would undo that.
    void fetchCopies();
    /// Returns true if fetchCopies() would copy.
    bool behindCopies() const { return mCopied.load(std::memory_order_relaxed); }
    /// The device memory was written, not by a submission that noteUse() is called for.
    void noteDeviceWrite();
    /// The program gets a handle to the device memory: other code's accesses are unknown from now
    /// on. Copies data that only the host has.
    void expose();
    bool exposed() const { return mExposed.load(std::memory_order_relaxed); }
    void noteSyncDevice() { mSyncsDevice.store(true, std::memory_order_relaxed); }
    void noteSyncLocal() { mSyncsLocal.store(true, std::memory_order_relaxed); }

    /// Copies the host's data to the device if the next submission needs it. Call it if
    /// Resource::hostNewer(), before the submission, without the submission mutex.
    void beforeUse(const MirrorUse& use);
    /// Notes a submission. Called with the device's submission mutex, after ResourceUse::note().
    void noteUse(const MirrorUse& use) noexcept;

private:
    HostMirror(Resource& memory, uint64_t bytes);
    /// Both sides were equal when the device memory had been written this often.
    bool agrees() const;
    /// Returns true if a submitted OpSyncLocal may still be writing the mirror.
    bool syncing() const;
    void finishSync();
    bool mustFetch() const;
    void noteGiven();
    void fetch();
    void upload();
    void addNewer(uint8_t bits);
    bool programCopies() const {
        return mExposed.load(std::memory_order_relaxed) ||
               mSyncsDevice.load(std::memory_order_relaxed);
    }

    Resource& mMemory; ///< the owner
    std::weak_ptr<Buffer> mDeviceBuffer;
    std::weak_ptr<Image> mDeviceImage; ///< one of the two
    const uint64_t mBytes;
    std::mutex mMutex; ///< for copies in both directions; taken before the transfer's locks
    std::shared_ptr<Buffer> mBuffer;
    std::atomic<uint64_t> mAgreedWrites{0};
    /// Set after the copy, with release, and cleared before the device memory is fetched, with
    /// acquire, so that no change gets lost.
    std::atomic<bool> mCopied{false};
    std::atomic<bool> mWritten{false}; ///< maybe without a submission
    std::atomic<bool> mExposed{false};
    std::atomic<bool> mSyncsDevice{false}; ///< the program records OpSyncDevice
    std::atomic<bool> mSyncsLocal{false};  ///< the program records OpSyncLocal
    bool mWarned = false;
    /// A submission copied from or to the mirror, and no wait for it is known.
    std::atomic<bool> mSynced{false};
};

} // namespace kp::vulkan
