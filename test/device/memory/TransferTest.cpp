// SPDX-License-Identifier: Apache-2.0
//
// Uploads, downloads, mirrors, and host views after the device memory changed.
#include "../TestSupport.hpp"

namespace kp::test {
namespace {

using DataTypes = kp::Memory::DataTypes;
using MemoryTypes = kp::Memory::MemoryTypes;

using TransferTest = DeviceTest;

TEST_F(TransferTest, TransfersPartsAtAnyOffset) {
    for (const auto type : kMemoryTypes) {
        const auto t = manager.tensorT<uint32_t>(ascending<uint32_t>(100), type);
        manager.sequence()->eval<kp::OpSyncDevice>({t});
        t->upload(std::vector<uint32_t>{1000, 1001}, 10); // from element 10 on
        const uint8_t byte = 0xff;
        t->upload(&byte, 1, 99 * 4 + 3); // a single byte, the last one
        uint32_t part[4];
        t->download(part, sizeof part, 9 * 4);
        EXPECT_EQ(part[0], 9u) << kp::Memory::toString(type);
        EXPECT_EQ(part[1], 1000u);
        EXPECT_EQ(part[2], 1001u);
        EXPECT_EQ(part[3], 12u);
        uint32_t last = 0;
        t->download(&last, 4, 99 * 4);
        EXPECT_EQ(last, 0xff000063u);
        uint8_t odd[3];
        t->download(odd, 3, 10 * 4 + 1); // 1000 is 0x3e8
        EXPECT_EQ(odd[0], 0x03);
    }
}

TEST_F(TransferTest, RejectsRangesPastTheEnd) {
    const auto t = manager.tensorT<uint32_t>(4);
    uint32_t data[8] = {};
    EXPECT_ERROR(kp::InvalidArgument, "16", t->upload(data, 17));
    EXPECT_THROW(t->upload(data, 4, 13), kp::InvalidArgument);
    EXPECT_THROW(t->upload(data, 4, UINT64_MAX), kp::InvalidArgument);
    EXPECT_THROW(t->upload(data, UINT64_MAX, 4), kp::InvalidArgument);
    EXPECT_THROW(t->download(data, 32), kp::InvalidArgument);
    EXPECT_THROW(t->download(data, 8, 12), kp::InvalidArgument);
    const auto image = manager.image(2, 2, 1);
    EXPECT_THROW(image->upload(data, 8), kp::InvalidArgument);
    EXPECT_THROW(image->download(data, 16, 4), kp::InvalidArgument);
    t->upload(data, 16);
    EXPECT_EQ(onDevice<uint32_t>(*t), std::vector<uint32_t>(4, 0));
}

TEST_F(TransferTest, AcceptsZeroBytes) {
    const auto t = manager.tensorT<uint32_t>({1});
    t->upload(nullptr, 0);
    t->download(nullptr, 0, 4);
    EXPECT_EQ(t->vector(), std::vector<uint32_t>{1});
}

TEST_F(TransferTest, TransfersDataOfManyChunks) {
    const size_t count = (40u << 20) / 4 + 3; // over 40 MiB, not a multiple of a chunk
    const auto values = ascending<uint32_t>(count, 7);
    const auto t = manager.tensorT<uint32_t>(count, MemoryTypes::eStorage);
    t->upload(values);
    EXPECT_TRUE(onDevice<uint32_t>(*t) == values);
    const size_t middle = (17u << 20) / 4 + 1;
    std::vector<uint32_t> part(middle);
    t->download(part.data(), part.size() * 4, 4 * 12345);
    EXPECT_EQ(part.front(), values[12345]);
    EXPECT_EQ(part.back(), values[12345 + middle - 1]);
}

TEST_F(TransferTest, SyncsLargeMirrors) {
    const size_t count = (20u << 20) / 4;
    const auto t = manager.tensorT<uint32_t>(ascending<uint32_t>(count));
    auto sq = manager.sequence();
    sq->eval<kp::OpSyncDevice>({t});
    t->setData(std::vector<uint32_t>(count, 1));
    sq->eval<kp::OpSyncLocal>({t});
    EXPECT_TRUE(t->vector() == ascending<uint32_t>(count));
}

TEST_F(TransferTest, RunsAfterEarlierEvaluations) {
    auto counter = manager.tensorT<uint32_t>({0});
    auto sq = manager.sequence();
    sq->record<kp::OpSyncDevice>({counter});
    const uint32_t steps = recordSlowWork(manager, *sq, counter);
    sq->evalAsync();
    uint32_t value = 0;
    counter->download(&value, 4);
    EXPECT_EQ(value, steps);
    sq->evalAwait();
    sq->evalAsync();
    const uint32_t other = 99;
    counter->upload(&other, 4);
    sq->evalAwait();
    EXPECT_EQ(onDevice<uint32_t>(*counter), std::vector<uint32_t>{99});
}

TEST_F(TransferTest, IsVisibleToLaterEvaluations) {
    for (const auto type : kMemoryTypes) {
        auto t = manager.tensorT<uint32_t>({0, 0, 0}, type);
        auto sq =
            manager.sequence()->record<kp::OpAlgoDispatch>(manager.algorithm({t}, addShader(1)));
        for (uint32_t round = 0; round < 5; ++round) {
            t->upload(std::vector<uint32_t>{round, 10, 20});
            sq->eval();
            EXPECT_EQ(onDevice<uint32_t>(*t), (std::vector<uint32_t>{round + 1, 11, 21}))
                << kp::Memory::toString(type);
        }
    }
}

TEST_F(TransferTest, ShowsCopiesAndFillsInTheHostView) {
    for (const auto type :
         {MemoryTypes::eDevice, MemoryTypes::eHost, MemoryTypes::eDeviceAndHost}) {
        const auto source = manager.tensorT<uint32_t>({5, 6, 7});
        const auto t = manager.tensorT<uint32_t>({1, 2, 3}, type);
        auto sq = manager.sequence();
        sq->eval<kp::OpSyncDevice>({source, t});
        sq->eval<kp::OpCopy>({source, t});
        EXPECT_EQ(t->vector(), (std::vector<uint32_t>{5, 6, 7})) << kp::Memory::toString(type);
        EXPECT_EQ(t->data()[2], 7u);
        sq->eval<kp::OpFill>({t}, 9u);
        EXPECT_EQ(t->vector(), (std::vector<uint32_t>{9, 9, 9})) << kp::Memory::toString(type);
        t->setData({1, 2, 3});
        EXPECT_EQ(t->vector(), (std::vector<uint32_t>{1, 2, 3}));
    }
}

TEST_F(TransferTest, CopiesTheDeviceMemoryNotTheSourcesMirror) {
    const auto source = manager.tensorT<uint32_t>({1, 1, 1});
    const auto host = manager.tensorT<uint32_t>({0, 0, 0}, MemoryTypes::eHost);
    const auto device = manager.tensorT<uint32_t>({0, 0, 0});
    const uint32_t* const mirror = source->data();
    auto sq = manager.sequence();
    sq->record<kp::OpSyncDevice>({source});
    sq->record<kp::OpAlgoDispatch>(manager.algorithm({source}, addShader(41)));
    sq->record<kp::OpCopy>({source, host, device})->eval();
    EXPECT_EQ(mirror[0], 1u) << "it was not synced back";
    EXPECT_EQ(host->vector(), (std::vector<uint32_t>{42, 42, 42}));
    EXPECT_EQ(device->vector(), (std::vector<uint32_t>{42, 42, 42}));
}

TEST_F(TransferTest, SyncsAMirrorThatIsWrittenAfterACopy) {
    const auto source = manager.tensorT<uint32_t>({5, 6, 7});
    const auto t = manager.tensorT<uint32_t>({0, 0, 0});
    auto sq = manager.sequence();
    sq->eval<kp::OpSyncDevice>({source});
    sq->eval<kp::OpCopy>({source, t});
    t->data()[1] = 60;
    sq->eval<kp::OpSyncDevice>({t});
    EXPECT_EQ(onDevice<uint32_t>(*t), (std::vector<uint32_t>{5, 60, 7}));
}

TEST_F(TransferTest, KeepsACopyThroughTheNextSyncDevice) {
    // The mirror is stale when it is synced. It must not overwrite the device memory.
    const auto source = manager.tensorT<uint32_t>({5, 6, 7});
    const auto t = manager.tensorT<uint32_t>({0, 0, 0});
    auto sq = manager.sequence();
    sq->eval<kp::OpSyncDevice>({source, t});
    sq->eval<kp::OpCopy>({source, t});
    sq->eval<kp::OpSyncDevice>({t});
    sq->eval<kp::OpSyncLocal>({t});
    EXPECT_EQ(t->vector(), (std::vector<uint32_t>{5, 6, 7}));
}

TEST_F(TransferTest, KeepsPointersToTheHostViewValid) {
    const auto t = manager.tensorT<uint32_t>({1, 2, 3});
    uint32_t* view = t->data();
    const auto source = manager.tensorT<uint32_t>({5, 6, 7});
    auto sq = manager.sequence();
    sq->eval<kp::OpSyncDevice>({source, t});
    sq->eval<kp::OpCopy>({source, t});
    EXPECT_EQ(t->data(), view);
    EXPECT_EQ(view[2], 7u);
}

TEST_F(TransferTest, RefusesNullPointers) {
    const auto tensor = manager.tensor({1, 2});
    EXPECT_ERROR(kp::InvalidArgument, "upload of 4 bytes was given a null pointer",
                 tensor->upload(nullptr, 4));
    EXPECT_ERROR(kp::InvalidArgument, "download of 8 bytes was given a null pointer",
                 tensor->download(nullptr, 8));
    tensor->upload(nullptr, 0);
    EXPECT_EQ(tensor->vector(), (std::vector<float>{1, 2}));
}

} // namespace
} // namespace kp::test
