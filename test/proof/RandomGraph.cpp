// SPDX-License-Identifier: Apache-2.0
#include "RandomGraph.hpp"

#include <algorithm>
#include <functional>
#include <list>
#include <map>
#include <stdexcept>
#include <string>
#include <utility>

#include "proof/RandomKernels.hpp"

namespace kp::proof {
namespace {

class Graph {
public:
    Graph(kp::Manager& manager, Random& random, const std::vector<GraphMemory>& memory)
        : mManager(manager), mRandom(random), mMemory(memory), mPast(memory.size()) {
        for (uint32_t i = 1 + mRandom.below(3); i > 0; --i)
            mQueues.push_back(manager.queue(i - 1, mRandom.below(2) == 0));
        mHostWork = mRandom.below(2) == 0;
    }

    void run() {
        const bool gated = mHostWork && mRandom.below(2) == 0;
        if (gated)
            launchAll(mGate);
        const uint32_t nodes = 2 + mRandom.below(8);
        const uint32_t opensAfter = mRandom.below(nodes + 1);
        for (uint32_t i = 0; i < nodes; ++i) {
            if (gated && i == opensAfter)
                mGate.set();
            launchNode();
        }
        if (gated && opensAfter == nodes)
            mGate.set();
        kp::Event::waitAll(mEvents);
        for (const auto& queue : mQueues)
            queue->finish();
        for (const auto& sequence : mSequences)
            sequence->evalAwait();
        for (const auto& [found, expected] : mRead)
            if (found != expected)
                throw std::runtime_error("a copy to the host differs from the model");
    }

private:
    /// A launch that used a memory object.
    struct Past {
        kp::Event event;
        size_t queue;
        bool wrote;
    };
    /// A part of a list, or a launch: a launcher, its arguments, and its work.
    struct Part {
        std::shared_ptr<kp::Launcher> launcher;
        std::vector<std::pair<size_t, bool>> uses; ///< index of the memory; true if written
        std::function<void()> effect;
    };

    void launchAll(const kp::Event& gate) {
        for (size_t i = 0; i < mMemory.size(); ++i)
            mPast[i].push_back({gate, SIZE_MAX, true});
    }

    /// Launches with the events that the order of the model needs, notes the uses, and applies the
    /// effect.
    template <typename Launch>
    void launch(const Part& part, Launch launch) {
        size_t queue = mRandom.below(mQueues.size());
        const bool byMemory = !mHostWork && mRandom.below(2) == 0;
        std::vector<kp::Event> waitFor;
        for (const auto& [index, writes] : part.uses)
            for (const Past& past : mPast[index]) {
                const bool ordered = past.queue == queue && mQueues[queue]->inOrder();
                if ((writes || past.wrote) && !byMemory && (!ordered || mRandom.chance(4)))
                    waitFor.push_back(past.event);
            }
        const kp::Event event = launch(std::shared_ptr(mQueues[queue]), waitFor, queue);
        mEvents.push_back(event);
        for (const auto& [index, writes] : part.uses)
            mPast[index].push_back({event, queue, writes});
        part.effect();
    }

    size_t any() { return mRandom.below(mMemory.size()); }
    size_t anyExcept(size_t other) {
        return (other + 1 + mRandom.below(mMemory.size() - 1)) % mMemory.size();
    }

    void launchNode() {
        switch (mRandom.below(mHostWork ? 9 : 6)) {
        case 0:
        case 1:
        case 2:
            return launchPart(anyPart());
        case 3:
            return launchList();
        case 4:
            return launchSequence();
        case 5:
            mEvents.push_back(mQueues[mRandom.below(mQueues.size())]->barrier(
                mRandom.below(2) == 0 ? mEvents : std::vector<kp::Event>()));
            return;
        case 6:
            return launchHostFunction();
        case 7:
            return launchWrite();
        default:
            return launchRead();
        }
    }

    void launchPart(const Part& part) {
        launch(part, [&](const auto& queue, const auto& waitFor, size_t) {
            return part.launcher->launch(queue, {}, waitFor);
        });
        if (mRandom.below(2) == 0)
            mLaunchers.push_back(part.launcher);
    }

    Part anyPart() {
        switch (mRandom.below(4)) {
        case 0:
            return copyPart();
        case 1:
            return fillPart();
        default:
            return kernelPart();
        }
    }

    Part kernelPart() {
        const auto& kernels = randomKernels();
        const RandomKernel* kernel = &kernels[mRandom.below(kernels.size())];
        while (kernel->bindings.size() > 2 || kernel->bindings.front().image ||
               kernel->bindings.back().image || kernel->groups != RandomKernel::Groups::eAny)
            kernel = &kernels[mRandom.below(kernels.size())];
        Part part;
        const RandomKernel::Push push{mRandom.word(), mRandom.word(), mRandom.word()};
        const uint32_t groups = 1 + mRandom.below(kElements);
        kp::Arguments arguments;
        std::vector<std::vector<uint32_t>*> contents;
        const size_t first = any();
        for (size_t i = 0; i < kernel->bindings.size(); ++i) {
            const size_t index = i == 0 ? first : anyExcept(first);
            arguments.emplace_back(mMemory[index].tensor);
            contents.push_back(mMemory[index].model);
            part.uses.emplace_back(index, kernel->bindings[i].writes);
        }
        for (const uint32_t value : push)
            arguments.emplace_back(value);
        kp::KernelOptions options;
        options.globalSize = kp::WorkSize(groups);
        part.launcher = std::make_shared<kp::KernelLauncher>(
            kernel->name, kp::Kernel(mManager, kernel->spirv), arguments, options);
        part.effect = [=] { kernel->run(contents, push, groups); };
        return part;
    }

