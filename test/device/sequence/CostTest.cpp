// SPDX-License-Identifier: Apache-2.0
//
// Work that is done once is not repeated. The calls are counted in the device's function table.
#include "../AllocationCounter.hpp"
#include "../CallCounter.hpp"
#include "../TestSupport.hpp"

#include "vulkan/device/Device.hpp"

namespace kp::test {
namespace {

class CostTest : NewDevice, public DeviceTest {
protected:
    std::shared_ptr<kp::TensorT<uint32_t>> t = manager.tensorT<uint32_t>({0, 0, 0});

    /// A sequence with an operation of each kind.
    std::shared_ptr<kp::Sequence> mixedSequence(uint32_t timestamps = 0) {
        auto other = manager.tensorT<uint32_t>(3);
        return manager.sequence(0, timestamps)
            ->record<kp::OpSyncDevice>({t})
            ->record<kp::OpAlgoDispatch>(manager.algorithm({t}, addShader(1)))
            ->record<kp::OpCopy>({t, other})
            ->record<kp::OpFill>({t}, 3u)
            ->record<kp::OpSyncLocal>({t, other});
    }
};

TEST_F(CostTest, ReevaluatesWithOneSubmitAndNothingElse) {
    for (const uint32_t timestamps : {0u, 8u}) {
        if (timestamps > 0 && !manager.deviceInfo().timestamps)
            continue;
        auto sq = mixedSequence(timestamps);
        for (int round = 0; round < 3; ++round)
            sq->eval();
        CallCounter calls(manager);
        for (uint64_t round = 1; round <= 10; ++round) {
            sq->eval();
            EXPECT_EQ(calls.submits(), round) << calls.list();
        }
        EXPECT_EQ(calls.objectsCreated(), 0u) << calls.list();
        EXPECT_EQ(calls.of("vkBeginCommandBuffer"), 0u);
        EXPECT_EQ(calls.of("vkCmdPipelineBarrier"), 0u);
        EXPECT_EQ(calls.of("vkUpdateDescriptorSets"), 0u);
        EXPECT_EQ(calls.of("vkDeviceWaitIdle"), 0u);
        EXPECT_EQ(calls.of("vkQueueWaitIdle"), 0u);
    }
}

TEST(FenceCostTest, ReusesTheFencesOfSubmissionsThatNobodyWaitsFor) {
    kp::ManagerOptions options;
    options.timelineSemaphores = false;
    options.shareDevice = false;
    kp::Manager manager(options);
    const auto device = deviceOf(manager);
    auto tensor = manager.tensorT<uint32_t>({0, 0, 0});
    std::vector<std::shared_ptr<kp::Sequence>> sequences;
    for (int i = 0; i < 50; ++i)
        sequences.push_back(manager.sequence()->record<kp::OpSyncDevice>({tensor}));
    CallCounter calls(manager);
    for (const auto& sequence : sequences) {
        sequence->evalAsync();
        // A wait of the library would query the fences.
        device->vk().vkDeviceWaitIdle(device->handle());
    }
    EXPECT_EQ(calls.submits(), 50u) << calls.list();
    EXPECT_LE(calls.of("vkCreateFence"), 2u) << calls.list();
}

TEST_F(CostTest, ReevaluatesWithoutAllocating) {
    if (!countsAllocations())
        GTEST_SKIP() << "the sanitizer has its own operator new";
    if (validating())
        GTEST_SKIP() << "the validation layer allocates";
    if (checking())
        GTEST_SKIP() << "checked mode reads a report";
    auto sq = mixedSequence();
    for (int round = 0; round < 10; ++round)
        sq->eval();
    const CallCounter calls(manager); // excludes the driver's allocations
    const uint64_t before = allocationsOfThisThread();
    for (int round = 0; round < 10; ++round)
        sq->eval();
    EXPECT_EQ(allocationsOfThisThread() - before, 0u);
    for (int round = 0; round < 10; ++round) {
        sq->evalAsync();
        sq->evalAwait();
    }
    EXPECT_EQ(allocationsOfThisThread() - before, 0u);
}

TEST_F(CostTest, MakesATensorInAFreedBufferWithThreeAllocations) {
    if (!countsAllocations())
        GTEST_SKIP() << "the sanitizer has its own operator new";
    if (validating())
        GTEST_SKIP() << "under validation no buffers are kept";
    constexpr uint64_t kTensors = 100;
    std::vector<std::shared_ptr<kp::TensorT<uint32_t>>> tensors(2 * kTensors);
    const auto allocations = [&](uint64_t count) {
        const uint64_t before = allocationsOfThisThread();
        for (uint64_t i = 0; i < count; ++i)
            tensors[i] = manager.tensorT<uint32_t>(1024);
        return allocationsOfThisThread() - before;
    };
    allocations(2 * kTensors); // the lists grow
    for (auto& tensor : tensors)
        tensor.reset();
    EXPECT_LE(allocations(kTensors), 3 * kTensors + 1);
}

TEST_F(CostTest, RecordsAgainWithoutAllocatingPerDispatch) {
    if (!countsAllocations())
        GTEST_SKIP() << "the sanitizer has its own operator new";
    if (validating())
        GTEST_SKIP() << "the validation layer allocates";
    constexpr int kDispatches = 200;
    std::vector<std::shared_ptr<kp::Algorithm>> algorithms;
    for (int i = 0; i < kDispatches; ++i)
        algorithms.push_back(
            manager.algorithm({manager.tensorT<uint32_t>(std::vector<uint32_t>{0})}, addShader(1)));
    auto sq = manager.sequence();
    const auto record = [&] {
        sq->begin();
        for (const auto& algorithm : algorithms)
            sq->record<kp::OpAlgoDispatch>(algorithm);
        sq->end();
    };
    record();
    record();
    const CallCounter calls(manager); // excludes the driver's allocations
    const uint64_t before = allocationsOfThisThread();
    record();
    EXPECT_LT(allocationsOfThisThread() - before, 10u);
}

TEST_F(CostTest, AllocationCounterCountsAllocations) {
    if (!countsAllocations())
        GTEST_SKIP() << "the sanitizer has its own operator new";
    const uint64_t before = allocationsOfThisThread();
    manager.sequence()->eval<kp::OpSyncDevice>({t});
    EXPECT_GT(allocationsOfThisThread(), before);
}

TEST_F(CostTest, PlacesNoBarrierBetweenIndependentDispatches) {
    std::vector<std::shared_ptr<kp::Algorithm>> algorithms;
    const auto code = copyShader();
    for (int i = 0; i < 1000; ++i)
        algorithms.push_back(manager.algorithm({t, manager.tensorT<uint32_t>(3)}, code));
    auto sq = manager.sequence();
    CallCounter calls(manager);
    for (const auto& algorithm : algorithms)
        sq->record<kp::OpAlgoDispatch>(algorithm);
    sq->eval();
    EXPECT_EQ(calls.of("vkCmdDispatch"), 1000u);
    EXPECT_LE(calls.barriers(), 1u) << "one at the start of the command buffer is allowed";
    EXPECT_EQ(calls.submits(), 1u);
}

TEST_F(CostTest, PlacesNoBarrierBetweenReadersOfOneTensor) {
    auto reader = manager.algorithm(
        {t}, spirv(shader(buffer(0, "", "uint", "v") + "shared uint s;", "s = v[i];")));
    auto sq = manager.sequence();
    CallCounter calls(manager);
    for (int i = 0; i < 1000; ++i)
        sq->record<kp::OpAlgoDispatch>(reader); // no qualifier: the code shows that it only reads
    sq->eval();
    EXPECT_LE(calls.barriers(), 1u);
}

TEST_F(CostTest, PlacesOneBarrierBetweenDependentDispatches) {
    auto step = manager.algorithm({t}, addShader(1));
    auto sq = manager.sequence();
    CallCounter calls(manager);
    for (int i = 0; i < 1000; ++i)
        sq->record<kp::OpAlgoDispatch>(step);
    sq->eval();
    EXPECT_GE(calls.barriers(), 999u);
    EXPECT_LE(calls.barriers(), 1000u) << "one at the start of the command buffer is allowed";
}

TEST_F(CostTest, MergesTheBarriersOfAnOperation) {
    std::vector<std::shared_ptr<kp::Memory>> objects;
    for (int i = 0; i < 16; ++i)
        objects.push_back(manager.tensorT<uint32_t>(3));
    auto sq = manager.sequence();
    CallCounter calls(manager);
    sq->record<kp::OpSyncDevice>(objects);
    for (const auto& object : objects)
        sq->record<kp::OpAlgoDispatch>(manager.algorithm({object}, addShader(1)));
    sq->record<kp::OpSyncLocal>(objects)->eval();
    // Barriers at the start, before the dispatches, before the downloads and for the host at the
    // end. Each tensor's dispatch may also wait for its own upload.
    EXPECT_LE(calls.barriers(), 19u) << calls.list();
}

TEST_F(CostTest, ReusesTheObjectsOfTemporarySequences) {
    auto algorithm = manager.algorithm({t}, addShader(1));
    manager.sequence()->eval<kp::OpAlgoDispatch>(algorithm);
    manager.sequence()->eval<kp::OpSyncDevice>({t});
    CallCounter calls(manager);
    for (int round = 0; round < 20; ++round) {
        manager.sequence()->eval<kp::OpAlgoDispatch>(algorithm);
        manager.sequence()->eval<kp::OpSyncLocal>({t});
    }
    EXPECT_EQ(calls.submits(), 40u);
    EXPECT_EQ(calls.objectsCreated(), 0u) << calls.list();
}

TEST_F(CostTest, SharesThePipelineOfAShader) {
    const auto code = addShader(77);
    auto first = manager.algorithm({t}, code);
    CallCounter calls(manager);
    auto other = manager.tensorT<uint32_t>(3);
    auto second = manager.algorithm({other}, code);
    second->setMemObjects({t});
    EXPECT_EQ(calls.of("vkCreateComputePipelines"), 0u);
    EXPECT_EQ(calls.of("vkCreateShaderModule"), 0u);
    EXPECT_EQ(calls.of("vkCreatePipelineLayout"), 0u);
    // Without validation, descriptor sets of destroyed algorithms and of formerly bound memory are
    // reused.
    calls.reset();
    for (int i = 0; i < 20; ++i) {
        second->setMemObjects({i % 2 == 0 ? other : t});
        manager.algorithm({t}, code);
    }
    if (!validating()) {
        EXPECT_LE(calls.of("vkAllocateDescriptorSets"), 2u);
    }
    EXPECT_EQ(calls.objectsCreated() - calls.of("vkAllocateDescriptorSets"), 0u) << calls.list();
    EXPECT_EQ(calls.of("vkCreateDescriptorSetLayout"), 0u);
}

TEST_F(CostTest, AllocatesManyTensorsFromFewBlocks) {
    CallCounter calls(manager);
    std::vector<std::shared_ptr<kp::Tensor>> tensors;
    for (int i = 0; i < 10000; ++i)
        tensors.push_back(manager.tensorT<uint32_t>(256));
    EXPECT_LT(calls.of("vkAllocateMemory"), 16u);
    const uint64_t first = calls.of("vkAllocateMemory");
    tensors.clear();
    for (int i = 0; i < 10000; ++i)
        tensors.push_back(manager.tensorT<uint32_t>(256));
    EXPECT_LE(calls.of("vkAllocateMemory"), first + 1); // freed memory is reused
}

TEST_F(CostTest, CreatesAMirrorOnlyWhenUsed) {
    manager.clear(); // of the buffers of freed tensors
    CallCounter calls(manager);
    const auto tensor = manager.tensorT<uint32_t>(1000);
    EXPECT_EQ(calls.of("vkCreateBuffer"), 1u);
    manager.sequence()->eval<kp::OpFill>({tensor}, 1u);
    EXPECT_EQ(calls.of("vkCreateBuffer"), 1u);
    EXPECT_EQ(tensor->data()[999], 1u);
    EXPECT_GE(calls.of("vkCreateBuffer"), 2u);
    calls.reset();
    const auto storage = manager.tensorT<uint32_t>(1000, kp::Memory::MemoryTypes::eStorage);
    manager.sequence()->eval<kp::OpSyncDevice>({storage});
    manager.sequence()->eval<kp::OpSyncLocal>({storage});
    EXPECT_EQ(calls.of("vkCreateBuffer"), 1u);
}

} // namespace
} // namespace kp::test
