// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

#include <kompute/Error.hpp>

#include "base/Text.hpp"
#include "core/manager/DeviceChoice.hpp"
#include "unit/ScopedEnvironment.hpp"
#include "unit/TestText.hpp"
#include "unit/vulkan/InventedDevice.hpp"
#include "vulkan/profiles/ApplyProfile.hpp"
#include "vulkan/profiles/KnownProfiles.hpp"

namespace kp::vulkan::test {
namespace {

/// Returns a device that has everything that the library knows.
PhysicalDevice inventEverything() {
    PhysicalDevice device = inventDevice(VK_API_VERSION_1_3, "Everything");
    device.features.set();
    for (size_t i = 0; i < device.features.size(); ++i)
        if (const std::string name = extensionOf(static_cast<Feature>(i));
            !name.empty() && !device.hasExtension(name))
            offer(device, name);
    VkPhysicalDeviceLimits& limits = device.properties.limits;
    limits.maxStorageBufferRange = limits.maxUniformBufferRange = UINT32_MAX;
    limits.maxPushConstantsSize = 256;
    limits.maxPerStageDescriptorStorageBuffers = limits.maxBoundDescriptorSets = UINT32_MAX;
    limits.maxComputeSharedMemorySize = 65536;
    limits.maxComputeWorkGroupInvocations = 1024;
    limits.maxMemoryAllocationCount = UINT32_MAX;
    for (size_t i = 0; i < 3; ++i)
        limits.maxComputeWorkGroupCount[i] = limits.maxComputeWorkGroupSize[i] = UINT32_MAX;
    limits.minStorageBufferOffsetAlignment = 16;
    device.subgroupSize = device.minSubgroupSize = device.maxSubgroupSize = 32;
    device.subgroupOperations = 0xff;
    device.requiredSubgroupSizeStages = VK_SHADER_STAGE_COMPUTE_BIT;
    device.memory.memoryHeapCount = device.memory.memoryTypeCount = 1;
    device.memory.memoryHeaps[0] = {uint64_t{24} << 30, VK_MEMORY_HEAP_DEVICE_LOCAL_BIT};
    device.memory.memoryTypes[0] = {0xf, 0};
    return device;
}

std::string parseFailure(const std::string& text) {
    try {
        parseProfile(text, "mine");
    } catch (const InvalidArgument& error) {
        return error.what();
    }
    return "nothing was thrown";
}

/// Returns a valid profile with one part of its text replaced.
std::string changed(const std::string& part, const std::string& by) {
    std::string text = R"({"device": "Mine", "sources": ["invented"], "apiVersion": "1.2",
        "type": "integrated", "vendorId": 7, "subgroup": {"minSize": 8, "maxSize": 64,
        "required": false, "maxPerWorkgroup": 4, "operations": ["basic", "vote"]},
        "limits": {"maxPushConstantsSize": 64, "maxComputeWorkGroupSize": [64, 32, 16]},
        "features": ["shaderInt64"], "extensions": ["VK_KHR_b", "VK_KHR_a"]})";
    const size_t at = text.find(part);
    return at == std::string::npos ? "" : text.replace(at, part.size(), by);
}

TEST(DeviceProfile, EveryKnownOneTakesAwayAndNeverAdds) {
    const PhysicalDevice device = inventEverything();
    ASSERT_GE(profileNames().size(), 7U);
    for (const std::string& name : profileNames()) {
        SCOPED_TRACE(name);
        const PhysicalDevice made = withProfile(device, *findProfile(name));
        EXPECT_EQ(made.profile, name);
        EXPECT_TRUE((made.features & ~device.features).none());
        EXPECT_LT(made.features.count(), device.features.count());
        const VkPhysicalDeviceLimits& limits = made.properties.limits;
        EXPECT_LE(limits.maxPushConstantsSize, 256U);
        EXPECT_LE(limits.maxComputeSharedMemorySize, 65536U);
        EXPECT_GE(limits.maxComputeSharedMemorySize, 16384U) << "the specification's minimum";
        EXPECT_LE(limits.maxComputeWorkGroupInvocations, 1024U);
        EXPECT_GE(limits.maxComputeWorkGroupInvocations, 128U) << "the specification's minimum";
        EXPECT_GE(limits.minStorageBufferOffsetAlignment, 16U);
        EXPECT_GE(limits.maxStorageBufferRange, uint32_t{1} << 27) << "the specification's minimum";
        EXPECT_LE(made.apiVersion, device.apiVersion);
        EXPECT_EQ(made.subgroupSize, 32U) << "shaders still run in the driver's subgroups";
        EXPECT_TRUE(planDevice(made, {}).plan);
    }
}

