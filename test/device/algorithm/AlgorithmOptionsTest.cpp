// SPDX-License-Identifier: Apache-2.0
#include <kompute/Launch.hpp>

#include "../HostVulkan.hpp"
#include "../TestSupport.hpp"

namespace kp::test {
namespace {

using AlgorithmOptionsTest = DeviceTest;

/// Stores gl_SubgroupSize and the number of subgroups.
const char* const kSubgroupShader = R"(#version 450
#extension GL_KHR_shader_subgroup_basic : require
layout(local_size_x_id = 0) in;
layout(binding = 0) writeonly buffer Sizes { uint sizes[]; };
void main() {
    if (gl_LocalInvocationIndex == 0) {
        sizes[0] = gl_SubgroupSize;
        sizes[1] = gl_NumSubgroups;
    }
}
)";

TEST_F(AlgorithmOptionsTest, RunsWithTheRequiredSubgroupSize) {
    const kp::DeviceInfo device = manager.deviceInfo();
    if (device.maxSubgroupSize == 0)
        GTEST_SKIP() << "no subgroup size can be required";
    EXPECT_LE(device.minSubgroupSize, device.subgroupSize);
    EXPECT_GE(device.maxSubgroupSize, device.subgroupSize);
    const auto code = spirv(kSubgroupShader);
    auto sizes = manager.tensorT<uint32_t>({0, 0});
    for (uint32_t size = device.minSubgroupSize; size <= device.maxSubgroupSize; size *= 2) {
        kp::AlgorithmOptions options;
        options.subgroupSize = size;
        options.fullSubgroups = hasFeature(manager, "computeFullSubgroups");
        const std::vector<uint32_t> localSize{2 * device.maxSubgroupSize};
        auto algorithm =
            manager.algorithm<uint32_t, float>({sizes}, code, {1}, localSize, {}, options);
        EXPECT_EQ(algorithm->getOptions().subgroupSize, size);
        manager.sequence()->eval<kp::OpAlgoDispatch>(algorithm);
        EXPECT_EQ(onDevice<uint32_t>(*sizes), (std::vector<uint32_t>{size, localSize[0] / size}));
        // Options that are not given stay.
        algorithm->rebuild({sizes}, code);
        EXPECT_EQ(algorithm->getOptions().subgroupSize, size);
        algorithm->rebuild<uint32_t, float>({sizes}, code, {}, {}, {}, kp::AlgorithmOptions());
        EXPECT_EQ(algorithm->getOptions().subgroupSize, 0u);
    }
}

TEST_F(AlgorithmOptionsTest, RefusesSubgroupsThatTheDeviceCannotForm) {
    const kp::DeviceInfo device = manager.deviceInfo();
    const auto code = spirv(kSubgroupShader);
    auto sizes = manager.tensorT<uint32_t>({0, 0});
    const auto make = [&](kp::AlgorithmOptions options, uint32_t localSize) {
        return manager.algorithm<uint32_t, float>({sizes}, code, {1}, {localSize}, {}, options);
    };
    kp::AlgorithmOptions required;
    if (device.maxSubgroupSize == 0) {
        required.subgroupSize = device.subgroupSize;
        EXPECT_ERROR(kp::Unsupported, "cannot require", make(required, 64));
        return;
    }
    const std::string range = "supports powers of two from " +
                              std::to_string(device.minSubgroupSize) + " to " +
                              std::to_string(device.maxSubgroupSize);
    for (const uint32_t size : {device.minSubgroupSize / 2, device.maxSubgroupSize * 2,
                                device.minSubgroupSize + 1, UINT32_MAX}) {
        required.subgroupSize = size == 0 ? 3 : size;
        EXPECT_ERROR(kp::Unsupported, range, make(required, 64));
    }
    kp::AlgorithmOptions full;
    full.fullSubgroups = true;
    if (!hasFeature(manager, "computeFullSubgroups")) {
        EXPECT_ERROR(kp::Unsupported, "computeFullSubgroups", make(full, 64));
        return;
    }
    if (device.maxSubgroupSize == 1)
        return;
    EXPECT_ERROR(kp::InvalidArgument, "local size in x, 1,", make(full, 1));
    full.subgroupSize = device.maxSubgroupSize;
    EXPECT_ERROR(kp::InvalidArgument, "not a multiple of " + std::to_string(full.subgroupSize),
                 make(full, full.subgroupSize + 1));
}

TEST_F(AlgorithmOptionsTest, ReadsZerosOutsideOfItsMemoryOnRequest) {
    if (checking())
        GTEST_SKIP() << "its kernel leaves the memory on purpose";
    const auto code = spirv(R"(#version 450
layout(local_size_x = 1) in;
layout(binding = 0) readonly buffer Given { uint given[]; };
layout(binding = 1) writeonly buffer Found { uint found[]; };
layout(push_constant) uniform P { uint distance; };
void main() {
    uint i = gl_GlobalInvocationID.x;
    found[i] = given[i + distance] + 7;
    found[i + distance] = 99;
})");
    // Neighbours in one allocation, which hold other numbers.
    auto before = manager.tensorT<uint32_t>(std::vector<uint32_t>(64, 5));
    auto given = manager.tensorT<uint32_t>({1, 2, 3, 4});
    auto after = manager.tensorT<uint32_t>(std::vector<uint32_t>(64, 6));
    auto found = manager.tensorT<uint32_t>({0, 0, 0, 0});
    kp::AlgorithmOptions options;
    options.robustAccess = true;
    const std::vector<uint32_t> distance{4};
    const auto make = [&] {
        return manager.algorithm<uint32_t, uint32_t>({given, found}, code, {4}, {}, distance,
                                                     options);
    };
    if (!hasFeature(manager, "pipelineRobustness")) {
        EXPECT_ERROR(kp::Unsupported, "VK_EXT_pipeline_robustness", make());
        return;
    }
    std::shared_ptr<kp::Algorithm> algorithm;
    try {
        algorithm = make();
    } catch (const kp::Unsupported& error) {
        EXPECT_NE(std::string(error.what()).find("robustBufferAccess2"), std::string::npos);
        return;
    }
    EXPECT_TRUE(algorithm->getOptions().robustAccess);
    manager.sequence()->eval<kp::OpAlgoDispatch>(algorithm);
    EXPECT_EQ(found->vector(), (std::vector<uint32_t>(4, 7)));
    EXPECT_EQ(onDevice<uint32_t>(*given), (std::vector<uint32_t>{1, 2, 3, 4}));
    for (const auto& neighbour : {before, after})
        EXPECT_EQ(onDevice<uint32_t>(*neighbour), neighbour->vector());
}

TEST_F(AlgorithmOptionsTest, RefusesRobustAccessOfAHostApplicationThatLacksIt) {
    HostVulkan host(manager);
    kp::Manager wrapped(host.description());
    kp::AlgorithmOptions options;
    options.robustAccess = true;
    auto t = wrapped.tensorT<uint32_t>({1});
    EXPECT_ERROR(kp::Unsupported, "pipelineRobustness",
                 wrapped.algorithm<float, float>({t}, addShader(1), {1}, {}, {}, options));
}

TEST_F(AlgorithmOptionsTest, KeepsItsSubgroupSizeInKernels) {
    const kp::DeviceInfo device = manager.deviceInfo();
    if (device.maxSubgroupSize == 0)
        GTEST_SKIP() << "no subgroup size can be required";
    auto sizes = manager.tensorT<uint32_t>({0, 0});
    kp::AlgorithmOptions options;
    options.subgroupSize = device.minSubgroupSize;
    const auto algorithm = manager.algorithm<uint32_t, float>(
        {sizes}, spirv(kSubgroupShader), {1}, {2 * device.minSubgroupSize}, {}, options);
    kp::KernelOptions defaults;
    defaults.globalSize = 2 * device.minSubgroupSize;
    kp::KernelLauncher("sizes", algorithm, {}, defaults)()->wait();
    EXPECT_EQ(onDevice<uint32_t>(*sizes), (std::vector<uint32_t>{device.minSubgroupSize, 2}));
}

} // namespace
} // namespace kp::test
