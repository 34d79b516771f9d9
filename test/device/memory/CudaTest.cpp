// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <chrono>
#include <future>
#include <numeric>
#include <thread>
#include <vector>

#include <kompute/Kompute.hpp>
#include <kompute/Launch.hpp>

#include "cuda/HostGpu.hpp"
#include "device/TestSupport.hpp"

namespace kp::test {
namespace {

constexpr const char* kPlusOne = R"(#version 450
layout(local_size_x = 1) in;
layout(binding = 0) buffer A { float v[]; };
void main() { v[gl_GlobalInvocationID.x] += 1.0; })";

void* streamOf(uintptr_t number) {
    return reinterpret_cast<void*>(number);
}

/// A manager whose device shares memory with a stand-in for CUDA. Streams are threads, and
/// addresses point to host memory.
struct CudaTest : testing::Test {
    void SetUp() override {
        cuda::Gpu::replace(gpu);
        ManagerOptions options;
        options.shareDevice = false;
        manager = std::make_unique<Manager>(options);
        try {
            static_cast<void>(manager->cudaDevice());
            tensor = manager->sharedTensor(kCount, sizeof(float), Memory::DataTypes::eFloat);
        } catch (const Unsupported& error) {
            GTEST_SKIP() << error.what();
        }
        const std::vector<float> zeros(kCount, 0.0f);
        tensor->upload(zeros);
        manager->waitIdle(); // the upload may return before
    }
    void TearDown() override {
        cuda::Gpu::replace(nullptr);
        tensor.reset();
        manager.reset();
    }

    float* values(Tensor& of) { return reinterpret_cast<float*>(of.cudaMemory().address); }
    std::shared_ptr<Sequence> addOne(const std::shared_ptr<Tensor>& to) {
        auto algorithm = manager->algorithm({to}, manager->compile(kPlusOne), Workgroup{kCount});
        auto sequence = manager->sequence();
        sequence->record<OpAlgoDispatch>(algorithm);
        return sequence;
    }
    /// Occupies a stream until the promise is set.
    std::promise<void> hold(void* stream) {
        std::promise<void> promise;
        gpu->run(stream, [future = promise.get_future().share()] { future.wait(); });
        return promise;
    }

