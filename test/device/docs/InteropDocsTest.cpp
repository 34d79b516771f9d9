// SPDX-License-Identifier: Apache-2.0
//
// The code of docs/guides/interop.md. Each block of that page is a part of this file, apart from
// whitespace. A stand-in for CUDA runs it.
#include "../DocsSupport.hpp"
#include "../TestSupport.hpp"

#include "cuda/HostGpu.hpp"

namespace kp::test {
namespace {

class InteropDocsTest : public ::testing::Test {
protected:
    void SetUp() override { cuda::Gpu::replace(gpu); }
    void TearDown() override { cuda::Gpu::replace(nullptr); }

    const std::shared_ptr<cuda::HostGpu> gpu = std::make_shared<cuda::HostGpu>();
};

TEST_F(InteropDocsTest, RunsTheCodeOfThePage) {
    SKIP_IF_SIGNALS_ARE_LOST();
    kp::ManagerOptions alone;
    alone.shareDevice = false;
    kp::Manager manager(alone);
    try {
        static_cast<void>(manager.cudaDevice());
    } catch (const kp::Unsupported& error) {
        GTEST_SKIP() << error.what();
    }
    void* const stream = reinterpret_cast<void*>(uintptr_t(7));
    const auto launchAddOne = [&](float* values, void* on) {
        gpu->run(on, [values] {
            for (int i = 0; i < 1024; ++i)
                values[i] = 1; // 0 + 1: the memory is new
        });
    };
    const auto spirv = test::spirv(shader(buffer(0, "", "float", "v"), "v[i] *= 10;"));
    std::vector<float> seen(1024);
    // clang-format off
auto tensor = manager.sharedTensor(1024, sizeof(float), kp::Memory::DataTypes::eFloat);
auto sequence = manager.sequence()->record<kp::OpAlgoDispatch>(manager.algorithm({tensor}, spirv));
auto* values = reinterpret_cast<float*>(tensor->cudaMemory().address);
launchAddOne(values, stream);                        // CUDA: addOne<<<4, 256, 0, stream>>>(values);
sequence->evalAsync({manager.cudaEvent(stream)});    // Vulkan, after it
kp::letCudaWait(stream, sequence->event());          // CUDA continues after that
    // clang-format on
    gpu->run(stream, [&] { std::copy_n(values, seen.size(), seen.begin()); });
    gpu->synchronize(stream);
    sequence->evalAwait();
    EXPECT_EQ(seen, std::vector<float>(1024, 10));
}

TEST_F(InteropDocsTest, HasTheCodeOfThePage) {
    expectCodeOfPage("docs/guides/interop.md", "test/device/docs/InteropDocsTest.cpp", 1);
}

} // namespace
} // namespace kp::test
