// SPDX-License-Identifier: Apache-2.0
#include "shader/lower/WideLibrary.hpp"

#include <WideLibrary.hpp>

namespace kp::shader {

std::span<const uint32_t> wideLibrary() {
    return WIDELIBRARY_COMP_SPV;
}

} // namespace kp::shader