TEST(DeviceProfile, TheLeastOfVulkan11HasNothingOptional) {
    const PhysicalDevice device = inventEverything();
    const PhysicalDevice made = withProfile(device, *findProfile("vulkan-1.1-least"));
    EXPECT_TRUE(made.features.none());
    EXPECT_TRUE(made.extensions.empty());
    EXPECT_EQ(made.apiVersion, VK_API_VERSION_1_1);
    EXPECT_EQ(made.properties.apiVersion, VK_API_VERSION_1_1);
    EXPECT_EQ(made.properties.limits.maxPerStageDescriptorStorageBuffers, 4U);
    EXPECT_EQ(made.properties.limits.maxPushConstantsSize, 128U);
    EXPECT_EQ(made.properties.limits.minStorageBufferOffsetAlignment, 256U);
    EXPECT_EQ(made.subgroupOperations, VkSubgroupFeatureFlags{VK_SUBGROUP_FEATURE_BASIC_BIT});
    EXPECT_FALSE(made.requiresSubgroupSizes());
    EXPECT_EQ(made.queueFamilies[0].timestampValidBits, 0U);
}

TEST(DeviceProfile, ShowsMemoryTypesThatOneTypeOfTheDriverServes) {
    const PhysicalDevice made = withProfile(inventEverything(), *findProfile("vulkan-1.1-least"));
    ASSERT_TRUE(made.memoryMap);
    ASSERT_EQ(made.memory.memoryTypeCount, 2U);
    EXPECT_EQ(made.memory.memoryTypes[0].propertyFlags,
              VkMemoryPropertyFlags{VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT});
    EXPECT_EQ(made.memory.memoryHeaps[0].size, uint64_t{1} << 30);
    EXPECT_EQ(made.memoryMap->driverTypes[0], 0U);
    EXPECT_EQ(made.memoryMap->driverTypes[1], 0U);
    EXPECT_EQ(made.driverMemory().memoryHeaps[0].size, uint64_t{24} << 30);
}

TEST(DeviceProfile, OfUnifiedMemoryLeavesImagesTheMemoryThatTheHostCannotSee) {
    PhysicalDevice device = inventEverything();
    constexpr VkMemoryPropertyFlags kLocal = VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT;
    constexpr VkMemoryPropertyFlags kHost =
        VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
    device.memory.memoryHeapCount = 2;
    device.memory.memoryHeaps[1] = {uint64_t{64} << 30, 0};
    device.memory.memoryTypeCount = 5; // as NVIDIA's
    device.memory.memoryTypes[0] = {0, 1};
    device.memory.memoryTypes[1] = {kLocal, 0};
    device.memory.memoryTypes[2] = {kHost, 1};
    device.memory.memoryTypes[3] = {kHost | VK_MEMORY_PROPERTY_HOST_CACHED_BIT, 1};
    device.memory.memoryTypes[4] = {kLocal | kHost, 0};
    const PhysicalDevice made = withProfile(device, *findProfile("raspberry-pi-5"));
    ASSERT_TRUE(made.memoryMap);
    ASSERT_TRUE(made.memoryMap->forImages);
    const uint32_t type = *made.memoryMap->forImages;
    EXPECT_EQ(type + 1, made.memory.memoryTypeCount);
    EXPECT_EQ(made.memory.memoryTypes[type].propertyFlags, kLocal);
    EXPECT_EQ(made.memoryMap->driverTypes[type], 1u);
    for (uint32_t i = 0; i < type; ++i) // what the profile has comes first
        EXPECT_TRUE(made.memory.memoryTypes[i].propertyFlags & VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT);
    // A profile with such memory of its own needs no other.
    EXPECT_FALSE(withProfile(device, *findProfile("vulkan-1.1-least")).memoryMap->forImages);
}

TEST(DeviceProfile, KeepsTheDevicesMemoryIfItCannotServeTheProfiles) {
    PhysicalDevice device = inventEverything();
    device.memory.memoryTypes[0].propertyFlags = VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT;
    const PhysicalDevice made = withProfile(device, *findProfile("raspberry-pi-5"));
    EXPECT_FALSE(made.memoryMap);
    EXPECT_EQ(made.memory.memoryHeaps[0].size, uint64_t{24} << 30);
}

TEST(DeviceProfile, NarrowsSubgroupSizesOnlyAroundTheDriversChoice) {
    PhysicalDevice device = inventEverything();
    device.minSubgroupSize = 4;
    device.maxSubgroupSize = 128;
    const auto profile = parseProfile(changed("VK_KHR_b", "VK_KHR_c"), "mine");
    EXPECT_EQ(withProfile(device, *profile).minSubgroupSize, 8U);
    EXPECT_EQ(withProfile(device, *profile).maxSubgroupSize, 64U);
    device.subgroupSize = 4;
    EXPECT_EQ(withProfile(device, *profile).minSubgroupSize, 4U);
    EXPECT_EQ(withProfile(device, *profile).maxSubgroupSize, 128U);
}

