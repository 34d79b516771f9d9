// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "core/algorithm/DispatchCopies.hpp"
#include "vulkan/queue/LevelOrder.hpp"

namespace kp {

/// Dispatches whose commands are recorded later, in the order of their levels. Their arguments are
/// copied, so their operations may change meanwhile; the caller keeps their bindings. Not
/// thread-safe.
class DeferredDispatches {
public:
    /// @throws std::bad_alloc; the dispatch is then not added
    void add(const DispatchCommands& commands, std::span<const vulkan::HazardAccess> accesses) {
        mDispatches.add(commands);
        const size_t first = mAccesses.size();
        try {
            mStarts.push_back(first);
            mAccesses.insert(mAccesses.end(), accesses.begin(), accesses.end());
            mOrder.add(accesses);
        } catch (...) {
            mStarts.resize(mDispatches.size() - 1);
            mAccesses.resize(first);
            mDispatches.dropLast();
            throw;
        }
    }

    bool empty() const { return mDispatches.empty(); }

    /// Calls @p record with the commands and the accesses of each, in the order to record them.
    template <typename Record>
    void forEach(Record&& record) {
        for (const uint32_t number : mOrder.sorted()) {
            const size_t next = number + size_t{1};
            const size_t end = next < mStarts.size() ? mStarts[next] : mAccesses.size();
            record(mDispatches[number], std::span<const vulkan::HazardAccess>(mAccesses).subspan(
                                            mStarts[number], end - mStarts[number]));
        }
    }

    void clear() {
        mDispatches.clear();
        mStarts.clear();
        mAccesses.clear();
        mOrder.clear();
    }

private:
    DispatchCopies mDispatches;
    std::vector<size_t> mStarts; ///< index of the first access of each in mAccesses
    std::vector<vulkan::HazardAccess> mAccesses;
    vulkan::LevelOrder mOrder;
};

} // namespace kp