    Part copyPart() {
        const size_t from = any();
        const size_t to = anyExcept(from);
        const uint32_t count = 1 + mRandom.below(kElements);
        const uint32_t read = mRandom.below(kElements - count + 1);
        const uint32_t written = mRandom.below(kElements - count + 1);
        Part part;
        part.uses = {{from, false}, {to, true}};
        part.launcher =
            std::make_shared<kp::CopyLauncher>("copy", mMemory[from].tensor, mMemory[to].tensor,
                                               kp::CopyRange{read * 4, written * 4, count * 4});
        part.effect = [=, this] {
            std::copy_n(mMemory[from].model->begin() + read, count,
                        mMemory[to].model->begin() + written);
        };
        return part;
    }

    Part fillPart() {
        const size_t to = any();
        const uint32_t count = 1 + mRandom.below(kElements);
        const uint32_t first = mRandom.below(kElements - count + 1);
        const uint32_t value = mRandom.word();
        Part part;
        part.uses = {{to, true}};
        part.launcher = std::make_shared<kp::FillLauncher>("fill", mMemory[to].tensor, value,
                                                           first * 4, count * 4);
        part.effect = [=, this] { std::fill_n(mMemory[to].model->begin() + first, count, value); };
        return part;
    }

    Part together(const std::vector<Part>& parts) const {
        std::map<size_t, bool> uses;
        for (const Part& part : parts)
            for (const auto& [index, writes] : part.uses)
                uses[index] |= writes;
        Part whole;
        whole.uses.assign(uses.begin(), uses.end());
        whole.effect = [parts] {
            for (const Part& part : parts)
                part.effect();
        };
        return whole;
    }

    void launchList() {
        std::vector<Part> parts;
        const auto list = std::make_shared<kp::KernelListLauncher>("list");
        for (uint32_t count = 1 + mRandom.below(3); count > 0; --count) {
            parts.push_back(anyPart());
            list->push(parts.back().launcher);
        }
        launch(together(parts), [&](const auto& queue, const auto& waitFor, size_t) {
            return (*list)(queue, waitFor);
        });
        if (mRandom.below(2) == 0) // once more, with the same recording
            launch(together(parts), [&](const auto& queue, const auto& waitFor, size_t) {
                return (*list)(queue, waitFor);
            });
    }

    void launchSequence() {
        const size_t from = any();
        const size_t to = anyExcept(from);
        const uint32_t value = mRandom.word();
        const auto sequence = mManager.sequence();
        sequence->record<kp::OpCopy>({mMemory[from].tensor, mMemory[to].tensor});
        sequence->record<kp::OpFill>({mMemory[from].tensor}, value);
        Part part;
        part.uses = {{from, true}, {to, true}};
        part.effect = [=, this] {
            *mMemory[to].model = *mMemory[from].model;
            mMemory[from].model->assign(kElements, value);
        };
        launch(part, [&](const auto&, std::vector<kp::Event> waitFor, size_t& queue) {
            // A sequence is on none of the queues.
            for (const auto& [index, writes] : part.uses)
                for (const Past& past : mPast[index])
                    waitFor.push_back(past.event);
            sequence->evalAsync(waitFor);
            queue = SIZE_MAX;
            return sequence->event();
        });
        mSequences.push_back(sequence);
    }

    void launchHostFunction() {
        const size_t to = any();
        const auto values = mRandom.words(kElements);
        Part part;
        part.uses = {{to, true}};
        part.effect = [=, this] { *mMemory[to].model = values; };
        launch(part, [&](const auto& queue, const auto& waitFor, size_t) {
            return queue->hostFunction(
                [tensor = mMemory[to].tensor, values] { tensor->upload(values); }, waitFor);
        });
    }

    void launchWrite() {
        const size_t to = any();
        const auto values = std::make_shared<std::vector<uint32_t>>(mRandom.words(kElements));
        Part part;
        part.uses = {{to, true}};
        part.launcher = std::make_shared<kp::CopyLauncher>(
            "write", kp::CopyEnd(values->data(), kElements * 4, values), mMemory[to].tensor);
        part.effect = [=, this] { *mMemory[to].model = *values; };
        launchPart(part);
    }

    void launchRead() {
        const size_t from = any();
        mRead.emplace_back(std::vector<uint32_t>(kElements), *mMemory[from].model);
        Part part;
        part.uses = {{from, false}};
        part.launcher = std::make_shared<kp::CopyLauncher>("read", mMemory[from].tensor,
                                                           kp::CopyEnd(mRead.back().first));
        part.effect = [] {};
        launchPart(part);
    }

    kp::Manager& mManager;
    Random& mRandom;
    const std::vector<GraphMemory>& mMemory;
    std::vector<std::vector<Past>> mPast; ///< of each memory object
    std::vector<std::shared_ptr<kp::Queue>> mQueues;
    bool mHostWork = false; ///< there may be work that waits for the host
    kp::UserEvent mGate;
    std::vector<kp::Event> mEvents;
    std::vector<std::shared_ptr<kp::Sequence>> mSequences;
    std::vector<std::shared_ptr<kp::Launcher>> mLaunchers;
    std::list<std::pair<std::vector<uint32_t>, std::vector<uint32_t>>> mRead; ///< found, expected
};

} // namespace

void runRandomGraph(kp::Manager& manager, Random& random, const std::vector<GraphMemory>& memory) {
    Graph(manager, random, memory).run();
}

} // namespace kp::proof
