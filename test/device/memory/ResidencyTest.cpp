// SPDX-License-Identifier: Apache-2.0
//
// Host view and device memory follow each other without sync operations, and sync operations keep
// their exact meaning.
#include <thread>

#include <kompute/Primitives.hpp>

#include "../CallCounter.hpp"
#include "../HostVulkan.hpp"
#include "../TestSupport.hpp"
#include "device/group/GroupSupport.hpp"

namespace kp::test {
namespace {

using MemoryTypes = kp::Memory::MemoryTypes;
using Words = std::vector<uint32_t>;
using WordTensor = std::shared_ptr<kp::TensorT<uint32_t>>;

class ResidencyTest : public DeviceTest {
protected:
    WordTensor t = manager.tensorT<uint32_t>({1, 2, 3});
    WordTensor u = manager.tensorT<uint32_t>({0, 0, 0});

    std::shared_ptr<kp::Sequence> copySequence() {
        return manager.sequence()->record<kp::OpAlgoDispatch>(
            manager.algorithm({t, u}, copyShader()));
    }
    std::shared_ptr<kp::Sequence> addSequence(uint32_t amount = 10) {
        return manager.sequence()->record<kp::OpAlgoDispatch>(
            manager.algorithm({t}, addShader(amount)));
    }
    /// Writes 7 to element 0 only, and reads nothing.
    std::vector<uint32_t> firstOnly() {
        return spirv(shader(buffer(0, "writeonly", "uint", "v"), "if (i == 0) v[0] = 7;"));
    }
};

TEST_F(ResidencyTest, ADispatchFindsTheDataOfItsTensors) {
    copySequence()->eval();
    EXPECT_EQ(u->vector(), (Words{1, 2, 3}));
}

TEST_F(ResidencyTest, ADispatchInPlaceFindsAndShowsItsData) {
    addSequence()->eval();
    EXPECT_EQ(t->vector(), (Words{11, 12, 13}));
    EXPECT_EQ(t->data()[2], 13u);
}

TEST_F(ResidencyTest, ADispatchThatWritesAPartKeepsTheRest) {
    manager.sequence()->eval<kp::OpAlgoDispatch>(manager.algorithm({t}, firstOnly()));
    EXPECT_EQ(t->vector(), (Words{7, 2, 3}));
}

TEST_F(ResidencyTest, ADownloadReadsWhatOnlyTheHostHad) {
    EXPECT_EQ(onDevice<uint32_t>(*t), (Words{1, 2, 3}));
}

TEST_F(ResidencyTest, APartialUploadKeepsTheRest) {
    t->upload(Words{9}, 1);
    EXPECT_EQ(onDevice<uint32_t>(*t), (Words{1, 9, 3}));
    EXPECT_EQ(t->vector(), (Words{1, 9, 3}));
    t->setData({4, 5, 6});
    t->upload(Words{8}, 0);
    EXPECT_EQ(t->vector(), (Words{8, 5, 6}));
}

TEST_F(ResidencyTest, CopiesAndSyncLocalFindTheData) {
    manager.sequence()->eval<kp::OpCopy>({t, u});
    EXPECT_EQ(u->vector(), (Words{1, 2, 3}));
    auto v = manager.tensorT<uint32_t>({4, 5, 6});
    manager.sequence()->eval<kp::OpSyncLocal>({v});
    EXPECT_EQ(v->vector(), (Words{4, 5, 6}));
}

TEST_F(ResidencyTest, EveryEvaluationSeesWhatTheHostSetBefore) {
    const auto sq = copySequence();
    for (uint32_t round = 0; round < 3; ++round) {
        t->setData({round, round + 1, round + 2});
        sq->eval();
        EXPECT_EQ(u->vector(), (Words{round, round + 1, round + 2}));
    }
}

TEST_F(ResidencyTest, AViewThatWasHandedOutCountsAsChanged) {
    const auto sq = copySequence();
    sq->eval();
    t->data()[1] = 20;
    (*t)[2] = 30;
    sq->eval();
    EXPECT_EQ(u->vector(), (Words{1, 20, 30}));
}

TEST_F(ResidencyTest, AnOldPointerCountsAfterNoteHostChange) {
    const auto sq = copySequence();
    uint32_t* const view = t->data();
    sq->eval();
    view[0] = 50;
    t->noteHostChange();
    sq->eval();
    EXPECT_EQ(u->vector(), (Words{50, 2, 3}));
}

TEST_F(ResidencyTest, AViewDoesNotUndoWhatTheDeviceWroteLater) {
    const auto sq = addSequence();
    sq->eval();
    t->data();
    for (int round = 0; round < 3; ++round)
        sq->eval();
    EXPECT_EQ(t->vector(), (Words{41, 42, 43}));
}

TEST_F(ResidencyTest, WhatWasWrittenThroughAViewStaysIfTheWorkWritesOtherElements) {
    const WordTensor values = manager.tensorT<uint32_t>({7, 8});
    const WordTensor number = manager.tensorT<uint32_t>(1);
    const WordTensor places = manager.tensorT<uint32_t>({2, 5});
    const auto expectKept = [&](std::shared_ptr<kp::OpBase> work, const Words& expected) {
        t->setData({1, 2, 3});
        addSequence(0)->eval(); // both sides are equal
        t->data()[1] = 20;
        manager.sequence()->record(std::move(work))->eval();
        EXPECT_EQ(t->vector(), expected);
    };
    expectKept(std::make_shared<kp::OpAlgoDispatch>(manager.algorithm({t}, firstOnly())),
               {7, 20, 3});
    expectKept(std::make_shared<kp::OpScatter>(values, places, t), {1, 20, 7});
    expectKept(std::make_shared<kp::OpGather>(values, places, kp::TensorRange(t, 1, 2)),
               {1, 20, 3});
    expectKept(
        std::make_shared<kp::OpReduce>(values, kp::TensorRange(t, 2, 1), kp::ReduceOperation::eSum),
        {1, 20, 15});
    expectKept(std::make_shared<kp::OpSelect>(values, kp::Predicate("x > 7"), t, number),
               {8, 20, 3});
    expectKept(
        std::make_shared<kp::OpHistogram>(values, kp::TensorRange(t, 2, 1), kp::Bins::even(0, 10)),
        {1, 20, 2});
}

TEST_F(ResidencyTest, AViewOfWhatIsReplacedAsAWholeCostsNothing) {
    const WordTensor sum = manager.tensorT<uint32_t>(1);
    const auto expectOneSubmission = [&](const WordTensor& out, std::shared_ptr<kp::OpBase> work) {
        const auto sq = manager.sequence()->record(std::move(work));
        sq->eval();
        out->data();
        sq->eval();
        out->data();
        CallCounter calls(manager);
        sq->eval();
        EXPECT_EQ(calls.submits(), 1u) << calls.list();
    };
    expectOneSubmission(sum, std::make_shared<kp::OpReduce>(t, sum, kp::ReduceOperation::eSum));
    expectOneSubmission(u, std::make_shared<kp::OpScan>(t, u, kp::ReduceOperation::eSum));
    expectOneSubmission(u, std::make_shared<kp::OpHistogram>(t, u, kp::Bins::even(0, 10)));
    expectOneSubmission(u, std::make_shared<kp::OpFill>(kp::MemoryObjects{u}, 5u));
}

TEST_F(ResidencyTest, DataOfATensorWithoutContentsReachTheDevice) {
    auto v = manager.tensorT<uint32_t>(3);
    uint32_t* const view = v->data();
    for (uint32_t i = 0; i < 3; ++i)
        view[i] = 5 + i;
    manager.sequence()->eval<kp::OpAlgoDispatch>(manager.algorithm({v, u}, copyShader()));
    EXPECT_EQ(u->vector(), (Words{5, 6, 7}));
}

TEST_F(ResidencyTest, LoggedOnceSetDataIsNotCopiedIfTheProgramSynchronises) {
    const auto sq = copySequence();
    manager.sequence()->eval<kp::OpSyncDevice>({t});
    t->setData({4, 5, 6}); // prepares the next step
    sq->eval();
    sq->eval();
    EXPECT_EQ(u->vector(), (Words{1, 2, 3}));
    const std::string log = logText();
    EXPECT_NE(log.find("record OpSyncDevice"), std::string::npos) << log;
    EXPECT_EQ(log.find("record OpSyncDevice"), log.rfind("record OpSyncDevice"));
    EXPECT_EQ(t->vector(), (Words{4, 5, 6}));
    manager.sequence()->eval<kp::OpSyncDevice>({t});
    sq->eval();
    EXPECT_EQ(u->vector(), (Words{4, 5, 6}));
}

TEST_F(ResidencyTest, SyncDeviceResetsWhatADispatchWrote) {
    const auto sq = manager.sequence()->record<kp::OpSyncDevice>({t})->record<kp::OpAlgoDispatch>(
        manager.algorithm({t}, addShader(10)));
    for (int round = 0; round < 3; ++round)
        sq->eval();
    EXPECT_EQ(onDevice<uint32_t>(*t), (Words{11, 12, 13}));
    EXPECT_EQ(logText().find("OpSyncDevice"), std::string::npos) << logText();
}

TEST_F(ResidencyTest, ViewsOfMemoryThatTheProgramSynchronisesDoNotCount) {
    const auto sq = manager.sequence()
                        ->record<kp::OpAlgoDispatch>(manager.algorithm({t}, addShader(10)))
                        ->record<kp::OpSyncLocal>({t});
    sq->eval();
    t->data()[0] = 1000; // a change of the program's own copy
    sq->eval();
    EXPECT_EQ(t->data()[0], 21u);
}

TEST_F(ResidencyTest, WorksInAsynchronousEvaluations) {
    const auto sq = addSequence();
    sq->evalAsync();
    EXPECT_EQ(t->vector(), (Words{11, 12, 13})) << "vector() waits";
    sq->evalAwait();
    t->setData({0, 0, 0});
    sq->evalAsync();
    t->setData({5, 5, 5}); // the launched evaluation has its data already
    sq->evalAwait();
    EXPECT_EQ(t->vector(), (Words{5, 5, 5}));
    sq->eval();
    EXPECT_EQ(t->vector(), (Words{15, 15, 15}));
}

TEST_F(ResidencyTest, WorkThatWaitsForTheHostTakesTheDataOfItsSubmission) {
    kp::UserEvent gate;
    const auto sq = copySequence();
    sq->evalAsync({gate});
    t->setData({7, 8, 9});
    gate.set();
    sq->evalAwait();
    EXPECT_EQ(u->vector(), (Words{7, 8, 9}));
}

TEST_F(ResidencyTest, WorksOnSeveralQueues) {
    kp::ManagerOptions options;
    const uint32_t family = manager.queueFamily();
    options.queueFamilies = {family, family};
    if (manager.deviceInfo().computeQueues[family] < 2)
        GTEST_SKIP() << "the device has one queue";
    kp::Manager two(options);
    const auto a = two.tensorT<uint32_t>({1, 2, 3});
    const auto add = two.algorithm({a}, addShader(1));
    const auto first = two.sequence(0)->record<kp::OpAlgoDispatch>(add);
    const auto second = two.sequence(1)->record<kp::OpAlgoDispatch>(add);
    for (uint32_t round = 0; round < 5; ++round) {
        a->setData({round, round, round});
        first->evalAsync();
        second->evalAsync();
        EXPECT_EQ(a->vector(), Words(3, round + 2));
        second->evalAwait();
        first->evalAwait();
    }
}

TEST_F(ResidencyTest, TwoThreadsUploadOnce) {
    for (int round = 0; round < 20; ++round) {
        const auto a = manager.tensorT<uint32_t>({1, 2, 3});
        const auto one =
            manager.sequence()->record<kp::OpAlgoDispatch>(manager.algorithm({a}, addShader(1)));
        const auto other =
            manager.sequence()->record<kp::OpAlgoDispatch>(manager.algorithm({a}, addShader(1)));
        std::thread thread([&] { one->eval(); });
        other->eval();
        thread.join();
        EXPECT_EQ(a->vector(), (Words{3, 4, 5}));
    }
}

TEST_F(ResidencyTest, LaunchersAndListsFindTheData) {
    kp::KernelOptions options;
    options.globalSize = 3;
    const kp::Kernel copy(manager, copyShader());
    const kp::Kernel add(manager, addShader(1));
    const auto first = std::make_shared<kp::KernelLauncher>(
        "copy", copy, kp::Arguments{kp::Argument(t), kp::Argument(u)}, options);
    const auto second =
        std::make_shared<kp::KernelLauncher>("add", add, kp::Arguments{kp::Argument(u)}, options);
    kp::KernelListLauncher list("list");
    list.push(first);
    list.push(second);
    list().wait();
    EXPECT_EQ(u->vector(), (Words{2, 3, 4}));
    for (uint32_t round = 0; round < 20; ++round) { // some are gathered
        t->setData({round, round, round});
        (*first)(kp::LaunchOptions());
        (*second)(kp::LaunchOptions());
    }
    EXPECT_EQ(u->vector(), Words(3, 20));
    (*t)[0] = 90;
    list().wait();
    EXPECT_EQ(u->vector(), (Words{91, 20, 20}));
}

TEST_F(ResidencyTest, CopyLaunchersFindTheData) {
    Words host(3);
    kp::CopyLauncher download("download", t, host);
    download(kp::LaunchOptions())->wait();
    EXPECT_EQ(host, (Words{1, 2, 3}));
    kp::CopyRange range;
    range.destinationOffset = 4;
    range.byteCount = 4;
    kp::CopyLauncher upload("upload", host, u, range);
    u->setData({4, 5, 6});
    upload(kp::LaunchOptions())->wait();
    EXPECT_EQ(u->vector(), (Words{4, 1, 6}));
}

TEST_F(ResidencyTest, GroupsFindTheData) {
    kp::DeviceGroup group(groupOptions(2));
    std::vector<std::shared_ptr<kp::Tensor>> copies;
    for (uint32_t device = 0; device < 2; ++device)
        copies.push_back(group[device].tensorT<uint32_t>(Words{device + 1, 5, 6}));
    kp::BufferOptions replicated;
    replicated.placement = kp::BufferPlacement::eReplicated;
    kp::Buffer all(group, {3}, kp::ElementType(kp::Memory::DataTypes::eUnsignedInt), copies,
                   replicated);
    kp::Event::waitAll(all.allReduce(kp::ReduceOperation::eSum));
    EXPECT_EQ(copies[0]->vector<uint32_t>(), (Words{3, 10, 12}));
    EXPECT_EQ(copies[1]->vector<uint32_t>(), (Words{3, 10, 12}));
}

TEST_F(ResidencyTest, ImagesFollowToo) {
    const auto image = manager.imageT<uint32_t>({7, 8, 9, 10}, 2, 2, 1);
    const auto add = spirv(shader("layout(binding = 0, r32ui) uniform uimage2D m;",
                                  "ivec2 p = ivec2(i % 2, i / 2);"
                                  "imageStore(m, p, imageLoad(m, p) + 1);"));
    const auto sq = manager.sequence()->record<kp::OpAlgoDispatch>(
        manager.algorithm({image}, add, kp::Workgroup{4, 1, 1}));
    sq->eval();
    EXPECT_EQ(image->vector(), (Words{8, 9, 10, 11}));
    (*image)[3] = 100;
    sq->eval();
    EXPECT_EQ(image->vector(), (Words{9, 10, 11, 101}));
}

TEST_F(ResidencyTest, AFailedEvaluationLosesNothing) {
    auto gone = manager.tensorT<uint32_t>({0, 0, 0});
    const auto sq = manager.sequence()->record<kp::OpSyncDevice>({t})->record<kp::OpAlgoDispatch>(
        manager.algorithm({t, gone}, copyShader()));
    gone->destroy();
    EXPECT_THROW(sq->eval(), kp::InvalidArgument);
    EXPECT_EQ(onDevice<uint32_t>(*t), (Words{1, 2, 3}));
}

TEST_F(ResidencyTest, MemoryWhoseHandleWasTakenIsTheProgramsOwn) {
    t->nativeBuffer();
    EXPECT_TRUE(t->deviceHasContents()) << "the data are copied at once";
    copySequence()->eval();
    EXPECT_EQ(u->vector(), (Words{1, 2, 3}));
    t->data()[0] = 9; // the program says when the device sees it
    copySequence()->eval();
    EXPECT_EQ(u->vector(), (Words{1, 2, 3}));
}

TEST_F(ResidencyTest, ASequenceInAHostApplicationsCommandBufferFindsTheData) {
    HostVulkan host(manager);
    kp::Manager wrapped(host.description());
    const auto a = wrapped.tensorT<uint32_t>({1, 2, 3});
    const auto sq =
        wrapped.sequence()->record<kp::OpAlgoDispatch>(wrapped.algorithm({a}, addShader(10)));
    const VkCommandBuffer commands = host.begin();
    sq->recordInto(commands);
    sq->preEval();
    host.submitAndWait(commands);
    sq->postEval();
    EXPECT_EQ(a->vector(), (Words{11, 12, 13}));
}

TEST_F(ResidencyTest, CostsNothingWhereNothingIsNewer) {
    const auto sq = addSequence();
    sq->eval();
    CallCounter calls(manager);
    for (uint64_t round = 1; round <= 5; ++round) {
        sq->eval();
        EXPECT_EQ(calls.submits(), round) << calls.list();
    }
    EXPECT_FALSE(t->hostViewReady());
    t->vector();
    EXPECT_TRUE(t->hostViewReady());
}

TEST_F(ResidencyTest, SyncLocalAfterADispatchLeavesNothingToFetch) {
    manager.sequence()
        ->record<kp::OpAlgoDispatch>(manager.algorithm({t}, addShader(1)))
        ->record<kp::OpSyncLocal>({t})
        ->eval();
    EXPECT_TRUE(t->hostViewReady());
    EXPECT_EQ(t->vector(), (Words{2, 3, 4}));
}

TEST_F(ResidencyTest, ATimedOutEvaluationIsFetchedLater) {
    auto counter = manager.tensorT<uint32_t>({0});
    auto sq = manager.sequence();
    const uint32_t steps = recordSlowWork(manager, *sq, counter);
    sq->evalAsync();
    sq->evalAwait(1);
    EXPECT_EQ(counter->vector()[0], steps);
}

TEST_F(ResidencyTest, AViewWaitsForASyncLocalThatStillRuns) {
    auto counter = manager.tensorT<uint32_t>({0});
    auto sq = manager.sequence();
    sq->record<kp::OpSyncDevice>({counter});
    const uint32_t steps = recordSlowWork(manager, *sq, counter);
    sq->record<kp::OpSyncLocal>({counter});
    sq->evalAsync();
    EXPECT_EQ(counter->vector()[0], steps) << "while the sequence runs";
    sq->evalAwait();
    counter->setData(std::vector<uint32_t>{7});
    sq->evalAsync();
    sq->evalAwait(1);
    EXPECT_FALSE(counter->hostViewReady());
    EXPECT_EQ(counter->data()[0], 7 + steps) << "after a timeout";
    EXPECT_TRUE(counter->hostViewReady());
    sq->evalAsync();
    sq->evalAwait(1);
    counter->setData(std::vector<uint32_t>{9});
    EXPECT_EQ(counter->data()[0], 9u) << "what the host sets later is newer";
}

TEST_F(ResidencyTest, EvalAllBringsMirrorsUpToDateBetweenItsSequences) {
    t->upload(Words{7, 7, 7});
    const auto fill = manager.sequence()->record<kp::OpFill>({t}, 9u);
    const auto sync = manager.sequence()->record<kp::OpSyncDevice>({t});
    kp::evalAll({fill, sync});
    EXPECT_EQ(onDevice<uint32_t>(*t), (Words{9, 9, 9}));
    EXPECT_EQ(t->vector(), (Words{9, 9, 9}));
}

TEST_F(ResidencyTest, EvalAllTakesTheDataOnceForSeveralSequences) {
    const auto sync = manager.sequence()->record<kp::OpSyncDevice>({t});
    const auto copy = copySequence();
    t->setData({4, 5, 6});
    kp::evalAll({sync, copy});
    EXPECT_EQ(u->vector(), (Words{4, 5, 6}));
    EXPECT_EQ(logText().find("OpSyncDevice"), std::string::npos) << logText();
}

} // namespace
} // namespace kp::test
