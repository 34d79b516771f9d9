// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <utility>

namespace kp::vulkan {

/// Exclusive use of an object that belongs to a pool. Destruction calls the pool's recycle().
template <typename Pool, typename Object>
class Lease {
public:
    Lease() = default;
    Lease(Pool& pool, const Object& object) : mPool(&pool), mObject(object) {}
    Lease(Lease&& other) noexcept { *this = std::move(other); }
    Lease& operator=(Lease&& other) noexcept {
        std::swap(mPool, other.mPool);
        std::swap(mObject, other.mObject);
        return *this;
    }
    ~Lease() {
        if (mPool)
            mPool->recycle(mObject);
    }
    explicit operator bool() const { return mPool != nullptr; }

protected:
    Pool* mPool = nullptr;
    Object mObject{};
};

} // namespace kp::vulkan
