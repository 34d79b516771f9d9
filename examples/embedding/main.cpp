// SPDX-License-Identifier: Apache-2.0
//
// Kompute inside a Vulkan program with its own instance, device, queue, buffer and command buffer.
// The library creates and destroys none of them.

#include <cstdio>
#include <exception>
#include <vector>

#include <kompute/Kompute.hpp>

#include "HostApplication.hpp"

namespace {

const char* kScale = R"(#version 450
layout(local_size_x = 64) in;
layout(binding = 0) buffer Values { float values[]; };
layout(binding = 1) readonly buffer Factors { float factors[]; };

void main() {
    uint i = gl_GlobalInvocationID.x;
    if (i < values.length())
        values[i] *= factors[i];
}
)";

bool allAre(const float* elements, uint32_t count, float factor, const char* when) {
    for (uint32_t i = 0; i < count; ++i) {
        const float expected = factor * static_cast<float>(i);
        if (elements[i] != expected) {
            std::printf("WRONG %s: element %u is %g instead of %g\n", when, i,
                        static_cast<double>(elements[i]), static_cast<double>(expected));
            return false;
        }
    }
    std::printf("correct %s\n", when);
    return true;
}

bool useKompute(HostApplication& application) {
    kp::Manager manager(application.description());
    const uint32_t count = application.elementCount();
    auto values = manager.wrapBuffer(application.buffer(), count, sizeof(float),
                                     kp::Memory::DataTypes::eFloat);
    auto factors = manager.tensor(std::vector<float>(count, 3.0f));
    auto scale = manager.algorithm({values, factors}, manager.compile(kScale));
    scale->setThreadCount(values->size());
    auto sequence = manager.sequence()
                        ->record<kp::OpSyncDevice>({factors})
                        ->record<kp::OpAlgoDispatch>(scale)
                        ->record<kp::OpAlgoDispatch>(scale);

    // The library submits to the application's queue.
    sequence->eval();
    std::vector<float> result(count);
    values->download(result.data(), count * sizeof(float));
    if (!allAre(result.data(), count, 9.0f, "after a submission by the library"))
        return false;

    // The application submits its own command buffer, which contains the sequence.
    application.submit([&](VkCommandBuffer commands) {
        sequence->recordInto(commands);
        sequence->preEval();
    });
    sequence->postEval();
    return allAre(application.elements(), count, 81.0f, "after a submission by the application");
}

} // namespace

int main() try {
    HostApplication application(1000);
    std::printf("device: %s\n", application.deviceName().c_str());
    for (uint32_t i = 0; i < application.elementCount(); ++i)
        application.elements()[i] = static_cast<float>(i);

    if (!useKompute(application))
        return 1;

    // The manager is destroyed. Device, queue and buffer still work.
    application.submit([&](VkCommandBuffer commands) {
        vkCmdFillBuffer(commands, application.buffer(), 0, VK_WHOLE_SIZE, 0);
    });
    return allAre(application.elements(), application.elementCount(), 0.0f,
                  "after the manager is destroyed")
               ? 0
               : 1;
} catch (const std::exception& error) {
    std::fprintf(stderr, "embedding: %s\n", error.what());
    return 1;
}
