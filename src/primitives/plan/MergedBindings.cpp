// SPDX-License-Identifier: Apache-2.0
#include "primitives/plan/MergedBindings.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "shader/module/ModuleEditor.hpp"

namespace kp::primitives {
namespace {

/// No device asks for a larger alignment of bindings.
constexpr uint64_t kAlignment = 256;

uint64_t aligned(uint64_t bytes) {
    return (bytes + kAlignment - 1) / kAlignment * kAlignment;
}

uint32_t bindingsOf(const Dispatch& dispatch) {
    uint32_t bindings = 0;
    for (const View& view : dispatch.views)
        bindings += view.bindings;
    return bindings;
}

/// The memories of a dispatch, in the order of their bindings.
std::vector<uint32_t> memoriesOf(const Dispatch& dispatch) {
    std::vector<uint32_t> memories;
    for (const View& view : dispatch.views)
        if (std::ranges::find(memories, view.memory) == memories.end())
            memories.push_back(view.memory);
    return memories;
}

/// Returns true if one binding can have all views of each memory.
bool spansFit(const Dispatch& dispatch, uint64_t viewBytes) {
    std::map<uint32_t, std::pair<uint64_t, uint64_t>> spans;
    for (const View& view : dispatch.views) {
        auto& [begin, end] =
            spans.try_emplace(view.memory, view.offset, view.offset + view.bytes).first->second;
        begin = std::min(begin, view.offset);
        end = std::max(end, view.offset + view.bytes);
    }
    return std::ranges::all_of(spans, [&](const auto& span) {
        return span.second.second - span.second.first <= viewBytes;
    });
}

class Merger {
public:
    Merger(Plan plan, const BindingLimits& limits) : mLimits(limits), mPlan(std::move(plan)) {}

    Plan merged() {
        gatherScratch();
        for (Step& step : mPlan.steps) {
            auto* const dispatch = std::get_if<Dispatch>(&step);
            if (dispatch && !dispatch->isExact() && bindingsOf(*dispatch) > mLimits.buffers)
                merge(*dispatch);
        }
        mPlan.scratch[0] = std::max(mBytes + mCopied, kAlignment);
        return std::move(mPlan);
    }

private:
    /// Makes one memory of all scratch memory, the first after the arguments. Constants, which are
    /// written once, stay memories of their own.
    void gatherScratch() {
        mArena = mPlan.arguments;
        std::vector<uint64_t> sizes = std::exchange(mPlan.scratch, {0});
        std::vector<std::pair<uint32_t, uint64_t>> places(sizes.size(), {mArena, 0});
        for (Plan::Constants& held : mPlan.constants) {
            const size_t index = held.memory - mPlan.arguments;
            held.memory = mPlan.addScratch(sizes[index]);
            places[index].first = held.memory;
        }
        for (size_t i = 0; i < sizes.size(); ++i)
            if (places[i].first == mArena) {
                places[i].second = mBytes;
                mBytes += aligned(sizes[i]);
            }
        const auto move = [&](uint32_t& memory, uint64_t& offset) {
            if (memory < mArena || memory == Dispatch::kDirect)
                return;
            const auto& [number, start] = places[memory - mArena];
            memory = number;
            offset += start;
        };
        for (Step& step : mPlan.steps) {
            if (auto* const dispatch = std::get_if<Dispatch>(&step)) {
                for (View& view : dispatch->views)
                    move(view.memory, view.offset);
                move(dispatch->countsMemory, dispatch->countsOffset);
            } else if (auto* const fill = std::get_if<Fill>(&step)) {
                move(fill->memory, fill->offset);
            } else {
                auto& copy = std::get<Copy>(step);
                move(copy.source, copy.sourceOffset);
                move(copy.destination, copy.destinationOffset);
            }
        }
    }

    void merge(Dispatch& dispatch) {
        Dispatch made = dispatch;
        uint64_t copied = 0;
        while (memoriesOf(made).size() > mLimits.buffers)
            if (!copyOne(made, copied))
                return;
        if (!spansFit(made, mLimits.viewBytes))
            return;
        mCopied = std::max(mCopied, copied);
        made.joined = made.joined && made.copies.empty();
        const std::vector<uint32_t> memories = memoriesOf(made);
        std::vector<uint32_t> slots; // by binding of the kernel
        for (const View& view : made.views) {
            const auto slot =
                static_cast<uint32_t>(std::ranges::find(memories, view.memory) - memories.begin());
            made.slots.push_back(slot);
            slots.insert(slots.end(), view.bindings, slot);
        }
        made.kernel = variant(made.kernel, std::move(slots));
        dispatch = std::move(made);
    }

    /// Lets a dispatch read a copy of the smallest argument that it only reads.
    bool copyOne(Dispatch& dispatch, uint64_t& copied) const {
        View* smallest = nullptr;
        for (View& view : dispatch.views) {
            const auto sharing = std::ranges::count(dispatch.views, view.memory, &View::memory);
            if (view.memory < mArena && view.use == View::Use::eRead && sharing == 1 &&
                (!smallest || view.bytes < smallest->bytes))
                smallest = &view;
        }
        if (!smallest)
            return false;
        const uint64_t place = mBytes + copied;
        dispatch.copies.push_back(
            {smallest->memory, smallest->offset, mArena, place, smallest->bytes});
        smallest->memory = mArena;
        smallest->offset = place;
        copied += aligned(smallest->bytes);
        return true;
    }

    /// Returns the number of a kernel with other bindings.
    uint32_t variant(uint32_t kernel, std::vector<uint32_t> slots) {
        const auto [known, isNew] = mVariants.try_emplace(
            std::pair(kernel, slots), static_cast<uint32_t>(mPlan.kernels.size()));
        if (isNew) {
            mPlan.kernels.push_back(mPlan.kernels[kernel]);
            mPlan.kernels.back().slots = std::move(slots);
        }
        return known->second;
    }

    const BindingLimits mLimits;
    Plan mPlan;
    uint32_t mArena = 0; ///< number of the memory
    uint64_t mBytes = 0; ///< of it, before copies
    uint64_t mCopied = 0;
    std::map<std::pair<uint32_t, std::vector<uint32_t>>, uint32_t> mVariants;
};

} // namespace

Plan mergeBindings(Plan plan, const BindingLimits& limits) {
    const bool fits = std::ranges::all_of(plan.steps, [&](const Step& step) {
        const auto* const dispatch = std::get_if<Dispatch>(&step);
        return !dispatch || dispatch->isExact() || bindingsOf(*dispatch) <= limits.buffers;
    });
    return fits ? plan : Merger(std::move(plan), limits).merged();
}

std::vector<uint32_t> rebound(std::span<const uint32_t> spirv, const std::vector<uint32_t>& slots) {
    shader::ModuleEditor editor(spirv);
    std::vector<uint32_t> aliased;
    for (shader::Node& node : editor.decorations) {
        if (node.opcode != spv::OpDecorate || node.operand(1) != spv::DecorationBinding)
            continue;
        uint32_t& binding = node.operands[2];
        if (std::ranges::count(slots, slots.at(binding)) > 1)
            aliased.push_back(node.operand(0));
        binding = slots.at(binding);
    }
    for (const uint32_t id : aliased)
        editor.decorate(id, spv::DecorationAliased);
    return editor.words();
}

} // namespace kp::primitives
