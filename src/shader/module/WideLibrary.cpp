// SPDX-License-Identifier: Apache-2.0
#include "shader/module/WideLibrary.hpp"

#include <vector>

#include <WideLibrary.hpp>

#include "shader/module/StraightFunctions.hpp"

namespace kp::shader {

std::span<const uint32_t> wideLibrary() {
    static const auto* const straight = // outlives all threads
        new std::vector<uint32_t>(withStraightFunctions(WIDELIBRARY_COMP_SPV));
    return *straight;
}

} // namespace kp::shader
