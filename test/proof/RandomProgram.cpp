// SPDX-License-Identifier: Apache-2.0
#include "RandomProgram.hpp"

#include <algorithm>
#include <memory>
#include <string>

#include <kompute/program/Program.hpp>

#include "core/memory/MemoryImpl.hpp"
#include "device/TestSupport.hpp"
#include "proof/ExpectEqual.hpp"
#include "proof/RandomGraph.hpp"

namespace kp::proof {

using MemoryTypes = kp::Memory::MemoryTypes;

RandomProgram::RandomProgram(kp::Manager& manager, Random random, std::string* trace)
    : mManager(manager), mRandom(std::move(random)), mTrace(trace) {
    for (uint32_t i = 1 + mRandom.below(3); i > 0; --i)
        mSequences.push_back({manager.sequence(mRandom.below(manager.queueCount())), {}, {}, {}});
    for (uint32_t i = 0; i < 5; ++i)
        mModels.push_back(
            std::make_unique<MemoryModel>(makeModel(false, test::kMemoryTypes[mRandom.below(4)])));
    // A graph needs memory without a mirror.
    mModels.push_back(std::make_unique<MemoryModel>(makeModel(false, MemoryTypes::eStorage)));
    mModels.push_back(std::make_unique<MemoryModel>(makeModel(false, MemoryTypes::eHost)));
    mModels.push_back(
        std::make_unique<MemoryModel>(makeModel(true, test::kMemoryTypes[mRandom.below(4)])));
    mGroupCounts = manager.tensorT<uint32_t>(3, MemoryTypes::eStorage);
}

void RandomProgram::run(uint32_t steps) {
    for (uint32_t i = 0; i < steps; ++i) {
        recordAndEvaluate();
        if (mRandom.chance(4))
            useHostView();
        if (mRandom.chance(6))
            replaceMemory();
        if (mRandom.chance(6))
            evaluateTogether();
        if (mRandom.chance(4)) {
            awaitAll();
            runGraph();
        }
    }
    awaitAll();
}

void RandomProgram::recordAndEvaluate() {
    const uint32_t number = mRandom.below(mSequences.size());
    Recorded& recorded = mSequences[number];
    note("new recording of sequence " + std::to_string(number));
    if (recorded.sequence->isRunning())
        recorded.sequence->evalAwait();
    if (mRandom.chance(8))
        recorded.sequence->clear();
    recorded.before.clear();
    recorded.uses.clear();
    recorded.during.clear();
    for (uint32_t operations = 1 + mRandom.below(8); operations > 0; --operations)
        record(recorded);
    if (mRandom.chance(8))
        recorded.sequence->rerecord();
    evaluate(recorded);
    while (mRandom.chance(3)) {
        if (recorded.sequence->isRunning())
            recorded.sequence->evalAwait();
        evaluate(recorded);
    }
}

void RandomProgram::expectEqualToModel() {
    for (size_t i = 0; i < mModels.size(); ++i) {
        MemoryModel& model = *mModels[i];
        const std::string name = nameOf(model);
        std::vector<uint32_t> values(kElements);
        model.bringToDevice();
        model.memory->download(values.data(), values.size() * sizeof(uint32_t));
        expectEqual(values, model.device, name);
        if (model.mirrored) {
            model.look();
            expectEqual(model.memory->vector<uint32_t>(), model.mirror, "the host view of " + name);
        }
    }
}

void RandomProgram::Recorded::use(MemoryModel& model, Use how) {
    const auto isOfModel = [&](const auto& use) { return use.first == &model; };
    if (std::none_of(uses.begin(), uses.end(), isOfModel))
        uses.emplace_back(&model, how);
}

std::vector<std::shared_ptr<kp::Memory>> RandomProgram::Choice::memory() const {
    std::vector<std::shared_ptr<kp::Memory>> list;
    for (const MemoryModel* model : models)
        list.push_back(model->memory);
    return list;
}

std::function<void()> RandomProgram::Choice::effect() const {
    return [choice = *this] {
        std::vector<std::vector<uint32_t>*> contents;
        for (MemoryModel* model : choice.models)
            contents.push_back(&model->device);
        choice.kernel->run(contents, choice.push, choice.groups);
        for (size_t i = 0; i < choice.models.size(); ++i)
            if (choice.kernel->bindings[i].writes)
                choice.models[i]->written = true;
    };
}

std::string RandomProgram::nameOf(const MemoryModel& model) const {
    for (size_t i = 0; i < mModels.size(); ++i)
        if (mModels[i].get() == &model)
            return (model.image ? "image " : "tensor ") + std::to_string(i) +
                   (model.mirrored ? "m" : "");
    return "new memory";
}

std::string RandomProgram::describe(const Choice& choice) const {
    std::string text = choice.kernel->name;
    for (const MemoryModel* model : choice.models)
        text += ", " + nameOf(*model);
    return text;
}

void RandomProgram::note(const std::string& what) {
    if (mTrace)
        *mTrace += what + "\n";
}

MemoryModel RandomProgram::makeModel(bool image, MemoryTypes type) {
    MemoryModel model;
    model.image = image;
    model.device = mRandom.words(kElements);
    if (image)
        model.memory = mManager.imageT<uint32_t>(kImageWidth, kElements / kImageWidth, 1, type);
    else
        model.memory = mManager.tensorT<uint32_t>(kElements, type);
    model.memory->upload(model.device.data(), model.device.size() * sizeof(uint32_t));
    model.mirrored = implOf(*model.memory).mirrored;
    model.copied = true;
    return model;
}

MemoryModel& RandomProgram::anyModel(bool image) {
    while (true) {
        MemoryModel& model = *mModels[mRandom.below(mModels.size())];
        if (model.image == image)
            return model;
    }
}

MemoryModel& RandomProgram::anyModel() {
    return mTensorsOnly ? anyModel(false) : *mModels[mRandom.below(mModels.size())];
}

RandomProgram::Choice RandomProgram::choose() {
    const auto& kernels = randomKernels();
    Choice choice{nullptr, {}, {}, 0};
    do
        choice.kernel = &kernels[mRandom.below(kernels.size())];
    while (mTensorsOnly && std::ranges::any_of(choice.kernel->bindings, &Binding::image));
    for (const Binding& binding : choice.kernel->bindings) {
        MemoryModel* model = nullptr;
        const auto taken = [&] {
            for (size_t i = 0; i < choice.models.size(); ++i)
                if (choice.models[i] == model && !binding.mayAlias &&
                    (binding.writes || choice.kernel->bindings[i].writes))
                    return true;
            return false;
        };
        do
            model = &anyModel(binding.image);
        while (taken());
        choice.models.push_back(model);
    }
    choice.push = {mRandom.word(), mRandom.word(), mRandom.word()};
    switch (choice.kernel->groups) {
    case RandomKernel::Groups::eAny:
        choice.groups = 1 + mRandom.below(kElements);
        break;
    case RandomKernel::Groups::eAll:
        choice.groups = kElements;
        break;
    case RandomKernel::Groups::eOne:
        choice.groups = 1;
        break;
    }
    return choice;
}

void RandomProgram::record(Recorded& to) {
    switch (mRandom.below(10)) {
    case 0:
    case 1:
    case 2:
    case 3:
        return recordDispatch(to);
    case 4:
        return recordCopy(to);
    case 5:
        return recordFill(to);
    case 6:
        return recordSyncDevice(to);
    case 7:
        return recordSyncLocal(to);
    case 8:
        return recordSaved(to);
    default:
        return recordIndirect(to);
    }
}

void RandomProgram::recordDispatch(Recorded& to) {
    const Choice choice = choose();
    note("dispatch " + describe(choice));
    const std::vector<uint32_t> push(choice.push.begin(), choice.push.end());
    const kp::Workgroup groups{choice.groups, 1, 1};
    if (mRandom.below(2) == 0) // push constants of the dispatch, or of the algorithm
        to.sequence->record<kp::OpAlgoDispatch>(
            mManager.algorithm<uint32_t, uint32_t>(choice.memory(), choice.kernel->spirv, groups,
                                                   {}, {0, 0, 0}),
            push);
    else
        to.sequence->record<kp::OpAlgoDispatch>(mManager.algorithm<uint32_t, uint32_t>(
            choice.memory(), choice.kernel->spirv, groups, {}, push));
    for (MemoryModel* model : choice.models)
        to.use(*model, Use::eInPart);
    to.during.push_back(choice.effect());
}

/// Records a dispatch that writes the group counts of the next.
void RandomProgram::recordIndirect(Recorded& to) {
    static const std::vector<uint32_t> code =
        test::spirv(test::shader(test::buffer(0, "writeonly", "uint", "counts") +
                                     "layout(push_constant) uniform P { uint x; };",
                                 "counts[0] = x; counts[1] = 1u; counts[2] = 1u;"));
    Choice choice = choose();
    note("indirect dispatch " + describe(choice));
    const std::vector<uint32_t> push(choice.push.begin(), choice.push.end());
    to.sequence->record<kp::OpAlgoDispatch>(
        mManager.algorithm<uint32_t, uint32_t>({mGroupCounts}, code, {1, 1, 1}, {}, {0}),
        std::vector<uint32_t>{choice.groups});
    to.sequence->record(std::make_shared<kp::OpAlgoDispatch>(
        mManager.algorithm<uint32_t, uint32_t>(choice.memory(), choice.kernel->spirv, {1, 1, 1}, {},
                                               push),
        mGroupCounts, 0));
    for (MemoryModel* model : choice.models)
        to.use(*model, Use::eInPart);
    to.during.push_back(choice.effect());
}

void RandomProgram::recordCopy(Recorded& to) {
    MemoryModel& source = anyModel();
    std::vector<MemoryModel*> targets;
    for (const size_t count = 1 + mRandom.below(2); targets.size() < count;) {
        MemoryModel* target = &anyModel();
        if (target != &source && std::find(targets.begin(), targets.end(), target) == targets.end())
            targets.push_back(target);
    }
    std::vector<std::shared_ptr<kp::Memory>> memory{source.memory};
    for (const MemoryModel* target : targets)
        memory.push_back(target->memory);
    note("copy of " + nameOf(source) + " to " + nameOf(*targets.front()) +
         (targets.size() > 1 ? " and " + nameOf(*targets.back()) : ""));
    to.sequence->record<kp::OpCopy>(memory);
    to.use(source, Use::eInPart);
    for (MemoryModel* target : targets)
        to.use(*target, Use::eReplaces);
    to.during.push_back([&source, targets] {
        for (MemoryModel* target : targets) {
            target->device = source.device;
            target->copied = target->written = true;
        }
    });
}

void RandomProgram::recordFill(Recorded& to) {
    MemoryModel& model = anyModel(false);
    const uint32_t value = mRandom.word();
    note("fill of " + nameOf(model));
    to.sequence->record<kp::OpFill>({model.memory}, value);
    to.use(model, Use::eReplaces);
    to.during.push_back([&model, value] {
        model.device.assign(kElements, value);
        model.copied = model.written = true;
    });
}

void RandomProgram::recordSyncDevice(Recorded& to) {
    MemoryModel& model = *mModels[mRandom.below(mModels.size())];
    note("sync to the device of " + nameOf(model));
    to.sequence->record<kp::OpSyncDevice>({model.memory});
    if (!model.mirrored)
        return;
    model.syncsDevice = true;
    to.use(model, Use::eReplaces);
    to.before.push_back([&model] {
        if (model.copied)
            model.fetch();
    });
    to.during.push_back([&model] {
        model.device = model.mirror;
        model.agree();
    });
}

void RandomProgram::recordSyncLocal(Recorded& to) {
    MemoryModel& model = *mModels[mRandom.below(mModels.size())];
    note("sync to the host of " + nameOf(model));
    to.sequence->record<kp::OpSyncLocal>({model.memory});
    if (!model.mirrored)
        return;
    model.syncsLocal = true;
    to.use(model, Use::eInPart);
    to.during.push_back([&model] { model.fetch(); });
}

/// Records dispatches, copies and fills as a program that was made with other tensors, saved and
/// loaded.
void RandomProgram::recordSaved(Recorded& to) {
    note("a saved program:");
    awaitAll(); // the program takes the group counts as they are
    auto unchecked = std::make_unique<kp::CheckScope>("off"); // programs get checks when loaded
    Recorded made{mManager.sequence(), {}, {}, {}};
    std::vector<std::shared_ptr<kp::Memory>> own;
    for (auto& model : mModels) {
        own.push_back(model->memory);
        if (!model->image)
            model->memory = mManager.tensorT<uint32_t>(kElements, model->memory->memoryType());
    }
    mTensorsOnly = true;
    for (uint32_t operations = 1 + mRandom.below(4); operations > 0; --operations) {
        if (mRandom.chance(3))
            recordCopy(made);
        else if (mRandom.chance(4))
            recordFill(made);
        else if (mRandom.chance(4))
            recordIndirect(made);
        else
            recordDispatch(made);
    }
    mTensorsOnly = false;
    note("end of the program");
    kp::NamedTensors makers;
    kp::NamedTensors tensors;
    for (size_t i = 0; i < mModels.size(); ++i) {
        const auto isOfModel = [&](const auto& use) { return use.first == mModels[i].get(); };
        if (std::ranges::any_of(made.uses, isOfModel)) {
            const std::string name = "tensor" + std::to_string(i);
            makers[name] = std::static_pointer_cast<kp::Tensor>(mModels[i]->memory);
            tensors[name] = std::static_pointer_cast<kp::Tensor>(own[i]);
            to.use(*mModels[i], Use::eInPart);
        }
        mModels[i]->memory = own[i];
    }
    const auto file = kp::Program::of(*made.sequence, makers, makers).content();
    unchecked.reset();
    to.sequence->record(
        kp::Program::parseUntrusted(mManager, file.data(), file.size()).operation(tensors));
    to.during.push_back([effects = std::move(made.during), uses = std::move(made.uses)] {
        std::vector<bool> copied;
        for (const auto& [model, how] : uses)
            copied.push_back(model->copied);
        for (const auto& effect : effects)
            effect();
        for (size_t i = 0; i < uses.size(); ++i) // a program only writes
            uses[i].first->copied = copied[i];
    });
}

void RandomProgram::apply(Recorded& recorded) {
    for (const auto& effect : recorded.before)
        effect();
    for (const auto& [model, use] : recorded.uses)
        model->prepareFor(use);
    for (const auto& effect : recorded.during)
        effect();
}

void RandomProgram::evaluate(Recorded& recorded) {
    note("evaluation");
    apply(recorded);
    if (mRandom.chance(3))
        recorded.sequence->evalAsync({mLast});
    else
        recorded.sequence->evalAsync();
    mLast = recorded.sequence->event();
    if (mRandom.below(2) == 0)
        recorded.sequence->evalAwait();
}

/// Evaluates all sequences once more, in one call. Their memory may have been replaced since, so
/// each gets a new recording.
void RandomProgram::evaluateTogether() {
    awaitAll();
    std::vector<std::shared_ptr<kp::Sequence>> sequences;
    note("evaluation of all sequences with new recordings");
    for (Recorded& recorded : mSequences) {
        recorded.before.clear();
        recorded.uses.clear();
        recorded.during.clear();
        for (uint32_t operations = 1 + mRandom.below(3); operations > 0; --operations)
            record(recorded);
        sequences.push_back(recorded.sequence);
        note("end of a recording");
    }
    for (Recorded& recorded : mSequences)
        apply(recorded);
    if (mRandom.below(2) == 0)
        kp::evalAll(sequences);
    else
        kp::evalAllAsync(sequences);
}

void RandomProgram::awaitAll() {
    for (Recorded& recorded : mSequences)
        if (recorded.sequence->isRunning())
            recorded.sequence->evalAwait();
}

/// Reads and writes the host view of one memory object. Submitted work may still use it if the view
/// is the memory itself; a mirror may still be what a recorded OpSyncDevice copies.
void RandomProgram::useHostView() {
    MemoryModel& model = *mModels[mRandom.below(mModels.size())];
    if (model.mirrored || mRandom.below(2) == 0)
        awaitAll();
    if (model.memory->memoryType() == MemoryTypes::eStorage)
        return;
    if (model.mirrored)
        model.look();
    std::vector<uint32_t>& view = model.mirrored ? model.mirror : model.device;
    expectEqual(model.memory->vector<uint32_t>(), view, "a host view");
    note("host view of " + nameOf(model));
    view = mRandom.words(kElements);
    if (mRandom.below(2) == 0) {
        model.memory->setData(view);
        model.changed = true;
    } else {
        std::copy(view.begin(), view.end(), model.memory->data<uint32_t>());
        model.viewGiven = true;
    }
}

/// Drops memory that sequences may still be using, and makes new memory in its place.
void RandomProgram::replaceMemory() {
    MemoryModel& model = *mModels[mRandom.below(mModels.size())];
    note("new memory for " + nameOf(model));
    model = makeModel(model.image, model.memory->memoryType());
}

void RandomProgram::runGraph() {
    note("graph");
    std::vector<GraphMemory> memory;
    for (auto& model : mModels)
        if (!model->image && !model->mirrored)
            memory.push_back({std::static_pointer_cast<kp::Tensor>(model->memory), &model->device});
    runRandomGraph(mManager, mRandom, memory);
}

} // namespace kp::proof
