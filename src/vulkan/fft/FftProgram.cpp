// SPDX-License-Identifier: Apache-2.0
#include "vulkan/fft/FftProgram.hpp"

namespace kp::vulkan {

bool FftProgram::isConstant(uint32_t memory) const {
    for (const auto& step : setup) {
        if (const auto* const upload = std::get_if<Upload>(&step)) {
            if (upload->memory == memory)
                return true;
        } else {
            for (const Binding& binding : std::get<Dispatch>(step).bindings)
                if (binding.writes && binding.memory == memory)
                    return true;
        }
    }
    return false;
}

} // namespace kp::vulkan
