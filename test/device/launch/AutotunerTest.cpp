// SPDX-License-Identifier: Apache-2.0
//
// The tuner's choices and skips, and that it restores memory.
#include <kompute/launch/TunedAlgorithm.hpp>

#include "device/Threads.hpp"
#include "device/launch/AutotunerSupport.hpp"

namespace kp::test {
namespace {

using Outcome = TuningRecord::Outcome;

using AutotunerTest = AutotunerFixture;

// --- the fastest configuration -------------------------------------------------------------------

TEST_F(AutotunerTest, PicksTheFastestSpecializationConstant) {
    Autotuner tuner(manager, options());
    const TuningResult result = tuner.tune(wasteful({20, 2, 40, 100}), arguments());
    EXPECT_EQ(result.configuration.integer("waste"), 2);
    EXPECT_EQ(result.source, TuningResult::Source::eMeasured);
    EXPECT_GT(result.nanoseconds, 0);
    EXPECT_EQ(result.workgroup, (Workgroup{kElements / 64, 1, 1}));
    EXPECT_EQ(result.configurations, 4u);
    ASSERT_EQ(result.records.size(), 4u);
    EXPECT_EQ(result.records[0].configuration, result.configuration);
    EXPECT_GE(result.records[0].runs, result.records[3].runs);
    for (const TuningRecord& record : result.records) {
        EXPECT_EQ(record.status, Outcome::eMeasured);
        EXPECT_GE(record.runs, 1u);
        EXPECT_GE(record.medianNs, record.nanoseconds);
        EXPECT_FALSE(record.fromCache);
    }
    expectUnchanged();

    manager.sequence()->eval<kp::OpAlgoDispatch>(result.algorithm);
    EXPECT_EQ(onDevice<uint32_t>(*sums), expectedSums());
}

TEST_F(AutotunerTest, PicksTheFastestVariant) {
    TunableKernel kernel("variants");
    kernel.localSize({64})
        .variant("slow", compiled("60u"))
        .variant("fast", compiled("3u"))
        .variant("slower", compiled("90u"));
    const TuningResult result = tune(kernel);
    EXPECT_EQ(result.configuration.text("variant"), "fast");
    manager.sequence()->eval<kp::OpAlgoDispatch>(result.algorithm);
    EXPECT_EQ(onDevice<uint32_t>(*sums), expectedSums());
}

TEST_F(AutotunerTest, PicksTheFastestOfAFactory) {
    TunableKernel kernel("factory");
    kernel.localSize({64})
        .parameter("waste", std::vector<int64_t>{50, 4, 80})
        .glslFactory([](const TuningConfiguration& configuration) {
            return source(std::to_string(configuration.integer("waste")) + "u");
        });
    const TuningResult result = tune(kernel);
    EXPECT_EQ(result.configuration.integer("waste"), 4);
    expectUnchanged();
}

TEST_F(AutotunerTest, DerivesGroupCountsFromLocalSizesAndRules) {
    TunableKernel kernel("sizes", compiled("1u"));
    kernel.localSize({8, 16, 32, 64});
    const TuningResult result = tune(kernel);
    const auto size = static_cast<uint32_t>(result.configuration.integer("local_size_x"));
    EXPECT_EQ(result.algorithm->getLocalSize()[0], size);
    EXPECT_EQ(result.workgroup[0], kElements / size);

    TunableKernel ruled("ruled", compiled("1u"));
    ruled.localSize({32, 64}).workgroups([](const TuningConfiguration& configuration) {
        return Workgroup{kElements / configuration.localSize()[0] * 2, 1, 1};
    });
    const TuningResult twice = tune(ruled);
    EXPECT_EQ(twice.workgroup[0],
              2 * kElements / static_cast<uint32_t>(twice.configuration.integer("local_size_x")));
    manager.sequence()->eval<kp::OpAlgoDispatch>(twice.algorithm);
    EXPECT_EQ(onDevice<uint32_t>(*sums), expectedSums());
}

TEST_F(AutotunerTest, PicksTheFastestByHostTime) {
    AutotunerOptions host = options();
    host.time = TuningTime::eHost;
    const TuningResult result = Autotuner(manager, host).tune(wasteful({60, 2, 90}), arguments());
    EXPECT_EQ(result.configuration.integer("waste"), 2);
    expectUnchanged();
}

TEST_F(AutotunerTest, AcceptsSpecializationConstantsOfEveryType) {
    const std::string head = "layout(constant_id = 1) const bool b = false;\n"
                             "layout(constant_id = 2) const int n = 0;\n"
                             "layout(constant_id = 3) const float f = 0.0;\n"
                             "layout(constant_id = 4) const uint u = 0u;\n"
                             "layout(constant_id = 5) const uint fixed_one = 0u;\n";
    TunableKernel kernel("types",
                         compiled("1u", head,
                                  "((b && n == -3 && f == 0.5 && u == 7u && fixed_one == 9u) ? "
                                  "0u : 1u)"));
    kernel.specialization(1, "b", std::vector<int64_t>{1})
        .specialization(2, "n", std::vector<int64_t>{-3})
        .specialization(3, "f", std::vector<double>{0.5})
        .specialization(4, "u", std::vector<int64_t>{7})
        .constant(SpecializationConstant::of(5, uint32_t{9}))
        .localSize({64});
    TuningArguments with = arguments();
    with.expect(sums, expectedSums());
    EXPECT_EQ(tune(kernel, with).records.size(), 1u);

    TunableKernel wrong("types", compiled("1u", head, "(b ? u + uint(n) : fixed_one)"));
    wrong.localSize({64}).specialization(2, "n", std::vector<double>{0.5});
    EXPECT_ERROR(InvalidArgument, "'n'", tune(wrong));
    TunableKernel large("types", compiled("1u", head, "u"));
    large.localSize({64}).specialization(4, "u", std::vector<int64_t>{int64_t{1} << 40});
    EXPECT_ERROR(InvalidArgument, "does not fit", tune(large));
}

// --- memory --------------------------------------------------------------------------------------

TEST_F(AutotunerTest, KeepsHostViews) {
    // The host data is newer than the device memory. Tuning must neither change nor upload it.
    sums->setData(std::vector<uint32_t>(kElements, 5));
    tune(wasteful({2, 30}));
    EXPECT_EQ(sums->vector(), std::vector<uint32_t>(kElements, 5));
    if (sums->memoryType() == Memory::MemoryTypes::eDevice)
        expectUnchanged();
}

TEST_F(AutotunerTest, StartsEveryRunFromTheSameMemory) {
    TuningArguments with = arguments();
    int verified = 0;
    with.expect(sums, expectedSums()).verify([&](const TuningConfiguration&) {
        ++verified;
        return onDevice<uint32_t>(*sums) == expectedSums() ? "" : "not restored";
    });
    tune(wasteful({2, 3, 4, 5}), with);
    EXPECT_EQ(verified, 4);
    expectUnchanged();
}

TEST_F(AutotunerTest, ZeroesOrLeavesMemoryOnRequest) {
    TuningArguments with = arguments();
    with.resetToZero(sums);
    with.expect(sums, ascending<uint32_t>(kElements));
    Autotuner tuner(manager, options());
    tuner.tune(wasteful({2, 3}), with);
    expectUnchanged();

    TuningArguments leaving = arguments();
    leaving.leave(sums).key("left");
    const TuningResult left = tuner.tune(wasteful({2}), leaving);
    const auto runs = static_cast<uint32_t>(left.benchmarks);
    // There are also untimed runs, which warm up a GPU.
    EXPECT_GE(onDevice<uint32_t>(*sums)[1], 1001 + runs);
    EXPECT_EQ(onDevice<uint32_t>(*sums)[0], 1000u);
}

TEST_F(AutotunerTest, RestoresEveryMemoryType) {
    for (const auto type : kMemoryTypes) {
        auto t = manager.tensorT<uint32_t>(ascending<uint32_t>(kElements, 1000), type);
        manager.sequence()->eval<kp::OpSyncDevice>({t});
        const auto before = onDevice<uint32_t>(*t);
        TuningArguments with({input, t}, {kElements, 1, 1});
        with.key(Memory::toString(type));
        EXPECT_GT(tune(wasteful({2, 3}), with).benchmarks, 0u);
        EXPECT_EQ(onDevice<uint32_t>(*t), before) << Memory::toString(type);
    }
}

TEST_F(AutotunerTest, RestoresImages) {
    auto image = manager.image(ascending<float>(64 * 16), 64, 16, 1);
    manager.sequence()->eval<kp::OpSyncDevice>({image});
    TunableKernel kernel(
        "image", manager.compile("#version 450\nlayout(local_size_x_id = 0) in;\n"
                                 "layout(binding = 0, r32f) uniform image2D image;\n"
                                 "void main() {\n"
                                 "    ivec2 at = ivec2(gl_GlobalInvocationID.xy);\n"
                                 "    imageStore(image, at, imageLoad(image, at) + 1.0);\n}\n"));
    kernel.localSize({8, 16, 32});
    TuningArguments with({image}, {64, 16, 1});
    const TuningResult result = tune(kernel, with);
    EXPECT_EQ(onDevice<float>(*image), ascending<float>(64 * 16));
    manager.sequence()->eval<kp::OpAlgoDispatch>(result.algorithm);
    EXPECT_EQ(onDevice<float>(*image), ascending<float>(64 * 16, 1));
}

TEST_F(AutotunerTest, RestoresMemoryIfACallbackThrows) {
    AutotunerOptions throwing = options();
    throwing.progress = [](const TuningProgress& progress) -> bool {
        if (progress.done == 2)
            throw std::logic_error("mine");
        return true;
    };
    Autotuner tuner(manager, throwing);
    EXPECT_THROW(tuner.tune(wasteful({2, 3, 4}), arguments()), std::logic_error);
    expectUnchanged();
    TuningArguments with = arguments();
    with.verify([](const TuningConfiguration&) -> std::string { throw std::logic_error("mine"); });
    EXPECT_THROW(tuner.tune(wasteful({2, 3, 4}), with), std::logic_error);
    expectUnchanged();
}

// --- wrong results -------------------------------------------------------------------------------

TEST_F(AutotunerTest, RejectsVariantsWithWrongResults) {
    TunableKernel kernel("wrong");
    kernel.localSize({64})
        .variant("wrong and fast", compiled("1u", "", "1u"))
        .variant("right", compiled("30u"));
    TuningArguments with = arguments();
    with.expect(sums, expectedSums());
    const TuningResult result = tune(kernel, with);
    EXPECT_EQ(result.configuration.text("variant"), "right");
    const TuningRecord& wrong = recordOf(result, "local_size_x=64, variant=wrong and fast");
    EXPECT_EQ(wrong.status, Outcome::eWrong);
    EXPECT_EQ(wrong.runs, 0u);
    EXPECT_NE(wrong.reason.find("memory object 1: element 0"), std::string::npos) << wrong.reason;
    expectUnchanged();

    // The cache keeps the verdict for tuning with expected results.
    const TuningResult again = tune(kernel, with);
    EXPECT_EQ(again.benchmarks, 0u);
    EXPECT_EQ(recordOf(again, "local_size_x=64, variant=wrong and fast").status, Outcome::eWrong);
}

TEST_F(AutotunerTest, IgnoresTimesThatWereNotVerified) {
    TunableKernel kernel("later");
    kernel.localSize({64})
        .variant("wrong and fast", compiled("1u", "", "1u"))
        .variant("right", compiled("40u"));
    Autotuner tuner(manager, options());
    EXPECT_EQ(tuner.tune(kernel, arguments()).configuration.text("variant"), "wrong and fast");
    TuningArguments with = arguments();
    with.verify([&](const TuningConfiguration&) {
        return onDevice<uint32_t>(*sums) == expectedSums() ? "" : "sums differ";
    });
    const TuningResult result = tuner.tune(kernel, with);
    EXPECT_EQ(result.configuration.text("variant"), "right");
    EXPECT_EQ(recordOf(result, "local_size_x=64, variant=wrong and fast").reason, "sums differ");
}

TEST_F(AutotunerTest, ReportsWhyEveryConfigurationIsWrong) {
    TuningArguments with = arguments();
    with.verify([](const TuningConfiguration& configuration) {
        return "wrong: " + configuration.toString();
    });
    Autotuner tuner(manager, options());
    EXPECT_ERROR(ShaderError, "wrong: local_size_x=64, waste=2",
                 tuner.tune(wasteful({2, 3}), with));
    expectUnchanged();
}

// --- skipped configurations ----------------------------------------------------------------------

TEST_F(AutotunerTest, AppliesConstraintsBeforeCompiling) {
    std::vector<int64_t> compiledWith;
    TunableKernel kernel("constrained");
    kernel.localSize({64})
        .parameter("waste", std::vector<int64_t>{1, 2, 3, 4})
        .constraint("even", [](const TuningConfiguration& configuration) {
            return configuration.integer("waste") % 2 == 0;
        });
    kernel.factory([&](const TuningConfiguration& configuration) {
        compiledWith.push_back(configuration.integer("waste"));
        return compiled("2u");
    });
    const TuningResult result = tune(kernel);
    EXPECT_EQ(compiledWith, (std::vector<int64_t>{2, 4}));
    EXPECT_EQ(result.constrained, 2u);
    EXPECT_EQ(result.records.size(), 2u);
}

TEST_F(AutotunerTest, PrunesConfigurationsOverTheDeviceLimits) {
    const DeviceInfo info = manager.deviceInfo();
    TunableKernel kernel("limits", compiled("1u"));
    kernel.localSize({64, int64_t{info.maxWorkgroupSize[0]} * 2});
    const TuningResult result = tune(kernel);
    EXPECT_EQ(result.pruned, 1u);
    EXPECT_EQ(result.records.size(), 1u);

    // 4 GiB of shared memory, which only the shader declares.
    TunableKernel shared("shared",
                         manager.compile("#version 450\nlayout(local_size_x_id = 0) in;\n"
                                         "layout(constant_id = 1) const uint n = 1;\n"
                                         "layout(binding = 0) buffer A { uint a[]; };\n"
                                         "shared uint tile[n];\n"
                                         "void main() { tile[0] = a[0]; a[1] = tile[0]; }\n"));
    shared.localSize({64}).specialization(1, "n", std::vector<int64_t>{16, int64_t{1} << 30});
    const TuningResult small = tune(shared, TuningArguments({sums}, {64, 1, 1}));
    EXPECT_EQ(small.configuration.integer("n"), 16);
    EXPECT_EQ(small.pruned, 1u);
    EXPECT_NE(
        recordOf(small, "local_size_x=64, n=1073741824").reason.find("maxComputeSharedMemorySize"),
        std::string::npos);
}

TEST_F(AutotunerTest, SkipsConfigurationsThatDoNotCompile) {
    TunableKernel kernel("broken");
    kernel.localSize({64})
        .parameter("kind", std::vector<TuningValue>{std::string("good"), std::string("bad")})
        .glslFactory([](const TuningConfiguration& configuration) {
            return source(configuration.text("kind") == "good" ? "1u" : "nothing");
        });
    const TuningResult result = tune(kernel);
    EXPECT_EQ(result.configuration.text("kind"), "good");
    const TuningRecord& bad = recordOf(result, "local_size_x=64, kind=bad");
    EXPECT_EQ(bad.status, Outcome::eFailed);
    EXPECT_NE(bad.reason.find("nothing"), std::string::npos) << bad.reason;
}

TEST_F(AutotunerTest, RejectsAnotherLocalSizeThanTheShaders) {
    TunableKernel kernel("fixed", manager.compile("#version 450\nlayout(local_size_x = 32) in;\n"
                                                  "layout(binding = 0) buffer A { uint a[]; };\n"
                                                  "void main() { a[0] = 1; }\n"));
    kernel.localSize({64});
    Autotuner tuner(manager, options());
    EXPECT_ERROR(ShaderError, "fixed to 32",
                 tuner.tune(kernel, TuningArguments({sums}, {64, 1, 1})));
}

TEST_F(AutotunerTest, RejectsWrongArguments) {
    Autotuner tuner(manager, options());
    EXPECT_ERROR(InvalidArgument, "constant 1, which the shader does not have", {
        TunableKernel kernel("k", compiled("1u"));
        kernel.specialization(1, "waste", std::vector<int64_t>{1});
        tuner.tune(kernel, arguments());
    });
    EXPECT_ERROR(InvalidArgument, "number of threads",
                 tuner.tune(wasteful({1}), TuningArguments({input, sums})));
    EXPECT_ERROR(InvalidArgument, "no shader", tuner.tune(TunableKernel("empty"), arguments()));
    EXPECT_ERROR(InvalidArgument, "is null", TuningArguments({input, nullptr}));
    EXPECT_ERROR(InvalidArgument, "arguments",
                 TuningArguments({input}).expect(sums, expectedSums()));
    EXPECT_ERROR(InvalidArgument, "4 bytes", arguments().expect(sums, std::vector<int>{1}));
    EXPECT_THROW(tuner.tune(wasteful({1}), TuningArguments({input}, {kElements, 1, 1})),
                 ShaderError);
    AutotunerOptions wrong = options();
    wrong.budgetSeconds = -1;
    EXPECT_ERROR(InvalidArgument, "budgetSeconds", Autotuner(manager, wrong));
    wrong = options();
    wrong.runs = 0;
    EXPECT_ERROR(InvalidArgument, "runs", Autotuner(manager, wrong));
    sums->destroy();
    EXPECT_THROW(tuner.tune(wasteful({1}), arguments()), InvalidArgument);
}

// --- effort, budget and progress -----------------------------------------------------------------

TEST_F(AutotunerTest, LimitsTheConfigurationsByEffort) {
    std::vector<int64_t> waste;
    for (int64_t i = 1; i <= 40; ++i)
        waste.push_back(i);
    AutotunerOptions measure = options();
    measure.runs = 1;
    measure.cacheFolder = "off";
    EXPECT_EQ(Autotuner(manager, measure).tune(wasteful(waste), arguments()).records.size(), 32u);
    measure.effort = TuningEffort::eExhaustive;
    EXPECT_EQ(Autotuner(manager, measure).tune(wasteful(waste), arguments()).records.size(), 40u);
    measure.effort = TuningEffort::ePatient;
    EXPECT_EQ(Autotuner(manager, measure).tune(wasteful(waste), arguments()).records.size(), 40u);
}

TEST_F(AutotunerTest, EstimatesWithoutARun) {
    AutotunerOptions estimate = options();
    estimate.effort = TuningEffort::eEstimate;
    const TuningResult result = Autotuner(manager, estimate).tune(wasteful({30, 2}), arguments());
    EXPECT_EQ(result.source, TuningResult::Source::eEstimate);
    EXPECT_EQ(result.benchmarks, 0u);
    EXPECT_EQ(result.configuration.integer("waste"), 30) << "the first value is the default";
    EXPECT_TRUE(result.algorithm->isInit());
    expectUnchanged();
}

TEST_F(AutotunerTest, TakesTheBestSoFarIfTheBudgetIsSpent) {
    AutotunerOptions hurried = options();
    hurried.budgetSeconds = 1e-9;
    const TuningResult result =
        Autotuner(manager, hurried).tune(wasteful({2, 3, 4, 5}), arguments());
    EXPECT_TRUE(result.stopped);
    EXPECT_EQ(result.configuration.integer("waste"), 2);
    EXPECT_EQ(recordOf(result, "local_size_x=64, waste=5").status, Outcome::eSkipped);
    expectUnchanged();
}

TEST_F(AutotunerTest, ReportsProgressAndStopsOnRequest) {
    std::vector<TuningProgress> seen;
    AutotunerOptions watched = options();
    watched.budgetSeconds = 1000;
    watched.progress = [&](const TuningProgress& progress) {
        seen.push_back(progress);
        return true;
    };
    const TuningResult result =
        Autotuner(manager, watched).tune(wasteful({50, 2, 70}), arguments());
    EXPECT_FALSE(result.stopped);
    ASSERT_GE(seen.size(), 3u);
    EXPECT_EQ(seen[0].kernel, "wasteful");
    EXPECT_EQ(seen[0].round, 1u);
    EXPECT_EQ(seen[0].total, 3u);
    EXPECT_EQ(seen[2].done, 3u);
    EXPECT_EQ(seen[2].best.integer("waste"), 2);
    EXPECT_GT(seen[2].bestNanoseconds, 0);
    EXPECT_EQ(seen[2].budgetSeconds, 1000);

    AutotunerOptions stopping = options();
    stopping.cacheFolder = "off";
    stopping.progress = [](const TuningProgress&) { return false; };
    const TuningResult stopped =
        Autotuner(manager, stopping).tune(wasteful({50, 2, 70}), arguments());
    EXPECT_TRUE(stopped.stopped);
    EXPECT_EQ(stopped.configuration.integer("waste"), 50);
    expectUnchanged();
}

// --- tuned algorithms ----------------------------------------------------------------------------

TEST_F(AutotunerTest, TunedAlgorithmTunesOncePerProblem) {
    TunedAlgorithm tuned(std::make_shared<Autotuner>(manager, options()), wasteful({40, 2}));
    EXPECT_FALSE(tuned.isTuned(arguments()));
    const auto first = tuned.algorithm(arguments());
    EXPECT_TRUE(tuned.isTuned(arguments()));
    EXPECT_EQ(tuned.result(arguments()).configuration.integer("waste"), 2);
    EXPECT_EQ(tuned.result(arguments()).algorithm, nullptr);
    manager.sequence()->eval<kp::OpAlgoDispatch>(first);
    EXPECT_EQ(onDevice<uint32_t>(*sums), expectedSums());

    // Other memory with the same problem size is bound without tuning.
    auto others = manager.tensorT<uint32_t>(ascending<uint32_t>(kElements, 1000));
    manager.sequence()->eval<kp::OpSyncDevice>({others});
    const TuningArguments same({input, others}, {kElements, 1, 1});
    EXPECT_TRUE(tuned.isTuned(same));
    const auto second = tuned.algorithm(same);
    EXPECT_NE(second, first);
    manager.sequence()->eval<kp::OpAlgoDispatch>(second);
    EXPECT_EQ(onDevice<uint32_t>(*others), expectedSums());

    // Another number of threads, with the problem size given.
    TuningArguments half({input, others}, {kElements / 2, 1, 1});
    EXPECT_FALSE(tuned.isTuned(half));
    half.problem({kElements, 1, 1});
    EXPECT_TRUE(tuned.isTuned(half));
    EXPECT_EQ(tuned.algorithm(half)->getWorkgroup()[0], kElements / 64 / 2);

    tuned.forget();
    EXPECT_FALSE(tuned.isTuned(arguments()));
    EXPECT_ERROR(InvalidArgument, "wasteful", TunedAlgorithm(nullptr, wasteful({1})));
}

TEST_F(AutotunerTest, PassesPushConstants) {
    TunableKernel kernel(
        "push", manager.compile("#version 450\nlayout(local_size_x_id = 0) in;\n"
                                "layout(push_constant) uniform P { uint amount; uint n; };\n"
                                "layout(binding = 0) buffer A { uint a[]; };\n"
                                "void main() { uint i = gl_GlobalInvocationID.x;\n"
                                "    if (i < n) a[i] += amount; }\n"));
    kernel.localSize({32, 64});
    TuningArguments with({sums}, {kElements, 1, 1});
    with.pushConstants(std::vector<uint32_t>{3, kElements});
    const TuningResult result = tune(kernel, with);
    expectUnchanged();
    manager.sequence()->eval<kp::OpAlgoDispatch>(result.algorithm);
    EXPECT_EQ(onDevice<uint32_t>(*sums), ascending<uint32_t>(kElements, 1003));
}

TEST_F(AutotunerTest, TunesFromSeveralThreads) {
    const auto tuner = std::make_shared<Autotuner>(manager, options());
    TunedAlgorithm tuned(tuner, wasteful({20, 2}));
    inThreads(3, [&](int) { EXPECT_TRUE(tuned.algorithm(arguments())->isInit()); });
    expectUnchanged();
}

TEST_F(AutotunerTest, ThrowsIfItsManagerWasDestroyed) {
    Autotuner tuner(manager, options());
    const TunableKernel kernel = wasteful({1});
    const TuningArguments with = arguments();
    manager.destroy();
    EXPECT_ERROR(InvalidArgument, "destroyed", tuner.tune(kernel, with));
}

} // namespace
} // namespace kp::test
