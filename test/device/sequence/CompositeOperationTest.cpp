// SPDX-License-Identifier: Apache-2.0
//
// Operations made of other operations, with OpBase::recordPart().
#include "../CallCounter.hpp"
#include "../TestSupport.hpp"

namespace kp::test {
namespace {

/// Records its parts in order and runs their hooks.
struct Composite : kp::OpBase {
    std::vector<std::shared_ptr<kp::OpBase>> parts;

    kp::Accesses accesses() override { return kp::Accesses(); }
    void record(const vk::CommandBuffer& commandBuffer) override {
        for (const auto& part : parts)
            recordPart(commandBuffer, *part);
    }
    void preEval(const vk::CommandBuffer& commandBuffer) override {
        for (const auto& part : parts)
            part->preEval(commandBuffer);
    }
    void postEval(const vk::CommandBuffer& commandBuffer) override {
        for (const auto& part : parts)
            part->postEval(commandBuffer);
        ++evaluations;
    }
    int evaluations = 0;
    /// Calls recordPart() outside record().
    static void callRecordPart(const vk::CommandBuffer& commandBuffer, kp::OpBase& part) {
        recordPart(commandBuffer, part);
    }
};

class CompositeOperation : public DeviceTest {
protected:
    std::shared_ptr<kp::TensorT<uint32_t>> t = manager.tensorT<uint32_t>({1, 2, 3, 4});
    std::shared_ptr<kp::TensorT<uint32_t>> u = manager.tensorT<uint32_t>({0, 0, 0, 0});
    std::shared_ptr<Composite> composite = std::make_shared<Composite>();

    std::shared_ptr<kp::OpBase> add(const std::shared_ptr<kp::Memory>& memory, uint32_t amount) {
        return std::make_shared<kp::OpAlgoDispatch>(manager.algorithm({memory}, addShader(amount)));
    }
};

TEST_F(CompositeOperation, RunsItsPartsInOrder) {
    composite->parts = {
        std::make_shared<kp::OpSyncDevice>(std::vector<std::shared_ptr<kp::Memory>>{t, u}),
        add(t, 10), add(t, 100),
        std::make_shared<kp::OpCopy>(std::vector<std::shared_ptr<kp::Memory>>{t, u}), add(t, 1000)};
    auto sq = manager.sequence();
    sq->record(composite)->record(add(u, 5))->eval();
    EXPECT_EQ(onDevice<uint32_t>(*t), (std::vector<uint32_t>{1111, 1112, 1113, 1114}));
    EXPECT_EQ(onDevice<uint32_t>(*u), (std::vector<uint32_t>{116, 117, 118, 119}));
    sq->rerecord();
    sq->eval();
    EXPECT_EQ(onDevice<uint32_t>(*t), (std::vector<uint32_t>{1111, 1112, 1113, 1114}));
}

TEST_F(CompositeOperation, PlacesNoBarrierBetweenIndependentParts) {
    manager.sequence()->eval<kp::OpSyncDevice>({t, u});
    composite->parts = {add(t, 1), add(u, 1)};
    auto sq = manager.sequence();
    {
        CallCounter calls(manager);
        sq->record(composite)->eval();
        EXPECT_LE(calls.barriers(), 1u);
    }
    composite->parts = {add(t, 1), add(t, 1)};
    CallCounter calls(manager);
    sq->record(composite)->eval();
    EXPECT_EQ(calls.barriers(), 2u) << "one begins the recording, one is between the two parts";
}

TEST_F(CompositeOperation, CanBeNestedAndIsKeptAlive) {
    auto inner = std::make_shared<Composite>();
    inner->parts = {add(t, 1), add(t, 2)};
    composite->parts = {inner, add(t, 4), inner};
    auto sq = manager.sequence();
    sq->record<kp::OpSyncDevice>({t})->record(std::move(composite));
    inner.reset();
    sq->eval();
    EXPECT_EQ(onDevice<uint32_t>(*t), (std::vector<uint32_t>{11, 12, 13, 14}));
}

TEST_F(CompositeOperation, CallsTheHooksOfItselfAndItsParts) {
    composite->parts = {add(t, 1)};
    auto sq = manager.sequence();
    sq->record(composite)->record(add(t, 1))->eval();
    sq->eval();
    EXPECT_EQ(composite->evaluations, 2);
    auto u2 = manager.tensorT<uint32_t>({0, 0, 0, 0});
    composite->parts = {
        std::make_shared<kp::OpCopy>(std::vector<std::shared_ptr<kp::Memory>>{t, u2}), add(t, 1)};
    sq->rerecord();
    sq->eval();
    EXPECT_EQ(composite->evaluations, 3);
    EXPECT_FALSE(u2->hostViewReady()) << "OpCopy's hook marks the host view as stale";
}

TEST_F(CompositeOperation, CountsAsOneOperationForTimestamps) {
    if (!manager.deviceInfo().timestamps)
        GTEST_SKIP() << "the device has no timestamps";
    composite->parts = {add(t, 1), add(t, 2), add(u, 3)};
    auto sq = manager.sequence(0, 2);
    sq->record(composite)->record(add(u, 1))->eval();
    EXPECT_EQ(sq->getTimestamps().size(), 3u);
}

TEST_F(CompositeOperation, RejectsRecordPartOutsideRecord) {
    auto part = add(t, 1);
    const VkCommandBuffer none = nullptr;
    EXPECT_ERROR(
        kp::InvalidArgument, "recordPart()",
        Composite::callRecordPart(reinterpret_cast<const vk::CommandBuffer&>(none), *part));
}

} // namespace
} // namespace kp::test
