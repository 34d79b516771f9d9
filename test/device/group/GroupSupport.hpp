// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdlib>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include <kompute/Group.hpp>

#include "device/TestSupport.hpp"

namespace kp::test {

/// The physical devices of a test group: the ones in KOMPUTE_TEST_DEVICES ("0,1") in turn, or the
/// device of all other tests, several times.
inline std::vector<uint32_t> testDevices(size_t count) {
    std::vector<uint32_t> given;
    if (const char* listed = std::getenv("KOMPUTE_TEST_DEVICES")) {
        std::istringstream text(listed);
        for (std::string id; std::getline(text, id, ',');)
            given.push_back(static_cast<uint32_t>(std::stoul(id)));
    }
    if (given.empty())
        given.push_back(kp::Manager().deviceInfo().index);
    std::vector<uint32_t> devices(count);
    for (size_t i = 0; i < count; ++i)
        devices[i] = given[i % given.size()];
    return devices;
}

inline kp::DeviceGroupOptions groupOptions(size_t devices,
                                           kp::ExchangePath path = kp::ExchangePath::eAuto) {
    kp::DeviceGroupOptions options;
    options.deviceIds = testDevices(devices);
    options.exchange = path;
    return options;
}

inline std::shared_ptr<kp::Buffer>
makeBuffer(const kp::DeviceGroup& group, std::vector<uint64_t> shape, kp::ElementType type = {},
           kp::BufferPlacement placement = kp::BufferPlacement::eReplicated,
           std::vector<uint64_t> shardRows = {}) {
    kp::BufferOptions options;
    options.placement = placement;
    options.shardRows = std::move(shardRows);
    return std::make_shared<kp::Buffer>(group, std::move(shape), type, options);
}

/// GLSL of v[i] = v[i] * scale + add on floats, with a bounds check.
inline const char* kGroupScale = R"(#version 450
layout(local_size_x = 64) in;
layout(binding = 0) buffer V { float v[]; };
layout(push_constant) uniform P { float scale; float add; uint kp_shard_shape; };
void main() {
    uint i = gl_GlobalInvocationID.x;
    if (i < kp_shard_shape) v[i] = v[i] * scale + add;
})";

/// The options of a kGroupScale kernel that takes `scale` and `add` with each call.
inline kp::GroupKernelOptions scaleAndAddPerCall() {
    kp::GroupKernelOptions options;
    options.parameters = {{"scale", "scale"}, {"add", "add"}};
    return options;
}

/// GLSL that adds 1 to element 0 after @p rounds iterations of other arithmetic.
inline std::string slowCounter(uint32_t rounds) {
    return R"(#version 450
layout(local_size_x = 1) in;
layout(binding = 0) buffer V { uint v[]; };
void main() {
    uint x = v[1];
    for (uint i = 0; i < )" +
           std::to_string(rounds) + R"(u; ++i) x = x * 1664525u + 1013904223u;
    v[0] += 1u;
    v[1] = x;
})";
}

class GroupTest : public ::testing::Test {
protected:
    kp::DeviceGroup group{groupOptions(2)};
};

} // namespace kp::test
