// SPDX-License-Identifier: Apache-2.0
//
// What several threads may do at the same time. Also run under the thread sanitizer.
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

#include "../TestSupport.hpp"
#include "../Threads.hpp"

#include "vulkan/device/Device.hpp"

namespace kp::test {
namespace {

class Concurrency : public DeviceTest {
protected:
    static constexpr int kThreads = 4;
};

/// Replaces vkCreateComputePipelines. A call waits until a second one has begun.
struct PipelineRendezvous {
    static inline PFN_vkCreateComputePipelines real = nullptr;
    static inline std::mutex mutex;
    static inline std::condition_variable changed;
    static inline int inside = 0;
    static inline int maxInside = 0;

    static VKAPI_ATTR VkResult VKAPI_CALL call(VkDevice device, VkPipelineCache cache,
                                               uint32_t count,
                                               const VkComputePipelineCreateInfo* infos,
                                               const VkAllocationCallbacks* allocator,
                                               VkPipeline* pipelines) {
        {
            std::unique_lock lock(mutex);
            ++inside;
            maxInside = std::max(maxInside, inside);
            changed.notify_all();
            changed.wait_for(lock, std::chrono::seconds(20), [] { return maxInside >= 2; });
        }
        const VkResult result = real(device, cache, count, infos, allocator, pipelines);
        const std::lock_guard lock(mutex);
        --inside;
        return result;
    }
};

TEST_F(Concurrency, CreatesPipelinesInParallel) {
    const auto code =
        spirv(shader("layout(constant_id = 0) const uint add = 1u;" + buffer(0, "", "uint", "v"),
                     "v[i] += add;"));
    auto& table = deviceOf(manager)->mutableTable();
    PipelineRendezvous::maxInside = 0;
    PipelineRendezvous::real = table.vkCreateComputePipelines;
    table.vkCreateComputePipelines = &PipelineRendezvous::call;
    std::atomic<int> wrong{0};
    inThreads(kThreads, [&](int number) {
        const auto t = manager.tensorT<uint32_t>(3);
        const auto add = static_cast<uint32_t>(1000 + number);
        const auto algorithm =
            manager.algorithm<uint32_t, uint32_t>({t}, code, {3, 1, 1}, {add}, {});
        manager.sequence()
            ->record<kp::OpFill>({t}, 0u)
            ->record<kp::OpAlgoDispatch>(algorithm)
            ->eval();
        if (onDevice<uint32_t>(*t) != std::vector<uint32_t>(3, add))
            ++wrong;
    });
    table.vkCreateComputePipelines = PipelineRendezvous::real;
    EXPECT_EQ(wrong, 0);
    EXPECT_GE(PipelineRendezvous::maxInside, 2) << "a lock was held while a pipeline was created";
}

TEST_F(Concurrency, CreatesAndFreesObjectsInSeveralThreads) {
    const auto code = addShader(1);
    std::atomic<int> wrong{0};
    inThreads(kThreads, [&](int number) {
        for (int i = 0; i < 40; ++i) {
            auto t = manager.tensorT<uint32_t>(ascending<uint32_t>(64, number));
            auto image = manager.image(3, 3, 1);
            auto algorithm = manager.algorithm({t}, code);
            if (!t->isInit() || !algorithm->isInit() || t->vector()[1] != uint32_t(number + 1))
                ++wrong;
            if (i % 3 == 0)
                t->destroy();
        }
    });
    EXPECT_EQ(wrong, 0);
    EXPECT_EQ(manager.objectCount(), 0u);
}

TEST_F(Concurrency, EvaluatesSequencesOnOneQueue) {
    const auto code = addShader(1);
    std::atomic<int> wrong{0};
    inThreads(kThreads, [&](int number) {
        auto t = manager.tensorT<uint32_t>(std::vector<uint32_t>(64, number));
        auto algorithm = manager.algorithm({t}, code);
        auto sq = manager.sequence();
        sq->record<kp::OpSyncDevice>({t})->record<kp::OpAlgoDispatch>(algorithm);
        sq->record<kp::OpSyncLocal>({t});
        for (uint32_t i = 1; i <= 30; ++i) {
            sq->eval();
            if (t->vector() != std::vector<uint32_t>(64, number + i))
                ++wrong;
            manager.sequence()->eval<kp::OpSyncLocal>({t});
        }
    });
    EXPECT_EQ(wrong, 0);
}

TEST_F(Concurrency, ReadsOneTensorInEveryThread) {
    auto shared = manager.tensorT<uint32_t>(ascending<uint32_t>(256));
    manager.sequence()->eval<kp::OpSyncDevice>({shared});
    const auto code = copyShader();
    std::atomic<int> wrong{0};
    inThreads(kThreads, [&](int) {
        auto mine = manager.tensorT<uint32_t>(256);
        auto sq = manager.sequence();
        sq->record<kp::OpAlgoDispatch>(manager.algorithm({shared, mine}, code));
        sq->record<kp::OpSyncLocal>({mine});
        for (int i = 0; i < 20; ++i) {
            sq->evalAsync();
            sq->evalAwait();
            if (mine->vector() != ascending<uint32_t>(256))
                ++wrong;
        }
    });
    EXPECT_EQ(wrong, 0);
}

TEST_F(Concurrency, WaitsForAnEventInEveryThread) {
    auto counter = manager.tensorT<uint32_t>({0});
    auto sq = manager.sequence();
    recordSlowWork(manager, *sq, counter);
    sq->evalAsync();
    const kp::Event event = sq->event();
    std::atomic<int> wrong{0};
    inThreads(kThreads, [&](int) {
        while (!event.wait(100'000)) {
        }
        if (!event.done())
            ++wrong;
    });
    EXPECT_EQ(wrong, 0);
    sq->evalAwait();
}

TEST_F(Concurrency, HostViewsAreWholeForEveryThreadThatHasWaited) {
    // A width that rows of such images are padded to more than.
    constexpr uint32_t kWidth = 1501;
    constexpr uint32_t kHeight = 1000;
    const size_t size = size_t{kWidth} * kHeight;
    const auto source = manager.image(std::vector<float>(size), kWidth, kHeight, 1);
    const auto target =
        manager.image(std::vector<float>(size), kWidth, kHeight, 1, kp::Memory::MemoryTypes::eHost);
    for (int round = 1; round <= 20; ++round) {
        const auto value = static_cast<float>(round);
        source->setData(std::vector<float>(size, value));
        const auto sequence = manager.sequence();
        sequence->record<kp::OpSyncDevice>({source})->record<kp::OpCopy>({source, target});
        sequence->evalAsync();
        const kp::Event event = sequence->event();
        std::thread other([event] {
            while (!event.done())
                std::this_thread::yield();
        });
        event.wait();
        EXPECT_EQ(target->data<float>()[size - 1], value);
        other.join();
        sequence->evalAwait();
    }
}

TEST_F(Concurrency, DestroyRefusesWhileOtherThreadsUseTheManager) {
    for (int kind = 0; kind < 4; ++kind) {
        SCOPED_TRACE(kind);
        kp::Manager used;
        const auto code = addShader(1);
        std::atomic<int> working{0};
        std::atomic<int> unexpected{0};
        std::atomic<bool> stop{false};
        // Between two calls of the others it may succeed.
        std::thread destroyer([&] {
            while (working < kThreads)
                std::this_thread::yield();
            for (int i = 0; i < 100 && used.isInit(); ++i) {
                try {
                    used.destroy();
                } catch (const kp::InvalidArgument&) {
                    std::this_thread::sleep_for(std::chrono::microseconds(100));
                }
            }
            stop = true;
        });
        inThreads(kThreads, [&](int) {
            try {
                const auto mine = used.tensorT<uint32_t>({0});
                const auto sequence = used.sequence();
                const auto algorithm = used.algorithm({mine}, code);
                ++working;
                while (!stop) {
                    if (kind == 0)
                        sequence->record<kp::OpAlgoDispatch>(algorithm)->eval();
                    else if (kind == 1)
                        sequence->record<kp::OpAlgoDispatch>(algorithm)->evalAsync()->evalAwait();
                    else if (kind == 2)
                        mine->upload(std::vector<uint32_t>{1});
                    else
                        used.tensorT<uint32_t>({1});
                }
            } catch (const kp::InvalidArgument& error) {
                if (std::string(error.what()).find("destroy") == std::string::npos)
                    ++unexpected;
            }
        });
        destroyer.join();
        EXPECT_EQ(unexpected, 0);
        used.destroy();
        EXPECT_FALSE(used.isInit());
    }
}

TEST_F(Concurrency, DestroyIsRefusedDuringACall) {
    const auto counter = manager.tensorT<uint32_t>({0});
    const auto sequence = manager.sequence();
    recordSlowWork(manager, *sequence, counter);
    std::atomic<bool> started{false};
    std::thread other([&] {
        started = true;
        sequence->eval();
    });
    while (!started)
        std::this_thread::yield();
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    EXPECT_ERROR(kp::InvalidArgument, "another thread", manager.destroy());
    EXPECT_TRUE(manager.isInit());
    other.join();
    manager.destroy();
    EXPECT_FALSE(manager.isInit());
}

TEST_F(Concurrency, UploadsAndDownloadsInSeveralThreads) {
    std::atomic<int> wrong{0};
    inThreads(kThreads, [&](int number) {
        auto t = manager.tensorT<uint32_t>(5000, kp::Memory::MemoryTypes::eStorage);
        for (int i = 0; i < 10; ++i) {
            const auto values = ascending<uint32_t>(5000, number * 1000 + i);
            t->upload(values);
            if (onDevice<uint32_t>(*t) != values)
                ++wrong;
        }
    });
    EXPECT_EQ(wrong, 0);
}

TEST_F(Concurrency, CompilesShadersInSeveralThreads) {
    std::atomic<int> wrong{0};
    inThreads(kThreads, [&](int number) {
        for (int i = 0; i < 6; ++i) {
            const uint32_t amount = static_cast<uint32_t>(number % 2 * 100 + i);
            if (addShader(amount) != addShader(amount))
                ++wrong;
            try {
                kp::compile("#version 450\nvoid main() { " + std::to_string(number) + " }");
                ++wrong;
            } catch (const kp::ShaderError&) {
            }
        }
    });
    EXPECT_EQ(wrong, 0);
}

TEST_F(Concurrency, SharesOnePipelinePerShader) {
    auto t = manager.tensorT<uint32_t>(4);
    // Shaders that the process has not seen: all threads meet each of them first.
    for (uint32_t amount = 12300; amount < 12350; ++amount) {
        const auto code = addShader(amount);
        std::atomic<int> wrong{0};
        std::atomic<VkPipeline> pipeline{VkPipeline{}};
        inThreads(kThreads, [&](int) {
            const auto algorithm = manager.algorithm({t}, code);
            VkPipeline none{};
            if (!pipeline.compare_exchange_strong(none, algorithm->nativePipeline()) &&
                none != algorithm->nativePipeline())
                ++wrong;
        });
        EXPECT_EQ(wrong, 0);
    }
}

TEST_F(Concurrency, CreatesAndDestroysManagersInSeveralThreads) {
    std::atomic<int> wrong{0};
    inThreads(kThreads, [&](int number) {
        for (int i = 0; i < 5; ++i) {
            kp::ManagerOptions options;
            options.timelineSemaphores = (number + i) % 2 == 0;
            kp::Manager mine(options);
            auto t = mine.tensorT<uint32_t>({1, 2, 3});
            mine.sequence()->eval<kp::OpSyncDevice>({t});
            if (onDevice<uint32_t>(*t)[2] != 3)
                ++wrong;
            if (kp::listDevices().empty())
                ++wrong;
        }
    });
    EXPECT_EQ(wrong, 0);
}

TEST_F(Concurrency, DestroysAManagerWhileAnotherThreadFreesItsTensors) {
    for (int round = 0; round < 5; ++round) {
        auto mine = std::make_unique<kp::Manager>();
        std::vector<std::shared_ptr<kp::Tensor>> tensors;
        for (int i = 0; i < 200; ++i)
            tensors.push_back(mine->tensorT<uint32_t>(16));
        std::thread other([&] { tensors.clear(); });
        mine.reset();
        other.join();
        EXPECT_TRUE(tensors.empty());
    }
}

TEST_F(Concurrency, LogsFromSeveralThreads) {
    inThreads(kThreads, [&](int number) {
        for (int i = 0; i < 50; ++i) {
            KP_LOG_WARN("thread {} says {}", number, i);
            kp::logger::setLogLevel(kp::logger::getLogLevel());
        }
    });
    EXPECT_NE(logText().find("W thread 3 says 49"), std::string::npos);
}

} // namespace
} // namespace kp::test
