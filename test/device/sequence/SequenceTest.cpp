// SPDX-License-Identifier: Apache-2.0
#include <functional>

#include "../TestSupport.hpp"

namespace kp::test {
namespace {

class SequenceTest : public DeviceTest {
protected:
    std::shared_ptr<kp::TensorT<float>> t = manager.tensor({0, 0, 0});
    std::shared_ptr<kp::Algorithm> increment = manager.algorithm({t}, incrementFloats());

    void SetUp() override { manager.sequence()->eval<kp::OpSyncDevice>({t}); }
    float value() { return onDevice<float>(*t)[0]; }
};

TEST_F(SequenceTest, ReportsItsStates) {
    auto sq = manager.sequence();
    EXPECT_TRUE(sq->isInit());
    EXPECT_FALSE(sq->isRecording());
    EXPECT_FALSE(sq->isRunning());
    sq->begin();
    EXPECT_TRUE(sq->isRecording());
    sq->begin(); // does nothing
    EXPECT_TRUE(sq->isRecording());
    sq->end();
    EXPECT_FALSE(sq->isRecording());
    sq->end(); // only warns
    sq->record<kp::OpAlgoDispatch>(increment);
    EXPECT_TRUE(sq->isRecording());
    sq->evalAsync();
    EXPECT_FALSE(sq->isRecording());
    EXPECT_TRUE(sq->isRunning());
    sq->evalAwait();
    EXPECT_FALSE(sq->isRunning());
}

TEST_F(SequenceTest, RejectsChangesWhileItRuns) {
    auto counter = manager.tensorT<uint32_t>({0});
    auto sq = manager.sequence();
    recordSlowWork(manager, *sq, counter);
    sq->evalAsync();
    const auto refuses = [](const std::string& function, const std::function<void()>& call) {
        EXPECT_ERROR(kp::InvalidArgument,
                     function +
                         "() was called while the sequence runs; call evalAwait() first, or use "
                         "another sequence",
                     call());
    };
    refuses("record", [&] { sq->record<kp::OpAlgoDispatch>(increment); });
    refuses("record", [&] { sq->record(std::make_shared<kp::OpAlgoDispatch>(increment)); });
    refuses("begin", [&] { sq->begin(); });
    refuses("end", [&] { sq->end(); });
    refuses("rerecord", [&] { sq->rerecord(); });
    refuses("evalAsync", [&] { sq->evalAsync(); });
    refuses("eval", [&] { sq->eval(); });
    refuses("eval", [&] { sq->eval<kp::OpAlgoDispatch>(increment); });
    EXPECT_TRUE(sq->isRunning());
    sq->evalAwait();
    sq->eval<kp::OpAlgoDispatch>(increment);
    EXPECT_EQ(value(), 1);
}

TEST_F(SequenceTest, EvalAwaitReturnsIfNothingRuns) {
    auto sq = manager.sequence();
    EXPECT_EQ(sq->evalAwait(), sq);
    EXPECT_FALSE(sq->isRunning());
}

TEST_F(SequenceTest, EvalAsyncWarnsIfNothingIsRecorded) {
    auto sq = manager.sequence();
    EXPECT_EQ(sq->evalAsync(), sq);
    EXPECT_FALSE(sq->isRunning());
    EXPECT_NE(logText().find("W "), std::string::npos);
    sq->evalAwait();
    sq->eval();
    sq->eval<kp::OpAlgoDispatch>(increment);
    EXPECT_EQ(value(), 1);
}

TEST_F(SequenceTest, RunsTheSameWorkAtEachEvaluation) {
    auto sq = manager.sequence()->record<kp::OpAlgoDispatch>(increment);
    for (int round = 1; round <= 10; ++round) {
        sq->eval();
        EXPECT_EQ(value(), round);
    }
}

TEST_F(SequenceTest, RecordAfterEvalStartsANewRecording) {
    auto add10 =
        manager.algorithm({t}, spirv(shader(buffer(0, "", "float", "v"), "v[i] += 10.0;")));
    auto sq = manager.sequence();
    sq->record<kp::OpAlgoDispatch>(increment)->eval();
    sq->record<kp::OpAlgoDispatch>(add10)->eval();
    EXPECT_EQ(value(), 11); // 1 + 10, not 1 + 1 + 10
    sq->eval();
    EXPECT_EQ(value(), 21);
    sq->rerecord();
    sq->eval();
    EXPECT_EQ(value(), 31); // earlier operations do not come back
}

TEST_F(SequenceTest, EvalWithAnOperationReplacesTheRecording) {
    auto sq = manager.sequence();
    sq->record<kp::OpAlgoDispatch>(increment)->record<kp::OpAlgoDispatch>(increment);
    sq->eval<kp::OpAlgoDispatch>(increment);
    EXPECT_EQ(value(), 1);
    sq->eval();
    EXPECT_EQ(value(), 2);
    sq->evalAsync<kp::OpAlgoDispatch>(increment);
    sq->evalAwait();
    EXPECT_EQ(value(), 3);
}

TEST_F(SequenceTest, ClearKeepsTheRecording) {
    auto sq = manager.sequence();
    sq->record<kp::OpAlgoDispatch>(increment)->record<kp::OpAlgoDispatch>(increment);
    sq->clear();
    EXPECT_FALSE(sq->isRecording());
    sq->evalAsync();
    sq->evalAwait();
    EXPECT_EQ(value(), 2);
    sq->eval();
    EXPECT_EQ(value(), 4);
    sq->record<kp::OpAlgoDispatch>(increment)->eval();
    EXPECT_EQ(value(), 5);
}

TEST_F(SequenceTest, CanBeClearedWhenEmptyAndTwice) {
    auto sq = manager.sequence();
    sq->clear();
    sq->record<kp::OpAlgoDispatch>(increment);
    sq->clear();
    sq->clear();
    sq->eval();
    EXPECT_EQ(value(), 1);
}

TEST_F(SequenceTest, RerecordsBeforeAndAfterEval) {
    auto sq = manager.sequence();
    sq->rerecord(); // has nothing to record
    sq->record<kp::OpAlgoDispatch>(increment);
    sq->rerecord();
    EXPECT_TRUE(sq->isRecording());
    sq->rerecord();
    sq->eval();
    EXPECT_EQ(value(), 1);
    sq->rerecord();
    EXPECT_TRUE(sq->isRecording());
    sq->record<kp::OpAlgoDispatch>(increment); // is appended to the new recording
    sq->eval();
    EXPECT_EQ(value(), 3);
}

TEST_F(SequenceTest, CanBeBegunAndEndedExplicitly) {
    auto sq = manager.sequence();
    sq->begin();
    sq->record<kp::OpAlgoDispatch>(increment);
    sq->end();
    sq->eval();
    EXPECT_EQ(value(), 1);
    sq->begin();
    sq->end();
    sq->eval(); // an empty recording runs nothing
    EXPECT_EQ(value(), 1);
}

TEST_F(SequenceTest, ThrowsAfterDestroyAndKeepsItsTensors) {
    auto sq = manager.sequence();
    sq->eval<kp::OpAlgoDispatch>(increment);
    sq->destroy();
    EXPECT_FALSE(sq->isInit());
    EXPECT_FALSE(sq->isRecording());
    EXPECT_FALSE(sq->isRunning());
    EXPECT_ERROR(kp::InvalidArgument, "destroy", sq->record<kp::OpAlgoDispatch>(increment));
    EXPECT_ERROR(kp::InvalidArgument, "destroy", sq->evalAsync());
    EXPECT_THROW(sq->eval(), kp::InvalidArgument);
    EXPECT_THROW(sq->begin(), kp::InvalidArgument);
    EXPECT_THROW(sq->rerecord(), kp::InvalidArgument);
    sq->destroy();
    EXPECT_TRUE(t->isInit());
    EXPECT_EQ(value(), 1);
}

TEST_F(SequenceTest, KeepsTheRecordingIfARecordFails) {
    auto sq = manager.sequence();
    sq->record<kp::OpAlgoDispatch>(increment);
    EXPECT_THROW(sq->record<kp::OpCopy>({t, manager.tensor({1})}), kp::InvalidArgument);
    sq->record<kp::OpAlgoDispatch>(increment)->eval();
    EXPECT_EQ(value(), 2);
}

TEST_F(SequenceTest, RunsAsATemporary) {
    for (int round = 1; round <= 50; ++round)
        manager.sequence()->eval<kp::OpAlgoDispatch>(increment);
    EXPECT_EQ(value(), 50);
    manager.sequence()
        ->record<kp::OpAlgoDispatch>(increment)
        ->record<kp::OpAlgoDispatch>(increment)
        ->eval();
    EXPECT_EQ(value(), 52);
}

TEST_F(SequenceTest, FreesTheOperationsOfEarlierRecordings) {
    auto sq = manager.sequence();
    std::weak_ptr<kp::OpBase> early;
    {
        auto op = std::make_shared<kp::OpAlgoDispatch>(increment);
        early = op;
        sq->record(op)->eval();
    }
    sq->record<kp::OpAlgoDispatch>(increment)->eval();
    EXPECT_TRUE(early.expired()) << "the sequence still holds an operation of an earlier recording";
}

TEST_F(SequenceTest, DistinguishesSimilarRecordings) {
    const auto scaled = spirv(R"(#version 450
        layout(local_size_x = 1) in;
        layout(set = 0, binding = 0) buffer V { float v[]; };
        layout(push_constant) uniform P { float scale; float offset; };
        void main() {
            uint i = gl_GlobalInvocationID.x;
            v[i] = v[i] * scale + offset;
        })");
    const auto makeAlgorithm = [&] {
        return manager.algorithm<float, float>({t}, scaled, {}, {}, {2.0f, 0.0f});
    };
    const auto a = makeAlgorithm();
    const auto b = makeAlgorithm();
    using Push = std::vector<float>;
    auto sq = manager.sequence();
    const auto evaluateAndExpect = [&](float after) {
        sq->eval();
        EXPECT_EQ(value(), after);
    };
    const auto recordFirst = [&] {
        sq->record<kp::OpAlgoDispatch>(a, Push{1, 3})->record<kp::OpAlgoDispatch>(b);
    };
    recordFirst();
    evaluateAndExpect(6);
    recordFirst(); // the same
    evaluateAndExpect(18);
    // Other push constants, another order, other operations, fewer, more.
    sq->record<kp::OpAlgoDispatch>(a)->record<kp::OpAlgoDispatch>(b, Push{1, 1});
    evaluateAndExpect(37);
    sq->record<kp::OpAlgoDispatch>(b)->record<kp::OpAlgoDispatch>(a, Push{1, 1});
    evaluateAndExpect(75);
    sq->record<kp::OpFill>({t}, 1.0f)->record<kp::OpAlgoDispatch>(a, Push{1, 4});
    evaluateAndExpect(5);
    sq->record<kp::OpAlgoDispatch>(a);
    evaluateAndExpect(10);
    sq->record<kp::OpAlgoDispatch>(a)->record<kp::OpAlgoDispatch>(a);
    evaluateAndExpect(40);
    sq->clear();
    recordFirst();
    evaluateAndExpect(86);
    b->setPushConstants(Push{1, -85});
    recordFirst();
    evaluateAndExpect(4);
    EXPECT_THROW(sq->record<kp::OpAlgoDispatch>(a, Push{1}), kp::InvalidArgument);
    sq->record<kp::OpAlgoDispatch>(a);
    evaluateAndExpect(8);
}

TEST_F(SequenceTest, ReleasesTheAlgorithmsOfTheEarlierRecording) {
    auto sq = manager.sequence();
    auto first = manager.algorithm({t}, incrementFloats());
    auto second = manager.algorithm({t}, incrementFloats());
    sq->record<kp::OpAlgoDispatch>(first)->record<kp::OpAlgoDispatch>(second)->eval();
    const std::weak_ptr<kp::Algorithm> weakFirst = first;
    const std::weak_ptr<kp::Algorithm> weakSecond = second;
    first.reset();
    EXPECT_FALSE(weakFirst.expired());
    sq->begin();
    EXPECT_TRUE(weakFirst.expired());
    sq->record<kp::OpAlgoDispatch>(increment);
    second.reset();
    EXPECT_TRUE(weakSecond.expired()) << "the new recording replaced it";
    sq->eval();
    EXPECT_EQ(value(), 3);
}

TEST_F(SequenceTest, RejectsASyncWithoutObjects) {
    auto sq = manager.sequence();
    const std::vector<std::shared_ptr<kp::Memory>> none;
    EXPECT_THROW(sq->record<kp::OpSyncDevice>(none), kp::InvalidArgument);
    EXPECT_THROW(sq->record<kp::OpSyncLocal>(none), std::runtime_error);
    EXPECT_THROW(kp::OpSyncDevice{none}, std::runtime_error);
}

TEST_F(SequenceTest, KeepsItsTensorsAlive) {
    auto sq = manager.sequence();
    {
        auto mine = manager.tensor({1, 2, 3});
        sq->record<kp::OpSyncDevice>({mine});
        sq->record<kp::OpAlgoDispatch>(manager.algorithm({mine}, incrementFloats()));
        sq->record<kp::OpCopy>({mine, t});
    }
    sq->eval();
    EXPECT_EQ(onDevice<float>(*t), (std::vector<float>{2, 3, 4}));
}

TEST_F(SequenceTest, HasANativeCommandBufferOnceRecorded) {
    auto sq = manager.sequence();
    EXPECT_EQ(sq->nativeCommandBuffer(), nullptr);
    sq->record<kp::OpAlgoDispatch>(increment);
    EXPECT_NE(sq->nativeCommandBuffer(), nullptr);
    sq->eval();
}

} // namespace
} // namespace kp::test
