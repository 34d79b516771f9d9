// SPDX-License-Identifier: Apache-2.0
#include "primitives/random/PermutationPlan.hpp"

#include "primitives/random/RandomPlan.hpp"
#include "primitives/sort/SortPlan.hpp"

namespace kp::primitives {

RandomProblem permutationKeys(uint64_t count, const RandomState& state) {
    // Two numbers of 32 bits per key, so that devices without 64-bit integers have them, too.
    RandomProblem random;
    random.out = Memory::DataTypes::eUnsignedInt;
    random.distribution = Distribution::bits();
    random.state = state;
    random.count = 2 * count;
    return random;
}

Plan planPermutation(uint64_t count, uint32_t indexBytes, const RandomState& state,
                     const DeviceTraits& traits) {
    Plan plan(1);
    if (count == 0)
        return plan;
    const uint32_t keys = plan.addScratch(count * 8);
    plan.append(planRandom(permutationKeys(count, state), traits), {keys});
    SortProblem sort;
    sort.keys = Memory::DataTypes::eUnsignedLong;
    sort.count = count;
    sort.bits = 64;
    sort.valueBytes = indexBytes;
    sort.indices = true;
    sort.discardKeys = true;
    plan.append(planSort(sort, traits), {keys, 0});
    return plan;
}

} // namespace kp::primitives
