// SPDX-License-Identifier: Apache-2.0
//
// Memory of devices that have little of it, or other kinds: changed profiles of the least device.
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <kompute/Kompute.hpp>

#include "device/TestSupport.hpp"
#include "unit/ScopedEnvironment.hpp"
#include "unit/TestFiles.hpp"

namespace kp::test {
namespace {

using Types = Memory::MemoryTypes;

constexpr uint64_t kMiB = uint64_t{1} << 20;

class MemoryProfileTest : public DeviceTest {
protected:
    /// Returns a manager of the least device with something else in its profile.
    std::shared_ptr<Manager> managerWith(const std::string& from = {}, const std::string& to = {}) {
        std::string text = readFile(KOMPUTE_SOURCE_FOLDER "/test/profiles/vulkan-1.1-least.json");
        const size_t at = text.find(from);
        EXPECT_NE(at, std::string::npos) << from;
        text.replace(at, from.size(), to);
        const ScopedEnvironment variable("KOMPUTE_PROFILE",
                                         mFolder.write("changed.json", text).c_str());
        return std::make_shared<Manager>();
    }

    static std::shared_ptr<Tensor> storage(Manager& manager, uint64_t bytes) {
        return manager.tensor(bytes / 4, 4, Memory::DataTypes::eUnsignedInt, Types::eStorage);
    }

    /// Returns the message with which memory ends, and leaves the tensors.
    static std::string fill(Manager& manager, uint64_t bytes,
                            std::vector<std::shared_ptr<Tensor>>& held) {
        try {
            while (held.size() < 10000)
                held.push_back(storage(manager, bytes));
        } catch (const OutOfMemory& error) {
            return error.what();
        }
        return "nothing ended";
    }

    TemporaryFolder mFolder;
};

void expectPart(const std::string& text, const std::string& part) {
    EXPECT_NE(text.find(part), std::string::npos) << text;
}

TEST_F(MemoryProfileTest, MoreSmallTensorsThanAllocationsShareThem) {
    const auto manager =
        managerWith("\"maxMemoryAllocationCount\": 4096", "\"maxMemoryAllocationCount\": 16");
    std::vector<std::shared_ptr<Tensor>> held;
    for (uint32_t i = 0; i < 5000; ++i)
        held.push_back(manager->tensorT(std::vector<uint32_t>{i, i + 1}));
    manager->sequence()->eval<OpSyncDevice>({held.front(), held.back()});
    const auto copy = manager->tensorT(std::vector<uint32_t>(2));
    manager->sequence()->record<OpCopy>({held.back(), copy})->record<OpSyncLocal>({copy})->eval();
    EXPECT_EQ(copy->vector(), (std::vector<uint32_t>{4999, 5000}));
}

TEST_F(MemoryProfileTest, TheLastAllocationNamesTheirLimit) {
    const auto manager =
        managerWith("\"maxMemoryAllocationCount\": 4096", "\"maxMemoryAllocationCount\": 8");
    std::vector<std::shared_ptr<Tensor>> held;
    const std::string message = fill(*manager, 40 * kMiB, held);
    EXPECT_LE(held.size(), 8U);
    expectPart(message, "41943040 bytes of device memory");
    expectPart(message, "has 8 already, its maxMemoryAllocationCount");
    held.pop_back();
    EXPECT_NO_THROW(storage(*manager, 40 * kMiB));
}

TEST_F(MemoryProfileTest, ASmallHeapThatIsFullIsNamedWithItsSize) {
    const auto manager =
        managerWith("\"bytes\": 1073741824, \"deviceLocal\": true", "\"bytes\": 268435456, "
                                                                    "\"deviceLocal\": true");
    EXPECT_EQ(manager->deviceInfo().memoryBytes, 256 * kMiB);
    std::vector<std::shared_ptr<Tensor>> held;
    const std::string message = fill(*manager, 64 * kMiB, held);
    EXPECT_GE(held.size(), 3U);
    EXPECT_LE(held.size(), 4U);
    expectPart(message, "67108864 bytes of device memory were requested");
    expectPart(message, "whose heap has 268435456 bytes in all");
    held.clear();
    EXPECT_NO_THROW(storage(*manager, 128 * kMiB)) << "the memory is free again";
}

TEST_F(MemoryProfileTest, UnifiedMemoryNeedsNoTransfers) {
    const auto manager =
        managerWith("\"types\": [\n      {\"heap\": 0, \"flags\": [\"deviceLocal\"]},",
                    "\"types\": [\n      {\"heap\": 0, \"flags\": [\"deviceLocal\", "
                    "\"hostVisible\", \"hostCoherent\", \"hostCached\"]},");
    const std::vector<uint32_t> numbers{3, 1, 4, 1, 5};
    const auto from = manager->tensorT(numbers, Types::eDeviceAndHost);
    const auto to = manager->tensorT(std::vector<uint32_t>(5), Types::eDeviceAndHost);
    manager->sequence()->eval<OpCopy>({from, to});
    EXPECT_EQ(to->vector(), numbers);
}

TEST_F(MemoryProfileTest, WithoutMappedDeviceMemoryTransfersAreStaged) {
    const auto manager = managerWith();
    std::vector<uint32_t> numbers(3 * kMiB);
    for (size_t i = 0; i < numbers.size(); ++i)
        numbers[i] = static_cast<uint32_t>(i);
    const auto from = manager->tensorT(numbers, Types::eDeviceAndHost);
    const auto to = manager->tensorT(std::vector<uint32_t>(numbers.size()), Types::eDevice);
    manager->sequence()
        ->record<OpSyncDevice>({from})
        ->record<OpCopy>({from, to})
        ->record<OpSyncLocal>({to})
        ->eval();
    EXPECT_EQ(to->vector(), numbers);
}

} // namespace
} // namespace kp::test
