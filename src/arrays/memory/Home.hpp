// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include <kompute/Manager.hpp>
#include <kompute/arrays/DType.hpp>

#include "arrays/engine/Plans.hpp"
#include "arrays/engine/Rules.hpp"
#include "arrays/memory/Storage.hpp"
#include "core/manager/ManagerAttachment.hpp"
#include "primitives/plan/PrimitiveLaunches.hpp"

namespace kp::arrays {

/// What arrays keep of a manager: memory of freed arrays, plans, and what the device lacks. The
/// pool and launch() are thread-safe; for the rest, callers have engineLock().
class Home : public ManagerAttachment, public std::enable_shared_from_this<Home> {
public:
    /// Returns the home of a manager's arrays. @throws InvalidArgument after Manager::destroy()
    static std::shared_ptr<Home> of(Manager& manager);

    explicit Home(Manager& manager);

    /// @throws InvalidArgument after Manager::destroy()
    Manager& manager() const;
    /// Returns the queue on which everything is launched. @throws as manager()
    std::shared_ptr<Queue> queue() const { return manager().defaultQueue(); }
    const std::string& deviceName() const { return mDevice; }
    const Rules& rules() const { return mRules; }
    /// Returns true if the device has shaderFloat64.
    bool hasDoubles() const { return mDoubles.load(std::memory_order_relaxed); }
    /// Returns the bytes of memory that a kernel binds at most.
    uint64_t range() const { return mRange.load(std::memory_order_relaxed); }
    /// Returns the number of memory objects that a kernel binds at most, its results included.
    int maxBuffers() const { return mMaxBuffers; }
    void pretendRange(uint64_t bytes) { mRange = bytes; }
    void pretendLack(DType dtype, std::string reason);
    Plans& plans() { return mPlans; }
    /// Launches operations one after the other, and returns at once. @throws as Queue::launch()
    void launch(std::vector<std::shared_ptr<OpBase>> operations) {
        mPrimitives.launch(queue(), std::move(operations));
    }
    void launch(std::shared_ptr<OpBase> operation) {
        launch(std::vector<std::shared_ptr<OpBase>>{std::move(operation)});
    }

    /// Sets what keeps the manager alive; every array of it then does.
    void setOwner(std::weak_ptr<void> owner) { mOwner = std::move(owner); }
    std::shared_ptr<void> owner() const { return mOwner.lock(); }

    /// Returns memory with undefined contents, which is idle if little is for the host to write.
    /// @throws Unsupported, OutOfMemory
    std::shared_ptr<Tensor> take(DType dtype, int64_t count, Memory::MemoryTypes type,
                                 Writer writer);
    /// Keeps memory for new arrays, once nothing else uses it, unless it is too much.
    void giveBack(std::shared_ptr<Tensor> tensor, DType dtype, int64_t count) noexcept;

    /// Returns why arrays of the device cannot have a type; empty if they can.
    std::string unsupportedReason(DType dtype);
    /// @throws Unsupported if arrays of the device cannot have a type
    void require(DType dtype);

    void clear() noexcept override;
    void detach() noexcept override;

private:
    friend class CapturedLaunches;

    static uint64_t keyOf(DType dtype, int64_t count, Memory::MemoryTypes type) {
        return static_cast<uint64_t>(count) << 8 | static_cast<uint64_t>(type) << 4 |
               static_cast<uint64_t>(dtype);
    }
    /// Memory of a dropped array that others still have, such as a launch that has not ended.
    struct Lent {
        std::shared_ptr<Tensor> tensor;
        DType dtype;
        int64_t count;
        uint64_t bytes() const { return static_cast<uint64_t>(count) * itemSize(dtype); }
    };
    bool isAlone(const std::shared_ptr<Tensor>& tensor) const;
    /// Returns freed memory; null if there is none to take. Callers have mMutex.
    std::shared_ptr<Tensor> takeFreed(DType dtype, int64_t count, Memory::MemoryTypes type,
                                      Writer writer);
    /// Adds memory to what new arrays may take. Callers have mMutex.
    void keep(Lent memory);
    /// Does so with memory that has no owner left. Callers hold mMutex.
    /// @return the excess, to be freed without mMutex
    std::vector<Lent> keepReturned();
    std::shared_ptr<Tensor> allocate(DType dtype, int64_t count, Memory::MemoryTypes type);

    std::atomic<Manager*> mManager; ///< null after Manager::destroy()
    std::weak_ptr<void> mOwner;
    const std::string mDevice; ///< name
    const Rules mRules;
    std::atomic<bool> mDoubles;
    std::atomic<uint64_t> mRange;
    const int mMaxBuffers;
    const uint64_t mKeptLimit; ///< bytes of freed memory
    Plans mPlans;
    primitives::PrimitiveLaunches mPrimitives;

    std::mutex mMutex; ///< guards the members below
    std::unordered_map<uint64_t, std::vector<std::shared_ptr<Tensor>>> mFreed;
    uint64_t mFreedBytes = 0;
    std::vector<Lent> mLent;
    uint64_t mLentBytes = 0;
    std::array<std::optional<std::string>, 14> mReasons; ///< by DType
};

} // namespace kp::arrays
