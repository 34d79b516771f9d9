// SPDX-License-Identifier: Apache-2.0
//
// Every element type in every memory type, with every way to write and to read it.
#include <algorithm>
#include <cstring>
#include <limits>

#include "../TestSupport.hpp"

namespace {

struct Particle {
    float x, y;
    uint32_t id;
    float mass;
    bool operator==(const Particle& other) const {
        return x == other.x && y == other.y && id == other.id && mass == other.mass;
    }
};

} // namespace

template <>
kp::Memory::DataTypes kp::Memory::dataType<Particle>() {
    return DataTypes::eCustom;
}

namespace kp::test {
namespace {

using MemoryTypes = kp::Memory::MemoryTypes;

/// The name of an element type in GLSL, with the extensions and features that it needs.
struct ShaderType {
    const char* type;
    const char* extensions;
    std::vector<const char*> features;
};

const char* kEightBit = "#extension GL_EXT_shader_8bit_storage : require\n"
                        "#extension GL_EXT_shader_explicit_arithmetic_types : require\n";
const char* kSixteenBit = "#extension GL_EXT_shader_16bit_storage : require\n"
                          "#extension GL_EXT_shader_explicit_arithmetic_types : require\n";
const char* kSixtyFourBit = "#extension GL_EXT_shader_explicit_arithmetic_types : require\n";

template <typename T>
ShaderType shaderType();
template <>
ShaderType shaderType<int8_t>() {
    return {"int8_t", kEightBit, {"storageBuffer8BitAccess", "shaderInt8"}};
}
template <>
ShaderType shaderType<uint8_t>() {
    return {"uint8_t", kEightBit, {"storageBuffer8BitAccess", "shaderInt8"}};
}
template <>
ShaderType shaderType<bool>() {
    return {"uint8_t", kEightBit, {"storageBuffer8BitAccess", "shaderInt8"}};
}
template <>
ShaderType shaderType<int16_t>() {
    return {"int16_t", kSixteenBit, {"storageBuffer16BitAccess", "shaderInt16"}};
}
template <>
ShaderType shaderType<uint16_t>() {
    return {"uint16_t", kSixteenBit, {"storageBuffer16BitAccess", "shaderInt16"}};
}
template <>
ShaderType shaderType<kp::BFloat16>() {
    return {"uint16_t", kSixteenBit, {"storageBuffer16BitAccess", "shaderInt16"}};
}
template <>
ShaderType shaderType<kp::Half>() {
    return {"float16_t", kSixteenBit, {"storageBuffer16BitAccess", "shaderFloat16"}};
}
template <>
ShaderType shaderType<int32_t>() {
    return {"int", "", {}};
}
template <>
ShaderType shaderType<uint32_t>() {
    return {"uint", "", {}};
}
template <>
ShaderType shaderType<int64_t>() {
    return {"int64_t", kSixtyFourBit, {"shaderInt64"}};
}
template <>
ShaderType shaderType<uint64_t>() {
    return {"uint64_t", kSixtyFourBit, {"shaderInt64"}};
}
template <>
ShaderType shaderType<float>() {
    return {"float", "", {}};
}
template <>
ShaderType shaderType<double>() {
    return {"double", "", {"shaderFloat64"}};
}

/// Values that include the limits of a type.
template <typename T>
std::vector<T> samples() {
    if constexpr (std::is_same_v<T, bool>)
        return {true, false, false, true, true};
    else if constexpr (std::is_same_v<T, kp::Half> || std::is_same_v<T, kp::BFloat16>)
        return {T(1.0f), T(-2.5f), T(0.125f), T(-0.0f), T(1024.0f)};
    else
        return {T(1), std::numeric_limits<T>::lowest(), std::numeric_limits<T>::max(), T(0),
                T(113)};
}

template <typename T>
class DataType : public DeviceTest {
protected:
    static bool same(const std::vector<T>& a, const std::vector<T>& b) {
        return std::equal(a.begin(), a.end(), b.begin(), b.end());
    }
    static std::vector<T> reversed(std::vector<T> values) {
        std::reverse(values.begin(), values.end());
        return values;
    }
};

using ElementTypes = ::testing::Types<bool, int8_t, uint8_t, int16_t, uint16_t, int32_t, uint32_t,
                                      int64_t, uint64_t, kp::Half, kp::BFloat16, float, double>;
TYPED_TEST_SUITE(DataType, ElementTypes);

TYPED_TEST(DataType, IsKeptByTheHostView) {
    const auto values = samples<TypeParam>();
    for (const auto type :
         {MemoryTypes::eDevice, MemoryTypes::eHost, MemoryTypes::eDeviceAndHost}) {
        const auto t = this->manager.template tensorT<TypeParam>(values, type);
        EXPECT_EQ(static_cast<kp::Memory&>(*t).dataType(), kp::Memory::dataType<TypeParam>());
        EXPECT_EQ(t->dataTypeMemorySize(), sizeof(TypeParam));
        EXPECT_EQ(kp::Memory::dataTypeMemorySize(t->dataType()), sizeof(TypeParam));
        EXPECT_TRUE(this->same(t->vector(), values)) << kp::Memory::toString(type);
        t->setData(this->reversed(values));
        EXPECT_TRUE(this->same(t->vector(), this->reversed(values)));
    }
}

TYPED_TEST(DataType, SyncsBothWays) {
    const auto values = samples<TypeParam>();
    auto sq = this->manager.sequence();
    for (const auto type : kMemoryTypes) {
        const auto t = this->manager.template tensorT<TypeParam>(values, type);
        sq->template eval<kp::OpSyncDevice>({t});
        EXPECT_TRUE(this->same(onDevice<TypeParam>(*t), values)) << kp::Memory::toString(type);
        if (type == MemoryTypes::eStorage)
            continue;
        t->setData(this->reversed(values));
        sq->template eval<kp::OpSyncDevice>({t});
        t->setData(values);
        sq->template eval<kp::OpSyncLocal>({t});
        // Only a mirror holds other values than the device memory.
        const bool mirrored = type == MemoryTypes::eDevice;
        if (mirrored || type == MemoryTypes::eHost) {
            EXPECT_TRUE(this->same(t->vector(), mirrored ? this->reversed(values) : values))
                << kp::Memory::toString(type);
        }
    }
}

TYPED_TEST(DataType, UploadsAndDownloads) {
    const auto values = samples<TypeParam>();
    std::vector<unsigned char> bytes(values.size() * sizeof(TypeParam));
    for (size_t i = 0; i < values.size(); ++i) {
        const TypeParam value = values[i];
        std::memcpy(bytes.data() + i * sizeof(TypeParam), &value, sizeof(TypeParam));
    }
    for (const auto type : kMemoryTypes) {
        const auto t = this->manager.template tensorT<TypeParam>(values.size(), type);
        t->upload(bytes.data(), bytes.size());
        EXPECT_TRUE(this->same(onDevice<TypeParam>(*t), values)) << kp::Memory::toString(type);
    }
}

TYPED_TEST(DataType, IsReadAndWrittenByShaders) {
    const ShaderType element = shaderType<TypeParam>();
    for (const char* feature : element.features)
        if (!hasFeature(this->manager, feature))
            GTEST_SKIP() << "the device lacks " << feature;
    const auto reverse = this->manager.compile(
        shader(buffer(0, "readonly", element.type, "a") + buffer(1, "writeonly", element.type, "b"),
               "b[4 - i] = a[i];", element.extensions));
    const auto values = samples<TypeParam>();
    auto sq = this->manager.sequence();
    for (const auto type : kMemoryTypes) {
        const auto a = this->manager.template tensorT<TypeParam>(values, type);
        const auto b = this->manager.template tensorT<TypeParam>(values.size(), type);
        sq->template record<kp::OpSyncDevice>({a, b});
        sq->template record<kp::OpAlgoDispatch>(this->manager.algorithm({a, b}, reverse));
        sq->template record<kp::OpSyncLocal>({b})->eval();
        EXPECT_TRUE(this->same(onDevice<TypeParam>(*b), this->reversed(values)))
            << kp::Memory::toString(type);
        if (type != MemoryTypes::eStorage) {
            EXPECT_TRUE(this->same(b->vector(), this->reversed(values)));
        }
    }
}

TYPED_TEST(DataType, CopiesBetweenAllMemoryTypes) {
    const auto values = samples<TypeParam>();
    auto sq = this->manager.sequence();
    for (const auto from : kMemoryTypes)
        for (const auto to : kMemoryTypes) {
            const auto a = this->manager.template tensorT<TypeParam>(values, from);
            const auto b = this->manager.template tensorT<TypeParam>(values.size(), to);
            sq->template eval<kp::OpSyncDevice>({a});
            sq->template eval<kp::OpCopy>({a, b});
            if (to == MemoryTypes::eStorage) {
                EXPECT_TRUE(this->same(onDevice<TypeParam>(*b), values));
            } else {
                EXPECT_TRUE(this->same(b->vector(), values))
                    << kp::Memory::toString(from) << " to " << kp::Memory::toString(to);
            }
        }
}

using CustomType = DeviceTest;

TEST_F(CustomType, StoresStructsInEveryMemoryType) {
    const std::vector<Particle> particles{{1, 2, 3, 4}, {5, 6, 7, 8}};
    const auto code = spirv(shader("struct Particle { float x, y; uint id; float mass; };" +
                                       buffer(0, "", "Particle", "p"),
                                   "p[i].x += p[i].mass; p[i].id *= 10u;"));
    auto sq = manager.sequence();
    for (const auto type : kMemoryTypes) {
        const auto t = manager.tensorT<Particle>(particles, type);
        EXPECT_EQ(t->dataTypeMemorySize(), sizeof(Particle));
        sq->record<kp::OpSyncDevice>({t})->record<kp::OpAlgoDispatch>(manager.algorithm({t}, code));
        sq->record<kp::OpSyncLocal>({t})->eval();
        const std::vector<Particle> expected{{5, 2, 30, 4}, {13, 6, 70, 8}};
        EXPECT_EQ(onDevice<Particle>(*t), expected) << kp::Memory::toString(type);
        if (type != MemoryTypes::eStorage) {
            EXPECT_EQ(t->vector(), expected);
        }
    }
}

TEST(HalfTest, ConvertsToAndFromFloat) {
    for (uint32_t bits = 0; bits < 65536; ++bits) {
        kp::Half half;
        half.bits = static_cast<uint16_t>(bits);
        const float value = static_cast<float>(half);
        if (value == value) {
            ASSERT_EQ(kp::Half(value).bits, half.bits);
        } else {
            ASSERT_EQ(kp::Half(value).bits & 0x7c00, 0x7c00);
        }
        kp::BFloat16 brain;
        brain.bits = static_cast<uint16_t>(bits);
        const float wide = static_cast<float>(brain);
        if (wide == wide) {
            ASSERT_EQ(kp::BFloat16(wide).bits, brain.bits);
        }
    }
    EXPECT_EQ(kp::Half(65520.0f).bits, 0x7c00); // rounds to infinity
    EXPECT_EQ(kp::Half(65519.0f).bits, 0x7bff);
    EXPECT_EQ(kp::Half(1.0f + 1.0f / 2048).bits, 0x3c00); // ties round to even
    EXPECT_EQ(kp::Half(1.0f + 3.0f / 2048).bits, 0x3c02);
    EXPECT_EQ(static_cast<float>(kp::BFloat16(3.14159f)), 3.140625f);
}

TEST(HalfTest, RoundsOtherNumbersOnce) {
    EXPECT_EQ(kp::Half(65519.999).bits, 0x7bff);
    EXPECT_EQ(kp::Half(65520.0).bits, 0x7c00);
    EXPECT_EQ(kp::Half(1 + 0x1p-11 + 0x1p-40).bits, 0x3c01);
    EXPECT_EQ(kp::Half(1 + 0x1p-11 - 0x1p-40).bits, 0x3c00);
    EXPECT_EQ(kp::Half(-0x1p-25 - 0x1p-60).bits, 0x8001);
    EXPECT_EQ(kp::Half(1e300).bits, 0x7c00);
    EXPECT_EQ(kp::Half(-1e-300).bits, 0x8000);
    EXPECT_EQ(kp::Half(2049).bits, kp::Half(2048).bits);
    constexpr int64_t kTie = (int64_t{1} << 62) + (int64_t{1} << 54);
    EXPECT_EQ(kp::BFloat16(kTie).bits, 0x5e80);
    EXPECT_EQ(kp::BFloat16(kTie + 1).bits, 0x5e81);
    EXPECT_EQ(kp::BFloat16(-kTie - 1).bits, 0xde81);
    EXPECT_EQ(kp::BFloat16(1 + 0x1p-8 + 0x1p-40).bits, 0x3f81);
}

} // namespace
} // namespace kp::test
