// SPDX-License-Identifier: Apache-2.0
#include "primitives/plan/PrimitiveLaunches.hpp"

#include <optional>
#include <utility>

#include "core/queue/LaunchCapture.hpp"
#include "primitives/plan/BoundPlan.hpp"

namespace kp::primitives {
namespace {

/// Operations that are remembered.
constexpr size_t kMostKnown = 256;

/// Bytes of memory that kept operations may need. Larger ones take so long that recording does not
/// count, and their scratch memory is worth sharing.
constexpr uint64_t kMostBytes = 1 << 20;

/// Returns what equal operations with equal memory have in common; nothing if they are not kept.
std::optional<Hash> identityOf(const PrimitiveLaunches::Operations& operations) {
    // Static, so that a steady state allocates nothing.
    thread_local std::vector<uint64_t> words;
    words.clear();
    uint64_t bytes = 0;
    for (const std::shared_ptr<OpBase>& each : operations) {
        const BoundPlan* const plan = BoundPlan::of(*each);
        if (!plan || !plan->appendIdentity(words))
            return std::nullopt;
        bytes += plan->bytes();
    }
    if (operations.empty() || bytes > kMostBytes)
        return std::nullopt;
    return hashBytes(words.data(), words.size() * sizeof words[0]);
}

} // namespace

void PrimitiveLaunches::launch(const std::shared_ptr<Queue>& queue, Operations operations) {
    std::shared_ptr<Repeater> repeater;
    const bool captured = LaunchCapture::current() != nullptr; // which binds them to other memory
    const std::optional<Hash> identity = captured ? std::nullopt : identityOf(operations);
    if (identity) {
        std::list<Known> dropped; // outlives the lock
        const std::lock_guard lock(mMutex);
        if (Known* const known = find(*identity, dropped)) {
            if (known->operations.empty())
                keep(*known, std::move(operations));
            operations = known->operations;
            repeater = known->repeater;
        }
    }
    if (repeater)
        launchRepeated(queue, repeater, std::move(operations));
    else
        static_cast<void>(queue->launch(std::move(operations)));
}

PrimitiveLaunches::Known* PrimitiveLaunches::find(const Hash& identity, std::list<Known>& dropped) {
    const auto place = mPlaces.find(identity);
    if (place != mPlaces.end()) {
        mKnown.splice(mKnown.end(), mKnown, place->second);
        return &mKnown.back();
    }
    if (mKnown.size() == kMostKnown) {
        mPlaces.erase(mKnown.front().identity);
        dropped.splice(dropped.end(), mKnown, mKnown.begin());
    }
    mKnown.push_back({identity, {}, {}});
    mPlaces[identity] = std::prev(mKnown.end());
    return nullptr;
}

void PrimitiveLaunches::keep(Known& known, Operations operations) {
    for (const std::shared_ptr<OpBase>& each : operations)
        BoundPlan::of(*each)->ownTensors();
    known.repeater = std::make_shared<Repeater>(BoundPlan::of(*operations.front())->device());
    known.operations = std::move(operations);
}

void PrimitiveLaunches::clear() noexcept {
    std::list<Known> dropped; // outlives the lock
    const std::lock_guard lock(mMutex);
    mPlaces.clear();
    dropped.swap(mKnown);
}

} // namespace kp::primitives
