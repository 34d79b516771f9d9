// SPDX-License-Identifier: Apache-2.0
#include "primitives/Plan.hpp"

#include <utility>

namespace kp::primitives {

void Plan::append(Plan other, const std::vector<uint32_t>& memories) {
    const uint32_t firstScratch = arguments + static_cast<uint32_t>(scratch.size());
    const auto firstKernel = static_cast<uint32_t>(kernels.size());
    const auto moved = [&](uint32_t memory) {
        return memory < other.arguments ? memories.at(memory)
                                        : firstScratch + memory - other.arguments;
    };
    scratch.insert(scratch.end(), other.scratch.begin(), other.scratch.end());
    for (Constants& held : other.constants)
        constants.push_back({moved(held.memory), std::move(held.words)});
    for (Kernel& kernel : other.kernels)
        kernels.push_back(std::move(kernel));
    for (Step& step : other.steps) {
        if (auto* const dispatch = std::get_if<Dispatch>(&step)) {
            dispatch->kernel += firstKernel;
            for (View& view : dispatch->views)
                view.memory = moved(view.memory);
            if (dispatch->countsMemory != Dispatch::kDirect)
                dispatch->countsMemory = moved(dispatch->countsMemory);
            for (Copy& copy : dispatch->copies) {
                copy.source = moved(copy.source);
                copy.destination = moved(copy.destination);
            }
        } else if (auto* const fill = std::get_if<Fill>(&step)) {
            fill->memory = moved(fill->memory);
        } else {
            auto& copy = std::get<Copy>(step);
            copy.source = moved(copy.source);
            copy.destination = moved(copy.destination);
        }
        steps.push_back(std::move(step));
    }
}

} // namespace kp::primitives
