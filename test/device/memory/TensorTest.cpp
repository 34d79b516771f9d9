// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <cstdint>
#include <limits>

#include "../TestSupport.hpp"

namespace kp::test {
namespace {

using DataTypes = kp::Memory::DataTypes;
using MemoryTypes = kp::Memory::MemoryTypes;

using TensorTest = DeviceTest;

TEST_F(TensorTest, ReportsItsShapeAndTypes) {
    const auto t = manager.tensorT<uint16_t>({1, 2, 3, 4, 5}, MemoryTypes::eHost);
    EXPECT_TRUE(t->isInit());
    EXPECT_EQ(t->size(), 5u);
    EXPECT_EQ(t->dataTypeMemorySize(), 2u);
    EXPECT_EQ(t->memorySize(), 10u);
    EXPECT_EQ(t->getX(), 5u);
    EXPECT_EQ(t->getY(), 1u);
    EXPECT_EQ(t->type(), kp::Memory::Type::eTensor);
    EXPECT_EQ(t->memoryType(), MemoryTypes::eHost);
    EXPECT_EQ(t->dataType(), DataTypes::eUnsignedShort);
    EXPECT_NE(t->nativeBuffer(), VkBuffer{});
    EXPECT_EQ(t->nativeOffset(), 0u);
}

TEST_F(TensorTest, RejectsZeroSizes) {
    EXPECT_ERROR(kp::InvalidArgument, "zero-sized", manager.tensor(std::vector<float>{}));
    EXPECT_ERROR(kp::InvalidArgument, "zero-sized", manager.tensorT<float>(0));
    EXPECT_ERROR(kp::InvalidArgument, "zero-sized", manager.tensor(0, 4, DataTypes::eFloat));
    EXPECT_ERROR(kp::InvalidArgument, "zero-sized", manager.tensor(4, 0, DataTypes::eFloat));
    EXPECT_ERROR(kp::InvalidArgument, "zero-sized",
                 manager.tensor(nullptr, 0, 4, DataTypes::eFloat));
    EXPECT_THROW(manager.tensor(std::vector<float>{}), std::runtime_error);
}

TEST_F(TensorTest, RejectsHugeSizesWithoutOverflow) {
    const uint64_t fourGiB = uint64_t{1} << 32;
    // 4 GiB + 16 bytes would be 16 bytes in 32-bit arithmetic.
    try {
        const auto t = manager.tensor(fourGiB / 4 + 4, 4, DataTypes::eFloat, MemoryTypes::eStorage);
        EXPECT_EQ(t->memorySize(), fourGiB + 16); // a large device has room for it
    } catch (const kp::InvalidArgument& error) {
        EXPECT_NE(std::string(error.what()).find("4294967312"), std::string::npos) << error.what();
    } catch (const kp::OutOfMemory& error) {
        EXPECT_NE(std::string(error.what()).find("4294967312"), std::string::npos) << error.what();
    }
    // 2^64 + 16 bytes would be 16 bytes in 64-bit arithmetic.
    EXPECT_THROW(manager.tensor((uint64_t{1} << 62) + 4, 4, DataTypes::eFloat),
                 kp::InvalidArgument);
    EXPECT_THROW(manager.tensorT<double>(std::numeric_limits<size_t>::max()), kp::InvalidArgument);
    EXPECT_THROW(manager.tensor(uint64_t{1} << 50, 4, DataTypes::eFloat, MemoryTypes::eHost),
                 kp::Error);
    EXPECT_EQ(manager.tensor({1, 2})->vector(), (std::vector<float>{1, 2}));
}

TEST_F(TensorTest, CanBeCreatedWithoutData) {
    for (const auto type : kMemoryTypes) {
        const auto reserved = manager.tensor(7, 4, DataTypes::eInt, type);
        const auto null = manager.tensor(nullptr, 7, 4, DataTypes::eInt, type);
        EXPECT_TRUE(reserved->isInit());
        EXPECT_EQ(null->size(), 7u);
        reserved->upload(std::vector<int32_t>{1, 2, 3, 4, 5, 6, 7});
        EXPECT_EQ(onDevice<int32_t>(*reserved), ascending<int32_t>(7, 1));
    }
}

TEST_F(TensorTest, CopiesRawData) {
    std::vector<double> data{1.5, -2.5, 3.5};
    const auto t = manager.tensor(data.data(), 3, sizeof(double), DataTypes::eDouble);
    EXPECT_EQ(t->vector<double>(), data);
    EXPECT_EQ(t->data<double>()[1], -2.5);
    EXPECT_EQ(t->rawData(), t->data<void>());
}

TEST_F(TensorTest, WaitsForSyncDeviceIfTheProgramRecordsIt) {
    const auto t = manager.tensorT<uint32_t>({1, 2, 3});
    manager.sequence()->eval<kp::OpSyncDevice>({t});
    t->upload(std::vector<uint32_t>{7, 8, 9});
    t->setData({1, 2, 3});
    EXPECT_EQ(onDevice<uint32_t>(*t), (std::vector<uint32_t>{7, 8, 9}));
    manager.sequence()->eval<kp::OpSyncDevice>({t});
    EXPECT_EQ(onDevice<uint32_t>(*t), (std::vector<uint32_t>{1, 2, 3}));
}

TEST_F(TensorTest, SetDataRejectsAnotherSize) {
    const auto t = manager.tensor({1, 2, 3});
    EXPECT_ERROR(kp::InvalidArgument, "12", t->setData(std::vector<float>{1, 2}));
    const std::vector<double> doubles{1, 2, 3};
    EXPECT_ERROR(kp::InvalidArgument, "24", t->setData(doubles.data(), 24));
    t->setData({4, 5, 6});
    EXPECT_EQ(t->vector(), (std::vector<float>{4, 5, 6}));
}

TEST_F(TensorTest, HasNoHostViewInStorageMemory) {
    const auto t = manager.tensor({1, 2, 3}, MemoryTypes::eStorage);
    EXPECT_EQ(t->rawData(), nullptr);
    EXPECT_EQ(t->data(), nullptr);
    EXPECT_ERROR(kp::InvalidArgument, "eStorage", t->vector());
    EXPECT_ERROR(kp::InvalidArgument, "eStorage", t->setData({1, 2, 3}));
    EXPECT_EQ(onDevice<float>(*t), (std::vector<float>{1, 2, 3}));
}

TEST_F(TensorTest, VectorRejectsElementsOfAnotherSize) {
    const std::shared_ptr<kp::Memory> t = manager.tensor({1, 2, 3});
    EXPECT_ERROR(kp::InvalidArgument, "8", t->vector<double>());
    EXPECT_THROW(t->vector<uint8_t>(), kp::InvalidArgument);
}

TEST_F(TensorTest, RefusesToReinterpretNumbers) {
    const std::shared_ptr<kp::Memory> t = manager.tensor({1, 2, 3});
    EXPECT_ERROR(kp::InvalidArgument,
                 "vector<T>() with a T of eInt, but the elements are eFloat: call to<T>(), which "
                 "converts them, or read their bits through rawData()",
                 t->vector<int32_t>());
    EXPECT_ERROR(kp::InvalidArgument, "data<T>() with a T of eUnsignedInt, but the elements are",
                 t->data<uint32_t>());
    EXPECT_THROW(t->data<double>(), kp::InvalidArgument);
    EXPECT_EQ(t->to<int32_t>(), (std::vector<int32_t>{1, 2, 3}));
    EXPECT_EQ(t->data<uint8_t>()[3], 0x3f); // bytes, and structs, are taken as they are
    struct One {
        float value;
    };
    EXPECT_EQ(t->vector<One>()[2].value, 3);
    const std::shared_ptr<kp::Memory> integers = manager.tensorT<int32_t>({-1, 2});
    EXPECT_EQ(integers->vector<uint32_t>()[0], 0xffffffffu); // as in programs for Kompute
    const std::shared_ptr<kp::Memory> halves = manager.tensorT<kp::Half>({kp::Half(1)});
    EXPECT_THROW(halves->vector<uint16_t>(), kp::InvalidArgument);
    EXPECT_EQ(halves->to<double>(), std::vector<double>{1});
    const std::shared_ptr<kp::Memory> image = manager.image({1, 2, 3, 4, 5, 6}, 2, 1, 3);
    EXPECT_THROW(image->vector<int32_t>(), kp::InvalidArgument);
    EXPECT_EQ(image->to<uint8_t>(), (std::vector<uint8_t>{1, 2, 3, 4, 5, 6}));
}

TEST_F(TensorTest, ConvertsNumbersThatTheTypeCanHold) {
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    const auto doubles = manager.tensorT<double>({-2147483648.0, 2147483647.0});
    EXPECT_EQ(doubles->to<int32_t>(), (std::vector<int32_t>{INT32_MIN, INT32_MAX}));
    EXPECT_EQ(doubles->to<float>(), (std::vector<float>{-2147483648.0f, 2147483648.0f}));
    const auto refuses = [this](double value, auto type) {
        using To = decltype(type);
        EXPECT_ERROR(kp::InvalidArgument, "to<T>(): element 1 is",
                     manager.tensorT<double>({0, value})->to<To>());
    };
    for (const double value : {0.5, kInfinity, std::nan(""), 2147483648.0, -2147483649.0})
        refuses(value, int32_t());
    for (const double value : {-1.0, 256.0})
        refuses(value, uint8_t());
    refuses(18446744073709551616.0, uint64_t());
    refuses(9223372036854775808.0, int64_t());
    refuses(1e39, float());
    refuses(65520.0, kp::Half());
    EXPECT_EQ(manager.tensorT<double>({65519.999})->to<kp::Half>()[0], kp::Half(65504));
    // 1 + 2^-11 is halfway between two halves; a number a little above it rounds up.
    EXPECT_EQ(manager.tensorT<double>({1 + 1.0 / 2048 + 1e-15})->to<kp::Half>()[0].bits, 0x3c01);
    EXPECT_EQ(manager.tensorT<double>({kInfinity})->to<float>()[0],
              std::numeric_limits<float>::infinity());
    EXPECT_TRUE(std::isnan(manager.tensorT<double>({std::nan("")})->to<float>()[0]));

    const auto large = manager.tensorT<int64_t>({INT64_MIN, 1 << 24});
    EXPECT_EQ(large->to<float>(), (std::vector<float>{-9223372036854775808.0f, 16777216.0f}));
    EXPECT_ERROR(kp::InvalidArgument, "element 0 is 16777217, which eFloat cannot hold",
                 manager.tensorT<int32_t>({16777217})->to<float>());
    EXPECT_THROW(manager.tensorT<uint32_t>({65536})->to<kp::Half>(), kp::InvalidArgument);
    EXPECT_THROW(manager.tensorT<int8_t>({-1})->to<uint64_t>(), kp::InvalidArgument);
    struct Pair {
        float first, second;
    };
    EXPECT_ERROR(kp::InvalidArgument, "the elements are structs",
                 manager.tensorT<Pair>({{1, 2}})->to<float>());
    EXPECT_ERROR(kp::InvalidArgument, "eStorage",
                 manager.tensor({1}, MemoryTypes::eStorage)->to<int32_t>());
}

TEST_F(TensorTest, RefusesArraysOfAnotherTypeOfNumber) {
    const auto floats = manager.tensorT<float>({1, 2});
    std::vector<int32_t> integers = {3, 4};
    EXPECT_ERROR(kp::InvalidArgument, "elements of eInt (4 bytes), but this memory has eFloat",
                 floats->upload(integers));
    EXPECT_THROW(floats->download(integers), kp::InvalidArgument);
    EXPECT_THROW(floats->setData(integers), kp::InvalidArgument);
    EXPECT_THROW(floats->setData(std::vector<double>{3}), kp::InvalidArgument);
    EXPECT_EQ(floats->vector(), (std::vector<float>{1, 2}));

    const auto unsignedIntegers = manager.tensorT<uint32_t>({1, 2});
    unsignedIntegers->setData(integers); // signed and unsigned integers are one type here
    EXPECT_EQ(unsignedIntegers->vector(), (std::vector<uint32_t>{3, 4}));
    struct Pair {
        float first;
        float second;
    };
    floats->setData(std::vector<Pair>{{5, 6}}); // structs are not compared
    EXPECT_EQ(floats->vector(), (std::vector<float>{5, 6}));
    const std::vector<uint8_t> bytes(8);
    floats->setData(bytes);
    EXPECT_EQ(floats->vector(), (std::vector<float>{0, 0}));
}

TEST_F(TensorTest, ThrowsAfterDestroy) {
    const auto t = manager.tensor({1, 2, 3});
    t->destroy();
    EXPECT_FALSE(t->isInit());
    EXPECT_EQ(t->size(), 0u);
    EXPECT_EQ(t->memorySize(), 0u);
    EXPECT_EQ(t->memoryType(), MemoryTypes::eDevice);
    EXPECT_EQ(t->dataType(), DataTypes::eFloat);
    EXPECT_EQ(static_cast<kp::Memory&>(*t).dataType(), DataTypes::eFloat);
    EXPECT_EQ(t->getX(), 3u);
    EXPECT_EQ(t->getY(), 1u);
    EXPECT_ERROR(kp::InvalidArgument, "destroy", t->data());
    EXPECT_ERROR(kp::InvalidArgument, "destroy", t->rawData());
    EXPECT_ERROR(kp::InvalidArgument, "destroy", t->vector());
    EXPECT_THROW(t->setData({1, 2, 3}), kp::InvalidArgument);
    float value = 0;
    EXPECT_THROW(t->upload(&value, 4), kp::InvalidArgument);
    EXPECT_THROW(t->download(&value, 4), kp::InvalidArgument);
    EXPECT_THROW(t->rebuild(&value, 1, 4), kp::InvalidArgument);
    EXPECT_THROW(manager.sequence()->eval<kp::OpSyncDevice>({t}), kp::InvalidArgument);
    EXPECT_THROW(manager.algorithm({t}, incrementFloats()), kp::InvalidArgument);
    t->destroy();
}

TEST_F(TensorTest, CannotBeEvaluatedAfterDestroy) {
    const auto t = manager.tensor({1, 2, 3});
    auto sq = manager.sequence();
    sq->record<kp::OpSyncDevice>({t})->record<kp::OpAlgoDispatch>(
        manager.algorithm({t}, incrementFloats()));
    t->destroy();
    EXPECT_ERROR(kp::InvalidArgument, "destroy", sq->eval());
    EXPECT_FALSE(sq->isRunning());
    const auto other = manager.tensor({5});
    sq->clear();
    sq->eval<kp::OpSyncDevice>({other});
    EXPECT_EQ(onDevice<float>(*other), std::vector<float>{5});
}

TEST_F(TensorTest, NamesItsTypes) {
    EXPECT_EQ(kp::Memory::toString(MemoryTypes::eDevice), "eDevice");
    EXPECT_EQ(kp::Memory::toString(MemoryTypes::eHost), "eHost");
    EXPECT_EQ(kp::Memory::toString(MemoryTypes::eStorage), "eStorage");
    EXPECT_EQ(kp::Memory::toString(MemoryTypes::eDeviceAndHost), "eDeviceAndHost");
    EXPECT_EQ(kp::Memory::toString(DataTypes::eFloat), "eFloat");
    EXPECT_EQ(kp::Memory::toString(DataTypes::eUnsignedChar), "eUnsignedChar");
    EXPECT_EQ(kp::Memory::toString(DataTypes::eBFloat16), "eBFloat16");
    EXPECT_EQ(kp::Memory::dataTypeMemorySize(DataTypes::eDouble), 8u);
    EXPECT_EQ(kp::Memory::dataTypeMemorySize(DataTypes::eCustom), 0u);
}

TEST_F(TensorTest, RebuildBindsTheNewMemoryToAlgorithms) {
    const auto t = manager.tensor({1, 2});
    auto algorithm = manager.algorithm({t}, incrementFloats(), {3, 1, 1});
    const std::vector<float> longer{10, 20, 30};
    t->rebuild(longer.data(), 3, sizeof(float));
    EXPECT_EQ(t->size(), 3u);
    EXPECT_EQ(t->vector(), longer);
    auto sq = manager.sequence();
    sq->record<kp::OpSyncDevice>({t})->record<kp::OpAlgoDispatch>(algorithm);
    sq->record<kp::OpSyncLocal>({t})->eval();
    EXPECT_EQ(t->vector(), (std::vector<float>{11, 21, 31}));

    t->rebuild(nullptr, 4, sizeof(float));
    EXPECT_EQ(t->size(), 4u);
    t->setData({1, 2, 3, 4});
    algorithm->setWorkgroup({4, 1, 1});
    sq->rerecord();
    sq->eval();
    EXPECT_EQ(t->vector(), (std::vector<float>{2, 3, 4, 5}));
    EXPECT_ERROR(kp::InvalidArgument, "zero-sized", t->rebuild(nullptr, 0, 4));
    EXPECT_EQ(t->size(), 4u);
}

TEST_F(TensorTest, CanBeDestroyedWhileASequenceRuns) {
    auto counter = manager.tensorT<uint32_t>({0});
    auto sq = manager.sequence();
    sq->record<kp::OpSyncDevice>({counter});
    recordSlowWork(manager, *sq, counter);
    sq->evalAsync();
    counter->destroy();
    EXPECT_FALSE(counter->isInit());
    counter.reset();
    sq->evalAwait();
    EXPECT_FALSE(sq->isRunning());
}

TEST_F(TensorTest, DestroyDoesNotWaitForTheDevice) {
    auto counter = manager.tensorT<uint32_t>({0});
    auto sq = manager.sequence();
    sq->record<kp::OpSyncDevice>({counter});
    recordSlowWork(manager, *sq, counter);
    sq->evalAsync();
    counter->destroy();
    EXPECT_FALSE(sq->event().done()) << "destroy() waited for the device, or the work was too fast";
    sq->evalAwait();
}

TEST_F(TensorTest, HasADeviceAddressIfTheFeatureIsEnabled) {
    const auto t = manager.tensor({1, 2, 3});
    if (hasFeature(manager, "bufferDeviceAddress")) {
        EXPECT_NE(t->deviceAddress(), 0u);
    } else {
        EXPECT_THROW(t->deviceAddress(), kp::Unsupported);
    }
}

} // namespace
} // namespace kp::test
