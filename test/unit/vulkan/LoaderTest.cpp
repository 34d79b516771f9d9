// SPDX-License-Identifier: Apache-2.0
#include "vulkan/Loader.hpp"

#include <cstdlib>
#include <string>

#include <gtest/gtest.h>

#include <kompute/Error.hpp>

#include "unit/vulkan/InventedDevice.hpp"
#include "vulkan/DriverSearch.hpp"

namespace kp::vulkan::test {
namespace {

class Environment {
public:
    Environment(const char* name, const char* value) : mName(name) {
        const char* old = std::getenv(name);
        mHad = old != nullptr;
        mOld = old ? old : "";
        set(value);
    }
    ~Environment() { set(mHad ? mOld.c_str() : nullptr); }

private:
    void set(const char* value) {
#ifdef _WIN32
        _putenv_s(mName, value ? value : "");
#else
        value ? setenv(mName, value, 1) : unsetenv(mName);
#endif
    }
    const char* mName;
    std::string mOld;
    bool mHad;
};

void failToLoad(const char* library, const std::vector<std::string>& parts) {
    const Environment named("KOMPUTE_VULKAN_LIBRARY", library);
    for (int attempt = 0; attempt < 2; ++attempt) {
        try {
            loaderGetInstanceProcAddr();
            std::fputs("nothing was thrown\n", stderr);
            std::exit(1);
        } catch (const Unsupported& error) {
            for (const std::string& part : parts)
                if (std::string(error.what()).find(part) == std::string::npos) {
                    std::fprintf(stderr, "'%s' is not in: %s\n", part.c_str(), error.what());
                    std::exit(2);
                }
        }
    }
    std::exit(0);
}

// Each in a process of its own, since a loader once opened stays.
TEST(LoaderDeathTest, LibraryThatIsNotThere) {
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    EXPECT_EXIT(failToLoad("/nowhere/libnothing.so",
                           {"KOMPUTE_VULKAN_LIBRARY", "/nowhere/libnothing.so", "unset it"}),
                testing::ExitedWithCode(0), "");
}

#ifdef __linux__
TEST(LoaderDeathTest, LibraryThatIsNoVulkanLoader) {
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    EXPECT_EXIT(failToLoad("libm.so.6", {"libm.so.6", "it has no vkGetInstanceProcAddr"}),
                testing::ExitedWithCode(0), "");
}
#endif

TEST(DriverSearch, SaysWhatSteersTheLoader) {
    const Environment files("VK_DRIVER_FILES", "/somewhere/driver.json");
    const auto report = driverSearchReport();
    EXPECT_TRUE(mentions(report, {"VK_DRIVER_FILES=/somewhere/driver.json"}));
    EXPECT_TRUE(mentions(report, {"the only ones read"}));
    EXPECT_FALSE(driverInstallHint().empty());
}

#ifdef __linux__
TEST(DriverSearch, ListsTheManifestFolders) {
    const Environment files("VK_DRIVER_FILES", "");
    const Environment names("VK_ICD_FILENAMES", "");
    const Environment data("XDG_DATA_DIRS", "/nowhere/a:/nowhere/b");
    const auto report = driverSearchReport();
    EXPECT_TRUE(mentions(report, {"are not set"}));
    EXPECT_TRUE(mentions(report, {"/nowhere/a/vulkan/icd.d: not there"}));
    EXPECT_TRUE(mentions(report, {"/nowhere/b/vulkan/icd.d"}));
    EXPECT_TRUE(mentions(report, {"/etc/vulkan/icd.d"}));
}
#endif

} // namespace
} // namespace kp::vulkan::test
