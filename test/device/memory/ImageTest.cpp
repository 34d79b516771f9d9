// SPDX-License-Identifier: Apache-2.0
#include <utility>

#include "../TestSupport.hpp"
#include "../VulkanHpp.hpp"

namespace kp::test {
namespace {

using DataTypes = kp::Memory::DataTypes;
using MemoryTypes = kp::Memory::MemoryTypes;

class ImageTest : public DeviceTest {
protected:
    /// out = in + 1 for one-channel float images.
    static std::vector<uint32_t> incrementShader() {
        return spirv("#version 450\nlayout(local_size_x = 1) in;\n"
                     "layout(set = 0, binding = 0, r32f) uniform readonly image2D a;\n"
                     "layout(set = 0, binding = 1, r32f) uniform writeonly image2D b;\n"
                     "void main() { ivec2 p = ivec2(gl_GlobalInvocationID.xy);\n"
                     "    imageStore(b, p, imageLoad(a, p) + 1.0); }");
    }
};

TEST_F(ImageTest, ReportsItsShapeAndTypes) {
    const auto image = manager.imageT<uint8_t>(ascending<uint8_t>(24), 3, 4, 2);
    EXPECT_TRUE(image->isInit());
    EXPECT_EQ(image->type(), kp::Memory::Type::eImage);
    EXPECT_EQ(image->size(), 24u);
    EXPECT_EQ(image->memorySize(), 24u);
    EXPECT_EQ(image->dataTypeMemorySize(), 1u);
    EXPECT_EQ(image->getX(), 3u);
    EXPECT_EQ(image->getY(), 4u);
    EXPECT_EQ(image->getNumChannels(), 2u);
    EXPECT_EQ(image->dataType(), DataTypes::eUnsignedChar);
    EXPECT_EQ(image->getPrimaryImageLayout(), vk::ImageLayout::eGeneral);
    EXPECT_NE(image->nativeImage(), VkImage{});
    EXPECT_NE(image->nativeView(), VkImageView{});
    EXPECT_EQ((*image)[5], 5);
    EXPECT_EQ(image->getDescriptorType(), vk::DescriptorType::eStorageImage);
    EXPECT_EQ(static_cast<VkImage>(*image->getPrimaryImage()), image->nativeImage());
}

TEST_F(ImageTest, RejectsBadArguments) {
    EXPECT_ERROR(kp::InvalidArgument, "eCustom", manager.image(3, 3, 1, DataTypes::eCustom));
    EXPECT_THROW(manager.image(3, 3, 1, DataTypes::eCustom, vk::ImageTiling::eOptimal),
                 std::runtime_error);
    EXPECT_THROW(manager.image(3, 3, 1, DataTypes::eBool), kp::InvalidArgument);
    EXPECT_THROW(manager.image(3, 3, 1, DataTypes::eDouble), kp::InvalidArgument);
    EXPECT_ERROR(kp::InvalidArgument, "zero-sized", manager.image(0, 3, 1));
    EXPECT_ERROR(kp::InvalidArgument, "zero-sized", manager.image(3, 0, 1));
    EXPECT_ERROR(kp::InvalidArgument, "channel", manager.image(3, 3, 0));
    EXPECT_ERROR(kp::InvalidArgument, "channel", manager.image(3, 3, 5));
    EXPECT_ERROR(kp::InvalidArgument, "8", manager.image(std::vector<float>(8), 3, 3, 1));
    EXPECT_ERROR(kp::InvalidArgument, "optimal tiling is only supported for",
                 manager.image(3, 3, 1, vk::ImageTiling::eOptimal, MemoryTypes::eHost));
    EXPECT_ERROR(kp::InvalidArgument, "optimal tiling is only supported for",
                 manager.image(3, 3, 1, vk::ImageTiling::eOptimal, MemoryTypes::eDeviceAndHost));
    EXPECT_THROW(manager.image(1u << 30, 1u << 30, 1), kp::Error);
    EXPECT_THROW(manager.image(UINT32_MAX, UINT32_MAX, 4), kp::Error);
    EXPECT_TRUE(manager.image(3, 3, 1)->isInit());
}

TEST_F(ImageTest, HoldsThreeChannelsOrThrowsUnsupported) {
    try {
        const auto image = manager.image(ascending<float>(12), 2, 2, 3);
        EXPECT_EQ(image->vector(), ascending<float>(12));
    } catch (const kp::Unsupported& error) {
        EXPECT_NE(std::string(error.what()).find("3"), std::string::npos) << error.what();
    }
}

TEST_F(ImageTest, IgnoresSurplusData) {
    const auto image = manager.image(ascending<float>(20), 3, 3, 1);
    EXPECT_EQ(image->vector(), ascending<float>(9));
}

TEST_F(ImageTest, CanBeCreatedWithoutData) {
    const auto image = manager.image(nullptr, 0, 3, 3, 1, DataTypes::eFloat);
    image->upload(ascending<float>(9));
    EXPECT_EQ(onDevice<float>(*image), ascending<float>(9));
}

TEST_F(ImageTest, IsReadAndWrittenByShaders) {
    auto a = manager.image(ascending<float>(35), 5, 7, 1);
    auto b = manager.image(5, 7, 1);
    auto algorithm = manager.algorithm({a, b}, incrementShader(), {5, 7, 1});
    auto sq = manager.sequence();
    sq->record<kp::OpSyncDevice>({a})->record<kp::OpAlgoDispatch>(algorithm);
    sq->record<kp::OpSyncLocal>({b})->eval();
    EXPECT_EQ(b->vector(), ascending<float>(35, 1));
}

TEST_F(ImageTest, KeepsItsContentsOverManyEvaluations) {
    auto a = manager.image(ascending<float>(9), 3, 3, 1);
    auto b = manager.image(3, 3, 1);
    auto forth = manager.algorithm({a, b}, incrementShader(), {3, 3, 1});
    auto back = manager.algorithm({b, a}, incrementShader(), {3, 3, 1});
    auto sq = manager.sequence();
    sq->eval<kp::OpSyncDevice>({a});
    sq->record<kp::OpAlgoDispatch>(forth)->record<kp::OpAlgoDispatch>(back);
    sq->record<kp::OpSyncLocal>({a, b});
    for (size_t round = 1; round <= 20; ++round) {
        sq->eval();
        ASSERT_EQ(a->vector(), ascending<float>(9, 2 * round));
        ASSERT_EQ(b->vector(), ascending<float>(9, 2 * round - 1));
    }
}

TEST_F(ImageTest, CanBeEvaluatedInAnotherOrderThanRecorded) {
    auto a = manager.image(ascending<float>(9), 3, 3, 1);
    auto b = manager.image(std::vector<float>(9, 50), 3, 3, 1);
    auto t = manager.tensorT<float>(9);
    auto sync = manager.sequence()->record<kp::OpSyncDevice>({a});
    auto copyOut = manager.sequence()->record<kp::OpCopy>({b, t});
    auto dispatch = manager.sequence()->record<kp::OpAlgoDispatch>(
        manager.algorithm({a, b}, incrementShader(), {3, 3, 1}));
    auto local = manager.sequence()->record<kp::OpSyncLocal>({b});
    auto recordedAgain = manager.sequence()->record<kp::OpSyncDevice>({a});
    recordedAgain->rerecord();

    sync->eval();
    dispatch->eval();
    local->eval();
    EXPECT_EQ(b->vector(), ascending<float>(9, 1));
    copyOut->eval();
    EXPECT_EQ(t->vector(), ascending<float>(9, 1));
    a->setData(std::vector<float>(9, 7));
    recordedAgain->eval();
    dispatch->eval();
    copyOut->eval();
    EXPECT_EQ(t->vector(), std::vector<float>(9, 8));
}

TEST_F(ImageTest, CanBeReadBeforeItIsWritten) {
    // The values are undefined, but the validation layer must not complain.
    auto image = manager.image(3, 3, 1);
    auto sq = manager.sequence();
    sq->eval<kp::OpSyncLocal>({image});
    EXPECT_EQ(image->vector().size(), 9u);
}

TEST_F(ImageTest, PacksItsRowsAtAnyPitch) {
    if (isSwiftShader(manager))
        GTEST_SKIP() << "SwiftShader stores to no linear image of one channel";
    for (const auto type : {MemoryTypes::eHost, MemoryTypes::eDeviceAndHost, MemoryTypes::eDevice})
        for (const auto& [width, height] :
             {std::pair{3u, 3u}, {5u, 7u}, {1u, 9u}, {33u, 2u}, {130u, 3u}}) {
            const auto values = ascending<float>(width * height, 1);
            std::shared_ptr<kp::ImageT<float>> a, b;
            try {
                a = manager.image(values, width, height, 1, vk::ImageTiling::eLinear, type);
                b = manager.image(width, height, 1, vk::ImageTiling::eLinear, type);
            } catch (const kp::Unsupported&) {
                continue; // the device has no linear storage images of this memory type
            }
            SCOPED_TRACE(kp::Memory::toString(type) + " " + std::to_string(width) + " x " +
                         std::to_string(height));
            EXPECT_EQ(a->vector(), values);
            auto sq = manager.sequence();
            sq->record<kp::OpSyncDevice>({a});
            sq->record<kp::OpAlgoDispatch>(
                manager.algorithm({a, b}, incrementShader(), {width, height, 1}));
            sq->record<kp::OpSyncLocal>({a, b})->eval();
            EXPECT_EQ(b->vector(), ascending<float>(width * height, 2));
            EXPECT_EQ((*b)[width * height - 1], width * height + 1.0f);
            a->setData(ascending<float>(width * height, 100));
            sq->eval<kp::OpSyncDevice>({a});
            EXPECT_EQ(onDevice<float>(*a), ascending<float>(width * height, 100));
            a->upload(values);
            EXPECT_EQ(onDevice<float>(*a), values);
        }
}

template <typename T>
class ImageFormat : public DeviceTest {};
using Formats =
    ::testing::Types<int8_t, uint8_t, int16_t, uint16_t, int32_t, uint32_t, float, kp::Half>;
TYPED_TEST_SUITE(ImageFormat, Formats);

TYPED_TEST(ImageFormat, SyncsEveryChannelCount) {
    bool any = false;
    auto sq = this->manager.sequence();
    for (const uint32_t channels : {1u, 2u, 4u})
        for (const auto tiling : {vk::ImageTiling::eOptimal, vk::ImageTiling::eLinear}) {
            std::vector<TypeParam> values(15 * channels);
            for (size_t i = 0; i < values.size(); ++i)
                values[i] = TypeParam(static_cast<float>(i));
            std::shared_ptr<kp::ImageT<TypeParam>> image;
            try {
                image = this->manager.template imageT<TypeParam>(values, 5, 3, channels, tiling);
            } catch (const kp::Unsupported&) {
                continue;
            }
            any = true;
            EXPECT_EQ(image->vector(), values);
            sq->template eval<kp::OpSyncDevice>({image});
            EXPECT_EQ(onDevice<TypeParam>(*image), values) << channels;
            image->setData(std::vector<TypeParam>(values.size()));
            sq->template eval<kp::OpSyncLocal>({image});
            EXPECT_EQ(image->vector(), values) << channels;
        }
    if (!any)
        GTEST_SKIP() << "the device has no such storage image";
}

TEST_F(ImageTest, ThrowsAfterDestroy) {
    const auto image = manager.image(ascending<float>(9), 3, 3, 1);
    image->destroy();
    EXPECT_FALSE(image->isInit());
    EXPECT_EQ(image->getX(), 3u);
    EXPECT_EQ(image->size(), 0u);
    EXPECT_THROW(image->vector(), kp::InvalidArgument);
    EXPECT_THROW(manager.sequence()->eval<kp::OpSyncLocal>({image}), kp::InvalidArgument);
    image->destroy();
}

} // namespace
} // namespace kp::test
