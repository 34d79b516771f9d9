// SPDX-License-Identifier: Apache-2.0
#include "primitives/scan/ScanRules.hpp"

#include <algorithm>
#include <bit>

namespace kp::primitives {

ScanRules ScanRules::of(const DeviceTraits& traits) {
    ScanRules rules;
    const uint32_t most = std::bit_floor(traits.maxGroupSize);
    rules.groupSize = std::min(rules.groupSize, most);
    rules.tileGroupSize = std::min(rules.tileGroupSize, traits.isCpu ? rules.groupSize : most);
    if (!traits.isNvidia)
        rules.bytesPerInvocation = rules.rowBytes = rules.bytesOfOthers;
    if (traits.isCpu) {
        rules.bytesPerInvocation = rules.bytesOfOthers = 32;
        rules.rowBytes = rules.wideRowBytes = 32;
        rules.groupSize = std::min(64u, most);
        rules.invocations = 1024;
        rules.batchRows = 1;
        rules.rowsAsColumns = true;
    }
    return rules;
}

} // namespace kp::primitives