TEST(DeviceProfile, SaysWhatItTookAway) {
    const PhysicalDevice device = inventEverything();
    const std::string line =
        describeProfile(device, withProfile(device, *findProfile("raspberry-pi-5")));
    for (const char* part : {"'raspberry-pi-5'", "Everything", "shaderInt64", "shaderFloat64",
                             "maxComputeWorkGroupInvocations 1024 to 256"})
        EXPECT_TRUE(kp::test::contains(line, part));
    EXPECT_FALSE(kp::test::contains(line, "scalarBlockLayout"));
}

TEST(DeviceProfile, ReadsWhatItsFileSays) {
    const auto profile = parseProfile(changed("VK_KHR_b", "VK_KHR_b"), "mine");
    EXPECT_EQ(profile->apiVersion, VK_API_VERSION_1_2);
    EXPECT_EQ(profile->extensions, (std::vector<std::string>{"VK_KHR_a", "VK_KHR_b"}));
    EXPECT_TRUE(has(profile->features, Feature::eShaderInt64));
    EXPECT_EQ(profile->features.count(), 1U);
    EXPECT_EQ(profile->subgroupOperations,
              VkSubgroupFeatureFlags{VK_SUBGROUP_FEATURE_BASIC_BIT | VK_SUBGROUP_FEATURE_VOTE_BIT});
    EXPECT_TRUE(profile->timestamps);
    EXPECT_EQ(profile->memory.memoryTypeCount, 0U);
}

TEST(DeviceProfile, NamesWhatIsWrongInAFile) {
    EXPECT_TRUE(kp::test::contains(parseFailure("{"),
                                   "'mine' is not valid JSON: there is an error at byte 2"));
    EXPECT_TRUE(kp::test::contains(parseFailure("[]"), "is not a JSON object"));
    const auto expect = [](const char* part, const char* by, const char* message) {
        EXPECT_TRUE(kp::test::contains(parseFailure(changed(part, by)), message))
            << part << " -> " << by;
    };
    expect("\"vendorId\"", "\"vendor\"", "has no entry 'vendorId'");
    expect("\"device\":", "\"more\": 1, \"device\":", "an unknown entry 'more'");
    expect("[\"invented\"]", "[]", "say where its values come from");
    expect("\"1.2\"", "\"2.0\"", "the Vulkan version '2.0'");
    expect("integrated", "small", "'small' for 'type'; known are integrated, discrete");
    expect("\"vote\"", "\"vot\"", "'vot' for 'operations'");
    expect("shaderInt64", "shaderInt65", "'shaderInt65', which is not a feature");
    expect("maxPushConstantsSize", "maxPush", "a limit 'maxPush', which the library does not know");
    expect("[64, 32, 16]", "[64, 32]", "has 2 numbers for the limit 'maxComputeWorkGroupSize'");
    expect(": 64,", ": -1,", "not a whole number");
    expect(": 64, \"max", ": 1.5, \"max", "not a whole number");
}

TEST(DeviceProfile, AMissingOneNamesTheNearestAndAll) {
    const kp::test::ScopedEnvironment variable("KOMPUTE_PROFILE", "raspbery-pi5");
    try {
        requestOf({});
        FAIL() << "nothing was thrown";
    } catch (const InvalidArgument& error) {
        for (const char* part : {"KOMPUTE_PROFILE", "'raspbery-pi5'", "mean 'raspberry-pi-5'",
                                 "adreno-7xx, amd-rdna3", "vulkan-1.1-least", ".json"})
            EXPECT_TRUE(kp::test::contains(error.what(), part));
    }
}

TEST(DeviceProfile, IsReadFromAFile) {
    const std::filesystem::path path =
        std::filesystem::temp_directory_path() / "kompute-device-profile-test.json";
    std::ofstream(path) << changed("VK_KHR_b", "VK_KHR_b");
    const kp::test::ScopedEnvironment variable("KOMPUTE_PROFILE", path.string().c_str());
    EXPECT_EQ(requestOf({}).profile->device, "Mine");
    std::filesystem::remove(path);
    EXPECT_THROW(requestOf({}), InvalidArgument);
}

TEST(DeviceProfile, WithoutTheVariableThereIsNone) {
    const kp::test::ScopedEnvironment variable("KOMPUTE_PROFILE", nullptr);
    EXPECT_EQ(requestOf({}).profile, nullptr);
}

TEST(NearestName, HasTheFewestChanges) {
    EXPECT_EQ(nearest("aple", {"mali", "apple", "adreno"}), "apple");
    EXPECT_EQ(nearest("", {"ab", "c"}), "c");
    EXPECT_EQ(nearest("x", {}), "");
}

} // namespace
} // namespace kp::vulkan::test
