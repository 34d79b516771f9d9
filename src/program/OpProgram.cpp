// SPDX-License-Identifier: Apache-2.0
#include "program/OpProgram.hpp"

#include <algorithm>
#include <span>
#include <utility>

#include <kompute/Error.hpp>

#include "base/Text.hpp"
#include "core/Native.hpp"
#include "core/algorithm/BindingText.hpp"
#include "core/algorithm/BoundState.hpp"
#include "core/check/DispatchNotes.hpp"
#include "core/memory/MemoryImpl.hpp"
#include "core/memory/StandIn.hpp"
#include "core/sequence/Recorder.hpp"
#include "vulkan/memory/Buffer.hpp"
#include "vulkan/memory/WrittenMemory.hpp"
#include "vulkan/queue/Barriers.hpp"
#include "vulkan/queue/Commands.hpp"

namespace kp::program {
/// What commands that were recorded use, and how to record them.
struct OpProgram::State {
    /// The kinds of commands that access a slot.
    struct SlotUse {
        bool dispatch = false;
        bool transfer = false;
        bool indirect = false;
    };

    static std::vector<SlotUse> usesOf(const Variant& variant) {
        std::vector<SlotUse> uses(variant.slots.size());
        for (const Command& command : variant.commands)
            switch (command.kind) {
            case Command::Kind::eDispatchIndirect:
                uses[command.source].indirect = true;
                [[fallthrough]];
            case Command::Kind::eDispatch:
                for (uint32_t i = 0; i < command.boundCount; ++i)
                    uses[variant.bounds[command.boundFirst + i].slot].dispatch = true;
                break;
            case Command::Kind::eCopy:
                uses[command.source].transfer = true;
                uses[command.destination].transfer = true;
                break;
            case Command::Kind::eFill:
                uses[command.destination].transfer = true;
                break;
            case Command::Kind::eBarrier:
                break;
            }
        return uses;
    }

    /// The memory of a dispatch.
    struct Dispatch {
        std::shared_ptr<vulkan::DescriptorSet> first;                ///< of set 0, or null
        std::vector<std::shared_ptr<vulkan::DescriptorSet>> further; ///< of sets 1, 2, ...
        DispatchNotes notes;
    };

    std::shared_ptr<const Loaded> program;
    const Variant& variant;
    std::vector<std::shared_ptr<Tensor>> tensors; ///< of the slots
    std::vector<SlotUse> uses;                    ///< likewise
    std::vector<Dispatch> dispatches;
    std::vector<std::shared_ptr<vulkan::Buffer>> memory; ///< of the tensors, in the dispatches
    std::shared_ptr<vulkan::Buffer> shadow;              ///< of the reports

    State(std::shared_ptr<const Loaded> ofProgram, size_t number,
          std::vector<std::shared_ptr<Tensor>> given)
        : program(std::move(ofProgram)), variant(program->data.variants[number]),
          uses(usesOf(variant)) {
        for (const Slot& slot : variant.slots)
            tensors.push_back(slot.kind == Slot::Kind::eConstant ? program->contents[slot.saved]
                              : slot.kind == Slot::Kind::eGiven
                                  ? nullptr
                                  : scratchTensor(program->device, slot.bytes));
        for (size_t i = 0; i < given.size(); ++i)
            tensors[variant.slotOf[i]] = std::move(given[i]);
        bind();
    }

    void bind() {
        memory.clear();
        for (const std::shared_ptr<Tensor>& tensor : tensors)
            memory.push_back(bufferOf(*tensor));
        dispatches.clear();
        shadow = nullptr; // work on other queues has the earlier one
        for (const Command& command : variant.commands)
            if (isDispatch(command))
                dispatches.push_back(dispatchOf(command));
    }
    /// Returns false if a tensor has other memory than when it was bound.
    bool isBound() const {
        return std::ranges::equal(tensors, memory, [](const auto& tensor, const auto& buffer) {
            return implOf(*tensor).buffer == buffer;
        });
    }

    /// Returns true if other recorded work reports mistakes where this would.
    bool sharesReports() const {
        return std::ranges::any_of(dispatches, [](const Dispatch& dispatch) {
            return dispatch.notes.report && dispatch.notes.report.use_count() > 1;
        });
    }

    const vulkan::Buffer& buffer(uint32_t slot) const { return *implOf(*tensors[slot]).buffer; }

    std::span<const Bound> boundsOf(const Command& command) const {
        return std::span(variant.bounds).subspan(command.boundFirst, command.boundCount);
    }

