// SPDX-License-Identifier: Apache-2.0
//
// Many objects, and random programs compared with a model on the CPU.
#include <algorithm>
#include <functional>
#include <random>

#include "FaultyDriver.hpp"
#include "TestSupport.hpp"
#include "core/MemoryImpl.hpp"

namespace kp::test {
namespace {

using MemoryTypes = kp::Memory::MemoryTypes;

class StressTest : public DeviceTest {
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

/// Random operations on a few tensors, in one or several sequences that run concurrently, and a
/// model of all their memory.
class RandomProgram {
public:
    RandomProgram(kp::Manager& manager, uint32_t seed) : mManager(manager), mRandom(seed) {
        for (uint32_t i = 1 + below(3); i > 0; --i)
            mSequences.push_back({manager.sequence(below(manager.queueCount()))});
        for (uint32_t i = 0; i < 5; ++i) {
            Model model;
            model.tensor = manager.tensorT<uint32_t>(kElements, kMemoryTypes[below(4)]);
            model.device = randomValues();
            model.tensor->upload(model.device);
            model.mirrored = implOf(*model.tensor).mirrored;
            model.copied = true;
            mModels.push_back(std::move(model));
        }
        mGroupCounts = manager.tensorT<uint32_t>(3, MemoryTypes::eStorage);
    }

    void run(uint32_t steps) {
        for (uint32_t i = 0; i < steps; ++i) {
            const size_t at = below(static_cast<uint32_t>(mSequences.size()));
            Recorded& recorded = mSequences[at];
            if (recorded.sequence->isRunning())
                await(recorded);
            recorded.before.clear();
            recorded.uses.clear();
            recorded.during.clear();
            for (uint32_t operations = 1 + below(8); operations > 0; --operations)
                record(recorded);
            evaluate(recorded);
            while (below(3) == 0) {
                if (recorded.sequence->isRunning())
                    await(recorded);
                evaluate(recorded);
            }
            if (below(4) == 0)
                useHostView();
        }
        awaitAll();
    }

    void expectEqualToModel() {
        for (Model& model : mModels) {
            std::vector<uint32_t> values(kElements);
            model.bringToDevice(true);
            model.tensor->download(values.data(), values.size() * sizeof(uint32_t));
            ASSERT_EQ(values, model.device);
            if (model.mirrored) {
                model.look();
                ASSERT_EQ(model.tensor->vector(), model.mirror);
            }
        }
    }

private:
    static constexpr uint32_t kElements = 128;

    struct Model {
        std::shared_ptr<kp::TensorT<uint32_t>> tensor;
        bool mirrored = false;
        bool copied = false;      ///< a copy or fill wrote the device memory
        bool written = false;     ///< anything wrote it
        bool changed = false;     ///< setData() changed the mirror
        bool viewGiven = false;   ///< a pointer to it was handed out
        bool syncsDevice = false; ///< the program records the operation
        bool syncsLocal = false;
        std::vector<uint32_t> device;
        std::vector<uint32_t> mirror;

        void agree() { copied = written = changed = viewGiven = false; }
        void fetch() {
            mirror = device;
            agree();
        }
        /// What an access to the host view does.
        void look() {
            if (copied || (written && !changed))
                fetch();
        }
        /// What a submission that uses the memory does first.
        void bringToDevice(bool reads) {
            const bool viewCounts = viewGiven && reads && !written && !syncsDevice && !syncsLocal;
            if (mirrored && (changed ? !syncsDevice : viewCounts)) {
                device = mirror;
                agree();
            }
        }
    };

    using Effects = std::vector<std::function<void()>>;
    enum class Use { eReads, eWrites, eReplaces };

    struct Recorded {
        std::shared_ptr<kp::Sequence> sequence;
        Effects before;                           ///< on the host, before the submission
        std::vector<std::pair<Model*, Use>> uses; ///< first uses, in this order
        Effects during;                           ///< on the device

