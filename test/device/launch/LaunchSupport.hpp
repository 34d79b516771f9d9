// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <stdexcept>
#include <string>
#include <thread>

#include <kompute/Launch.hpp>

#include "device/TestSupport.hpp"

namespace kp::test {

/// GLSL of v[i] = v[i] * scale + offset on floats at binding 0. `scale` and `offset` are push
/// constants. The local size comes from specialization constants.
inline const char* kScaleShader = R"(#version 450
layout(local_size_x_id = 10, local_size_y_id = 11, local_size_z_id = 12) in;
layout(set = 0, binding = 0) buffer V { float v[]; };
layout(push_constant) uniform P { float scale; float offset; };
void main() {
    uint i = gl_GlobalInvocationID.x;
    v[i] = v[i] * scale + offset;
})";

/// GLSL of b[i] = a[i] + amount on unsigned integers. `amount` is specialization constant 0, 1 by
/// default.
inline const char* kAddTo = R"(#version 450
layout(local_size_x = 1) in;
layout(set = 0, binding = 0) readonly buffer A { uint a[]; };
layout(set = 0, binding = 1) writeonly buffer B { uint b[]; };
layout(constant_id = 0) const uint amount = 1;
void main() {
    uint i = gl_GlobalInvocationID.x;
    b[i] = a[i] + amount;
})";

class LaunchTest : public DeviceTest {
protected:
    std::shared_ptr<kp::Queue> queue = manager.queue();
    kp::Kernel scale{manager, std::string(kScaleShader)};

    std::shared_ptr<kp::TensorT<float>> floats(const std::vector<float>& values) {
        return manager.tensorT<float>(values, kp::Memory::MemoryTypes::eHost);
    }
    static kp::KernelOptions sized(uint64_t items) {
        kp::KernelOptions options;
        options.globalSize = kp::WorkSize(items);
        return options;
    }
    std::shared_ptr<kp::ParametrizedKernelLauncher>
    parametrized(const std::string& name, const std::shared_ptr<kp::Memory>& tensor) {
        return std::make_shared<kp::ParametrizedKernelLauncher>(
            name, scale, kp::ParametersMap{{"scale", 1}, {"offset", "offset"}},
            kp::Arguments{{0, tensor}}, sized(tensor->size()));
    }
    std::shared_ptr<kp::KernelLauncher> fixed(const std::string& name,
                                              const std::shared_ptr<kp::Memory>& tensor,
                                              float scaleBy, float add) {
        return std::make_shared<kp::KernelLauncher>(
            name, scale, kp::Arguments{tensor, scaleBy, add}, sized(tensor->size()));
    }
    static std::shared_ptr<kp::ParameterYielder> yielder(std::vector<kp::ArgumentValue> values) {
        return std::make_shared<kp::ParameterYielder>(std::move(values));
    }
    static kp::LaunchOptions on(const std::shared_ptr<kp::Queue>& used,
                                std::vector<kp::Event> waitFor = {},
                                kp::Parameters parameters = {}) {
        kp::LaunchOptions options;
        options.queue = used;
        options.waitFor = std::move(waitFor);
        options.parameters = std::move(parameters);
        return options;
    }
};

} // namespace kp::test
