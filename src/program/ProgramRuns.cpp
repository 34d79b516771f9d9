// SPDX-License-Identifier: Apache-2.0
#include "program/ProgramRuns.hpp"

#include <algorithm>
#include <utility>

#include "core/memory/StandIn.hpp"
#include "core/queue/QueueImpl.hpp"
#include "program/OpProgram.hpp"
#include "program/ProgramImpl.hpp"

namespace kp::program {

ProgramRuns::ProgramRuns() = default;
ProgramRuns::~ProgramRuns() = default;

void ProgramRuns::launch(const std::shared_ptr<const Loaded>& program, size_t variant,
                         const std::vector<std::shared_ptr<Tensor>>& tensors,
                         const std::shared_ptr<Queue>& queue) {
    std::shared_ptr<Repeater> repeater;
    std::shared_ptr<OpBase> operation;
    {
        const std::lock_guard lock(mMutex);
        const Run& run = runFor(program, variant, tensors, implOf(*queue).queue);
        repeater = run.repeater;
        operation = run.operation;
    }
    launchRepeated(queue, repeater, {std::move(operation)}, "program");
}

const ProgramRuns::Run& ProgramRuns::runFor(const std::shared_ptr<const Loaded>& program,
                                            size_t variant,
                                            const std::vector<std::shared_ptr<Tensor>>& tensors,
                                            const vulkan::Queue& queue) {
    const auto alike = [&](const Run& run) {
        return run.variant == variant && run.queue == &queue;
    };
    const auto same = [&](const Run& run) {
        return alike(run) &&
               std::ranges::equal(run.memory, tensors, [](const auto& buffer, const auto& tensor) {
                   return buffer == bufferOf(*tensor);
               });
    };
    if (const auto known = std::ranges::find_if(mRuns, same); known != mRuns.end()) {
        mRuns.splice(mRuns.begin(), mRuns, known);
        return mRuns.front();
    }
    Run run{&queue, variant, {}, nullptr, std::make_shared<Repeater>(program->device)};
    std::vector<std::shared_ptr<Tensor>> standIns;
    for (const std::shared_ptr<Tensor>& tensor : tensors) {
        run.memory.push_back(bufferOf(*tensor));
        standIns.push_back(standInFor(*tensor));
    }
    const auto other = std::ranges::find_if(mRuns, alike);
    run.operation = other == mRuns.end()
                        ? std::make_shared<OpProgram>(program, variant, std::move(standIns))
                        : std::make_shared<OpProgram>(*other->operation, std::move(standIns));
    if (mRuns.size() == kMaxRuns)
        mRuns.pop_back();
    mRuns.push_front(std::move(run));
    return mRuns.front();
}

} // namespace kp::program
