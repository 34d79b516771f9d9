// SPDX-License-Identifier: Apache-2.0
//
// Operations of one or several sequences run as if one after the other, without barriers of the
// user. Most cases are evaluated several times: the results show a missing barrier only now and
// then. Synchronization validation always finds it.
#include "../TestSupport.hpp"

namespace kp::test {
namespace {

class HazardTest : public DeviceTest {
protected:
    static constexpr size_t kCount = 4096;

    std::shared_ptr<kp::TensorT<uint32_t>> a =
        manager.tensorT<uint32_t>(ascending<uint32_t>(kCount));
    std::shared_ptr<kp::TensorT<uint32_t>> b = manager.tensorT<uint32_t>(kCount);
    std::shared_ptr<kp::TensorT<uint32_t>> c = manager.tensorT<uint32_t>(kCount);
    std::shared_ptr<kp::Sequence> sq = manager.sequence();

    std::shared_ptr<kp::Algorithm> copy(const std::shared_ptr<kp::Memory>& from,
                                        const std::shared_ptr<kp::Memory>& to) {
        return manager.algorithm({from, to}, copyShader());
    }
    std::shared_ptr<kp::Algorithm> add(const std::shared_ptr<kp::Memory>& to, uint32_t amount) {
        return manager.algorithm({to}, addShader(amount));
    }
    void SetUp() override {
        b->setData(std::vector<uint32_t>(kCount, 0));
        c->setData(std::vector<uint32_t>(kCount, 0));
        manager.sequence()->eval<kp::OpSyncDevice>({a, b, c});
    }
};

TEST_F(HazardTest, OrdersThreeDispatches) {
    auto t = manager.tensor({0, 0, 0});
    auto increment = manager.algorithm({t}, incrementFloats());
    sq->record<kp::OpSyncDevice>({t});
    sq->record<kp::OpAlgoDispatch>(increment);
    sq->record<kp::OpAlgoDispatch>(increment);
    sq->record<kp::OpAlgoDispatch>(increment);
    sq->record<kp::OpSyncLocal>({t});
    for (int round = 0; round < 5; ++round) {
        sq->eval();
        EXPECT_EQ(t->vector(), (std::vector<float>{3, 3, 3}));
        t->setData({0, 0, 0});
    }
}

TEST_F(HazardTest, OrdersAHundredDispatches) {
    auto step = add(b, 1);
    for (int i = 0; i < 100; ++i)
        sq->record<kp::OpAlgoDispatch>(step);
    for (uint32_t round = 1; round <= 3; ++round) {
        sq->eval();
        EXPECT_EQ(onDevice<uint32_t>(*b), std::vector<uint32_t>(kCount, 100 * round));
    }
}

TEST_F(HazardTest, OrdersACopyBetweenTwoDispatches) {
    sq->record<kp::OpAlgoDispatch>(add(a, 1));
    sq->record<kp::OpCopy>({a, b});
    sq->record<kp::OpAlgoDispatch>(add(b, 10));
    for (uint32_t round = 1; round <= 5; ++round) {
        sq->eval();
        EXPECT_EQ(onDevice<uint32_t>(*a), ascending<uint32_t>(kCount, round));
        EXPECT_EQ(onDevice<uint32_t>(*b), ascending<uint32_t>(kCount, round + 10));
    }
}

TEST_F(HazardTest, OrdersACopyAfterACopy) {
    sq->record<kp::OpCopy>({a, b})->record<kp::OpCopy>({b, c});
    sq->record<kp::OpSyncLocal>({c})->eval();
    EXPECT_EQ(c->vector(), a->vector());
}

TEST_F(HazardTest, OrdersCopiesToTheSameMemory) {
    sq->record<kp::OpCopy>({a, c})->record<kp::OpCopy>({b, c});
    for (int round = 0; round < 5; ++round) {
        sq->eval();
        EXPECT_EQ(onDevice<uint32_t>(*c), std::vector<uint32_t>(kCount, 0));
    }
}

TEST_F(HazardTest, OrdersAWriteAfterAReadByDispatches) {
    sq->record<kp::OpAlgoDispatch>(copy(a, b)); // reads a
    sq->record<kp::OpAlgoDispatch>(copy(c, a)); // writes a
    sq->record<kp::OpAlgoDispatch>(copy(b, c)); // writes c, which was read
    for (int round = 0; round < 6; ++round)
        sq->eval(); // swaps a and c each time
    EXPECT_EQ(onDevice<uint32_t>(*a), ascending<uint32_t>(kCount));
    EXPECT_EQ(onDevice<uint32_t>(*c), std::vector<uint32_t>(kCount, 0));
}

TEST_F(HazardTest, OrdersSyncDeviceAfterADispatchThatReads) {
    sq->record<kp::OpAlgoDispatch>(copy(a, b));
    sq->record<kp::OpSyncDevice>({a});
    a->setData(ascending<uint32_t>(kCount, 500));
    sq->eval();
    EXPECT_EQ(onDevice<uint32_t>(*b), ascending<uint32_t>(kCount));
    EXPECT_EQ(onDevice<uint32_t>(*a), ascending<uint32_t>(kCount, 500));
    sq->eval();
    EXPECT_EQ(onDevice<uint32_t>(*b), ascending<uint32_t>(kCount, 500));
}

TEST_F(HazardTest, OrdersSyncDeviceAfterADispatchThatWrites) {
    sq->record<kp::OpAlgoDispatch>(add(a, 1000));
    sq->record<kp::OpSyncDevice>({a});
    sq->record<kp::OpAlgoDispatch>(add(a, 1));
    for (int round = 0; round < 5; ++round) {
        sq->eval();
        EXPECT_EQ(onDevice<uint32_t>(*a), ascending<uint32_t>(kCount, 1));
    }
}

TEST_F(HazardTest, OrdersADispatchBetweenTwoSyncLocals) {
    auto early = manager.tensorT<uint32_t>(ascending<uint32_t>(kCount));
    sq->record<kp::OpSyncDevice>({early});
    sq->record<kp::OpSyncLocal>({early});
    sq->record<kp::OpAlgoDispatch>(add(early, 1));
    sq->record<kp::OpSyncLocal>({early})->eval();
    EXPECT_EQ(early->vector(), ascending<uint32_t>(kCount, 1));
}

TEST_F(HazardTest, OrdersASyncLocalBetweenTwoSyncDevices) {
    sq->record<kp::OpSyncDevice>({a})->record<kp::OpAlgoDispatch>(add(a, 1));
    sq->record<kp::OpSyncLocal>({a})->record<kp::OpSyncDevice>({a});
    sq->record<kp::OpAlgoDispatch>(add(a, 1))->record<kp::OpSyncLocal>({a});
    sq->eval();
    EXPECT_EQ(a->vector(), ascending<uint32_t>(kCount, 2));
}

TEST_F(HazardTest, ShowsShaderWritesInHostMemory) {
    for (const auto type :
         {kp::Memory::MemoryTypes::eHost, kp::Memory::MemoryTypes::eDeviceAndHost}) {
        auto t = manager.tensorT<uint32_t>(ascending<uint32_t>(kCount), type);
        auto run = manager.sequence();
        run->record<kp::OpSyncDevice>({t});
        run->record<kp::OpAlgoDispatch>(add(t, 1))->record<kp::OpAlgoDispatch>(add(t, 1));
        run->record<kp::OpSyncLocal>({t})->eval();
        EXPECT_EQ(t->vector(), ascending<uint32_t>(kCount, 2));
        t->setData(ascending<uint32_t>(kCount, 100));
        run->eval();
        EXPECT_EQ(t->vector(), ascending<uint32_t>(kCount, 102));
    }
}

TEST_F(HazardTest, OrdersSubmissionsOfOneQueue) {
    auto write = manager.sequence()->record<kp::OpAlgoDispatch>(add(a, 1));
    auto transfer = manager.sequence()->record<kp::OpCopy>({a, b});
    auto read = manager.sequence()->record<kp::OpAlgoDispatch>(copy(b, c));
    for (uint32_t round = 1; round <= 5; ++round) {
        write->evalAsync();
        transfer->evalAsync();
        read->evalAsync();
        write->evalAwait();
        transfer->evalAwait();
        read->evalAwait();
        EXPECT_EQ(onDevice<uint32_t>(*c), ascending<uint32_t>(kCount, round));
    }
}

TEST_F(HazardTest, OrdersSubmissionsAcrossQueues) {
    const auto info = manager.deviceInfo();
    kp::ManagerOptions options;
    options.deviceIndex = info.index;
    for (uint32_t family = 0; family < info.computeQueues.size(); ++family)
        for (uint32_t i = 0; i < info.computeQueues[family] && i < 2; ++i)
            options.queueFamilies.push_back(family);
    kp::Manager queues(options);
    EXPECT_EQ(queues.queueCount(), options.queueFamilies.size());
    auto t = queues.tensorT<uint32_t>(std::vector<uint32_t>(kCount, 0));
    queues.sequence()->eval<kp::OpSyncDevice>({t});
    auto step = queues.algorithm({t}, addShader(1));
    std::vector<std::shared_ptr<kp::Sequence>> sequences;
    for (uint32_t i = 0; i < 2 * queues.queueCount(); ++i)
        sequences.push_back(
            queues.sequence(i % queues.queueCount())->record<kp::OpAlgoDispatch>(step));
    for (int round = 0; round < 10; ++round) {
        for (const auto& each : sequences)
            each->evalAsync();
        for (const auto& each : sequences)
            each->evalAwait();
    }
    const auto expected = static_cast<uint32_t>(10 * sequences.size());
    EXPECT_EQ(onDevice<uint32_t>(*t), std::vector<uint32_t>(kCount, expected));
    if (queues.queueCount() == 1)
        GTEST_SKIP() << "the device has only one compute queue, which was tested";
}

TEST_F(HazardTest, OrdersShadersWithoutQualifiers) {
    const auto plain =
        spirv(shader(buffer(0, "", "uint", "x") + buffer(1, "", "uint", "y"), "y[i] = x[i] + 1u;"));
    auto forth = manager.algorithm({a, b}, plain);
    auto back = manager.algorithm({b, a}, plain);
    for (int i = 0; i < 10; ++i)
        sq->record<kp::OpAlgoDispatch>(forth)->record<kp::OpAlgoDispatch>(back);
    sq->eval();
    EXPECT_EQ(onDevice<uint32_t>(*a), ascending<uint32_t>(kCount, 20));
}

TEST_F(HazardTest, OrdersADispatchBetweenTwoFills) {
    sq->record<kp::OpFill>({b}, 5u);
    sq->record<kp::OpAlgoDispatch>(add(b, 1));
    sq->record<kp::OpCopy>({b, c});
    sq->record<kp::OpFill>({b}, 9u);
    for (int round = 0; round < 5; ++round) {
        sq->eval();
        EXPECT_EQ(onDevice<uint32_t>(*b), std::vector<uint32_t>(kCount, 9));
        EXPECT_EQ(onDevice<uint32_t>(*c), std::vector<uint32_t>(kCount, 6));
    }
}

} // namespace
} // namespace kp::test
