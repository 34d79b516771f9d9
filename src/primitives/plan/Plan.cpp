// SPDX-License-Identifier: Apache-2.0
#include "primitives/plan/Plan.hpp"

#include <algorithm>
#include <utility>

namespace kp::primitives {

uint32_t Plan::sharedKernel(Kernel kernel) {
    const auto known = std::ranges::find(kernels, kernel);
    if (known != kernels.end())
        return static_cast<uint32_t>(known - kernels.begin());
    return addKernel(std::move(kernel));
}

void Plan::append(Plan other, const std::vector<uint32_t>& memories) {
    std::vector<Placed> placed;
    for (const uint32_t memory : memories)
        placed.push_back({memory, 0});
    appendAt(std::move(other), placed);
}

void Plan::appendAt(Plan other, const std::vector<Placed>& memories) {
    const uint32_t firstScratch = arguments + static_cast<uint32_t>(scratch.size());
    const auto move = [&](uint32_t& memory, uint64_t& offset) {
        if (memory < other.arguments) {
            offset += memories.at(memory).offset;
            memory = memories.at(memory).memory;
        } else {
            memory += firstScratch - other.arguments;
        }
    };
    const auto moveCopy = [&](Copy& copy) {
        move(copy.source, copy.sourceOffset);
        move(copy.destination, copy.destinationOffset);
    };
    scratch.insert(scratch.end(), other.scratch.begin(), other.scratch.end());
    for (Constants& held : other.constants) {
        uint64_t offset = 0;
        move(held.memory, offset);
        constants.push_back({held.memory, std::move(held.words)});
    }
    std::vector<uint32_t> numbers;
    for (Kernel& kernel : other.kernels)
        numbers.push_back(sharedKernel(std::move(kernel)));
    for (Step& step : other.steps) {
        if (auto* const dispatch = std::get_if<Dispatch>(&step)) {
            dispatch->kernel = numbers[dispatch->kernel];
            for (View& view : dispatch->views)
                move(view.memory, view.offset);
            if (dispatch->countsMemory != Dispatch::kDirect)
                move(dispatch->countsMemory, dispatch->countsOffset);
            for (Copy& copy : dispatch->copies)
                moveCopy(copy);
        } else if (auto* const fill = std::get_if<Fill>(&step)) {
            move(fill->memory, fill->offset);
        } else {
            moveCopy(std::get<Copy>(step));
        }
        steps.push_back(std::move(step));
    }
}

} // namespace kp::primitives
