// SPDX-License-Identifier: Apache-2.0
#include <future>
#include <numeric>

#include "device/group/GroupSupport.hpp"

namespace kp::test {
namespace {

std::shared_ptr<Tensor> numbersOn(Manager& manager, uint64_t count, float first) {
    std::vector<float> numbers(count);
    std::iota(numbers.begin(), numbers.end(), first);
    return manager.tensorT<float>(numbers);
}

std::vector<float> readOf(Tensor& tensor) {
    std::vector<float> numbers(tensor.size());
    tensor.download(numbers.data(), numbers.size() * 4);
    return numbers;
}

using DeviceMoveTest = GroupTest;

TEST_F(DeviceMoveTest, CopiesPartsBetweenDevicesAndWithinOne) {
    const auto a = numbersOn(group[0], 6, 0);
    const auto b = numbersOn(group[1], 6, 10);
    const auto c = numbersOn(group[1], 6, 20);
    moveBetween(group, {{a, 0, 4, b, 1, 0, 8},   // 1 2
                        {a, 0, 4, c, 1, 16, 8},  // the same, to another tensor
                        {c, 1, 0, b, 1, 8, 4},   // 20, within a device
                        {b, 1, 20, a, 0, 20, 4}, // 15, the other way
                        {a, 0, 0, b, 1, 0, 0}}); // nothing
    EXPECT_EQ(readOf(*a), (std::vector<float>{0, 1, 2, 3, 4, 15}));
    EXPECT_EQ(readOf(*b), (std::vector<float>{1, 2, 20, 13, 14, 15}));
    EXPECT_EQ(readOf(*c), (std::vector<float>{20, 21, 22, 23, 1, 2}));
}

TEST_F(DeviceMoveTest, FollowsLaunchesThatWaitForTheHost) {
    const auto a = numbersOn(group[0], 4, 0);
    const auto b = numbersOn(group[1], 4, 10);
    std::promise<void> gate;
    group[0].defaultQueue()->hostFunction([opened = gate.get_future().share()] { opened.wait(); });
    group[0].defaultQueue()->launch(std::make_shared<OpFill>(MemoryObjects{a}, 7.0f));
    moveBetween(group, {{a, 0, 0, b, 1, 0, 16}});
    gate.set_value();
    group[1].defaultQueue()->finish();
    EXPECT_EQ(readOf(*b), std::vector<float>(4, 7.0f));
}

TEST_F(DeviceMoveTest, NamesWhatDoesNotFit) {
    const auto a = numbersOn(group[0], 4, 0);
    const auto b = numbersOn(group[1], 4, 10);
    const auto messageOf = [&](const DeviceMove& move) {
        try {
            moveBetween(group, {move});
        } catch (const InvalidArgument& error) {
            return std::string(error.what());
        }
        return std::string();
    };
    EXPECT_EQ(messageOf({a, 0, 8, b, 1, 0, 12}),
              "12 bytes at offset 8 do not fit into the source of 16 bytes");
    EXPECT_EQ(messageOf({a, 0, 0, b, 2, 0, 4}),
              "the destination is on device 2, but the group has 2 devices");
}

} // namespace
} // namespace kp::test
