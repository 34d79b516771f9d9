// SPDX-License-Identifier: Apache-2.0
//
// Many objects, and some of the random programs that scripts/proof.sh runs.
#include <algorithm>
#include <string>

#include "../FaultyDriver.hpp"
#include "../TestSupport.hpp"
#include "proof/RandomProgram.hpp"

namespace kp::test {
namespace {

using MemoryTypes = kp::Memory::MemoryTypes;

class StressTest : NewDevice, public DeviceTest {
protected:
    /// Runs a round several times. Memory must not grow in the second half.
    template <typename Round>
    void expectFlatMemory(int rounds, Round round) {
        uint64_t allocated = 0;
        uint64_t resident = 0;
        for (int i = 0; i < rounds; ++i) {
            round(i);
            if (i == rounds / 2 - 1) {
                allocated = manager.allocatedBytes();
                resident = residentBytes();
            }
        }
        EXPECT_LE(manager.allocatedBytes(), allocated);
        if (!slowed()) {
            EXPECT_LE(residentBytes(), resident + (8u << 20));
        }
        EXPECT_LE(manager.objectCount(), 4u);
    }
};

TEST_F(StressTest, KeepsMemoryFlatOverManyTensors) {
    const int count = slowed() ? 2000 : 20000;
    const auto code = addShader(1);
    for (const MemoryTypes type : {MemoryTypes::eDevice, MemoryTypes::eHost}) {
        const auto counter = manager.tensorT<uint32_t>(std::vector<uint32_t>{0});
        const auto sequence = manager.sequence();
        int wrong = 0;
        expectFlatMemory(10, [&](int) {
            for (int i = 0; i < count / 10; ++i) {
                const auto tensor = manager.tensorT<uint32_t>(256, type);
                tensor->data()[255] = static_cast<uint32_t>(i);
                wrong += tensor->vector()[255] != static_cast<uint32_t>(i);
                if (i % 100 == 0) {
                    sequence->eval<kp::OpSyncDevice>({tensor})
                        ->eval<kp::OpAlgoDispatch>(manager.algorithm({tensor}, code))
                        ->eval<kp::OpSyncLocal>({tensor});
                    wrong += tensor->vector()[255] != static_cast<uint32_t>(i) + 1;
                }
            }
        });
        EXPECT_EQ(wrong, 0);
    }
}

TEST_F(StressTest, HoldsManyTensorsAtOnce) {
    const uint32_t count = slowed() ? 1000 : 20000;
    const uint64_t before = manager.allocatedBytes();
    for (int round = 0; round < 2; ++round) {
        std::vector<std::shared_ptr<kp::TensorT<uint32_t>>> tensors;
        for (uint32_t i = 0; i < count; ++i)
            tensors.push_back(manager.tensorT<uint32_t>(std::vector<uint32_t>(256, i)));
        for (uint32_t i = 0; i < count; i += 97)
            EXPECT_EQ(tensors[i]->data()[0], i);
        // Each has device memory and a mirror of 1 KiB. There is room for the unused parts of
        // blocks.
        EXPECT_LE(manager.allocatedBytes() - before, uint64_t{count} * 2048 * 3 / 2 + (256u << 20));
        EXPECT_GE(manager.objectCount(), count);
    }
    EXPECT_EQ(manager.objectCount(), 0u);
}

TEST_F(StressTest, KeepsMemoryFlatOverManyTemporarySequences) {
    const int count = slowed() ? 1000 : 10000;
    const auto counter = manager.tensorT<uint32_t>(std::vector<uint32_t>{0});
    const auto algorithm = manager.algorithm({counter}, addShader(1));
    manager.sequence()->eval<kp::OpSyncDevice>({counter});
    expectFlatMemory(10, [&](int) {
        for (int i = 0; i < count / 10; ++i)
            manager.sequence()->record<kp::OpAlgoDispatch>(algorithm)->eval();
    });
    EXPECT_EQ(onDevice<uint32_t>(*counter), std::vector<uint32_t>{static_cast<uint32_t>(count)});
}

TEST_F(StressTest, RunsManySequencesInFlight) {
    const int count = slowed() ? 200 : 1000;
    const auto counter = manager.tensorT<uint32_t>(std::vector<uint32_t>{0});
    const auto algorithm = manager.algorithm({counter}, addShader(1));
    manager.sequence()->eval<kp::OpSyncDevice>({counter});
    std::vector<std::shared_ptr<kp::Sequence>> sequences;
    for (int i = 0; i < count; ++i) {
        sequences.push_back(manager.sequence());
        sequences.back()->record<kp::OpAlgoDispatch>(algorithm)->evalAsync();
    }
    for (const auto& sequence : sequences)
        sequence->evalAwait();
    EXPECT_EQ(onDevice<uint32_t>(*counter), std::vector<uint32_t>{static_cast<uint32_t>(count)});
}

TEST_F(StressTest, FreesMemoryOnlyAfterItsLastUse) {
    const auto code = addShader(1);
    std::vector<uint32_t> results;
    for (int i = 0; i < 200; ++i) {
        const auto result = manager.tensorT<uint32_t>(64, MemoryTypes::eStorage);
        {
            const auto tensor =
                manager.tensorT<uint32_t>(std::vector<uint32_t>(64, 1), MemoryTypes::eStorage);
            const auto sequence = manager.sequence();
            sequence->record<kp::OpAlgoDispatch>(manager.algorithm({tensor}, code))
                ->record<kp::OpCopy>({tensor, result})
                ->evalAsync();
            if (i % 2 == 0)
                tensor->destroy();
            if (i % 3 == 0)
                sequence->destroy();
        }
        const std::vector<uint32_t> values = onDevice<uint32_t>(*result);
        ASSERT_EQ(values, std::vector<uint32_t>(64, 2)) << i;
    }
}

TEST(Stress, ReusesDescriptorPoolsWhenAlgorithmsChurn) {
    FaultyDriver driver;
    const auto manager = driver.manager();
    const auto tensor = manager->tensorT<uint32_t>(1);
    const auto code = addShader(1);
    std::vector<std::shared_ptr<kp::Algorithm>> algorithms(2000);
    for (auto& algorithm : algorithms)
        algorithm = manager->algorithm({tensor}, code);
    const int64_t pools = driver.alive()["DescriptorPool"];
    for (int round = 0; round < 10; ++round) {
        // Leave holes in every pool, and fill them.
        for (size_t i = round % 2; i < algorithms.size(); i += 2)
            algorithms[i] = nullptr;
        for (auto& algorithm : algorithms)
            if (!algorithm)
                algorithm = manager->algorithm({tensor}, code);
    }
    EXPECT_LE(driver.alive()["DescriptorPool"], pools + 1);
}

void expectProgramsEqualToModel(kp::Manager& manager) {
    const uint32_t programs = slowed() ? 15 : 80;
    for (uint32_t number = 0; number < programs; ++number) {
        SCOPED_TRACE("program " + std::to_string(number));
        proof::RandomProgram program(manager, proof::Random(1, number));
        program.run(8);
        ASSERT_NO_THROW(program.expectEqualToModel());
    }
}

TEST_F(StressTest, RunsRandomProgramsLikeTheModel) {
    if (isSwiftShader(manager))
        GTEST_SKIP() << "SwiftShader stores to no linear image of one channel";
    expectProgramsEqualToModel(manager);
}

TEST_F(StressTest, RunsRandomProgramsLikeTheModelOnSeveralQueues) {
    kp::ManagerOptions options;
    const std::vector<uint32_t> queues = manager.deviceInfo().computeQueues;
    for (uint32_t family = 0; family < queues.size(); ++family)
        for (uint32_t i = 0; i < std::min(queues[family], 2u); ++i)
            options.queueFamilies.push_back(family);
    if (options.queueFamilies.size() < 2)
        GTEST_SKIP() << "the device has one queue";
    kp::Manager several(options);
    ASSERT_EQ(several.queueCount(), options.queueFamilies.size());
    expectProgramsEqualToModel(several);
}

TEST_F(StressTest, RunsRandomProgramsLikeTheModelWithFences) {
    kp::ManagerOptions options;
    options.timelineSemaphores = false;
    kp::Manager fences(options);
    expectProgramsEqualToModel(fences);
}

} // namespace
} // namespace kp::test
