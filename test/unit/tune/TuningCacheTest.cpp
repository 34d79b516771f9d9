// SPDX-License-Identifier: Apache-2.0
#include <atomic>
#include <cmath>
#include <filesystem>
#include <thread>

#include <gtest/gtest.h>
#include <kompute/Error.hpp>
#include <kompute/logger/Logger.hpp>

#include "base/files/Files.hpp"
#include "tune/TuningCache.hpp"
#include "unit/TestFiles.hpp"
#include "unit/TestThreads.hpp"

namespace kp::tune {
namespace {

namespace fs = std::filesystem;

using test::readFile;
using test::writeFile;

class TuningCacheTest : public ::testing::Test {
protected:
    const test::TemporaryFolder temporary;
    const fs::path folder = temporary.path() / "cache"; ///< not created yet
    TuningKey key{"uuid", 7, "invented", "kernel", "float"};

    void SetUp() override { kp::logger::setLogLevel(kp::logger::Level::eError); }
    void TearDown() override { kp::logger::setLogLevel(kp::logger::Level::eWarn); }
    static CachedTime time(int64_t size, double ns, std::vector<int64_t> problem = {100}) {
        CachedTime made;
        made.problem = std::move(problem);
        made.shader = "abc";
        made.configuration =
            TuningConfiguration({{"x", size}, {"f", 1.0}, {"v", std::string("wide \"1\"")}});
        made.complete = true;
        made.nanoseconds = ns;
        made.medianNs = ns * 1.5;
        made.runs = 4;
        return made;
    }
};

TEST_F(TuningCacheTest, LoadsWhatAnotherCacheStored) {
    CachedTime wrong = time(2, 0);
    wrong.wrong = wrong.verified = true;
    wrong.reason = "element 3 is 1 instead of 2";
    {
        TuningCache cache(folder.string(), 1);
        EXPECT_TRUE(cache.load(key).empty());
        EXPECT_TRUE(cache.store(key, {time(1, 1234.5), wrong}));
    }
    TuningCache cache(folder.string(), 1);
    const auto times = cache.load(key);
    ASSERT_EQ(times.size(), 2u);
    EXPECT_TRUE(times[0].sameSubject(time(1, 0)));
    EXPECT_DOUBLE_EQ(times[0].nanoseconds, 1234.5);
    EXPECT_DOUBLE_EQ(times[0].medianNs, 1234.5 * 1.5);
    EXPECT_EQ(times[0].runs, 4u);
    EXPECT_TRUE(times[0].complete);
    EXPECT_FALSE(times[0].verified);
    EXPECT_FALSE(times[0].wrong);
    EXPECT_TRUE(times[1].wrong);
    EXPECT_TRUE(times[1].verified);
    EXPECT_EQ(times[1].reason, wrong.reason);
    for (const TuningKey& other : {TuningKey{"other", 7, "invented", "kernel", "float"},
                                   TuningKey{"uuid", 8, "invented", "kernel", "float"},
                                   TuningKey{"uuid", 7, "invented", "other", "float"},
                                   TuningKey{"uuid", 7, "invented", "kernel", "double"}})
        EXPECT_TRUE(cache.load(other).empty());
    TuningKey renamed = key;
    renamed.deviceName = "another name";
    EXPECT_EQ(cache.load(renamed).size(), 2u);
}

TEST_F(TuningCacheTest, StoreAddsAndReplacesTimes) {
    TuningCache cache(folder.string(), 1);
    cache.store(key, {time(1, 10), time(2, 20)});
    CachedTime otherShader = time(1, 99);
    otherShader.shader = "def";
    TuningCache(folder.string(), 1)
        .store(key, {time(2, 15), time(3, 30), otherShader, time(1, 77, {200})});
    const auto times = cache.load(key);
    ASSERT_EQ(times.size(), 5u);
    EXPECT_DOUBLE_EQ(times[0].nanoseconds, 10);
    EXPECT_DOUBLE_EQ(times[1].nanoseconds, 15);
}

TEST_F(TuningCacheTest, RejectsAndReplacesDamagedFiles) {
    TuningCache cache(folder.string(), 1);
    ASSERT_TRUE(cache.store(key, {time(1, 10)}));
    const std::string path = cache.file(key);
    const std::string good = readFile(path);
    const auto replaced = [&](const std::string& from, const std::string& to) {
        std::string text = good;
        const size_t at = text.find(from);
        EXPECT_NE(at, std::string::npos) << from;
        return text.replace(at, from.size(), to);
    };
    const std::string damages[] = {"",
                                   "null",
                                   "[]",
                                   "{}",
                                   good.substr(0, good.size() / 2),
                                   good + "x",
                                   std::string(good.size(), '\0'),
                                   replaced("\"version\":1", "\"version\":2"),
                                   replaced("kompute-tuning", "something"),
                                   replaced("\"runs\":4", "\"runs\":0"),
                                   replaced("\"runs\":4", "\"runs\":4.5"),
                                   replaced("\"nanoseconds\":10", "\"nanoseconds\":-10"),
                                   replaced("\"nanoseconds\"", "\"nothing\""),
                                   replaced("\"measured\"", "\"fine\""),
                                   replaced("[100]", "[\"a\"]"),
                                   replaced("{\"x\":1", "{\"x\":[1]"),
                                   replaced("\"kernel\":\"kernel\"", "\"kernel\":\"other\"")};
    for (const std::string& damage : damages) {
        writeFile(path, damage);
        TuningCache fresh(folder.string(), 1);
        EXPECT_TRUE(fresh.load(key).empty()) << damage;
        EXPECT_TRUE(fresh.store(key, {time(2, 20)})) << damage;
        EXPECT_EQ(TuningCache(folder.string(), 1).load(key).size(), 1u) << damage;
    }
    for (size_t bytes = 0; bytes < good.size(); ++bytes) {
        writeFile(path, good.substr(0, bytes));
        EXPECT_TRUE(cache.load(key).empty());
    }
}

TEST_F(TuningCacheTest, KeepsTimesInMemoryWhileTheFileIsLocked) {
    TuningCache cache(folder.string(), 0.02);
    ASSERT_TRUE(cache.store(key, {time(1, 10)}));
    {
        const FileLock other(cache.file(key) + ".lock", 0);
        ASSERT_TRUE(other);
        EXPECT_FALSE(cache.store(key, {time(2, 20)}));
        EXPECT_EQ(cache.load(key).size(), 2u) << "the times in memory count";
        EXPECT_EQ(TuningCache(folder.string(), 0).load(key).size(), 1u) << "reading needs no lock";
    }
    EXPECT_TRUE(cache.store(key, {time(3, 30)}));
    EXPECT_EQ(TuningCache(folder.string(), 0).load(key).size(), 3u)
        << "the next store writes the times in memory";
}

TEST_F(TuningCacheTest, KeepsTimesInMemoryIfTheFolderCannotBeWritten) {
    fs::create_directories(folder);
    writeFile(folder / "file", "not a folder");
    TuningCache cache((folder / "file").string(), 5);
    const auto start = std::chrono::steady_clock::now();
    EXPECT_FALSE(cache.store(key, {time(1, 10)}));
    EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(4))
        << "it must not wait for a lock";
    EXPECT_EQ(cache.load(key).size(), 1u);
    TuningCache off("", 1);
    EXPECT_FALSE(off.store(key, {time(1, 10)}));
    EXPECT_EQ(off.load(key).size(), 1u);
    EXPECT_EQ(off.folder(), "");
}

TEST_F(TuningCacheTest, KeepsTheTimesOfManyWriters) {
    constexpr int kThreads = 4;
    constexpr int kTimes = 10;
    // The lock is not fair: a writer may wait for most of the test, which an emulator makes long.
    constexpr double kLockSeconds = 600;
    std::atomic<int> failures{0};
    test::runInThreads(kThreads, [&](int number) {
        TuningCache cache(folder.string(), kLockSeconds);
        for (int i = 0; i < kTimes; ++i)
            if (!cache.store(key, {time(number * kTimes + i, 1)}))
                ++failures;
    });
    EXPECT_EQ(failures, 0);
    EXPECT_EQ(TuningCache(folder.string(), 1).load(key).size(), size_t{kThreads} * kTimes);
    for (const auto& entry : fs::directory_iterator(folder / "tuning"))
        EXPECT_NE(entry.path().extension(), ".part") << "a temporary file is left";
}

TEST_F(TuningCacheTest, ExportsAndImportsTimes) {
    const std::string path = (folder / "export.json").string();
    const TuningKey otherDevice{"uuid 2", 7, "another", "kernel", "float"};
    TuningKey second = key;
    second.kernel = "second";
    {
        TuningCache cache(folder.string(), 1);
        cache.store(key, {time(1, 10), time(2, 20)});
        cache.store(second, {time(1, 30)});
        cache.store(otherDevice, {time(1, 40)});
        EXPECT_EQ(cache.exportTo(path, key), 3u);
    }
    CachedTime known = time(1, 5);
    known.runs = 100;
    CachedTime weak = time(2, 5);
    weak.runs = 1;
    TuningCache cache((folder / "other").string(), 1);
    cache.store(key, {known, weak});
    EXPECT_EQ(cache.importFrom(path), 2u) << "one time has more runs already";
    const auto times = TuningCache((folder / "other").string(), 1).load(key);
    ASSERT_EQ(times.size(), 2u);
    EXPECT_DOUBLE_EQ(times[0].nanoseconds, 5);
    EXPECT_DOUBLE_EQ(times[1].nanoseconds, 20);
    EXPECT_EQ(cache.load(second).size(), 1u);
    EXPECT_TRUE(cache.load(otherDevice).empty());

    TuningCache memory("", 1);
    EXPECT_EQ(memory.importFrom(path), 3u);
    EXPECT_EQ(memory.load(key).size(), 2u);
    EXPECT_EQ(memory.exportTo((folder / "again.json").string(), key), 3u);

    EXPECT_THROW(cache.importFrom((folder / "nothing.json").string()), InvalidArgument);
    EXPECT_THROW(cache.importFrom(cache.file(key)), InvalidArgument)
        << "a cache file is not an export";
    writeFile(folder / "damaged.json", readFile(path).substr(0, 100));
    EXPECT_THROW(cache.importFrom((folder / "damaged.json").string()), InvalidArgument);
    EXPECT_THROW(cache.exportTo((folder / "no" / "such" / "folder").string(), key),
                 InvalidArgument);
}

TEST(TuningCache, ComputesProblemDistances) {
    EXPECT_DOUBLE_EQ(problemDistance({100, 4}, {100, 4}), 0);
    EXPECT_DOUBLE_EQ(problemDistance({100, 4}, {200, 2}), 2);
    EXPECT_DOUBLE_EQ(problemDistance({200, 2}, {100, 4}), 2);
    EXPECT_DOUBLE_EQ(problemDistance({0}, {3}), 3);
    EXPECT_TRUE(std::isinf(problemDistance({1}, {1, 1})));
}

} // namespace
} // namespace kp::tune
