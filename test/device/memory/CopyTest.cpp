// SPDX-License-Identifier: Apache-2.0
//
// OpCopy between tensors and images of every memory type and tiling.
#include <functional>

#include "../TestSupport.hpp"
#include "../VulkanHpp.hpp"

namespace kp::test {
namespace {

using DataTypes = kp::Memory::DataTypes;
using MemoryTypes = kp::Memory::MemoryTypes;

class CopyTest : public DeviceTest {
protected:
    static constexpr uint32_t kWidth = 5, kHeight = 7, kChannels = 2;
    static constexpr size_t kCount = kWidth * kHeight * kChannels;

    struct Kind {
        std::string name;
        std::function<std::shared_ptr<kp::Memory>(const std::vector<float>&)> make;
    };

    /// Tensors of every memory type, and images of every memory type and tiling that the device
    /// supports.
    std::vector<Kind> kinds() {
        std::vector<Kind> all;
        for (const auto type : kMemoryTypes) {
            all.push_back({"tensor " + kp::Memory::toString(type),
                           [this, type](const std::vector<float>& values) {
                               return manager.tensor(values, type);
                           }});
            for (const auto tiling : {vk::ImageTiling::eOptimal, vk::ImageTiling::eLinear}) {
                try {
                    manager.image(kWidth, kHeight, kChannels, tiling, type);
                } catch (const kp::Error&) {
                    continue;
                }
                const bool linear = tiling == vk::ImageTiling::eLinear;
                all.push_back(
                    {(linear ? "linear image " : "optimal image ") + kp::Memory::toString(type),
                     [this, type, tiling](const std::vector<float>& values) {
                         return manager.image(values, kWidth, kHeight, kChannels, tiling, type);
                     }});
            }
        }
        return all;
    }
};

TEST_F(CopyTest, CopiesEveryKindToEveryKind) {
    const auto values = ascending<float>(kCount, 1);
    const auto all = kinds();
    ASSERT_GE(all.size(), 6u);
    auto sq = manager.sequence();
    for (const Kind& from : all)
        for (const Kind& to : all) {
            const auto source = from.make(values);
            const auto destination = to.make(std::vector<float>(kCount, 0));
            sq->eval<kp::OpSyncDevice>({source});
            sq->eval<kp::OpCopy>({source, destination});
            EXPECT_EQ(onDevice<float>(*destination), values) << from.name << " to " << to.name;
            if (destination->memoryType() != MemoryTypes::eStorage) {
                EXPECT_EQ(destination->vector<float>(), values) << from.name << " to " << to.name;
            }
            EXPECT_EQ(onDevice<float>(*source), values) << from.name << " to " << to.name;
        }
}

TEST_F(CopyTest, CopiesMoreThanTwoGigabytes) {
    // Mesa's software driver crashes on copies of 2^31 bytes.
    constexpr uint64_t kBytes = (uint64_t{1} << 31) + 4096;
    std::shared_ptr<kp::Tensor> from;
    std::shared_ptr<kp::Tensor> to;
    try {
        from = manager.tensor(nullptr, kBytes, 1, DataTypes::eUnsignedChar, MemoryTypes::eStorage);
        to = manager.tensor(nullptr, kBytes, 1, DataTypes::eUnsignedChar, MemoryTypes::eStorage);
    } catch (const kp::Error& error) {
        GTEST_SKIP() << error.what();
    }
    const uint64_t places[] = {0, (uint64_t{1} << 30) - 16, uint64_t{1} << 30, kBytes - 16};
    for (const uint64_t place : places)
        from->upload(randomBytes(16, place), place);
    manager.sequence()->eval<kp::OpCopy>({from, to});
    for (const uint64_t place : places) {
        std::vector<uint8_t> copied(16);
        to->download(copied, place);
        EXPECT_EQ(copied, randomBytes(16, place)) << place;
    }
}

TEST_F(CopyTest, CopiesAlongAChainInOneSequence) {
    const auto values = ascending<float>(kCount, 1);
    const auto all = kinds();
    std::vector<std::shared_ptr<kp::Memory>> objects;
    for (const Kind& kind : all)
        objects.push_back(kind.make(std::vector<float>(kCount, 0)));
    objects.insert(objects.begin(), manager.tensor(values));
    auto sq = manager.sequence();
    sq->record<kp::OpSyncDevice>({objects.front()});
    for (size_t i = 1; i < objects.size(); ++i)
        sq->record<kp::OpCopy>({objects[i - 1], objects[i]});
    sq->eval();
    for (size_t i = 1; i < objects.size(); ++i)
        EXPECT_EQ(onDevice<float>(*objects[i]), values) << all[i - 1].name;
}

TEST_F(CopyTest, CopiesOneToMany) {
    auto a = manager.tensor({1, 2, 3});
    auto b = manager.tensor({0, 0, 0});
    auto c = manager.tensor({0, 0, 0}, MemoryTypes::eHost);
    auto d = manager.image({0, 0, 0}, 3, 1, 1);
    manager.sequence()
        ->record<kp::OpSyncDevice>({a, b, c, d})
        ->record<kp::OpCopy>({a, b, c, d})
        ->eval();
    EXPECT_EQ(b->vector(), (std::vector<float>{1, 2, 3}));
    EXPECT_EQ(c->vector(), (std::vector<float>{1, 2, 3}));
    EXPECT_EQ(d->vector(), (std::vector<float>{1, 2, 3}));
}

TEST_F(CopyTest, IsVisibleToSyncLocalInOneSequence) {
    auto a = manager.tensor({1, 2, 3});
    auto b = manager.tensor({0, 0, 0});
    auto sq = manager.sequence();
    sq->record<kp::OpSyncDevice>({a, b})->record<kp::OpCopy>({a, b});
    sq->record<kp::OpSyncLocal>({b})->eval();
    EXPECT_EQ(b->vector(), (std::vector<float>{1, 2, 3}));
    a->setData({4, 5, 6});
    sq->eval();
    EXPECT_EQ(b->vector(), (std::vector<float>{4, 5, 6}));
}

TEST_F(CopyTest, RejectsFewerThanTwoObjects) {
    auto a = manager.tensor({1, 2, 3});
    auto sq = manager.sequence();
    EXPECT_ERROR(kp::InvalidArgument, "destination", sq->record<kp::OpCopy>({a}));
    EXPECT_THROW(kp::OpCopy(std::vector<std::shared_ptr<kp::Memory>>{}), std::runtime_error);
}

TEST_F(CopyTest, RejectsOtherTypesAndSizesWhenRecorded) {
    auto floats = manager.tensor({1, 2, 3});
    auto integers = manager.tensorT<uint32_t>({1, 2, 3});
    auto longer = manager.tensor({1, 2, 3, 4});
    auto sq = manager.sequence();
    const auto types =
        std::make_shared<kp::OpCopy>(std::vector<std::shared_ptr<kp::Memory>>{floats, integers});
    EXPECT_ERROR(kp::InvalidArgument, "eUnsignedInt", sq->record(types));
    EXPECT_ERROR(kp::InvalidArgument, "4", sq->record<kp::OpCopy>({floats, longer}));
    auto wide = manager.image(ascending<float>(6), 3, 2, 1);
    auto tall = manager.image(ascending<float>(6), 2, 3, 1);
    EXPECT_THROW(sq->record<kp::OpCopy>({wide, tall}), kp::InvalidArgument);
    auto flat = manager.tensor(ascending<float>(6));
    sq->clear();
    sq->record<kp::OpSyncDevice>({wide})->record<kp::OpCopy>({wide, flat})->eval();
    EXPECT_EQ(flat->vector(), ascending<float>(6));
}

TEST_F(CopyTest, RejectsOrIgnoresACopyToItself) {
    auto a = manager.tensor({1, 2, 3});
    auto sq = manager.sequence();
    sq->eval<kp::OpSyncDevice>({a});
    try {
        sq->eval<kp::OpCopy>({a, a});
    } catch (const kp::InvalidArgument&) {
    }
    EXPECT_EQ(onDevice<float>(*a), (std::vector<float>{1, 2, 3}));
}

} // namespace
} // namespace kp::test
