// SPDX-License-Identifier: Apache-2.0
#include "vulkan/device/Loader.hpp"

#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <kompute/Error.hpp>

#include "unit/ScopedEnvironment.hpp"
#include "unit/vulkan/InventedDevice.hpp"

namespace kp::vulkan::test {
namespace {

using kp::test::ScopedEnvironment;

/// Loads twice, and ends the process with status 0 if both attempts throw Unsupported with a
/// message that contains all of @p parts.
void exitAfterFailedLoad(const char* library, const std::vector<std::string>& parts) {
    const ScopedEnvironment variable("KOMPUTE_VULKAN_LIBRARY", library);
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

// An opened loader stays open, so each of these tests runs in its own process.
TEST(LoaderDeathTest, NamesALibraryThatDoesNotExist) {
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    EXPECT_EXIT(
        exitAfterFailedLoad("/nowhere/libnothing.so",
                            {"KOMPUTE_VULKAN_LIBRARY", "/nowhere/libnothing.so", "unset it"}),
        testing::ExitedWithCode(0), "");
}

#ifdef __linux__
TEST(LoaderDeathTest, RefusesALibraryThatIsNoVulkanLoader) {
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    EXPECT_EXIT(exitAfterFailedLoad("libm.so.6", {"libm.so.6", "it has no vkGetInstanceProcAddr"}),
                testing::ExitedWithCode(0), "");
}
#endif

TEST(DriverSearch, ReportsTheLoaderVariables) {
    const ScopedEnvironment files("VK_DRIVER_FILES", "/somewhere/driver.json");
    const auto report = driverSearchReport();
    EXPECT_TRUE(mentions(report, {"VK_DRIVER_FILES=/somewhere/driver.json"}));
    EXPECT_TRUE(mentions(report, {"the only ones read"}));
    EXPECT_FALSE(driverInstallHint().empty());
}

#ifdef __linux__
TEST(DriverSearch, ListsTheManifestFolders) {
    const ScopedEnvironment files("VK_DRIVER_FILES", "");
    const ScopedEnvironment names("VK_ICD_FILENAMES", "");
    const ScopedEnvironment data("XDG_DATA_DIRS", "/nowhere/a:/nowhere/b");
    const auto report = driverSearchReport();
    EXPECT_TRUE(mentions(report, {"are not set"}));
    EXPECT_TRUE(mentions(report, {"/nowhere/a/vulkan/icd.d: not there"}));
    EXPECT_TRUE(mentions(report, {"/nowhere/b/vulkan/icd.d"}));
    EXPECT_TRUE(mentions(report, {"/etc/vulkan/icd.d"}));
}
#endif

} // namespace
} // namespace kp::vulkan::test
