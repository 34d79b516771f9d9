// SPDX-License-Identifier: Apache-2.0
//
// Two custom operations: OpCopyRange records a Vulkan command directly, OpSquare has its own
// shader.

#include <cstdio>
#include <memory>
#include <stdexcept>
#include <utility>
#include <vector>

#include <kompute/Kompute.hpp>
#include <vulkan/vulkan.hpp>

/// Copies a range of floats from one tensor to another.
class OpCopyRange : public kp::OpBase {
public:
    OpCopyRange(std::vector<std::shared_ptr<kp::Tensor>> tensors, size_t from, size_t to,
                size_t count)
        : mTensors(std::move(tensors)), mFrom(from), mTo(to), mCount(count) {
        if (mTensors.size() != 2)
            throw std::invalid_argument("OpCopyRange takes a source and a destination");
        if (from + count > mTensors[0]->size() || to + count > mTensors[1]->size())
            throw std::invalid_argument("OpCopyRange: the range exceeds a tensor");
    }

    // Tells the sequence which memory record() accesses, and so which barriers it needs.
    kp::Accesses accesses() override {
        using By = kp::Accesses::By;
        return kp::Accesses().read(mTensors[0], By::eTransfer).write(mTensors[1], By::eTransfer);
    }

    void record(const vk::CommandBuffer& commandBuffer) override {
        const vk::BufferCopy range(mTensors[0]->nativeOffset() + mFrom * sizeof(float),
                                   mTensors[1]->nativeOffset() + mTo * sizeof(float),
                                   mCount * sizeof(float));
        commandBuffer.copyBuffer(mTensors[0]->nativeBuffer(), mTensors[1]->nativeBuffer(), range);
    }

    // Hooks on the host before each submission and after its completion. Not needed here.
    void preEval(const vk::CommandBuffer&) override {}
    void postEval(const vk::CommandBuffer&) override {}

private:
    std::vector<std::shared_ptr<kp::Tensor>> mTensors;
    size_t mFrom;
    size_t mTo;
    size_t mCount;
};

/// Writes the squares of the first tensor to the second.
class OpSquare : public kp::OpAlgoDispatch {
public:
    OpSquare(const std::vector<std::shared_ptr<kp::Memory>>& memObjects,
             const std::shared_ptr<kp::Algorithm>& algorithm)
        : OpAlgoDispatch(algorithm), mMemObjects(memObjects) {
        if (mMemObjects.size() != 2)
            throw std::invalid_argument("OpSquare takes an input and an output");
        algorithm->rebuild(mMemObjects, kp::compile(kSquare));
        algorithm->setThreadCount(mMemObjects[1]->size());
    }

    // Optional: without it, the sequence orders the operation against everything.
    kp::Accesses accesses() override {
        return kp::Accesses().read(mMemObjects[0]).write(mMemObjects[1]);
    }

private:
    static constexpr const char* kSquare = R"(#version 450
layout(local_size_x = 64) in;
layout(binding = 0) readonly buffer In { float values[]; };
layout(binding = 1) writeonly buffer Out { float squares[]; };

void main() {
    uint i = gl_GlobalInvocationID.x;
    if (i < squares.length())
        squares[i] = values[i] * values[i];
}
)";

    std::vector<std::shared_ptr<kp::Memory>> mMemObjects;
};

int main() try {
    kp::Manager manager;
    std::printf("device: %s\n", manager.deviceInfo().name.c_str());

    auto numbers = manager.tensor({1, 2, 3, 4, 5, 6});
    auto squares = manager.tensor({0, 0, 0, 0, 0, 0});
    auto result = manager.tensor({-1, -1, -1, -1, -1, -1});

    // Each operation needs the results of earlier ones; the sequence records the barriers.
    manager.sequence()
        ->record<kp::OpSyncDevice>({numbers, squares, result})
        ->record<OpSquare>({numbers, squares}, manager.algorithm())
        ->record<OpCopyRange>({squares, result}, 3, 0, 3)
        ->record<OpCopyRange>({numbers, result}, 0, 4, 2)
        ->record<kp::OpSyncLocal>({result})
        ->eval();

    const std::vector<float> expected = {16, 25, 36, -1, 1, 2};
    for (float value : result->vector())
        std::printf("%g ", static_cast<double>(value));
    const bool right = result->vector() == expected;
    std::printf("\n%s\n", right ? "correct" : "WRONG");
    return right ? 0 : 1;
} catch (const std::exception& error) {
    std::fprintf(stderr, "custom_operation: %s\n", error.what());
    return 1;
}
