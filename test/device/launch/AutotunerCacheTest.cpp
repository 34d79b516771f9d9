// SPDX-License-Identifier: Apache-2.0
//
// The tuner's cache between calls and programs, also a damaged one.
#include "device/launch/AutotunerSupport.hpp"

#include "base/files/Files.hpp"

namespace kp::test {
namespace {

using Source = TuningResult::Source;
using Outcome = TuningRecord::Outcome;

using AutotunerCacheTest = AutotunerFixture;

// --- hits and misses -----------------------------------------------------------------------------

TEST_F(AutotunerCacheTest, RunsNothingOnAHit) {
    const TuningResult first = tune(wasteful({30, 2, 60}));
    EXPECT_GT(first.benchmarks, 0u);
    EXPECT_EQ(cacheFiles().size(), 1u);
    const TuningResult second = tune(wasteful({30, 2, 60}));
    EXPECT_EQ(second.benchmarks, 0u);
    EXPECT_EQ(second.source, Source::eCache);
    EXPECT_EQ(second.configuration, first.configuration);
    EXPECT_DOUBLE_EQ(second.nanoseconds, first.nanoseconds);
    for (const TuningRecord& record : second.records)
        EXPECT_TRUE(record.fromCache);
    manager.sequence()->eval<kp::OpAlgoDispatch>(second.algorithm);
    EXPECT_EQ(onDevice<uint32_t>(*sums), expectedSums());
}

TEST_F(AutotunerCacheTest, MeasuresOnlyAddedConfigurations) {
    tune(wasteful({30, 20, 60}));
    const TuningResult result = tune(wasteful({30, 20, 60, 2}));
    EXPECT_EQ(result.configuration.integer("waste"), 2);
    EXPECT_EQ(result.source, Source::eMeasured);
    uint32_t newRuns = 0;
    for (const TuningRecord& record : result.records) {
        EXPECT_EQ(record.fromCache, record.configuration.integer("waste") != 2);
        if (!record.fromCache)
            newRuns += record.runs;
    }
    EXPECT_EQ(result.benchmarks, newRuns);
    EXPECT_LE(newRuns, options().runs);

    const TuningResult slower = tune(wasteful({30, 20, 60, 2, 90}));
    EXPECT_EQ(slower.configuration.integer("waste"), 2);
    EXPECT_EQ(slower.benchmarks, recordOf(slower, "local_size_x=64, waste=90").runs);
    EXPECT_EQ(tune(wasteful({60, 2})).benchmarks, 0u) << "both are known";
}

TEST_F(AutotunerCacheTest, MeasuresOtherShadersKeysAndProblems) {
    TunableKernel kernel("changing", compiled("2u"));
    kernel.localSize({64});
    EXPECT_GT(tune(kernel).benchmarks, 0u);
    EXPECT_EQ(tune(kernel).benchmarks, 0u);
    TunableKernel changed("changing", compiled("3u"));
    changed.localSize({64});
    EXPECT_GT(tune(changed).benchmarks, 0u);
    EXPECT_EQ(tune(kernel).benchmarks, 0u) << "the old shader is still known";

    Autotuner tuner(manager, options());
    TuningArguments other = arguments();
    other.key("other");
    EXPECT_GT(tuner.tune(kernel, other).benchmarks, 0u);
    TuningArguments smaller = arguments();
    smaller.problem({64});
    EXPECT_GT(tuner.tune(kernel, smaller).benchmarks, 0u);
    EXPECT_EQ(tuner.tune(kernel, smaller).benchmarks, 0u);
}

TEST_F(AutotunerCacheTest, MeasuresAgainOnRequest) {
    tune(wasteful({20, 2}));
    AutotunerOptions again = options();
    again.remeasure = true;
    EXPECT_GT(Autotuner(manager, again).tune(wasteful({20, 2}), arguments()).benchmarks, 0u);
}

TEST_F(AutotunerCacheTest, CompilesOnlyTheBestOfAKeyedFactory) {
    int compilations = 0;
    const auto kernelWithKey = [&](const std::string& key) {
        TunableKernel kernel("keyed");
        kernel.localSize({64}).parameter("waste", std::vector<int64_t>{20, 2, 40});
        kernel.glslFactory(
            [&compilations](const TuningConfiguration& configuration) {
                ++compilations;
                return source(std::to_string(configuration.integer("waste")) + "u");
            },
            key);
        return kernel;
    };
    tune(kernelWithKey("1"));
    EXPECT_EQ(compilations, 3);
    compilations = 0;
    EXPECT_EQ(tune(kernelWithKey("1")).benchmarks, 0u);
    EXPECT_EQ(compilations, 1) << "only the chosen configuration";
    EXPECT_GT(tune(kernelWithKey("2")).benchmarks, 0u);
}

TEST_F(AutotunerCacheTest, KeepsTimesInMemoryWithoutAFolder) {
    AutotunerOptions off = options();
    off.cacheFolder = "off";
    Autotuner tuner(manager, off);
    EXPECT_EQ(tuner.cacheFolder(), "");
    EXPECT_GT(tuner.tune(wasteful({20, 2}), arguments()).benchmarks, 0u);
    EXPECT_EQ(tuner.tune(wasteful({20, 2}), arguments()).benchmarks, 0u);
    EXPECT_GT(Autotuner(manager, off).tune(wasteful({20, 2}), arguments()).benchmarks, 0u);
}

TEST_F(AutotunerCacheTest, UsesTheManagersFolderUnlessAnotherIsGiven) {
    ManagerOptions own;
    own.cacheFolder = (folder / "manager").string();
    Manager other(own);
    EXPECT_EQ(other.cacheFolder(), own.cacheFolder);
    EXPECT_EQ(Autotuner(other).cacheFolder(), (folder / "manager" / "tuning").string());
    EXPECT_EQ(Autotuner(other, options()).cacheFolder(), (folder / "tuning").string());
    own.cacheFolder = "off";
    Manager off(own);
    EXPECT_EQ(off.cacheFolder(), "");
    EXPECT_EQ(Autotuner(off).cacheFolder(), "");
}

TEST_F(AutotunerCacheTest, ResumesAfterAnInterruption) {
    AutotunerOptions interrupted = options();
    interrupted.progress = [](const TuningProgress& progress) -> bool {
        if (progress.done == 3)
            throw std::runtime_error("planted");
        return true;
    };
    const TunableKernel kernel = wasteful({30, 20, 60, 2, 50, 70});
    EXPECT_THROW(Autotuner(manager, interrupted).tune(kernel, arguments()), std::runtime_error);
    std::vector<int64_t> measured;
    AutotunerOptions watching = options();
    watching.progress = [&](const TuningProgress& progress) {
        if (progress.round == 1)
            measured.push_back(progress.configuration.integer("waste"));
        return true;
    };
    const TuningResult whole = Autotuner(manager, watching).tune(kernel, arguments());
    EXPECT_EQ(whole.configuration.integer("waste"), 2);
    uint64_t runs = 0;
    for (const TuningRecord& record : whole.records) {
        EXPECT_EQ(record.status, Outcome::eMeasured);
        runs += record.runs;
    }
    EXPECT_EQ(measured.size(), 6u) << "the interrupted ones are measured further";
    EXPECT_EQ(whole.benchmarks, runs - 3 * 3) << "the runs before the interruption count";
    EXPECT_EQ(tune(kernel).benchmarks, 0u);
}

TEST_F(AutotunerCacheTest, ResumesAfterASpentBudget) {
    AutotunerOptions hurried = options();
    hurried.budgetSeconds = 1e-9;
    const TunableKernel kernel = wasteful({30, 2});
    EXPECT_TRUE(Autotuner(manager, hurried).tune(kernel, arguments()).stopped);
    const TuningResult whole = tune(kernel);
    EXPECT_FALSE(whole.stopped);
    EXPECT_EQ(whole.configuration.integer("waste"), 2);
}

// --- nearby problems -----------------------------------------------------------------------------

TEST_F(AutotunerCacheTest, EstimatesFromTheNearestProblem) {
    Autotuner tuner(manager, options());
    TuningArguments small = arguments();
    small.problem({100, 100});
    TuningArguments large = arguments();
    large.problem({10000, 10000});
    tuner.tune(wasteful({40, 2}), small);
    // At the large size, only the slow configuration is known.
    tuner.tune(wasteful({40}), large);

    AutotunerOptions estimate = options();
    estimate.effort = TuningEffort::eEstimate;
    Autotuner estimating(manager, estimate);
    const auto estimateAt = [&](int64_t size) {
        TuningArguments with = arguments();
        with.problem({size, size});
        return estimating.tune(wasteful({40, 2}), with);
    };
    const TuningResult exact = estimateAt(100);
    EXPECT_EQ(exact.source, Source::eCache);
    EXPECT_EQ(exact.configuration.integer("waste"), 2);
    EXPECT_GT(exact.nanoseconds, 0);
    const TuningResult near = estimateAt(200);
    EXPECT_EQ(near.source, Source::eNearest);
    EXPECT_EQ(near.configuration.integer("waste"), 2);
    EXPECT_EQ(near.nanoseconds, 0);
    EXPECT_EQ(estimateAt(5000).configuration.integer("waste"), 40);
    TuningArguments otherDimension = arguments();
    otherDimension.problem({100});
    EXPECT_EQ(estimating.tune(wasteful({40, 2}), otherDimension).source, Source::eEstimate);
}

TEST_F(AutotunerCacheTest, TriesTheBestConfigurationOfANearbyProblem) {
    const auto kernel = [&](int64_t first, int64_t last) {
        std::vector<int64_t> values;
        for (int64_t i = first; i < last; ++i)
            values.push_back(i);
        return wasteful({1}).parameter("any", values);
    };
    AutotunerOptions quick = options();
    quick.runs = 1;
    TuningArguments near = arguments();
    near.problem({50});
    TuningArguments here = arguments();
    here.problem({60});
    const auto tries124 = [&](const TuningResult& result) {
        for (const TuningRecord& record : result.records)
            if (record.configuration.integer("any") == 124)
                return true;
        return false;
    };
    TuningArguments unknown = here;
    unknown.key("nothing is known nearby");
    ASSERT_FALSE(tries124(Autotuner(manager, quick).tune(kernel(0, 400), unknown)))
        << "the test needs a configuration that is not chosen at random";
    Autotuner(manager, quick).tune(kernel(124, 125), near);
    EXPECT_TRUE(tries124(Autotuner(manager, quick).tune(kernel(0, 400), here)));
}

// --- export and import ---------------------------------------------------------------------------

TEST_F(AutotunerCacheTest, ImportsExportedTimes) {
    tune(wasteful({20, 2}));
    const std::string file = (folder / "export.json").string();
    EXPECT_EQ(Autotuner(manager, options()).exportRecords(file), 2u);
    AutotunerOptions elsewhere = options();
    elsewhere.cacheFolder = (folder / "elsewhere").string();
    Autotuner tuner(manager, elsewhere);
    EXPECT_EQ(tuner.importRecords(file), 2u);
    EXPECT_EQ(tuner.importRecords(file), 0u);
    EXPECT_EQ(tuner.tune(wasteful({20, 2}), arguments()).benchmarks, 0u);
    EXPECT_THROW(tuner.importRecords((folder / "nothing").string()), InvalidArgument);
}

// --- damaged and locked caches -------------------------------------------------------------------

TEST_F(AutotunerCacheTest, MeasuresAgainIfTheCacheIsDamaged) {
    tune(wasteful({20, 2}));
    ASSERT_EQ(cacheFiles().size(), 1u);
    for (const char* damage : {"", "{", "not JSON at all", "{\"format\":\"kompute-tuning\"}"}) {
        std::ofstream(cacheFiles()[0], std::ios::trunc) << damage;
        const TuningResult result = tune(wasteful({20, 2}));
        EXPECT_GT(result.benchmarks, 0u) << damage;
        EXPECT_EQ(result.configuration.integer("waste"), 2);
        EXPECT_NE(logText().find("is damaged"), std::string::npos);
        EXPECT_EQ(tune(wasteful({20, 2})).benchmarks, 0u) << "the cache was rewritten";
    }
}

TEST_F(AutotunerCacheTest, DoesNotWaitForALockedCache) {
    tune(wasteful({20}));
    ASSERT_EQ(cacheFiles().size(), 1u);
    Autotuner tuner(manager, options());
    {
        const FileLock other(cacheFiles()[0].string() + ".lock", 0);
        ASSERT_TRUE(other);
        const TuningResult result = tuner.tune(wasteful({20, 2}), arguments());
        EXPECT_EQ(result.configuration.integer("waste"), 2);
        EXPECT_NE(logText().find("locked"), std::string::npos);
        EXPECT_EQ(tuner.tune(wasteful({20, 2}), arguments()).benchmarks, 0u)
            << "the tuner keeps its times in memory";
        EXPECT_GT(tune(wasteful({20, 2})).benchmarks, 0u) << "another tuner does not know them";
    }
    // Without the lock, the next times are stored together with the earlier ones.
    tuner.tune(wasteful({20, 2, 30}), arguments());
    EXPECT_EQ(tune(wasteful({20, 2, 30})).benchmarks, 0u);
}

TEST_F(AutotunerCacheTest, KeepsTimesInMemoryIfTheFolderIsNotWritable) {
    std::filesystem::create_directories(folder);
    std::ofstream(folder / "file") << "not a folder";
    AutotunerOptions blocked = options();
    blocked.cacheFolder = (folder / "file").string();
    Autotuner tuner(manager, blocked);
    EXPECT_EQ(tuner.tune(wasteful({20, 2}), arguments()).configuration.integer("waste"), 2);
    EXPECT_EQ(tuner.tune(wasteful({20, 2}), arguments()).benchmarks, 0u);
}

} // namespace
} // namespace kp::test
