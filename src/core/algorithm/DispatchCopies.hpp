// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "core/algorithm/DispatchCommands.hpp"

namespace kp {

/// Dispatches with copies of their arguments, so that their operations may change or be destroyed
/// before they are recorded. The caller keeps their bindings. Not thread-safe.
class DispatchCopies {
public:
    /// @throws std::bad_alloc; the dispatch is then not added
    void add(const DispatchCommands& commands) {
        const std::span<const unsigned char> constants = commands.constants();
        mConstants.insert(mConstants.end(), constants.begin(), constants.end());
        try {
            mDispatches.push_back({commands, mConstants.size() - constants.size()});
        } catch (...) {
            mConstants.resize(mConstants.size() - constants.size());
            throw;
        }
    }
    void dropLast() {
        mConstants.resize(mDispatches.back().constants);
        mDispatches.pop_back();
    }

    bool empty() const { return mDispatches.empty(); }
    size_t size() const { return mDispatches.size(); }
    /// Valid until the next call.
    const DispatchCommands& operator[](size_t index) {
        Dispatch& dispatch = mDispatches[index];
        dispatch.commands.useConstantsAt(mConstants.data() + dispatch.constants);
        return dispatch.commands;
    }

    void clear() {
        mDispatches.clear();
        mConstants.clear();
    }

private:
    struct Dispatch {
        DispatchCommands commands;
        size_t constants; ///< index of the first in mConstants
    };

    std::vector<Dispatch> mDispatches;
    std::vector<unsigned char> mConstants;
};

} // namespace kp
