// SPDX-License-Identifier: Apache-2.0
#include "ArraySupport.hpp"

#include "unit/ScopedEnvironment.hpp"

namespace kp::test {
namespace {

/// Arrays on a device without shaderFloat64, and without a choice of the default float.
class DefaultFloatTest : public ::testing::Test {
protected:
    DefaultFloatTest() {
        const ScopedEnvironment variable("KOMPUTE_WITHOUT", "shaderFloat64");
        single = std::make_unique<Manager>();
        resetDefaultFloat();
        arrays::exchangeSinglesNoted(false);
    }
    ~DefaultFloatTest() override { resetDefaultFloat(); }

    Array integers() const { return Array::of(std::vector<int32_t>{1, 2, 3}, single.get()); }

    std::unique_ptr<Manager> single;
};

TEST_F(DefaultFloatTest, IsFloat32OnADeviceWithoutFloat64) {
    EXPECT_EQ(defaultFloat(*single), DType::eFloat32);
    EXPECT_EQ(zeros({2}, single.get()).dtype(), DType::eFloat32);
    EXPECT_EQ(ones({2}, single.get()).dtype(), DType::eFloat32);
    EXPECT_EQ(empty({2}, single.get()).dtype(), DType::eFloat32);
    EXPECT_EQ(eye(2, 2, 0, single.get()).dtype(), DType::eFloat32);
    EXPECT_EQ(full({2}, 0.5, single.get()).dtype(), DType::eFloat32);
    EXPECT_EQ(full({2}, Operand::complex(0, 1), single.get()).dtype(), DType::eComplex64);
    expectArray<float>(integers() / 2, {3}, {0.5f, 1, 1.5f});
    expectArray<float>(integers() * 1.5, {3}, {1.5f, 3, 4.5f});
    expectArray<float>(mean(integers()), {}, {2});
    EXPECT_EQ(sqrt(integers()).dtype(), DType::eFloat32);
}

TEST_F(DefaultFloatTest, IsFloat64OnADeviceThatHasIt) {
    Manager manager;
    if (!hasFeature(manager, "shaderFloat64"))
        GTEST_SKIP() << "the device has no float64";
    EXPECT_EQ(defaultFloat(manager), DType::eFloat64);
    EXPECT_EQ(zeros({2}, &manager).dtype(), DType::eFloat64);
    const Array x = Array::of(std::vector<int32_t>{1, 2}, &manager);
    EXPECT_EQ((x / 2).dtype(), DType::eFloat64);
    EXPECT_EQ((integers() / 2).dtype(), DType::eFloat32) << "in the same process";
    EXPECT_EQ((x / 2).dtype(), DType::eFloat64) << "after the other device";
}

TEST_F(DefaultFloatTest, AChoiceHoldsForAllDevices) {
    setDefaultFloat(DType::eFloat64);
    EXPECT_EQ(defaultFloat(*single), DType::eFloat64);
    setDefaultFloat(DType::eFloat32);
    EXPECT_EQ(defaultFloat(), DType::eFloat32);
    resetDefaultFloat();
    EXPECT_EQ(defaultFloat(), DType::eFloat64);
    EXPECT_EQ(defaultFloat(*single), DType::eFloat32);
    EXPECT_ERROR(InvalidArgument, "float32 or float64", setDefaultFloat(DType::eFloat16));
}

TEST_F(DefaultFloatTest, WarnsOnce) {
    for (int i = 0; i < 3; ++i)
        EXPECT_EQ(mean(integers()).dtype(), DType::eFloat32);
    const std::string log = logText();
    const size_t first = log.find("has no native doubles, so float32 is the default float type");
    ASSERT_NE(first, std::string::npos) << log;
    EXPECT_EQ(log.find("has no native doubles", first + 1), std::string::npos) << log;
}

TEST_F(DefaultFloatTest, ATypeThatIsNamedStays) {
    const std::vector<Operand> operands{Operand(DType::eFloat64, 0.5), Operand(2)};
    EXPECT_EQ(resolve(*findFunction("add"), operands.data(), 2).result, DType::eFloat64);
}

} // namespace
} // namespace kp::test
