// SPDX-License-Identifier: Apache-2.0
#include <new>

#include "device/HostVulkan.hpp"
#include "device/group/GroupSupport.hpp"
#include "vulkan/memory/ExternalHandle.hpp"

namespace kp::test {
namespace {

using DataTypes = kp::Memory::DataTypes;

/// The validation layers warn about smaller allocations.
constexpr size_t kBytes = 2u << 20;
constexpr size_t kCount = kBytes / sizeof(float);

struct AlignedMemory {
    explicit AlignedMemory(size_t bytes) : data(::operator new (bytes, std::align_val_t{4096})) {}
    ~AlignedMemory() { ::operator delete (data, std::align_val_t{4096}); }
    void* data;
};

using ExternalMemoryTest = DeviceTest;
using BufferTest = GroupTest;

TEST_F(ExternalMemoryTest, WrapsHostMemoryAsATensor) {
    const AlignedMemory memory(2 * kBytes);
    auto* values = static_cast<float*>(memory.data);
    for (size_t i = 0; i < 2 * kCount; ++i)
        values[i] = static_cast<float>(i);
    std::shared_ptr<kp::Tensor> tensor;
    try {
        tensor = manager.wrapHostMemory(values, kCount, sizeof(float), DataTypes::eFloat);
    } catch (const kp::Unsupported& error) {
        GTEST_SKIP() << error.what();
    }
    EXPECT_EQ(tensor->memoryType(), kp::Memory::MemoryTypes::eHost);
    EXPECT_EQ(tensor->rawData(), memory.data);
    auto algorithm = manager.algorithm({tensor}, incrementFloats(), {1000, 1, 1});
    manager.sequence()->eval<kp::OpAlgoDispatch>(algorithm);
    EXPECT_EQ(values[0], 1);
    EXPECT_EQ(values[999], 1000);
    EXPECT_EQ(values[1000], 1000);
    // From the middle of one page to the middle of another.
    tensor->destroy();
    auto inner = manager.wrapHostMemory(values + 256, kCount + 3, sizeof(float), DataTypes::eFloat);
    manager.sequence()->eval<kp::OpFill>({inner}, 7.0f);
    EXPECT_EQ(values[255], 256);
    EXPECT_EQ(values[256], 7);
    EXPECT_EQ(values[kCount + 258], 7);
    EXPECT_EQ(values[kCount + 259], static_cast<float>(kCount + 259));
    EXPECT_ERROR(kp::InvalidArgument, "null",
                 manager.wrapHostMemory(nullptr, 3, 4, DataTypes::eFloat));
    EXPECT_ERROR(
        kp::InvalidArgument, "minStorageBufferOffsetAlignment",
        manager.wrapHostMemory(reinterpret_cast<char*>(values) + 2, 3, 4, DataTypes::eFloat));
}

TEST_F(ExternalMemoryTest, SharesMemoryBetweenTwoDevices) {
    kp::ManagerOptions options;
    options.deviceIndex = manager.deviceInfo().index;
    options.shareDevice = false;
    kp::Manager other(options);
    std::shared_ptr<kp::Tensor> exported;
    try {
        exported = manager.exportableTensor(kCount, sizeof(float), DataTypes::eFloat);
    } catch (const kp::Unsupported& error) {
        GTEST_SKIP() << error.what();
    }
    const kp::ExternalMemory memory = exported->exportMemory();
    ASSERT_TRUE(memory.fd >= 0 || memory.handle);
    EXPECT_GE(memory.allocationBytes, kBytes);
    auto opened = other.importMemory(memory, kCount, sizeof(float), DataTypes::eFloat);
    EXPECT_ERROR(kp::InvalidArgument, "do not fit",
                 other.importMemory(memory, 2 * kCount, sizeof(float), DataTypes::eFloat));
    EXPECT_ERROR(kp::InvalidArgument, "eStorage",
                 other.importMemory(memory, kCount, sizeof(float), DataTypes::eFloat,
                                    kp::Memory::MemoryTypes::eHost));
    vulkan::closeHandle(memory); // does not free the memory
    EXPECT_ERROR(kp::InvalidArgument, "not open",
                 other.importMemory(memory, kCount, sizeof(float), DataTypes::eFloat));
    exported->upload(ascending<float>(kCount));
    manager.waitIdle(); // nothing orders the work of the two devices
    EXPECT_EQ(onDevice<float>(*opened), ascending<float>(kCount));
    exported->destroy();
    EXPECT_EQ(onDevice<float>(*opened), ascending<float>(kCount));
    EXPECT_ERROR(kp::InvalidArgument, "cannot be exported",
                 manager.tensor({1, 2, 3})->exportMemory());
}

TEST_F(BufferTest, AcceptsTensorsOverHostMemory) {
    const AlignedMemory memory(kBytes);
    auto* values = static_cast<float*>(memory.data);
    std::vector<std::shared_ptr<kp::Tensor>> tensors;
    try {
        tensors.push_back(group[0].wrapHostMemory(values, kCount, 4, DataTypes::eFloat));
    } catch (const kp::Unsupported& error) {
        GTEST_SKIP() << error.what();
    }
    tensors.push_back(group[1].tensorT<float>(kCount, kp::Memory::MemoryTypes::eStorage));
    kp::BufferOptions options;
    options.placement = kp::BufferPlacement::eSharded;
    kp::Buffer buffer(group, {2 * kCount}, {}, tensors, options);
    buffer.write(ascending<float>(2 * kCount));
    EXPECT_EQ(values[3], 3);
    EXPECT_EQ(buffer.read<float>(), ascending<float>(2 * kCount));
}

} // namespace
} // namespace kp::test
