// SPDX-License-Identifier: Apache-2.0
//
// The code of docs/guides/transfers.md. Each block of that page is a part of this file, apart from
// whitespace.
#include "../DocsSupport.hpp"
#include "../TestSupport.hpp"

namespace kp::test {
namespace {

using TransferDocsTest = DeviceTest;

TEST_F(TransferDocsTest, RunsTheCodeOfThePage) {
    // clang-format off
std::vector<float> samples(10'000'000);
auto tensor = manager.tensorT<float>(samples.size(), kp::Memory::MemoryTypes::eStorage);
tensor->upload(samples);
tensor->download(samples.data(), 4096, 1024);   // 4096 bytes from byte 1024 on
    // clang-format on
    EXPECT_EQ(samples[1023], 0.0f);

    float latest = 0;
    const auto produce = [&](std::vector<float>& frame) {
        if (latest == 3)
            return false;
        std::fill(frame.begin(), frame.end(), ++latest);
        return true;
    };
    // clang-format off
auto values = manager.pinnedArray<float>(1 << 20);
std::fill(values->begin(), values->end(), 1.0f);
tensor->upload(values->data(), values->bytes());

std::vector<float> frame(1920 * 1080);
auto import = manager.importHost(frame);
while (produce(frame)) {            // fills the vector, if there is another frame
    tensor->upload(frame);          // straight from the vector
}
    // clang-format on
    tensor->download(values->data(), values->bytes());
    EXPECT_EQ((*values)[(1 << 20) - 1], 3.0f);
    std::vector<float> around(2);
    tensor->download(around, frame.size() - 1);
    EXPECT_EQ(around, (std::vector<float>{3, 0}));
}

TEST_F(TransferDocsTest, HasTheCodeOfThePage) {
    expectCodeOfPage("docs/guides/transfers.md", "test/device/docs/TransferDocsTest.cpp", 2);
}

} // namespace
} // namespace kp::test
