// SPDX-License-Identifier: Apache-2.0
//
// Several sequences in one submission.
#include "../CallCounter.hpp"
#include "../TestSupport.hpp"

namespace kp::test {
namespace {

class EvalAllTest : public DeviceTest {
protected:
    std::shared_ptr<kp::Sequence> addSequence(const std::shared_ptr<kp::TensorT<uint32_t>>& tensor,
                                              uint32_t amount) {
        return manager.sequence()->record<kp::OpAlgoDispatch>(
            manager.algorithm({tensor}, addShader(amount)));
    }
};

TEST_F(EvalAllTest, SubmitsManySequencesAtOnce) {
    std::vector<std::shared_ptr<kp::TensorT<uint32_t>>> tensors;
    std::vector<std::shared_ptr<kp::Sequence>> sequences;
    for (uint32_t i = 0; i < 20; ++i) {
        tensors.push_back(manager.tensorT<uint32_t>({i, i}));
        sequences.push_back(
            manager.sequence()
                ->record<kp::OpSyncDevice>({tensors[i]})
                ->record<kp::OpAlgoDispatch>(manager.algorithm({tensors[i]}, addShader(i + 1)))
                ->record<kp::OpSyncLocal>({tensors[i]}));
    }
    CallCounter calls(manager);
    kp::evalAll(sequences);
    EXPECT_EQ(calls.submits(), 1u) << calls.list();
    for (uint32_t i = 0; i < 20; ++i) {
        EXPECT_EQ(tensors[i]->vector(), (std::vector<uint32_t>{2 * i + 1, 2 * i + 1}));
        EXPECT_FALSE(sequences[i]->isRunning());
        EXPECT_TRUE(sequences[i]->event().done());
    }
}

TEST_F(EvalAllTest, RunsSequencesOnTheSameMemoryInListOrder) {
    const auto tensor = manager.tensorT<uint32_t>({0});
    const auto result = manager.tensorT<uint32_t>(1);
    const auto fill = manager.sequence()->record<kp::OpFill>({tensor}, 5u);
    const auto add = addSequence(tensor, 3);
    const auto copy = manager.sequence()->record<kp::OpCopy>({tensor, result});
    for (int round = 0; round < 3; ++round) {
        kp::evalAll({fill, add, copy});
        EXPECT_EQ(result->vector()[0], 8u);
        kp::evalAll({fill, copy, add});
        EXPECT_EQ(result->vector()[0], 5u);
    }
}

TEST_F(EvalAllTest, SyncsWhatAnEarlierSequenceWroteAfterAnUpload) {
    const auto tensor = manager.tensorT<uint32_t>({1});
    tensor->upload(std::vector<uint32_t>{5}); // the mirror has not followed yet
    const auto add = addSequence(tensor, 3);
    const auto sync = manager.sequence()->record<kp::OpSyncDevice>({tensor});
    kp::evalAll({add, sync});
    EXPECT_EQ(onDevice<uint32_t>(*tensor)[0], 8u);
}

TEST_F(EvalAllTest, CopiesHostViewsToTheDeviceAsIfOneRanAfterTheOther) {
    const auto code = spirv(shader(buffer(0, "writeonly", "uint", "a"), "a[1] = 5u;"));
    std::vector<std::vector<uint32_t>> results;
    for (const bool together : {false, true}) {
        const auto tensor = manager.tensorT<uint32_t>({1, 1});
        const auto copied = manager.tensorT<uint32_t>(2, kp::Memory::MemoryTypes::eStorage);
        const auto copy = manager.sequence()->record<kp::OpAlgoDispatch>(
            manager.algorithm({tensor, copied}, copyShader(), {2, 1, 1}));
        copy->eval(); // both sides agree
        tensor->data()[0] = 9;
        const auto write = manager.sequence()->record<kp::OpAlgoDispatch>(
            manager.algorithm({tensor}, code, {1, 1, 1}));
        if (together) {
            kp::evalAll({write, copy});
        } else {
            write->eval();
            copy->eval();
        }
        results.push_back(onDevice<uint32_t>(*copied));
    }
    EXPECT_EQ(results[1], results[0]);
}

TEST_F(EvalAllTest, WaitsForEachSequenceSeparately) {
    const auto a = manager.tensorT<uint32_t>({1});
    const auto b = manager.tensorT<uint32_t>({2});
    manager.sequence()->eval<kp::OpSyncDevice>({a, b});
    const auto first = addSequence(a, 10);
    const auto second = addSequence(b, 20);
    kp::evalAllAsync({first, second});
    EXPECT_TRUE(first->isRunning());
    EXPECT_TRUE(second->isRunning());
    second->evalAwait();
    EXPECT_FALSE(second->isRunning());
    first->evalAwait();
    EXPECT_EQ(onDevice<uint32_t>(*a)[0], 11u);
    EXPECT_EQ(onDevice<uint32_t>(*b)[0], 22u);
}

TEST_F(EvalAllTest, KeepsTheListOrderOnSeveralQueues) {
    kp::ManagerOptions options;
    const uint32_t family = manager.queueFamily();
    options.queueFamilies = {family, family};
    if (manager.deviceInfo().computeQueues[family] < 2)
        GTEST_SKIP() << "the device has one queue";
    kp::Manager two(options);
    const auto tensor = two.tensorT<uint32_t>({0});
    const auto code = addShader(1);
    const auto fill = two.sequence(0)->record<kp::OpFill>({tensor}, 5u);
    const auto add = two.sequence(1)->record<kp::OpAlgoDispatch>(two.algorithm({tensor}, code));
    const auto again = two.sequence(0)->record<kp::OpAlgoDispatch>(two.algorithm({tensor}, code));
    for (int round = 0; round < 20; ++round) {
        kp::evalAll({fill, add, again});
        EXPECT_EQ(tensor->vector()[0], 7u);
    }
}

TEST_F(EvalAllTest, RejectsTheWholeListBeforeAnythingRuns) {
    const auto tensor = manager.tensorT<uint32_t>({1});
    manager.sequence()->eval<kp::OpSyncDevice>({tensor});
    const auto add = addSequence(tensor, 1);
    EXPECT_ERROR(kp::InvalidArgument, "null", kp::evalAll({add, nullptr}));
    EXPECT_ERROR(kp::InvalidArgument, "twice", kp::evalAll({add, add}));
    const auto running = addSequence(tensor, 1);
    running->evalAsync();
    EXPECT_ERROR(kp::InvalidArgument, "while the sequence", kp::evalAll({add, running}));
    running->evalAwait();
    EXPECT_EQ(onDevice<uint32_t>(*tensor)[0], 2u);
    kp::evalAll({});
    kp::evalAll({manager.sequence(), add});
    EXPECT_EQ(onDevice<uint32_t>(*tensor)[0], 3u);
}

} // namespace
} // namespace kp::test
