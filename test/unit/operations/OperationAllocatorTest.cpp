// SPDX-License-Identifier: Apache-2.0
#include <kompute/operations/OperationAllocator.hpp>

#include <cstdint>
#include <cstring>
#include <memory>
#include <set>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace kp::detail {
namespace {

template <size_t Bytes>
struct Sized {
    unsigned char bytes[Bytes];
};

struct alignas(64) Wide {
    double values[8];
};

TEST(OperationAllocator, GivesBlocksOfEverySizeThatDoNotOverlap) {
    std::vector<std::pair<unsigned char*, size_t>> blocks;
    for (int round = 0; round < 3; ++round) {
        for (size_t bytes = 1; bytes < 600; bytes += 13) {
            auto* block = static_cast<unsigned char*>(takeOperationMemory(bytes));
            EXPECT_EQ(reinterpret_cast<uintptr_t>(block) % alignof(std::max_align_t), 0u);
            std::memset(block, static_cast<int>(bytes % 251), bytes);
            blocks.emplace_back(block, bytes);
        }
        for (const auto& [block, bytes] : blocks) {
            for (size_t i = 0; i < bytes; ++i)
                ASSERT_EQ(block[i], bytes % 251);
            giveOperationMemory(block, bytes);
        }
        blocks.clear();
    }
}

TEST(OperationAllocator, TakesAnyTypeAndAlignment) {
    const auto small = std::allocate_shared<Sized<1>>(OperationAllocator<Sized<1>>());
    const auto large = std::allocate_shared<Sized<5000>>(OperationAllocator<Sized<5000>>());
    std::vector<std::shared_ptr<Wide>> wide;
    for (int i = 0; i < 20; ++i) {
        wide.push_back(std::allocate_shared<Wide>(OperationAllocator<Wide>()));
        EXPECT_EQ(reinterpret_cast<uintptr_t>(wide.back().get()) % 64, 0u);
        if (i % 3 == 0)
            wide.clear();
    }
    EXPECT_TRUE(OperationAllocator<int>() == OperationAllocator<Wide>());
}

TEST(OperationAllocator, BlocksMayBeGivenBackInAnotherThread) {
    std::vector<void*> blocks;
    std::set<void*> distinct;
    for (int i = 0; i < 3000; ++i)
        blocks.push_back(takeOperationMemory(100));
    distinct.insert(blocks.begin(), blocks.end());
    EXPECT_EQ(distinct.size(), blocks.size());
    std::thread([&] {
        for (void* block : blocks)
            giveOperationMemory(block, 100);
        for (int i = 0; i < 100; ++i)
            giveOperationMemory(takeOperationMemory(100), 100);
    }).join();
}

/// Given back by a thread that has ended but for what was made before its first block.
struct Late {
    void* block = nullptr;
    ~Late() { giveOperationMemory(block, 40); }
};

TEST(OperationAllocator, AThreadThatEndsKeepsNothing) {
    std::thread([] {
        thread_local Late late;
        late.block = takeOperationMemory(40);
        giveOperationMemory(takeOperationMemory(40), 40);
    }).join();
}

} // namespace
} // namespace kp::detail
