// SPDX-License-Identifier: Apache-2.0
#include "base/Environment.hpp"

#include <gtest/gtest.h>

#if defined(_WIN32)
#include <windows.h>
#endif

#include "base/CacheFolders.hpp"
#include "base/files/Path.hpp"
#include "unit/ScopedEnvironment.hpp"

namespace kp::test {
namespace {

TEST(Environment, GivesTheOtherTextForAVariableThatIsUnsetOrEmpty) {
    for (const char* value : {static_cast<const char*>(nullptr), ""}) {
        const ScopedEnvironment variable("KOMPUTE_TEST_VARIABLE", value);
        EXPECT_EQ(environment("KOMPUTE_TEST_VARIABLE"), "");
        EXPECT_EQ(environment("KOMPUTE_TEST_VARIABLE", "other"), "other");
    }
    const std::string text(1000, 'x');
    const ScopedEnvironment variable("KOMPUTE_TEST_VARIABLE", text.c_str());
    EXPECT_EQ(environment("KOMPUTE_TEST_VARIABLE", "other"), text);
}

TEST(Environment, NamesTheFolderOfCaches) {
    const ScopedEnvironment chosen("KOMPUTE_CACHE_DIR", nullptr);
#if defined(_WIN32)
    const ScopedEnvironment base("LOCALAPPDATA", "C:\\users\\me\\AppData\\Local");
    EXPECT_EQ(cacheFolder(), "C:\\users\\me\\AppData\\Local\\kompute");
#elif defined(__APPLE__)
    const ScopedEnvironment base("HOME", "/Users/me");
    EXPECT_EQ(cacheFolder(), "/Users/me/Library/Caches/kompute");
#else
    const ScopedEnvironment base("XDG_CACHE_HOME", "/somewhere");
    EXPECT_EQ(cacheFolder(), "/somewhere/kompute");
    const ScopedEnvironment noBase("XDG_CACHE_HOME", nullptr);
    const ScopedEnvironment home("HOME", "/home/me");
    EXPECT_EQ(cacheFolder(), "/home/me/.cache/kompute");
#endif
    EXPECT_EQ(cacheFolder("mine"), "mine");
    EXPECT_EQ(cacheFolder("off"), "");
    const ScopedEnvironment off("KOMPUTE_CACHE_DIR", "off");
    EXPECT_EQ(cacheFolder(), "");
}

TEST(CacheFolders, TakeOptionsBeforeTheEnvironment) {
    struct Options {
        std::string cacheFolder, cachePath;
        bool trustCachePath = false;
    } options;
    const std::string list = std::string("/a") + kPathSeparator + kPathSeparator + "/b";
    const ScopedEnvironment folder("KOMPUTE_CACHE_DIR", "/own");
    const ScopedEnvironment path("KOMPUTE_CACHE_PATH", list.c_str());
    const CacheFolders found = CacheFolders::of(options);
    EXPECT_EQ(found.folder, "/own");
    EXPECT_EQ(found.shipped(), (std::vector<std::string>{"/a", "/b"}));
    EXPECT_FALSE(found.trustPath);
    {
        const ScopedEnvironment trust("KOMPUTE_CACHE_TRUST", "1");
        EXPECT_TRUE(CacheFolders::of(options).trustPath);
    }
    options = {"off", "/c", true};
    const CacheFolders chosen = CacheFolders::of(options);
    EXPECT_EQ(chosen.folder, "");
    EXPECT_EQ(chosen.shipped(), std::vector<std::string>{"/c"});
    EXPECT_TRUE(chosen.trustPath);
    options.cachePath = "off";
    EXPECT_TRUE(CacheFolders::of(options).shipped().empty());
    Options again;
    CacheFolders::of(options).complete(again);
    EXPECT_EQ(CacheFolders::of(again).folder, "");
    EXPECT_TRUE(CacheFolders::of(again).shipped().empty());
}

#if defined(_WIN32)
TEST(Environment, IsUtf8OnWindows) {
    ASSERT_TRUE(SetEnvironmentVariableW(L"KOMPUTE_TEST_VARIABLE", L"gr\u00fc\u00dfe"));
    EXPECT_EQ(environment("KOMPUTE_TEST_VARIABLE"), "gr\xC3\xBC\xC3\x9F"
                                                    "e");
    ASSERT_TRUE(SetEnvironmentVariableW(L"KOMPUTE_TEST_VARIABLE", nullptr));
}
#endif

} // namespace
} // namespace kp::test
