// SPDX-License-Identifier: Apache-2.0
//
// Host views that outlive destroy(), and whether reading one needs a transfer.
#include <cstring>

#include "../TestSupport.hpp"

namespace kp::test {
namespace {

using MemoryTypes = kp::Memory::MemoryTypes;

class KeptHostView : public DeviceTest, public ::testing::WithParamInterface<MemoryTypes> {};

TEST_P(KeptHostView, SurvivesDestroy) {
    const std::vector<float> values = ascending<float>(10'000);
    auto t = manager.tensor(values, GetParam());
    t->keepHostView();
    auto* view = t->data();
    t->destroy();
    EXPECT_FALSE(t->isInit());
    EXPECT_EQ(std::memcmp(view, values.data(), values.size() * sizeof(float)), 0);
    view[9'999] = 5;
    EXPECT_EQ(view[9'999], 5);
    EXPECT_ERROR(kp::InvalidArgument, "destroyed", t->data());
}

TEST_P(KeptHostView, SurvivesTheManager) {
    auto own = std::make_unique<kp::Manager>();
    auto t = own->tensor({1, 2, 3}, GetParam());
    auto image = own->imageT<uint8_t>(ascending<uint8_t>(15), 5, 3, 1, GetParam());
    t->keepHostView();
    image->keepHostView();
    auto* view = t->data();
    auto* texels = image->data<uint8_t>();
    own.reset();
    EXPECT_EQ(view[2], 3);
    EXPECT_EQ(texels[14], 14);
    texels[14] = 1;
}

TEST_P(KeptHostView, SurvivesARebuild) {
    auto t = manager.tensor({1, 2, 3}, GetParam());
    t->keepHostView();
    auto* view = t->data();
    t->rebuild(nullptr, 100, sizeof(float));
    auto* second = t->data();
    second[99] = 4;
    t->destroy();
    EXPECT_EQ(view[2], 3);
    EXPECT_EQ(second[99], 4);
}

INSTANTIATE_TEST_SUITE_P(MemoryTypes, KeptHostView,
                         ::testing::Values(MemoryTypes::eDevice, MemoryTypes::eHost,
                                           MemoryTypes::eDeviceAndHost),
                         [](const auto& info) { return kp::Memory::toString(info.param); });

using HostViewTest = DeviceTest;

TEST_F(HostViewTest, IsNotReadyAfterACopyOnTheDevice) {
    auto t = manager.tensor({1, 2, 3});
    auto u = manager.tensor({0, 0, 0});
    EXPECT_TRUE(u->hostViewReady());
    manager.sequence()->record<kp::OpSyncDevice>({t})->record<kp::OpCopy>({t, u})->eval();
    EXPECT_FALSE(u->hostViewReady());
    EXPECT_EQ(u->vector(), (std::vector<float>{1, 2, 3}));
    EXPECT_TRUE(u->hostViewReady());
}

TEST_F(HostViewTest, KeepHostViewDoesNothingInStorageMemory) {
    auto t = manager.tensor({1, 2, 3}, MemoryTypes::eStorage);
    t->keepHostView();
    t->destroy();
    EXPECT_FALSE(t->isInit());
}

/// Every kind of view waits for submitted work.
class WaitingHostView : public DeviceTest, public ::testing::WithParamInterface<MemoryTypes> {
protected:
    /// Starts work that takes a while and adds 1 to the counter again and again.
    void start() {
        added = recordSlowWork(manager, *sequence, counter);
        sequence->evalAsync();
        ASSERT_FALSE(sequence->event().done());
    }

    std::shared_ptr<kp::TensorT<uint32_t>> counter = manager.tensorT<uint32_t>({0}, GetParam());
    std::shared_ptr<kp::Sequence> sequence = manager.sequence();
    uint32_t added = 0;
};

TEST_P(WaitingHostView, DataSeesSubmittedWork) {
    start();
    EXPECT_FALSE(counter->hostViewReady());
    EXPECT_EQ(counter->data()[0], added);
    EXPECT_TRUE(counter->hostViewReady());
    sequence->evalAwait();
    EXPECT_EQ((*counter)[0], added);
}

TEST_P(WaitingHostView, VectorSeesSubmittedWork) {
    start();
    EXPECT_EQ(counter->vector(), std::vector<uint32_t>{added});
    sequence->evalAwait();
}

TEST_P(WaitingHostView, WhatTheHostWritesMeanwhileIsKept) {
    start();
    counter->data()[0] = 7;
    sequence->evalAwait();
    EXPECT_EQ(counter->vector(), std::vector<uint32_t>{7});
    start();
    counter->setData(std::vector<uint32_t>{8});
    sequence->evalAwait();
    EXPECT_EQ(counter->vector(), std::vector<uint32_t>{8});
}

TEST_P(WaitingHostView, SubmittedWorkReadsWhatWasThere) {
    auto input = manager.tensorT<uint32_t>({5}, GetParam());
    auto output = manager.tensorT<uint32_t>({0}, MemoryTypes::eStorage);
    // The second argument makes it run after the slow work.
    auto sum = manager.algorithm(
        {input, counter, output},
        spirv(shader(buffer(0, "readonly", "uint", "a") + buffer(1, "readonly", "uint", "b") +
                         buffer(2, "writeonly", "uint", "c"),
                     "c[0] = a[0] + b[0];")));
    for (const bool replaces : {false, true}) {
        input->setData(std::vector<uint32_t>{5});
        counter->setData(std::vector<uint32_t>{0});
        added = recordSlowWork(manager, *sequence, counter);
        sequence->record<kp::OpAlgoDispatch>(sum)->evalAsync();
        if (replaces)
            input->setData(std::vector<uint32_t>{1000});
        else
            input->data()[0] = 1000;
        sequence->evalAwait();
        EXPECT_EQ(onDevice<uint32_t>(*output), std::vector<uint32_t>{5 + added});
    }
}

TEST_P(WaitingHostView, ImagesWithPaddedRowsWait) {
    if (isSwiftShader(manager))
        GTEST_SKIP() << "SwiftShader stores to no linear image of one channel";
    // A width that rows of such images are padded to more than.
    auto image = manager.imageT<uint32_t>(std::vector<uint32_t>(15), 5, 3, 1, GetParam());
    auto copy = manager.algorithm(
        {image, counter}, spirv(shader("layout(binding = 0, r32ui) uniform uimage2D image;" +
                                           buffer(1, "readonly", "uint", "v"),
                                       "imageStore(image, ivec2(4, 2), uvec4(v[0]));")));
    added = recordSlowWork(manager, *sequence, counter);
    sequence->record<kp::OpAlgoDispatch>(copy)->evalAsync();
    EXPECT_EQ(image->data<uint32_t>()[14], added);
    image->data<uint32_t>()[13] = 9;
    sequence->evalAwait();
    EXPECT_EQ(image->data<uint32_t>()[13], 9) << "the end of the wait must not undo it";
    EXPECT_EQ(image->data<uint32_t>()[14], added);
}

INSTANTIATE_TEST_SUITE_P(MemoryTypes, WaitingHostView,
                         ::testing::Values(MemoryTypes::eDevice, MemoryTypes::eHost,
                                           MemoryTypes::eDeviceAndHost),
                         [](const auto& info) { return kp::Memory::toString(info.param); });

TEST_F(HostViewTest, WaitsForWorkThatMayAccessAnything) {
    struct Undeclared final : kp::OpBase {
        explicit Undeclared(std::shared_ptr<kp::OpBase> inner) : op(std::move(inner)) {}
        void record(const vk::CommandBuffer& commands) override { op->record(commands); }
        void preEval(const vk::CommandBuffer&) override {}
        void postEval(const vk::CommandBuffer&) override {}
        std::shared_ptr<kp::OpBase> op;
    };
    auto counter = manager.tensorT<uint32_t>({0}, MemoryTypes::eHost);
    auto target = manager.tensorT<uint32_t>({0}, MemoryTypes::eHost);
    auto copy = manager.algorithm({counter, target}, copyShader());
    auto sequence = manager.sequence();
    const uint32_t added = recordSlowWork(manager, *sequence, counter);
    sequence->record(std::make_shared<Undeclared>(std::make_shared<kp::OpAlgoDispatch>(copy)));
    sequence->evalAsync();
    EXPECT_EQ(target->vector(), std::vector<uint32_t>{added});
    sequence->evalAwait();
}

using WaitIdle = DeviceTest;

TEST_F(WaitIdle, WaitsForEverySequence) {
    auto counter = manager.tensorT<uint32_t>({0});
    auto sq = manager.sequence();
    sq->record<kp::OpSyncDevice>({counter});
    recordSlowWork(manager, *sq, counter);
    sq->evalAsync();
    EXPECT_FALSE(sq->event().done());
    manager.waitIdle();
    EXPECT_TRUE(sq->event().done());
    sq->evalAwait();
    manager.destroy();
    EXPECT_ERROR(kp::InvalidArgument, "destroyed", manager.waitIdle());
}

} // namespace
} // namespace kp::test
