// SPDX-License-Identifier: Apache-2.0
//
// Host views that outlive destroy(), and whether reading one needs a transfer.
#include <cstring>

#include "TestSupport.hpp"

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
