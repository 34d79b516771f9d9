// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <list>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <vector>

#include <kompute/queue/Queue.hpp>

#include "base/Hash.hpp"
#include "core/queue/Repeater.hpp"

namespace kp::primitives {

/// Launches primitives. Small ones that come again with the same memory are kept with their
/// commands, which are submitted again: recording costs more than small primitives take.
/// Thread-safe.
class PrimitiveLaunches {
public:
    using Operations = Repeater::Operations;

    /// Launches operations one after the other, and returns at once. @throws as Queue::launch()
    void launch(const std::shared_ptr<Queue>& queue, Operations operations);

    /// Drops all memory.
    void clear() noexcept;

private:
    /// Operations that may come again.
    struct Known {
        Hash identity;
        Operations operations; ///< empty until they have come twice
        std::shared_ptr<Repeater> repeater;
    };

    /// Returns operations like these; null the first time, when they are only remembered.
    /// @param dropped  gets others that are forgotten
    Known* find(const Hash& identity, std::list<Known>& dropped);
    static void keep(Known& known, Operations operations);

    std::mutex mMutex;
    std::list<Known> mKnown; ///< longest unused first
    std::unordered_map<Hash, std::list<Known>::iterator, HashOfHash> mPlaces;
};

} // namespace kp::primitives
