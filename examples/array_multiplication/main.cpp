// SPDX-License-Identifier: Apache-2.0
//
// The smallest complete program: multiplies two arrays element by element on the best device.

#include <cstdio>
#include <vector>

#include <kompute/Kompute.hpp>

static const char* kMultiply = R"(#version 450
layout(local_size_x = 64) in;
layout(binding = 0) readonly buffer A { float a[]; };
layout(binding = 1) readonly buffer B { float b[]; };
layout(binding = 2) writeonly buffer Product { float product[]; };

void main() {
    uint i = gl_GlobalInvocationID.x;
    if (i < product.length())
        product[i] = a[i] * b[i];
}
)";

int main() try {
    kp::Manager manager;
    std::printf("device: %s\n", manager.deviceInfo().name.c_str());

    auto a = manager.tensor({2.0f, 4.0f, 6.0f});
    auto b = manager.tensor({0.5f, 1.0f, 2.0f});
    auto product = manager.tensorT<float>(a->size());

    auto algorithm = manager.algorithm({a, b, product}, manager.compile(kMultiply));
    algorithm->setThreadCount(a->size());

    manager.sequence()
        ->record<kp::OpSyncDevice>({a, b})
        ->record<kp::OpAlgoDispatch>(algorithm)
        ->record<kp::OpSyncLocal>({product})
        ->eval();

    const std::vector<float> expected = {1.0f, 4.0f, 12.0f};
    for (float value : product->vector())
        std::printf("%g ", static_cast<double>(value));
    const bool right = product->vector() == expected;
    std::printf("\n%s\n", right ? "correct" : "WRONG");
    return right ? 0 : 1;
} catch (const kp::Error& error) {
    std::fprintf(stderr, "array_multiplication: %s\n", error.what());
    return 1;
}