        void use(Model& model, Use how) {
            for (auto& [known, first] : uses)
                if (known == &model) {
                    if (first == Use::eWrites && how == Use::eReads)
                        first = how;
                    return;
                }
            uses.emplace_back(&model, how);
        }
    };

    uint32_t below(uint32_t limit) {
        return std::uniform_int_distribution<uint32_t>(0, limit - 1)(mRandom);
    }

    std::vector<uint32_t> randomValues() {
        std::vector<uint32_t> values(kElements);
        for (uint32_t& value : values)
            value = static_cast<uint32_t>(mRandom());
        return values;
    }

    Model& anyModel() { return mModels[below(static_cast<uint32_t>(mModels.size()))]; }
    Model& anyModelExcept(const Model& one, const Model& other) {
        Model* model = &anyModel();
        while (model == &one || model == &other)
            model = &anyModel();
        return *model;
    }

    void record(Recorded& to) {
        switch (below(8)) {
        case 0:
        case 1:
            return recordDispatch(to);
        case 2:
            return recordUpdate(to);
        case 3:
            return recordCopy(to);
        case 4:
            return recordFill(to);
        case 5:
            return recordSyncDevice(to);
        case 6:
            return recordSyncLocal(to);
        default:
            return recordIndirect(to);
        }
    }

    void recordDispatch(Recorded& to) {
        static const std::vector<uint32_t> code =
            spirv(shader(buffer(0, "readonly", "uint", "a") + buffer(1, "readonly", "uint", "b") +
                             buffer(2, "writeonly", "uint", "c") +
                             "layout(push_constant) uniform P { uint add; };",
                         "c[i] = a[i] * 3u + b[127u - i] + add;"));
        Model& a = anyModel();
        Model& b = anyModel();
        Model& c = anyModelExcept(a, b);
        const auto add = static_cast<uint32_t>(mRandom());
        to.sequence->record<kp::OpAlgoDispatch>(
            mManager.algorithm<uint32_t, uint32_t>({a.tensor, b.tensor, c.tensor}, code,
                                                   {kElements, 1, 1}, {}, {0}),
            std::vector<uint32_t>{add});
        to.use(a, Use::eReads);
        to.use(b, Use::eReads);
        to.use(c, Use::eWrites);
        to.during.push_back([&a, &b, &c, add] {
            for (uint32_t i = 0; i < kElements; ++i)
                c.device[i] = a.device[i] * 3 + b.device[kElements - 1 - i] + add;
            c.written = true;
        });
    }

    /// The same as updateAlgorithm() on the first @p count elements.
    static void update(Model& model, uint32_t count) {
        for (uint32_t i = 0; i < count; ++i)
            model.device[i] = model.device[i] * 5 + i;
        model.written = true;
    }

    std::shared_ptr<kp::Algorithm> updateAlgorithm(const Model& model) {
        static const std::vector<uint32_t> code =
            spirv(shader(buffer(0, "", "uint", "v"), "v[i] = v[i] * 5u + i;"));
        return mManager.algorithm({model.tensor}, code, {kElements, 1, 1});
    }

    void recordUpdate(Recorded& to) {
        Model& model = anyModel();
        to.sequence->record<kp::OpAlgoDispatch>(updateAlgorithm(model));
        to.use(model, Use::eReads);
        to.during.push_back([&model] { update(model, kElements); });
    }

    /// Records a dispatch that writes the group counts of the next.
    void recordIndirect(Recorded& to) {
        static const std::vector<uint32_t> code =
            spirv(shader(buffer(0, "writeonly", "uint", "counts") +
                             "layout(push_constant) uniform P { uint x; };",
                         "counts[0] = x; counts[1] = 1u; counts[2] = 1u;"));
        Model& model = anyModel();
        const uint32_t count = 1 + below(kElements);
        to.sequence->record<kp::OpAlgoDispatch>(
            mManager.algorithm<uint32_t, uint32_t>({mGroupCounts}, code, {1, 1, 1}, {}, {0}),
            std::vector<uint32_t>{count});
        to.sequence->record(
            std::make_shared<kp::OpAlgoDispatch>(updateAlgorithm(model), mGroupCounts, 0));
        to.use(model, Use::eReads);
        to.during.push_back([&model, count] { update(model, count); });
    }

