// SPDX-License-Identifier: Apache-2.0
//
// Dispatches that are recorded in another order, to share barriers.
#include "../CallCounter.hpp"
#include "../TestSupport.hpp"
#include "vulkan/device/Device.hpp"

namespace kp::test {
namespace {

using Values = std::vector<uint32_t>;

/// GLSL of v[i] = v[i] * 3 + amount. The amount is a push constant.
std::string tripleShader() {
    return shader(buffer(0, "", "uint", "v") + "layout(push_constant) uniform P { uint amount; };",
                  "v[i] = v[i] * 3u + amount;");
}

class ReorderTest : public DeviceTest {
protected:
    void SetUp() override {
        DeviceTest::SetUp();
        const char* const value = std::getenv("KOMPUTE_REORDER");
        if (value && std::string(value) == "0")
            GTEST_SKIP() << "KOMPUTE_REORDER=0";
    }

    std::shared_ptr<kp::TensorT<uint32_t>> onDeviceTensor(kp::Manager& owner, uint32_t value) {
        const auto tensor =
            owner.tensorT<uint32_t>(Values{value}, kp::Memory::MemoryTypes::eStorage);
        tensor->upload(Values{value});
        return tensor;
    }
};

/// Records chains of additions, one chain after the other. @return the number of barriers
uint64_t recordChains(kp::Manager& manager, const std::shared_ptr<kp::Sequence>& sequence,
                      const std::vector<std::shared_ptr<kp::Algorithm>>& chains, int links) {
    CallCounter calls(manager);
    for (const auto& algorithm : chains)
        for (int link = 0; link < links; ++link)
            sequence->record<kp::OpAlgoDispatch>(algorithm);
    sequence->end();
    return calls.barriers();
}

TEST_F(ReorderTest, IndependentChainsShareTheirBarriers) {
    for (const bool reorder : {true, false}) {
        kp::ManagerOptions options;
        options.reorder = reorder;
        kp::Manager used(options);
        std::vector<std::shared_ptr<kp::TensorT<uint32_t>>> tensors;
        std::vector<std::shared_ptr<kp::Algorithm>> chains;
        for (uint32_t i = 0; i < 8; ++i) {
            tensors.push_back(onDeviceTensor(used, i));
            chains.push_back(used.algorithm({tensors[i]}, addShader(i + 1)));
        }
        const auto sequence = used.sequence();
        EXPECT_EQ(recordChains(used, sequence, chains, 20), (reorder ? 19u : 8 * 19u) + 1);
        sequence->eval();
        for (uint32_t i = 0; i < 8; ++i)
            EXPECT_EQ(onDevice<uint32_t>(*tensors[i]), Values{i + 20 * (i + 1)});
    }
}

TEST_F(ReorderTest, DispatchesUseThePushConstantsOfTheirTime) {
    const auto a = onDeviceTensor(manager, 1);
    const auto b = onDeviceTensor(manager, 2);
    const auto code = spirv(tripleShader());
    const auto onA = manager.algorithm<float, uint32_t>({a}, code, {}, {}, {5});
    const auto onB = manager.algorithm<float, uint32_t>({b}, code, {}, {}, {7});
    const auto sequence = manager.sequence();
    sequence->record<kp::OpAlgoDispatch>(onA);                           // 8
    sequence->record<kp::OpAlgoDispatch>(onA, std::vector<uint32_t>{1}); // 25
    onA->setPushConstants(std::vector<uint32_t>{2});
    sequence->record<kp::OpAlgoDispatch>(onA); // 77
    sequence->record<kp::OpAlgoDispatch>(onB); // 13
    onB->setPushConstants(std::vector<uint32_t>{0});
    sequence->record<kp::OpAlgoDispatch>(onB); // 39
    onA->setPushConstants(std::vector<uint32_t>{1000});
    sequence->eval();
    EXPECT_EQ(onDevice<uint32_t>(*a), Values{77});
    EXPECT_EQ(onDevice<uint32_t>(*b), Values{39});
}

TEST_F(ReorderTest, OtherOperationsStayWhereTheyAre) {
    const auto a = onDeviceTensor(manager, 1);
    const auto b = onDeviceTensor(manager, 2);
    const auto c = onDeviceTensor(manager, 0);
    const auto addToA = manager.algorithm({a}, addShader(10));
    const auto addToB = manager.algorithm({b}, addShader(100));
    manager.sequence()
        ->record<kp::OpAlgoDispatch>(addToA)
        ->record<kp::OpAlgoDispatch>(addToA) // 21
        ->record<kp::OpCopy>({a, c})
        ->record<kp::OpAlgoDispatch>(addToA) // 31
        ->record<kp::OpAlgoDispatch>(addToB) // 102
        ->record<kp::OpAlgoDispatch>(addToB) // 202
        ->record<kp::OpFill>({b}, 5u)
        ->record<kp::OpAlgoDispatch>(addToB) // 105
        ->eval();
    EXPECT_EQ(onDevice<uint32_t>(*a), Values{31});
    EXPECT_EQ(onDevice<uint32_t>(*b), Values{105});
    EXPECT_EQ(onDevice<uint32_t>(*c), Values{21});
}

TEST_F(ReorderTest, AlgorithmsMayBeDestroyedBeforeTheRecordingEnds) {
    const auto a = onDeviceTensor(manager, 1);
    const auto b = onDeviceTensor(manager, 2);
    const auto sequence = manager.sequence();
    for (const auto& tensor : {a, b}) {
        auto algorithm = manager.algorithm({tensor}, addShader(3));
        for (int i = 0; i < 3; ++i)
            sequence->record<kp::OpAlgoDispatch>(algorithm);
        algorithm->destroy();
    }
    sequence->end();
    sequence->eval();
    EXPECT_EQ(onDevice<uint32_t>(*a), Values{10});
    EXPECT_EQ(onDevice<uint32_t>(*b), Values{11});
}

TEST_F(ReorderTest, SequencesWithTimestampsKeepTheirOrder) {
    if (deviceOf(manager)->queue(0).timestampValidBits() == 0)
        GTEST_SKIP() << "the queue has no timestamps";
    const auto first = manager.sequence(0, 16);
    const auto a = onDeviceTensor(manager, 1);
    const auto b = onDeviceTensor(manager, 2);
    const std::vector<std::shared_ptr<kp::Algorithm>> chains{manager.algorithm({a}, addShader(1)),
                                                             manager.algorithm({b}, addShader(1))};
    EXPECT_EQ(recordChains(manager, first, chains, 8), 2 * 7u + 1);
    first->eval();
    EXPECT_EQ(first->getTimestamps().size(), 17u);
    EXPECT_EQ(onDevice<uint32_t>(*b), Values{10});
}

} // namespace
} // namespace kp::test
