// SPDX-License-Identifier: Apache-2.0
//
// Transfers in several threads at the same time. Also run under the thread sanitizer.
#include <atomic>
#include <thread>

#include "../TestSupport.hpp"
#include "../Threads.hpp"
#include "vulkan/device/Device.hpp"
#include "vulkan/transfer/Transfer.hpp"

namespace kp::test {
namespace {

using MemoryTypes = kp::Memory::MemoryTypes;

/// Staging is small, so that threads wait for each other.
constexpr const char* kRules = "mapped=0,threads=4,threaded=64K,chunk=64K,inflight=5,staging=1M";

class ConcurrencyOfTransfers : public DeviceTest {
protected:
    static constexpr size_t kCount = 300'001;

    ConcurrencyOfTransfers() { deviceOf(manager)->transfer().changeRules(kRules); }

    /// How often uploading @p values to @p tensor and reading it back gives other values.
    static int wrongRoundTrips(int rounds, kp::Memory& tensor,
                               const std::vector<uint32_t>& values) {
        int wrong = 0;
        for (int i = 0; i < rounds; ++i) {
            tensor.upload(values);
            wrong += onDevice<uint32_t>(tensor) != values;
        }
        return wrong;
    }
};

TEST_F(ConcurrencyOfTransfers, TransfersDifferentTensors) {
    std::atomic<int> wrong{0};
    inThreads(4, [&](int number) {
        auto t = manager.tensorT<uint32_t>(kCount, MemoryTypes::eStorage);
        for (int i = 0; i < 4; ++i)
            wrong += wrongRoundTrips(1, *t, ascending<uint32_t>(kCount, number * 1000 + i));
    });
    EXPECT_EQ(wrong, 0);
}

TEST_F(ConcurrencyOfTransfers, TransfersInBothDirections) {
    const auto values = ascending<uint32_t>(kCount, 5);
    auto down = manager.tensorT<uint32_t>(kCount, MemoryTypes::eStorage);
    down->upload(values);
    auto up = manager.tensorT<uint32_t>(kCount, MemoryTypes::eStorage);
    std::atomic<int> wrong{0};
    inThreads(2, [&](int number) {
        for (int i = 0; i < 8; ++i) {
            if (number == 0)
                up->upload(values);
            else if (onDevice<uint32_t>(*down) != values)
                ++wrong;
        }
    });
    EXPECT_EQ(wrong, 0);
    EXPECT_TRUE(onDevice<uint32_t>(*up) == values);
}

TEST_F(ConcurrencyOfTransfers, ReadsOneTensorInEveryThread) {
    const auto values = ascending<uint32_t>(kCount, 9);
    auto t = manager.tensorT<uint32_t>(kCount, MemoryTypes::eStorage);
    t->upload(values);
    std::atomic<int> wrong{0};
    inThreads(4, [&](int number) {
        for (int i = 0; i < 4; ++i) {
            std::vector<uint32_t> part(kCount - 100 * number);
            t->download(part.data(), part.size() * 4, 400 * number);
            if (!std::equal(part.begin(), part.end(), values.begin() + 100 * number))
                ++wrong;
        }
    });
    EXPECT_EQ(wrong, 0);
}

TEST_F(ConcurrencyOfTransfers, WritesPartsOfOneTensor) {
    auto t = manager.tensorT<uint32_t>(4 * kCount, MemoryTypes::eStorage);
    const auto values = ascending<uint32_t>(4 * kCount, 3);
    inThreads(4, [&](int number) {
        t->upload(values.data() + number * kCount, kCount * 4, uint64_t{kCount} * 4 * number);
    });
    EXPECT_TRUE(onDevice<uint32_t>(*t) == values);
}

TEST_F(ConcurrencyOfTransfers, RefreshesTheHostViewWhileAnotherThreadUploads) {
    const auto t = manager.tensorT<uint32_t>(kCount);
    const auto values = ascending<uint32_t>(kCount, 7);
    std::atomic<bool> uploaded{false};
    inThreads(2, [&](int number) {
        if (number == 0) {
            for (int i = 0; i < 8; ++i)
                t->upload(ascending<uint32_t>(kCount, i));
            uploaded = true;
        } else {
            while (!uploaded || !t->hostViewReady())
                t->rawData();
        }
    });
    EXPECT_TRUE(t->vector() == values) << "the last upload";
}

TEST_F(ConcurrencyOfTransfers, CreatesAndFreesPinnedArrays) {
    std::atomic<int> wrong{0};
    inThreads(4, [&](int number) {
        auto t = manager.tensorT<uint32_t>(kCount, MemoryTypes::eStorage);
        for (int i = 0; i < 6; ++i) {
            auto source = manager.pinnedArray<uint32_t>(kCount);
            auto target = manager.pinnedArray<uint32_t>(kCount);
            for (size_t k = 0; k < kCount; ++k)
                (*source)[k] = static_cast<uint32_t>(k * 7 + number + i);
            t->upload(source->data(), source->bytes());
            t->download(target->data(), target->bytes());
            if (!std::equal(source->begin(), source->end(), target->begin()))
                ++wrong;
        }
    });
    EXPECT_EQ(wrong, 0);
}

TEST_F(ConcurrencyOfTransfers, CreatesAndFreesImports) {
    std::atomic<int> wrong{0};
    inThreads(4, [&](int number) {
        auto t = manager.tensorT<uint32_t>(kCount, MemoryTypes::eStorage);
        auto values = ascending<uint32_t>(kCount, number);
        for (int i = 0; i < 6; ++i) {
            const auto import = manager.importHost(values);
            wrong += wrongRoundTrips(1, *t, values);
        }
    });
    EXPECT_EQ(wrong, 0);
}

TEST_F(ConcurrencyOfTransfers, TransfersWhileStagingIsFreed) {
    std::atomic<bool> stop{false};
    std::thread cleaner([&] {
        while (!stop) {
            manager.clear();
            std::this_thread::yield();
        }
    });
    std::atomic<int> wrong{0};
    inThreads(3, [&](int number) {
        auto t = manager.tensorT<uint32_t>(kCount, MemoryTypes::eStorage);
        wrong += wrongRoundTrips(4, *t, ascending<uint32_t>(kCount, number));
    });
    stop = true;
    cleaner.join();
    EXPECT_EQ(wrong, 0);
}

TEST_F(ConcurrencyOfTransfers, OrdersEvaluationsBetweenTransfers) {
    const auto code = addShader(1);
    std::atomic<int> wrong{0};
    inThreads(3, [&](int number) {
        constexpr size_t kFew = 50'001; // one workgroup each
        auto t = manager.tensorT<uint32_t>(kFew, MemoryTypes::eStorage);
        auto sq = manager.sequence();
        sq->record<kp::OpAlgoDispatch>(manager.algorithm({t}, code));
        const auto expected = ascending<uint32_t>(kFew, number + 1);
        for (int i = 0; i < 5; ++i) {
            t->upload(ascending<uint32_t>(kFew, number));
            sq->evalAsync(); // only the device orders the upload and the evaluation
            if (onDevice<uint32_t>(*t) != expected)
                ++wrong;
            sq->evalAwait();
        }
    });
    EXPECT_EQ(wrong, 0);
}

TEST_F(ConcurrencyOfTransfers, TransfersWhileTheRulesChange) {
    std::atomic<int> wrong{0};
    inThreads(3, [&](int number) {
        auto t = manager.tensorT<uint32_t>(kCount, MemoryTypes::eStorage);
        const auto values = ascending<uint32_t>(kCount, number);
        for (int i = 0; i < 6; ++i) {
            deviceOf(manager)->transfer().changeRules(
                i % 2 == number % 2 ? kRules : "mapped=0,threads=2,chunk=256K,staging=2M");
            wrong += wrongRoundTrips(1, *t, values);
        }
    });
    EXPECT_EQ(wrong, 0);
}

} // namespace
} // namespace kp::test