    void recordCopy(Recorded& to) {
        Model& source = anyModel();
        Model& target = anyModelExcept(source, source);
        to.sequence->record<kp::OpCopy>({source.tensor, target.tensor});
        to.use(source, Use::eReads);
        to.use(target, Use::eReplaces);
        to.during.push_back([&source, &target] {
            target.device = source.device;
            target.copied = target.written = true;
        });
    }

    void recordFill(Recorded& to) {
        Model& model = anyModel();
        const auto value = static_cast<uint32_t>(mRandom());
        to.sequence->record<kp::OpFill>({model.tensor}, value);
        to.use(model, Use::eReplaces);
        to.during.push_back([&model, value] {
            model.device.assign(kElements, value);
            model.copied = model.written = true;
        });
    }

    void recordSyncDevice(Recorded& to) {
        Model& model = anyModel();
        to.sequence->record<kp::OpSyncDevice>({model.tensor});
        if (!model.mirrored)
            return;
        model.syncsDevice = true;
        to.use(model, Use::eReplaces);
        to.before.push_back([&model] {
            if (model.copied)
                model.fetch();
        });
        to.during.push_back([&model] {
            model.device = model.mirror;
            model.agree();
        });
    }

    void recordSyncLocal(Recorded& to) {
        Model& model = anyModel();
        to.sequence->record<kp::OpSyncLocal>({model.tensor});
        if (!model.mirrored)
            return;
        model.syncsLocal = true;
        to.use(model, Use::eReads);
        to.during.push_back([&model] { model.fetch(); });
    }

    void evaluate(Recorded& recorded) {
        for (const auto& effect : recorded.before)
            effect();
        for (const auto& [model, use] : recorded.uses) {
            if (use != Use::eReplaces)
                model->bringToDevice(use == Use::eReads);
            else
                model->changed = model->viewGiven = false;
        }
        for (const auto& effect : recorded.during)
            effect();
        recorded.sequence->evalAsync();
        if (below(2) == 0)
            await(recorded);
    }

    static void await(Recorded& recorded) { recorded.sequence->evalAwait(); }

    void awaitAll() {
        for (Recorded& recorded : mSequences)
            if (recorded.sequence->isRunning())
                await(recorded);
    }

    /// Reads and writes the host view of one tensor, while nothing runs.
    void useHostView() {
        awaitAll();
        Model& model = anyModel();
        if (model.tensor->memoryType() == MemoryTypes::eStorage)
            return;
        if (model.mirrored)
            model.look();
        std::vector<uint32_t>& view = model.mirrored ? model.mirror : model.device;
        ASSERT_EQ(model.tensor->vector(), view);
        view = randomValues();
        if (below(2) == 0) {
            model.tensor->setData(view);
            model.changed = true;
        } else {
            std::copy(view.begin(), view.end(), model.tensor->data());
            model.viewGiven = true;
        }
    }

    kp::Manager& mManager;
    std::mt19937 mRandom;
    std::vector<Recorded> mSequences;
    std::vector<Model> mModels;
    std::shared_ptr<kp::Tensor> mGroupCounts;
};

void expectProgramsEqualToModel(kp::Manager& manager) {
    const uint32_t programs = slowed() ? 15 : 80;
    for (uint32_t seed = 1; seed <= programs; ++seed) {
        RandomProgram program(manager, seed);
        program.run(12);
        program.expectEqualToModel();
        ASSERT_FALSE(::testing::Test::HasFailure()) << "seed " << seed;
    }
}

TEST_F(StressTest, RunsRandomProgramsLikeTheModel) {
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
