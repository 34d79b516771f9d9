// SPDX-License-Identifier: Apache-2.0
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <kompute/Kompute.hpp>

#include "device/TestSupport.hpp"
#include "unit/ScopedEnvironment.hpp"

namespace kp::test {
namespace {

class DeviceProfileTest : public DeviceTest {
protected:
    /// Returns a manager of the device as a profile shows it.
    static std::shared_ptr<Manager> managerOf(const char* profile) {
        const ScopedEnvironment variable("KOMPUTE_PROFILE", profile);
        return std::make_shared<Manager>();
    }
};

std::string shaderWith(const std::string& head, const std::string& body) {
    return "#version 450\n#extension GL_KHR_shader_subgroup_arithmetic : enable\n"
           "#extension GL_EXT_shader_explicit_arithmetic_types_int64 : enable\n"
           "layout(set = 0, binding = 0) buffer X { uint x[]; };\n" +
           head + "void main() {" + body + "}";
}

/// Returns why the shader is refused; "" if it is not.
std::string refusalOf(Manager& manager, const std::string& text,
                      const Workgroup& groups = {1, 1, 1}) {
    try {
        const auto x = manager.tensorT(std::vector<uint32_t>(16));
        manager.sequence()->eval<OpAlgoDispatch>(manager.algorithm({x}, spirv(text), groups));
    } catch (const std::exception& error) {
        return error.what();
    }
    return {};
}

TEST_F(DeviceProfileTest, ComputesWithTheLeastThatVulkanAllows) {
    const auto manager = managerOf("vulkan-1.1-least");
    EXPECT_NE(manager->deviceInfo().driver.find("as vulkan-1.1-least"), std::string::npos);
    const auto x = manager->tensorT(std::vector<uint32_t>{1, 2, 3, 4});
    const auto add = manager->algorithm(
        {x}, spirv(shaderWith("layout(local_size_x = 4) in;", "x[gl_LocalInvocationID.x] += 1;")),
        {1, 1, 1});
    manager->sequence()
        ->record<OpSyncDevice>({x})
        ->record<OpAlgoDispatch>(add)
        ->record<OpSyncLocal>({x})
        ->eval();
    EXPECT_EQ(x->vector(), (std::vector<uint32_t>{2, 3, 4, 5}));
}

TEST_F(DeviceProfileTest, RefusesWhatTheProfilesDeviceWould) {
    const auto least = managerOf("vulkan-1.1-least");
    const std::string one = "layout(local_size_x = 1) in;";
    const auto expect = [&](const std::string& refusal, const char* part) {
        EXPECT_NE(refusal.find(part), std::string::npos) << "'" << refusal << "'";
        EXPECT_NE(refusal.find("as vulkan-1.1-least"), std::string::npos) << refusal;
    };
    expect(refusalOf(*least, shaderWith("layout(local_size_x = 256) in;", "x[0] = 1;")),
           "maxComputeWorkGroupSize of 128");
    expect(refusalOf(*least,
                     shaderWith("layout(local_size_x = 64, local_size_y = 4) in;", "x[0] = 1;")),
           "maxComputeWorkGroupInvocations of 128");
    expect(
        refusalOf(*least, shaderWith(one + "shared uint s[5000];", "s[x[1]] = 1; x[0] = s[x[2]];")),
        "maxComputeSharedMemorySize of 16384");
    expect(refusalOf(*least, shaderWith(one + "layout(push_constant) uniform P { uint p[40]; };",
                                        "x[0] = p[x[1]];")),
           "maxPushConstantsSize of 128");
    expect(refusalOf(*least, shaderWith(one, "x[0] = uint(uint64_t(x[1]) * x[2] >> 32);")),
           "shaderInt64");
    expect(refusalOf(*least, shaderWith(one, "x[0] = subgroupAdd(x[1]);")),
           "no arithmetic operations of subgroups");
    expect(refusalOf(*least, shaderWith(one, "x[0] = 1;"), {65536, 1, 1}), "65535");
    const auto x = least->tensorT(std::vector<uint32_t>(4));
    std::string buffers = one;
    for (int i = 1; i < 5; ++i)
        buffers += "layout(set = 0, binding = " + std::to_string(i) + ") buffer B" +
                   std::to_string(i) + " { uint b" + std::to_string(i) + "[]; };";
    try {
        least->algorithm({x, x, x, x, x},
                         spirv(shaderWith(buffers, "x[0] = b1[0] + b2[0] + b3[0] + b4[0];")));
        ADD_FAILURE() << "five storage buffers were accepted";
    } catch (const std::exception& error) {
        expect(error.what(), "maxPerStageDescriptorStorageBuffers of 4");
    }
}

TEST_F(DeviceProfileTest, TheDeviceItselfTakesTheSameShader) {
    const auto plain = managerOf(nullptr);
    if (plain->deviceInfo().maxWorkgroupSize[0] < 256)
        GTEST_SKIP() << "the device is as small as the profile";
    EXPECT_EQ(refusalOf(*plain, shaderWith("layout(local_size_x = 256) in;", "x[0] = 1;")), "");
}

TEST_F(DeviceProfileTest, MemoryIsOnlyAsLargeAsTheProfilesHeaps) {
    const auto least = managerOf("vulkan-1.1-least");
    EXPECT_EQ(least->deviceInfo().memoryBytes, uint64_t{1} << 30);
    try {
        least->tensor((uint64_t{3} << 29) / 4, 4, Memory::DataTypes::eFloat,
                      Memory::MemoryTypes::eStorage);
        ADD_FAILURE() << "1.5 GiB fit into 1 GiB";
    } catch (const Error& error) { // the heap's size, or the device's maxBufferSize
        EXPECT_NE(std::string(error.what()).find("1073741824"), std::string::npos) << error.what();
    }
    std::vector<std::shared_ptr<Tensor>> held;
    const auto fill = [&] {
        for (int i = 0; i < 5; ++i)
            held.push_back(least->tensor((uint64_t{1} << 28) / 4, 4, Memory::DataTypes::eFloat,
                                         Memory::MemoryTypes::eStorage));
    };
    EXPECT_THROW(fill(), OutOfMemory) << "five of 256 MiB";
    EXPECT_GE(held.size(), 3U);
}

TEST_F(DeviceProfileTest, DataMovesWithoutMappedDeviceMemory) {
    for (const char* profile : {"vulkan-1.1-least", "amd-rdna3", "apple-m", "raspberry-pi-5"}) {
        SCOPED_TRACE(profile);
        const auto manager = managerOf(profile);
        std::vector<uint32_t> numbers(100000);
        for (size_t i = 0; i < numbers.size(); ++i)
            numbers[i] = static_cast<uint32_t>(i * 2654435761u);
        const auto from = manager->tensorT(numbers);
        const auto to = manager->tensorT(std::vector<uint32_t>(numbers.size()));
        manager->sequence()
            ->record<OpSyncDevice>({from})
            ->record<OpCopy>({from, to})
            ->record<OpSyncLocal>({to})
            ->eval();
        EXPECT_EQ(to->vector(), numbers);
    }
}

TEST_F(DeviceProfileTest, SaysWhatItTakesAway) {
    logger::setLogLevel(logger::Level::eInfo);
    {
        const ScopedEnvironment variable("KOMPUTE_PROFILE", "mali-g7xx");
        ManagerOptions options;
        options.shareDevice = false; // the line is about a new device
        const Manager own(options);
    }
    logger::setLogLevel(logger::Level::eWarn);
    EXPECT_NE(logText().find("the device profile 'mali-g7xx' takes from"), std::string::npos)
        << logText();
}

TEST_F(DeviceProfileTest, ManagersOfDifferentProfilesDoNotShareADevice) {
    const auto plain = managerOf(nullptr);
    const auto pi = managerOf("raspberry-pi-5");
    const auto again = managerOf("raspberry-pi-5");
    EXPECT_LE(pi->deviceInfo().maxWorkgroupInvocations, 256U);
    EXPECT_EQ(plain->deviceInfo().driver.find(" as "), std::string::npos);
    EXPECT_EQ(plain->deviceInfo().name, pi->deviceInfo().name);
    const auto x = pi->tensorT(std::vector<uint32_t>(4));
    EXPECT_NO_THROW(again->sequence()->eval<OpSyncDevice>({x}));
    EXPECT_THROW(plain->sequence()->eval<OpSyncDevice>({x}), InvalidArgument);
}

TEST_F(DeviceProfileTest, ListsTheDevicesAsTheProfileShowsThem) {
    const ScopedEnvironment variable("KOMPUTE_PROFILE", "raspberry-pi-5");
    for (const DeviceInfo& device : listDevices())
        EXPECT_LE(device.maxWorkgroupInvocations, 256U);
}

} // namespace
} // namespace kp::test
