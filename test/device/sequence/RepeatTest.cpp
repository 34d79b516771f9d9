// SPDX-License-Identifier: Apache-2.0
//
// Operations that the device repeats until a flag is set.
#include <functional>
#include <random>

#include <kompute/Launch.hpp>
#include <kompute/Primitives.hpp>
#include <kompute/program/Program.hpp>

#include "../CallCounter.hpp"
#include "../TestSupport.hpp"

namespace kp::test {
namespace {

using Operation = std::shared_ptr<kp::OpBase>;
using Operations = std::vector<Operation>;

class OpRepeatTest : public DeviceTest {
protected:
    using Words = kp::TensorT<uint32_t>;
    std::shared_ptr<Words> counter = manager.tensorT<uint32_t>({0});
    std::shared_ptr<Words> flag = manager.tensorT<uint32_t>({0});
    std::shared_ptr<Words> t = manager.tensorT<uint32_t>({1, 2, 3, 4, 5});

    Operation dispatch(const std::vector<std::shared_ptr<kp::Memory>>& memory,
                       const std::string& declarations, const std::string& body) {
        const std::string source = "#version 450\nlayout(local_size_x = 1) in;\n" + declarations +
                                   "void main() { uint i = gl_WorkGroupID.x;\n" + body + "}\n";
        return std::make_shared<kp::OpAlgoDispatch>(
            manager.algorithm(memory, manager.compile(source)));
    }
    /// Counts a step, and sets the flag in step @p last.
    Operation count(uint32_t last) {
        return dispatch({counter, flag},
                        "layout(binding = 0) buffer A { uint count[]; };\n"
                        "layout(binding = 1) writeonly buffer B { uint flag[]; };\n",
                        "if (i == 0) { count[0] += 1; if (count[0] == " + std::to_string(last) +
                            ") flag[0] = 1; }");
    }
    Operation add(const std::shared_ptr<kp::Memory>& memory, uint32_t amount) {
        return std::make_shared<kp::OpAlgoDispatch>(manager.algorithm({memory}, addShader(amount)));
    }
    template <typename... Objects>
    static Operation copy(const Objects&... objects) {
        return std::make_shared<kp::OpCopy>(std::vector<std::shared_ptr<kp::Memory>>{objects...});
    }
    Operation repeat(Operations operations, uint32_t most) {
        return std::make_shared<kp::OpRepeat>(std::move(operations), flag, most);
    }
};

TEST_F(OpRepeatTest, StopsAfterTheStepThatSetsTheFlag) {
    manager.sequence()->eval(repeat({count(7), add(t, 10)}, 20));
    EXPECT_EQ(onDevice<uint32_t>(*counter)[0], 7u);
    EXPECT_EQ(onDevice<uint32_t>(*t), (std::vector<uint32_t>{71, 72, 73, 74, 75}));
}

TEST_F(OpRepeatTest, IsSavedInAProgram) {
    const CheckScope unchecked("off"); // programs have no checks
    auto sequence = manager.sequence();
    sequence->record(repeat({count(7), add(t, 10), std::make_shared<kp::OpSort>(t)}, 20));
    const kp::NamedTensors tensors = {{"counter", counter}, {"flag", flag}, {"t", t}};
    const std::vector<unsigned char> content =
        kp::Program::of(*sequence, tensors, tensors).content();
    const kp::Program program =
        kp::Program::parseUntrusted(manager, content.data(), content.size());
    for (int run = 0; run < 2; ++run) {
        counter->upload(std::vector<uint32_t>{0});
        flag->upload(std::vector<uint32_t>{0});
        t->upload(std::vector<uint32_t>{5, 4, 3, 2, 1});
        manager.sequence()->eval(program.operation(tensors));
        EXPECT_EQ(onDevice<uint32_t>(*counter)[0], 7u);
        EXPECT_EQ(onDevice<uint32_t>(*t), (std::vector<uint32_t>{71, 72, 73, 74, 75}));
    }
}

TEST_F(OpRepeatTest, RunsAtMostItsStepsAndGoesOnWhenEvaluatedAgain) {
    auto sq = manager.sequence();
    sq->record(repeat({add(t, 1), count(10)}, 4));
    for (const uint32_t expected : {4u, 8u, 10u, 10u, 10u}) {
        sq->eval();
        EXPECT_EQ(onDevice<uint32_t>(*counter)[0], expected);
        EXPECT_EQ(onDevice<uint32_t>(*t)[0], expected + 1);
    }
    manager.sequence()->eval(
        std::make_shared<kp::OpFill>(std::vector<std::shared_ptr<kp::Memory>>{flag}, uint32_t{0}));
    sq->eval();
    EXPECT_EQ(onDevice<uint32_t>(*counter)[0], 14u) << "the flag was taken back";
}

TEST_F(OpRepeatTest, LaterOperationsOfTheSequenceSeeTheResult) {
    const auto u = manager.tensorT<uint32_t>({0, 0, 0, 0, 0});
    auto sq = manager.sequence();
    sq->record(add(t, 100))->record(repeat({count(3), add(t, 1)}, 5));
    sq->record(copy(t, u))->record(add(u, 1000))->eval();
    EXPECT_EQ(onDevice<uint32_t>(*u), (std::vector<uint32_t>{1104, 1105, 1106, 1107, 1108}));
}

TEST_F(OpRepeatTest, LooksAtTheBitsOfItsElementAlone) {
    const auto steps = [&](const std::shared_ptr<kp::Tensor>& flags, uint64_t element) {
        counter->setData({0});
        manager.sequence()->eval(
            std::make_shared<kp::OpRepeat>(Operations{count(UINT32_MAX)}, flags, 3, element));
        return onDevice<uint32_t>(*counter)[0];
    };
    const auto bytes = manager.tensorT<uint8_t>({1, 2, 0, 255, 0, 128, 0});
    const auto shorts = manager.tensorT<int16_t>({1, 0, -1, 0, 256});
    const auto longs = manager.tensorT<uint64_t>({0, uint64_t{1} << 40, 0, 1});
    const auto bools = manager.tensorT<bool>({true, false, true});
    for (uint64_t i = 0; i < 7; ++i)
        EXPECT_EQ(steps(bytes, i), bytes->vector()[i] == 0 ? 3u : 0u) << i;
    for (uint64_t i = 0; i < 5; ++i)
        EXPECT_EQ(steps(shorts, i), shorts->vector()[i] == 0 ? 3u : 0u) << i;
    for (uint64_t i = 0; i < 4; ++i)
        EXPECT_EQ(steps(longs, i), longs->vector()[i] == 0 ? 3u : 0u) << i;
    EXPECT_EQ(steps(bools, 0), 0u);
    EXPECT_EQ(steps(bools, 1), 3u);
    EXPECT_EQ(steps(bools, 2), 0u);
}

TEST_F(OpRepeatTest, SkipsCopiesAndFills) {
    const auto copied = manager.tensorT<uint32_t>({0, 0, 0, 0, 0});
    const auto bytes = manager.tensorT<uint8_t>({1, 2, 3, 4, 5, 6, 7});
    const auto other = manager.tensorT<uint8_t>({9, 9, 9, 9, 9, 9, 9});
    const auto pairs = manager.tensorT<uint64_t>({7, 7, 7});
    const auto fill = [](const auto& tensor, auto value) {
        return std::make_shared<kp::OpFill>(std::vector<std::shared_ptr<kp::Memory>>{tensor},
                                            value);
    };
    const Operations step{add(t, 1),
                          copy(t, copied),
                          fill(bytes, uint8_t{77}),
                          copy(bytes, other),
                          fill(pairs, (uint64_t{1} << 40) + 2),
                          count(2)};
    auto sq = manager.sequence();
    sq->record(repeat(step, 4))->eval();
    EXPECT_EQ(onDevice<uint32_t>(*copied), (std::vector<uint32_t>{3, 4, 5, 6, 7}));
    EXPECT_EQ(onDevice<uint8_t>(*bytes), std::vector<uint8_t>(7, 77));
    EXPECT_EQ(onDevice<uint8_t>(*other), std::vector<uint8_t>(7, 77));
    EXPECT_EQ(onDevice<uint64_t>(*pairs), std::vector<uint64_t>(3, (uint64_t{1} << 40) + 2));

    t->setData({50, 50, 50, 50, 50});
    bytes->setData({1, 2, 3, 4, 5, 6, 7});
    pairs->setData({8, 8, 8});
    sq->eval();
    EXPECT_EQ(onDevice<uint32_t>(*t), std::vector<uint32_t>(5, 50));
    EXPECT_EQ(onDevice<uint32_t>(*copied), (std::vector<uint32_t>{3, 4, 5, 6, 7}));
    EXPECT_EQ(onDevice<uint8_t>(*bytes), (std::vector<uint8_t>{1, 2, 3, 4, 5, 6, 7}));
    EXPECT_EQ(onDevice<uint64_t>(*pairs), std::vector<uint64_t>(3, 8));
}

TEST_F(OpRepeatTest, KeepsWhatTheHostHasNewerIfACopyIsSkipped) {
    const auto target = manager.tensorT<uint32_t>({0, 0, 0, 0, 0});
    auto sq = manager.sequence();
    sq->record(repeat({copy(t, target), count(1)}, 2))->eval();
    EXPECT_EQ(target->vector(), (std::vector<uint32_t>{1, 2, 3, 4, 5}));
    target->setData({6, 7, 8, 9, 10});
    sq->eval();
    EXPECT_EQ(onDevice<uint32_t>(*target), (std::vector<uint32_t>{6, 7, 8, 9, 10}));
    EXPECT_EQ(target->vector(), (std::vector<uint32_t>{6, 7, 8, 9, 10}));
}

TEST_F(OpRepeatTest, SkipsPrimitivesAndTheirIntermediateSteps) {
    constexpr size_t kCount = 5000;
    const auto values = manager.tensorT<uint32_t>(ascending<uint32_t>(kCount));
    const auto sums = manager.tensorT<uint32_t>(kCount);
    const auto total = manager.tensorT<uint32_t>({0});
    const auto keys = manager.tensorT<uint32_t>(ascending<uint32_t>(kCount));
    const Operations step{
        add(values, 3), std::make_shared<kp::OpScan>(values, sums, kp::ReduceOperation::eSum),
        std::make_shared<kp::OpReduce>(sums, total, kp::ReduceOperation::eMaximum),
        std::make_shared<kp::OpSort>(keys), count(2)};
    // Each step's primitives compute with the memory of the first one's.
    manager.sequence()->eval(repeat(step, 5));
    uint32_t sum = 0;
    for (uint32_t i = 0; i < kCount; ++i)
        sum += i + 6;
    EXPECT_EQ(onDevice<uint32_t>(*total)[0], sum);
    EXPECT_EQ(onDevice<uint32_t>(*sums).back(), sum);
    EXPECT_EQ(onDevice<uint32_t>(*keys), ascending<uint32_t>(kCount));
}

TEST_F(OpRepeatTest, SkipsIndirectDispatchesWhoseCountsChange) {
    const auto groups = manager.tensorT<uint32_t>({9, 9, 9, 0, 1, 1});
    const auto hits = manager.tensorT<uint32_t>({0, 0, 0, 0, 0, 0, 0, 0});
    const auto grow = dispatch({groups}, "layout(binding = 0) buffer A { uint groups[]; };\n",
                               "if (i == 0) groups[3] += 2;");
    const auto hit = std::make_shared<kp::OpAlgoDispatch>(manager.algorithm({hits}, addShader(1)),
                                                          groups, uint64_t{12});
    auto sq = manager.sequence();
    sq->record(repeat({grow, hit, count(3)}, 6))->eval();
    EXPECT_EQ(onDevice<uint32_t>(*hits), (std::vector<uint32_t>{3, 3, 2, 2, 1, 1, 0, 0}));
    EXPECT_EQ(onDevice<uint32_t>(*groups)[3], 6u);
    sq->eval();
    EXPECT_EQ(onDevice<uint32_t>(*hits), (std::vector<uint32_t>{3, 3, 2, 2, 1, 1, 0, 0}));
}

TEST_F(OpRepeatTest, RunsWhatALoopOfTheHostRuns) {
    constexpr size_t kTensors = 4;
    constexpr size_t kWords = 9;
    std::mt19937 random(5);
    const auto below = [&](size_t count) { return static_cast<size_t>(random() % count); };
    for (int program = 0; program < 30; ++program) {
        std::array<std::vector<std::shared_ptr<Words>>, 2> tensors;
        for (size_t i = 0; i < kTensors; ++i) {
            std::vector<uint32_t> words(kWords);
            for (uint32_t& word : words)
                word = static_cast<uint32_t>(random());
            for (auto& each : tensors)
                each.push_back(manager.tensorT<uint32_t>(words));
        }
        std::array<Operations, 2> steps;
        for (size_t length = 1 + below(6); length > 0; --length) {
            const size_t kind = below(5);
            const size_t a = below(kTensors);
            const size_t b = (a + 1 + below(kTensors - 1)) % kTensors;
            const auto amount = static_cast<uint32_t>(1 + below(9));
            for (size_t which = 0; which < 2; ++which) {
                const auto& to = tensors[which][a];
                const auto& from = tensors[which][b];
                if (kind == 0)
                    steps[which].push_back(add(to, amount));
                else if (kind == 1)
                    steps[which].push_back(copy(from, to));
                else if (kind == 2)
                    steps[which].push_back(
                        std::make_shared<kp::OpScan>(from, to, kp::ReduceOperation::eSum));
                else if (kind == 3)
                    steps[which].push_back(std::make_shared<kp::OpFill>(
                        std::vector<std::shared_ptr<kp::Memory>>{to}, amount));
                else
                    steps[which].push_back(
                        dispatch({from, to},
                                 "layout(binding = 0) readonly buffer A { uint a[]; };\n"
                                 "layout(binding = 1) buffer B { uint b[]; };\n",
                                 "b[i] = b[i] * 5 + a[(i + 1) % 9];"));
            }
        }
        const auto last = static_cast<uint32_t>(1 + below(5));
        for (uint32_t step = 0; step < last; ++step)
            for (const Operation& operation : steps[0])
                manager.sequence()->eval(operation);
        counter->setData({0});
        flag->setData({0});
        const size_t place = below(steps[1].size() + 1);
        steps[1].insert(steps[1].begin() + static_cast<ptrdiff_t>(place), count(last));
        manager.sequence()->eval(repeat(steps[1], 6));
        for (size_t i = 0; i < kTensors; ++i)
            ASSERT_EQ(onDevice<uint32_t>(*tensors[1][i]), onDevice<uint32_t>(*tensors[0][i]))
                << "program " << program << ", tensor " << i;
    }
}

TEST_F(OpRepeatTest, IsOneOperationForTimestamps) {
    if (!manager.deviceInfo().timestamps)
        GTEST_SKIP() << "the device has no timestamps";
    auto sq = manager.sequence(0, 2);
    sq->record(repeat({add(t, 1), count(3)}, 5))->record(add(t, 1))->eval();
    EXPECT_EQ(sq->getTimestamps().size(), 3u);
    EXPECT_EQ(onDevice<uint32_t>(*t)[0], 5u);
}

TEST_F(OpRepeatTest, RunsOnAQueueInLaunchesThatFollowEachOther) {
    const auto queue = manager.defaultQueue();
    const auto step = repeat({add(t, 1), count(1000)}, 3);
    for (int i = 0; i < 4; ++i)
        static_cast<void>(queue->launch(step));
    queue->launch(add(t, 100)).wait();
    EXPECT_EQ(onDevice<uint32_t>(*counter)[0], 12u);
    EXPECT_EQ(onDevice<uint32_t>(*t)[0], 113u);
}

TEST_F(OpRepeatTest, RepeatsLaunchersInAListThatIsRecordedOnce) {
    const auto step = std::make_shared<kp::KernelListLauncher>("step");
    const auto total = manager.tensorT<uint32_t>({0});
    step->push(std::make_shared<kp::PrimitiveLauncher>(
        "sum", std::make_shared<kp::OpReduce>(t, total, kp::ReduceOperation::eSum)));
    step->pushCopyDeviceToDevice("copy", total, counter);
    const auto repeated = std::make_shared<kp::RepeatLauncher>("repeat", step, flag, 3);
    kp::KernelListLauncher list("list");
    list += repeated;
    list(manager.defaultQueue()).wait();
    EXPECT_EQ(onDevice<uint32_t>(*counter)[0], 15u);
    const CallCounter calls(manager);
    list(manager.defaultQueue()).wait();
    EXPECT_EQ(calls.submits(), 1u);
    EXPECT_EQ(calls.of("vkBeginCommandBuffer"), 0u);
    flag->setData({1});
    t->setData({1, 1, 1, 1, 1});
    list(manager.defaultQueue()).wait();
    EXPECT_EQ(onDevice<uint32_t>(*counter)[0], 15u);

    step->push(std::make_shared<kp::HostLauncher>("host", [](const kp::Parameters&) {}));
    kp::RepeatLauncher onHost("host", step, flag, 3);
    EXPECT_ERROR(kp::InvalidArgument, "'host' runs on the host",
                 onHost.launch(manager.defaultQueue()));
    EXPECT_ERROR(kp::InvalidArgument, "is null", kp::RepeatLauncher("none", nullptr, flag, 3));
}

TEST_F(OpRepeatTest, IsAPartOfOperations) {
    struct Both : kp::OpBase {
        Operations parts;
        kp::Accesses accesses() override { return kp::Accesses(); }
        void record(const vk::CommandBuffer& commandBuffer) override {
            for (const Operation& part : parts)
                recordPart(commandBuffer, *part);
        }
        void preEval(const vk::CommandBuffer&) override {}
        void postEval(const vk::CommandBuffer&) override {}
        void skippable() { makeSkippable(); }
    };
    const auto parts = std::make_shared<Both>();
    parts->parts = {add(t, 1), count(4)};
    EXPECT_ERROR(kp::InvalidArgument, "cannot skip", manager.sequence()->eval(repeat({parts}, 9)));
    parts->skippable();
    const auto outer = std::make_shared<Both>();
    outer->parts = {repeat({parts}, 9), add(t, 10)};
    manager.sequence()->eval(outer);
    EXPECT_EQ(onDevice<uint32_t>(*t)[0], 15u);
}

TEST_F(OpRepeatTest, RefusesWhatItCannotSkipAndRecordsNothingThen) {
    auto sq = manager.sequence();
    sq->record(add(t, 1));
    const auto sync =
        std::make_shared<kp::OpSyncLocal>(std::vector<std::shared_ptr<kp::Memory>>{t});
    EXPECT_ERROR(kp::InvalidArgument, "OpSyncLocal", sq->record(repeat({add(t, 10), sync}, 2)));
    EXPECT_ERROR(kp::InvalidArgument, "OpRepeat",
                 sq->record(repeat({add(t, 10), repeat({add(t, 1)}, 2)}, 2)));
    EXPECT_ERROR(kp::InvalidArgument, "over 1048576",
                 sq->record(repeat({add(t, 10), add(t, 1)}, UINT32_MAX)));
    const auto image = manager.image({0, 0, 0, 0}, 2, 2, 1);
    const auto target = manager.image({0, 0, 0, 0}, 2, 2, 1);
    EXPECT_ERROR(kp::InvalidArgument, "image",
                 sq->record(repeat({add(t, 10), copy(image, target)}, 2)));
    sq->eval();
    EXPECT_EQ(onDevice<uint32_t>(*t)[0], 2u);
}

TEST_F(OpRepeatTest, SaysWhatIsWrongWithItsArguments) {
    EXPECT_ERROR(kp::InvalidArgument, "no operations", repeat({}, 1));
    EXPECT_ERROR(kp::InvalidArgument, "null", repeat({nullptr}, 1));
    EXPECT_ERROR(kp::InvalidArgument, "at least 1", repeat({add(t, 1)}, 0));
    const Operations step{add(t, 1)};
    EXPECT_ERROR(kp::InvalidArgument, "flag that is null", kp::OpRepeat(step, nullptr, 1));
    EXPECT_ERROR(kp::InvalidArgument, "not eFloat", kp::OpRepeat(step, manager.tensor({0.0f}), 1));
    EXPECT_ERROR(kp::InvalidArgument, "element 5", kp::OpRepeat(step, t, 1, 5));
    const auto destroyed = manager.tensorT<uint32_t>({0});
    const auto operation = std::make_shared<kp::OpRepeat>(step, destroyed, 1);
    destroyed->destroy();
    EXPECT_ERROR(kp::InvalidArgument, "destroyed", manager.sequence()->record(operation));
}

} // namespace
} // namespace kp::test
