// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "core/DispatchCommands.hpp"
#include "vulkan/queue/LevelOrder.hpp"

namespace kp {

/// Dispatches whose commands are recorded later, in the order of their levels. What they were given
/// is copied, so their operations may change meanwhile; the caller keeps their bindings. Not
/// thread-safe.
class DeferredDispatches {
public:
    /// @throws std::bad_alloc; the dispatch is then not added
    void add(const DispatchCommands& commands, std::span<const vulkan::HazardAccess> accesses) {
        const std::span<const unsigned char> constants = commands.constants();
        mDispatches.push_back({commands, mConstants.size(), mAccesses.size()});
        try {
            mConstants.insert(mConstants.end(), constants.begin(), constants.end());
            mAccesses.insert(mAccesses.end(), accesses.begin(), accesses.end());
            mOrder.add(accesses);
        } catch (...) {
            mConstants.resize(mDispatches.back().constants);
            mAccesses.resize(mDispatches.back().accesses);
            mDispatches.pop_back();
            throw;
        }
    }

    bool empty() const { return mDispatches.empty(); }

    /// Calls @p record with the commands and the accesses of each, in the order to record them.
    template <typename Record>
    void forEach(Record&& record) {
        for (const uint32_t number : mOrder.sorted()) {
            Dispatch& dispatch = mDispatches[number];
            const size_t next = number + size_t{1};
            const size_t end =
                next < mDispatches.size() ? mDispatches[next].accesses : mAccesses.size();
            dispatch.commands.useConstantsAt(mConstants.data() + dispatch.constants);
            record(dispatch.commands, std::span<const vulkan::HazardAccess>(mAccesses).subspan(
                                          dispatch.accesses, end - dispatch.accesses));
        }
    }

    void clear() {
        mDispatches.clear();
        mConstants.clear();
        mAccesses.clear();
        mOrder.clear();
    }

private:
    struct Dispatch {
        DispatchCommands commands;
        size_t constants; ///< index of the first in mConstants
        size_t accesses;  ///< index of the first in mAccesses
    };

    std::vector<Dispatch> mDispatches;
    std::vector<unsigned char> mConstants;
    std::vector<vulkan::HazardAccess> mAccesses;
    vulkan::LevelOrder mOrder;
};

} // namespace kp