    Dispatch dispatchOf(const Command& command) {
        const vulkan::PipelineLayout& layout = program->pipelines[command.kernel]->layout();
        const std::shared_ptr<const CheckedShader>& checked = program->checked[command.kernel];
        std::vector<std::vector<vulkan::DescriptorWrite>> writes(layout.setCount());
        for (const Bound& bound : boundsOf(command))
            writes[bound.set].push_back(writeOf(program->data.kernels[command.kernel], bound));
        Dispatch made;
        made.notes = notesOf(command);
        for (uint32_t set = 0; set < writes.size(); ++set) {
            std::shared_ptr<vulkan::DescriptorSet> each;
            if (!writes[set].empty())
                each = program->device->descriptors().create(layout, writes[set], set);
            else if (checked && set == checked->module.reportSet)
                each = made.notes.report->describe(layout);
            if (set == 0)
                made.first = std::move(each);
            else
                made.further.push_back(std::move(each));
        }
        return made;
    }

    DispatchNotes notesOf(const Command& command) {
        const std::shared_ptr<const CheckedShader>& checked = program->checked[command.kernel];
        DispatchNotes notes;
        std::vector<BoundMemory> memories;
        for (const Bound& bound : boundsOf(command)) {
            const vulkan::Buffer& memory = buffer(bound.slot);
            const uint64_t bytes = boundBytes(bound);
            if (variant.slots[bound.slot].writes && vulkan::WrittenMemory::follows(memory) &&
                !follows(checked.get(), bound.set, bound.binding)) [[unlikely]]
                notes.unnoted.push_back({&memory, bound.offset, bytes});
            if (checked)
                memories.push_back({.set = bound.set,
                                    .binding = bound.binding,
                                    .text = slotText(bound.slot),
                                    .bytes = bytes,
                                    .begin = bound.offset,
                                    .written = vulkan::WrittenMemory::of(memory),
                                    .memory = &memory});
        }
        if (checked)
            notes.report = std::make_shared<CheckReport>(*program->device, checked,
                                                         std::move(memories), nullptr, &shadow);
        return notes;
    }

    /// Returns a slot's name for messages.
    std::string slotText(uint32_t slot) const {
        for (size_t i = 0; i < variant.tensors.size(); ++i)
            if (variant.slotOf[i] == slot)
                return formatted("'{}' of a program, {}", variant.tensors[i].name,
                                 describeMemory(implOf(*tensors[slot])));
        return "memory of a program";
    }

    /// A host application's buffer may end before its last word does.
    uint64_t boundBytes(const Bound& bound) const {
        return std::min(bound.bytes, buffer(bound.slot).fillSize() - bound.offset);
    }

    vulkan::DescriptorWrite writeOf(const Kernel& kernel, const Bound& bound) const {
        const vulkan::Buffer& memory = buffer(bound.slot);
        vulkan::DescriptorWrite write;
        write.binding = bound.binding;
        write.element = bound.element;
        write.type = bindingOf(kernel, bound)->uniform ? VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER
                                                       : VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
        write.buffer = {memory.handle(), memory.offset() + bound.offset, boundBytes(bound)};
        return write;
    }

    void record(BoundState& bound, VkCommandBuffer commands) const {
        bool restored = false;
        for (uint32_t slot = 0; slot < variant.slots.size(); ++slot) {
            const Slot& state = variant.slots[slot];
            if (state.kind != Slot::Kind::eState)
                continue;
            vulkan::recordCopyRange(commands, *implOf(*program->contents[state.saved]).buffer, 0,
                                    buffer(slot), 0, state.bytes);
            restored = true;
        }
        if (restored)
            vulkan::recordFullBarrier(*program->device, commands);
        auto dispatch = dispatches.begin();
        for (const Command& command : variant.commands)
            record(command, bound, commands, dispatch);
    }

    void record(const Command& command, BoundState& bound, VkCommandBuffer commands,
                std::vector<Dispatch>::const_iterator& dispatch) const {
        switch (command.kind) {
        case Command::Kind::eDispatch:
            dispatch->notes.record(bound.device(), commands);
            bind(command, *dispatch++, bound);
            bound.dispatch(command.groups);
            break;
        case Command::Kind::eDispatchIndirect: {
            dispatch->notes.record(bound.device(), commands);
            const Predication::Slot counts =
                bound.indirectCounts(buffer(command.source), command.countsOffset);
            bind(command, *dispatch++, bound);
            bound.dispatchIndirect(counts);
            break;
        }
        case Command::Kind::eCopy: {
            std::vector<vulkan::CopiedRange> ranges;
            for (const Command::Region& region : command.regions)
                ranges.push_back({region.source, region.destination, region.bytes});
            vulkan::recordCopies(commands, buffer(command.source), buffer(command.destination),
                                 ranges);
            break;
        }
        case Command::Kind::eFill: {
            const Command::Region& region = command.regions.front();
            vulkan::recordFillRange(commands, buffer(command.destination), region.destination,
                                    region.bytes, command.pattern);
            break;
        }
        case Command::Kind::eBarrier:
            vulkan::recordHazardBarrier(*program->device, commands,
                                        {command.before, command.after, command.everything});
            break;
        }
    }