    static constexpr uint32_t kCount = 8;
    const std::shared_ptr<cuda::HostGpu> gpu = std::make_shared<cuda::HostGpu>();
    std::unique_ptr<Manager> manager;
    std::shared_ptr<Tensor> tensor;
};

TEST_F(CudaTest, SharedTensorIsOneMemoryForBoth) {
    const CudaMemory memory = tensor->cudaMemory();
    EXPECT_EQ(memory.device, 0);
    values(*tensor)[3] = 41;
    addOne(tensor)->eval();
    std::vector<float> read(kCount);
    tensor->download(read);
    EXPECT_EQ(read[3], 42);
    EXPECT_EQ(values(*tensor)[3], 42);
    EXPECT_EQ(values(*tensor)[0], 1);
}

TEST_F(CudaTest, SharedTensorWithAMirrorSyncs) {
    auto both = manager->sharedTensor(kCount, sizeof(float), Memory::DataTypes::eFloat,
                                      Memory::MemoryTypes::eDevice);
    values(*both)[1] = 5;
    manager->sequence()->eval<OpSyncLocal>({both});
    EXPECT_EQ(both->data<float>()[1], 5);
    EXPECT_THROW(manager->sharedTensor(1, 4, Memory::DataTypes::eFloat, Memory::MemoryTypes::eHost),
                 InvalidArgument);
}

TEST_F(CudaTest, WorkWaitsForAStreamAndTheStreamForWork) {
    SKIP_IF_SIGNALS_ARE_LOST();
    void* const stream = streamOf(7);
    std::promise<void> held = hold(stream);
    float* const at = values(*tensor);
    gpu->run(stream, [at] { at[0] = 10; });
    const Event written = manager->cudaEvent(stream);
    EXPECT_FALSE(written.done());
    auto sequence = addOne(tensor);
    sequence->evalAsync(std::vector<Event>{written});
    letCudaWait(stream, sequence->event());
    float seen = 0;
    gpu->run(stream, [at, &seen] { seen = at[0]; });
    EXPECT_FALSE(sequence->event().done()); // and no call above has waited
    held.set_value();
    gpu->synchronize(stream);
    EXPECT_EQ(seen, 11);
    sequence->evalAwait();
    EXPECT_TRUE(written.done());
}

TEST_F(CudaTest, TensorsKeepTheOrderWithStreams) {
    SKIP_IF_SIGNALS_ARE_LOST();
    void* const stream = streamOf(8);
    std::promise<void> held = hold(stream);
    float* const at = values(*tensor);
    gpu->run(stream, [at] { at[0] = 20; });
    tensor->waitForCuda(stream);
    auto sequence = addOne(tensor);
    sequence->evalAsync();
    void* const reader = streamOf(9);
    tensor->letCudaWait(reader);
    float seen = 0;
    gpu->run(reader, [at, &seen] { seen = at[0]; });
    held.set_value();
    gpu->synchronize(reader);
    EXPECT_EQ(seen, 21);
    sequence->evalAwait();
}

TEST_F(CudaTest, GatheredWorkIsSubmittedBeforeAStreamWaits) {
    auto kernel = manager->compile(kPlusOne);
    auto algorithm = manager->algorithm({tensor}, kernel, Workgroup{kCount});
    std::vector<std::shared_ptr<Sequence>> sequences;
    for (int i = 0; i < 20; ++i) {
        sequences.push_back(manager->sequence());
        sequences.back()->record<OpAlgoDispatch>(algorithm);
        sequences.back()->evalAsync();
    }
    void* const stream = streamOf(3);
    letCudaWait(stream, sequences.back()->event());
    float seen = 0;
    float* const at = values(*tensor);
    gpu->run(stream, [at, &seen] { seen = at[0]; });
    gpu->synchronize(stream);
    EXPECT_EQ(seen, 20);
    for (const auto& sequence : sequences)
        sequence->evalAwait();
}

TEST_F(CudaTest, ManyExchangesAreRight) {
    SKIP_IF_SIGNALS_ARE_LOST();
    void* const stream = streamOf(4);
    float* const at = values(*tensor);
    auto sequence = addOne(tensor);
    for (int i = 0; i < 100; ++i) {
        gpu->run(stream, [at] { at[0] *= 0.5f; });
        sequence->evalAsync(std::vector<Event>{manager->cudaEvent(stream)});
        letCudaWait(stream, sequence->event());
        sequence->evalAwait();
    }
    gpu->synchronize(stream);
    float expected = 0;
    for (int i = 0; i < 100; ++i)
        expected = expected * 0.5f + 1;
    EXPECT_EQ(at[0], expected);
}

TEST_F(CudaTest, AnIdleStreamCostsNoSignal) {
    EXPECT_TRUE(manager->cudaEvent(streamOf(5)).done());
    EXPECT_EQ(manager->cudaEvent(streamOf(5)).value(), 0u);
}

TEST_F(CudaTest, MemoryThatCudaMayUseIsGivenOutLater) {
    void* const stream = streamOf(6);
    std::promise<void> held = hold(stream);
    const uint64_t address = tensor->cudaMemory().address;
    const auto make = [&] {
        return manager->sharedTensor(kCount, sizeof(float), Memory::DataTypes::eFloat);
    };
    tensor.reset();
    manager->clear();
    EXPECT_NE(make()->cudaMemory().address, address) << "a stream still has work";
    held.set_value();
    gpu->synchronize(stream);
    EXPECT_EQ(make()->cudaMemory().address, address);
}

TEST_F(CudaTest, UnusedMemoryIsFreedIfThereIsNoOther) {
    const auto make = [&](uint64_t mebibytes) {
        return manager->sharedTensor(mebibytes << 18, 4, Memory::DataTypes::eFloat);
    };
    make(40); // does not fit beside the tensor of the test
    gpu->failNext("allocate");
    EXPECT_EQ(make(80)->memorySize(), uint64_t{80} << 20);
}

TEST_F(CudaTest, AKeeperKeepsTheMemoryOfADestroyedTensor) {
    CudaMemory kept = tensor->cudaMemory();
    tensor->destroy();
    EXPECT_THROW(static_cast<void>(tensor->cudaMemory()), InvalidArgument);
    auto other = manager->sharedTensor(kCount, sizeof(float), Memory::DataTypes::eFloat);
    EXPECT_NE(other->cudaMemory().address, kept.address);
    reinterpret_cast<float*>(kept.address)[0] = 1; // still memory
    other.reset();
    tensor.reset();
    manager.reset();
    reinterpret_cast<float*>(kept.address)[0] = 2;
}

TEST_F(CudaTest, PiecesOfManySizesDoNotOverlap) {
    std::vector<std::shared_ptr<Tensor>> tensors;
    for (uint64_t i = 1; i <= 60; ++i) {
        tensors.push_back(manager->sharedTensor(i * 7, 1, Memory::DataTypes::eUnsignedChar));
        const std::vector<uint8_t> own(i * 7, static_cast<uint8_t>(i));
        tensors.back()->upload(own);
        if (i % 3 == 0)
            tensors.erase(tensors.begin() + static_cast<ptrdiff_t>(i / 3));
    }
    for (const auto& each : tensors) {
        std::vector<uint8_t> read(each->size());
        each->download(read);
        EXPECT_EQ(read.size() % 7, 0u);
        for (const uint8_t value : read)
            ASSERT_EQ(value, static_cast<uint8_t>(read.size() / 7));
    }
}

TEST_F(CudaTest, TensorsAtAnAddressShareItsOrder) {
    auto whole = manager->sharedTensor(1024, sizeof(float), Memory::DataTypes::eFloat);
    whole->upload(std::vector<float>(1024, 1.0f));
    const uint64_t address = whole->cudaMemory().address;
    auto owner = std::make_shared<int>();
    auto part = manager->tensorAtCuda(address + 2048, kCount, sizeof(float),
                                      Memory::DataTypes::eFloat, owner);
    ASSERT_TRUE(part);
    addOne(part)->eval();
    std::vector<float> read(kCount);
    whole->download(read, 512);
    EXPECT_EQ(read[0], 2);
    EXPECT_EQ(owner.use_count(), 2);
    part.reset();
    manager->clear();
    manager->waitIdle();
    addOne(whole)->eval(); // collects
    EXPECT_EQ(owner.use_count(), 1);
    EXPECT_FALSE(manager->tensorAtCuda(16, 1, 4, Memory::DataTypes::eFloat));
    EXPECT_THROW(manager->tensorAtCuda(address, uint64_t{1} << 30, 4, Memory::DataTypes::eFloat),
                 InvalidArgument);
    EXPECT_THROW(manager->tensorAtCuda(address + 4, 1, 4, Memory::DataTypes::eFloat),
                 InvalidArgument);
}

TEST_F(CudaTest, PoolMemoryOfOtherLibrariesIsUsedInPlace) {
    ASSERT_EQ(enableCudaPool(*manager), 0);
    void* const memory = cudaPoolAllocate(3 << 20, 0);
    ASSERT_TRUE(memory);
    EXPECT_FALSE(cudaPoolAllocate(1, 99));
    auto* const floats = static_cast<float*>(memory);
    floats[64] = 3;
    {
        auto there = manager->tensorAtCuda(reinterpret_cast<uintptr_t>(memory) + 256, kCount,
                                           sizeof(float), Memory::DataTypes::eFloat);
        ASSERT_TRUE(there);
        addOne(there)->eval();
    }
    EXPECT_EQ(floats[64], 4);
    cudaPoolFree(memory);
    EXPECT_FALSE(manager->tensorAtCuda(reinterpret_cast<uintptr_t>(memory), kCount, sizeof(float),
                                       Memory::DataTypes::eFloat));
}

TEST_F(CudaTest, CopiesFromOtherMemory) {
    SKIP_IF_SIGNALS_ARE_LOST();
    std::vector<float> other(kCount);
    std::iota(other.begin(), other.end(), 1.0f);
    auto owner = std::make_shared<int>();
    manager->copyFromCuda(tensor, reinterpret_cast<uintptr_t>(other.data()), owner);
    addOne(tensor)->eval();
    std::vector<float> read(kCount);
    tensor->download(read);
    EXPECT_EQ(read[7], 9);
    EXPECT_THROW(manager->copyFromCuda(tensor, 0), InvalidArgument);
}

TEST_F(CudaTest, RefusesWhatCannotBeMeant) {
    void* const foreign = streamOf(cuda::HostGpu::kForeignStream);
    EXPECT_THROW(static_cast<void>(manager->cudaEvent(foreign)), InvalidArgument);
    EXPECT_THROW(tensor->waitForCuda(foreign), InvalidArgument);
    EXPECT_THROW(tensor->letCudaWait(foreign), InvalidArgument);
    auto ordinary = manager->tensorT<float>({1});
    EXPECT_THROW(static_cast<void>(ordinary->cudaMemory()), InvalidArgument);
    EXPECT_THROW(ordinary->waitForCuda(nullptr), InvalidArgument);
    EXPECT_THROW(manager->sharedTensor(0, 4, Memory::DataTypes::eFloat), InvalidArgument);

    UserEvent later;
    auto sequence = addOne(tensor);
    sequence->evalAsync(std::vector<Event>{later});
    EXPECT_THROW(letCudaWait(streamOf(2), sequence->event()), InvalidArgument);
    later.set();
    sequence->evalAwait();
    letCudaWait(streamOf(2), Event());
}

TEST_F(CudaTest, FailuresOfTheDriverLeaveEverythingUsable) {
    SKIP_IF_SIGNALS_ARE_LOST();
    void* const stream = streamOf(11);
    gpu->failNext("allocate");
    EXPECT_THROW(manager->sharedTensor(uint64_t{10} << 20, 4, Memory::DataTypes::eFloat),
                 OutOfMemory);
    std::promise<void> held = hold(stream);
    gpu->failNext("import");
    EXPECT_THROW(static_cast<void>(manager->cudaEvent(stream)), Unsupported);
    gpu->failNext("signal");
    EXPECT_THROW(static_cast<void>(manager->cudaEvent(stream)), Unsupported);
    const Event event = manager->cudaEvent(stream);
    auto sequence = addOne(tensor);
    sequence->evalAsync(std::vector<Event>{event});
    gpu->failNext("wait");
    EXPECT_THROW(letCudaWait(streamOf(12), sequence->event()), Unsupported);
    letCudaWait(streamOf(12), sequence->event());
    held.set_value();
    sequence->evalAwait();
    gpu->synchronize(streamOf(12));
    EXPECT_EQ(values(*tensor)[0], 1);
}

TEST_F(CudaTest, AStreamIsWaitedForByAnother) {
    SKIP_IF_SIGNALS_ARE_LOST();
    std::promise<void> held = hold(streamOf(1));
    const Event first = manager->cudaEvent(streamOf(1));
    letCudaWait(streamOf(2), first);
    bool ran = false;
    gpu->run(streamOf(2), [&ran] { ran = true; });
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    EXPECT_FALSE(first.done());
    held.set_value();
    gpu->synchronize(streamOf(2));
    EXPECT_TRUE(ran);
    EXPECT_TRUE(first.wait());
}

TEST_F(CudaTest, ManyStreamsShareTimelines) {
    SKIP_IF_SIGNALS_ARE_LOST();
    for (uintptr_t i = 100; i < 160; ++i) {
        gpu->run(streamOf(i), [] {});
        tensor->waitForCuda(streamOf(i));
        gpu->synchronize(streamOf(i));
        addOne(tensor)->eval();
    }
    std::vector<float> read(kCount);
    tensor->download(read);
    EXPECT_EQ(read[0], 60);
}

TEST(CudaWithoutTest, SaysWhyThereIsNoSharedMemory) {
    Manager manager(ManagerOptions{.shareDevice = false});
    if (manager.deviceInfo().name.find("NVIDIA") != std::string::npos)
        GTEST_SKIP() << "this GPU has CUDA";
    try {
        manager.sharedTensor(4, 4, Memory::DataTypes::eFloat);
        FAIL();
    } catch (const Unsupported& error) {
        const std::string text = error.what();
        EXPECT_TRUE(text.find("not an NVIDIA GPU") != std::string::npos ||
                    text.find("timeline semaphores") != std::string::npos)
            << text;
    }
}

} // namespace
} // namespace kp::test
