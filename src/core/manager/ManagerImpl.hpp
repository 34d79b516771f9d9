// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include <kompute/Manager.hpp>

#include "base/CacheFolders.hpp"
#include "core/CallGate.hpp"
#include "core/Internals.hpp"
#include "core/manager/ManagerAttachment.hpp"
#include "core/memory/MemoryAccount.hpp"
#include "core/queue/LaunchRules.hpp"
#include "vulkan/device/Device.hpp"

namespace kp {

/// Weak pointers to the objects that a manager created. Forgets expired ones from time to time, so
/// that the list does not grow in a program that keeps creating objects.
template <typename T>
class WeakList {
public:
    void add(const std::shared_ptr<T>& object) {
        if (mObjects.size() >= mPruneAt) {
            prune();
            mPruneAt = std::max<size_t>(64, 2 * mObjects.size());
        }
        mObjects.push_back(object);
    }
    void prune() {
        std::erase_if(mObjects, [](const std::weak_ptr<T>& object) { return object.expired(); });
    }
    size_t alive() const {
        return static_cast<size_t>(
            std::count_if(mObjects.begin(), mObjects.end(),
                          [](const std::weak_ptr<T>& object) { return !object.expired(); }));
    }
    const std::vector<std::weak_ptr<T>>& objects() const { return mObjects; }
    std::vector<std::weak_ptr<T>> take() { return std::exchange(mObjects, {}); }

private:
    std::vector<std::weak_ptr<T>> mObjects;
    size_t mPruneAt = 64;
};

struct Manager::Impl {
    /// Counts calls that use the device or the objects.
    const std::shared_ptr<CallGate> gate = std::make_shared<CallGate>();
    const std::shared_ptr<MemoryAccount> account = std::make_shared<MemoryAccount>();
    std::shared_ptr<vulkan::Device> device; ///< null after destroy()
    LaunchRules rules;
    CacheFolders cacheFolders;           ///< of the options and the environment
    std::string checks;                  ///< likewise
    std::vector<vulkan::Queue*> queues;  ///< of the device; sequence(i) uses entry i
    std::shared_ptr<Queue> defaultQueue; ///< null after destroy()
    std::mutex mutex;                    ///< guards the lists
    WeakList<Sequence> sequences;
    WeakList<Algorithm> algorithms;
    WeakList<Memory> memory;
    std::shared_ptr<ManagerAttachment> attachment; ///< of arrays; null until there are any

    /// @throws InvalidArgument after destroy()
    void requireInit() const;
    /// @throws InvalidArgument if there is no such queue
    vulkan::Queue& queue(uint32_t index) const;
    std::shared_ptr<Queue> newQueue(uint32_t index, bool inOrder) const;
    void use(std::shared_ptr<vulkan::Device> chosen, std::vector<vulkan::Queue*> chosenQueues,
             const ManagerOptions& options);
};

/// @throws InvalidArgument after destroy()
inline Manager::Impl& implOf(const Manager& manager) {
    Manager::Impl& impl = *Internals::pointer(manager);
    impl.requireInit();
    return impl;
}

} // namespace kp