    void bind(const Command& command, const Dispatch& dispatch, BoundState& bound) const {
        const vulkan::Pipeline& pipeline = *program->pipelines[command.kernel];
        bound.bind(pipeline, dispatch.first.get());
        if (!dispatch.further.empty())
            bound.bindFurther(pipeline, dispatch.further);
        if (const uint32_t bytes = program->data.kernels[command.kernel].pushBytes)
            bound.push(pipeline, variant.push.data() + command.pushFirst, bytes);
    }
};

OpProgram::OpProgram(std::shared_ptr<const Loaded> program, size_t variant,
                     std::vector<std::shared_ptr<Tensor>> tensors)
    : OpProgram(std::make_shared<State>(std::move(program), variant, std::move(tensors))) {}

OpProgram::OpProgram(const OpProgram& other, std::vector<std::shared_ptr<Tensor>> tensors)
    : OpProgram([&] {
          auto state = std::make_shared<State>(*other.mState);
          for (size_t i = 0; i < tensors.size(); ++i)
              state->tensors[state->variant.slotOf[i]] = std::move(tensors[i]);
          state->bind();
          return state;
      }()) {}

OpProgram::OpProgram(std::shared_ptr<const State> state) : mState(std::move(state)) {
    makeSavable();
    const auto onlyDispatches = [](const Command& command) {
        return command.kind == Command::Kind::eDispatch || command.kind == Command::Kind::eBarrier;
    };
    const auto restores = [](const Slot& slot) { return slot.kind == Slot::Kind::eState; };
    if (std::ranges::all_of(mState->variant.commands, onlyDispatches) &&
        std::ranges::none_of(mState->variant.slots, restores))
        makeSkippable();
}

Accesses OpProgram::accesses() {
    Accesses accesses;
    const State& state = *mState;
    std::vector<bool> readsFirst(state.tensors.size());
    for (size_t i = 0; i < state.variant.tensors.size(); ++i)
        readsFirst[state.variant.slotOf[i]] = state.variant.tensors[i].input;
    const auto add = [&](size_t slot, bool writes, Accesses::By by) {
        const std::shared_ptr<Tensor>& tensor = state.tensors[slot];
        implOf(*tensor).requireAlive();
        if (!writes)
            accesses.read(tensor, by);
        else if (readsFirst[slot])
            accesses.readWrite(tensor, by);
        else // barriers of its own order its reads
            accesses.write(tensor, by);
    };
    for (size_t slot = 0; slot < state.tensors.size(); ++slot) {
        const Slot& described = state.variant.slots[slot];
        const bool restored = described.kind == Slot::Kind::eState;
        if (state.uses[slot].dispatch)
            add(slot, described.writes, Accesses::By::eDispatch);
        if (state.uses[slot].transfer || restored)
            add(slot, described.writes, Accesses::By::eTransfer);
        if (state.uses[slot].indirect)
            add(slot, false, Accesses::By::eIndirect);
        if (restored)
            accesses.read(state.program->contents[described.saved], Accesses::By::eTransfer);
    }
    return accesses;
}

void OpProgram::record(const vk::CommandBuffer& commandBuffer) {
    const VkCommandBuffer commands = native::handleOf(commandBuffer);
    // A captured function binds other memory, and each wait has the mistakes of its own work.
    if (!mState->isBound() || mState->sharesReports()) {
        auto state = std::make_shared<State>(*mState);
        state->bind();
        mState = std::move(state);
    }
    Recorder::withBoundState(*mState->program->device, commands,
                             [&](BoundState& bound, Recorder* recorder) {
                                 if (recorder) {
                                     recorder->keep(mState);
                                     for (const State::Dispatch& dispatch : mState->dispatches)
                                         if (dispatch.notes.report)
                                             recorder->noteReport(dispatch.notes.report);
                                 }
                                 mState->record(bound, commands);
                             });
    Recorder::keepBindings(*this, commands);
}

} // namespace kp::program
