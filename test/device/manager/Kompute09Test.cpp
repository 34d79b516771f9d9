// SPDX-License-Identifier: Apache-2.0
//
// Programs for Kompute 0.9.0: its names, and its behaviour where Kompute's master differs.
#include <kompute/operations/OpTensorCopy.hpp>
#include <kompute/operations/OpTensorSyncDevice.hpp>
#include <kompute/operations/OpTensorSyncLocal.hpp>

#include "../TestSupport.hpp"
#include "../VulkanHpp.hpp"

namespace {

struct StructFor09 {
    float a;
    int32_t b;
};
struct StructForMaster {
    float a;
    int32_t b;
};

} // namespace

template <>
kp::Tensor::TensorDataTypes kp::TensorT<StructFor09>::dataType() {
    return kp::Tensor::TensorDataTypes::eCustom;
}
template <>
kp::Memory::DataTypes kp::Memory::dataType<StructForMaster>() {
    return kp::Memory::DataTypes::eCustom;
}

namespace kp::test {
namespace {

using Kompute09 = DeviceTest;

std::vector<uint32_t> multShader() {
    return spirv(shader(buffer(0, "readonly", "float", "a") + buffer(1, "readonly", "float", "b") +
                            buffer(2, "writeonly", "float", "r"),
                        "r[i] = a[i] * b[i];"));
}

TEST_F(Kompute09, KeepsTheValuesOfEnumerators) {
    EXPECT_EQ(static_cast<int>(kp::Tensor::TensorTypes::eDevice), 0);
    EXPECT_EQ(static_cast<int>(kp::Tensor::TensorTypes::eHost), 1);
    EXPECT_EQ(static_cast<int>(kp::Tensor::TensorTypes::eStorage), 2);
    EXPECT_EQ(static_cast<int>(kp::Tensor::TensorDataTypes::eBool), 0);
    EXPECT_EQ(static_cast<int>(kp::Tensor::TensorDataTypes::eInt), 1);
    EXPECT_EQ(static_cast<int>(kp::Tensor::TensorDataTypes::eUnsignedInt), 2);
    EXPECT_EQ(static_cast<int>(kp::Tensor::TensorDataTypes::eFloat), 3);
    EXPECT_EQ(static_cast<int>(kp::Tensor::TensorDataTypes::eDouble), 4);
    EXPECT_EQ(static_cast<int>(kp::Memory::DataTypes::eCustom), 5);
    EXPECT_EQ(static_cast<int>(kp::Memory::DataTypes::eUnsignedChar), 9);
    EXPECT_EQ(static_cast<int>(kp::Memory::MemoryTypes::eDeviceAndHost), 3);
}

TEST_F(Kompute09, RunsItsQuickStart) {
    auto tensorInA = manager.tensor({2., 2., 2.});
    auto tensorInB = manager.tensor({1., 2., 3.});
    auto tensorOut = manager.tensor({0., 0., 0.}, kp::Tensor::TensorTypes::eDevice);
    std::vector<std::shared_ptr<kp::Tensor>> params = {tensorInA, tensorInB, tensorOut};
    std::shared_ptr<kp::Algorithm> algo = manager.algorithm(params, multShader());
    manager.sequence()
        ->record<kp::OpTensorSyncDevice>(params)
        ->record<kp::OpAlgoDispatch>(algo)
        ->record<kp::OpTensorSyncLocal>(params)
        ->eval();
    EXPECT_EQ(tensorOut->vector(), (std::vector<float>{2, 4, 6}));
    EXPECT_EQ(algo->getTensors().size(), 3u);
    EXPECT_EQ(algo->getTensors()[2], tensorOut);
    EXPECT_EQ(tensorOut->tensorType(), kp::Tensor::TensorTypes::eDevice);
}

TEST_F(Kompute09, CopiesTensorsAndAccessesElements) {
    auto a = manager.tensor({1, 2, 3});
    auto b = manager.tensor({0, 0, 0});
    (*a)[1] = 20;
    EXPECT_EQ((*a)[1], 20);
    auto sq = manager.sequence();
    sq->eval<kp::OpTensorSyncDevice>({a, b});
    sq->eval<kp::OpTensorCopy>({a, b});
    EXPECT_EQ(b->vector(), (std::vector<float>{1, 20, 3}));
    EXPECT_EQ((*b)[2], 3);
}

TEST_F(Kompute09, SetsRawAndTypedData) {
    auto t = manager.tensor({1, 2, 3});
    const float data[] = {4, 5, 6};
    t->setRawData(data);
    EXPECT_EQ(t->vector(), (std::vector<float>{4, 5, 6}));
    t->setData({7, 8, 9});
    EXPECT_EQ(t->data()[0], 7);
}

TEST_F(Kompute09, RebuildChangesTheSize) {
    auto t = manager.tensor({1, 2, 3});
    float data[] = {4, 5, 6, 7};
    t->rebuild(data, 4, sizeof(float));
    EXPECT_EQ(t->size(), 4u);
    EXPECT_EQ(t->vector(), (std::vector<float>{4, 5, 6, 7}));
    manager.sequence()->eval<kp::OpTensorSyncDevice>({t});
    EXPECT_EQ(onDevice<float>(*t), (std::vector<float>{4, 5, 6, 7}));
}

TEST_F(Kompute09, AcceptsBothSpellingsOfAStructsDataType) {
    auto older = manager.tensorT<StructFor09>({{1.5f, 2}, {3.5f, 4}});
    auto newer = manager.tensorT<StructForMaster>({{1.5f, 2}, {3.5f, 4}});
    EXPECT_EQ(older->dataType(), kp::Memory::DataTypes::eCustom);
    EXPECT_EQ(newer->dataType(), kp::Memory::DataTypes::eCustom);
    const std::shared_ptr<kp::Memory> base = older;
    EXPECT_EQ(base->dataType(), kp::Memory::DataTypes::eCustom);
    EXPECT_EQ(base->dataTypeMemorySize(), sizeof(StructFor09));
    auto algorithm = manager.algorithm(
        {older}, spirv(shader("struct S { float a; int b; };" + buffer(0, "", "S", "s"),
                              "s[i].a *= 2.0; s[i].b += 1;")));
    auto sq = manager.sequence();
    sq->record<kp::OpTensorSyncDevice>({older})->record<kp::OpAlgoDispatch>(algorithm);
    sq->record<kp::OpTensorSyncLocal>({older})->eval();
    EXPECT_EQ(older->vector()[1].a, 7.0f);
    EXPECT_EQ(older->vector()[1].b, 5);
}

/// An operation in the style of 0.9.0.
struct OpDouble : kp::OpAlgoDispatch {
    OpDouble(std::vector<std::shared_ptr<kp::Tensor>> tensors,
             std::shared_ptr<kp::Algorithm> algorithm)
        : kp::OpAlgoDispatch(algorithm) {
        if (tensors.size() != 1)
            throw std::runtime_error("OpDouble takes one tensor");
        algorithm->rebuild(tensors, spirv(shader(buffer(0, "", "float", "v"), "v[i] *= 2.0;")));
    }
};

TEST_F(Kompute09, AcceptsOperationsThatTakeTensors) {
    auto t = manager.tensor({1, 2, 3});
    std::vector<std::shared_ptr<kp::Tensor>> tensors{t};
    std::vector<std::shared_ptr<kp::Memory>> objects{t};
    auto sq = manager.sequence();
    sq->record<kp::OpTensorSyncDevice>({t});
    sq->record<OpDouble>(tensors, manager.algorithm());
    sq->record<OpDouble>(objects, manager.algorithm());
    sq->record<OpDouble>({t}, manager.algorithm());
    sq->record<kp::OpTensorSyncLocal>({t})->eval();
    EXPECT_EQ(t->vector(), (std::vector<float>{8, 16, 24}));
    EXPECT_THROW(sq->record<OpDouble>({t, t}, manager.algorithm()), std::runtime_error);
}

TEST_F(Kompute09, AcceptsVectorsOfTensorsInEveryCall) {
    auto a = manager.tensor({1, 2, 3});
    auto b = manager.tensor({2, 2, 2});
    auto c = manager.tensor({0, 0, 0});
    std::vector<std::shared_ptr<kp::Tensor>> v{a, b, c};
    const std::vector<uint32_t> code = spirv(shader(
        "layout(constant_id = 0) const uint k = 1; layout(push_constant) uniform P { uint p; };" +
            buffer(0, "readonly", "float", "a") + buffer(1, "readonly", "float", "b") +
            buffer(2, "writeonly", "float", "r"),
        "r[i] = a[i] * b[i] * float(k * p);"));
    const kp::Workgroup groups({3, 1, 1});
    auto sq = manager.sequence();
    sq->eval<kp::OpTensorSyncDevice>({v});
    auto algorithm = manager.algorithm<uint32_t, uint32_t>(v, code, groups, {2}, {3});
    sq->eval<kp::OpAlgoDispatch>(algorithm)->evalAsync<kp::OpTensorSyncLocal>({v})->evalAwait();
    EXPECT_EQ(c->vector(), (std::vector<float>{12, 24, 36}));
    algorithm->rebuild<uint32_t, uint32_t>(v, code, groups, {1}, {1});
    sq->eval<kp::OpAlgoDispatch>(algorithm)->eval<kp::OpTensorSyncLocal>({v});
    EXPECT_EQ(c->vector(), (std::vector<float>{2, 4, 6}));

    EXPECT_FALSE(manager.algorithm(v)->isInit());
    EXPECT_EQ(manager.algorithm({v}, multShader())->getTensors().size(), 3u);
    std::vector<std::shared_ptr<kp::Tensor>> two{a, b};
    std::shared_ptr<kp::OpTensorCopy> copy{new kp::OpTensorCopy({two})};
    sq->record(copy)->eval();
    EXPECT_EQ(b->vector(), (std::vector<float>{1, 2, 3}));
}

TEST_F(Kompute09, MakesAlgorithmsFromADeviceAndVectorsOfTensors) {
    std::vector<std::shared_ptr<kp::Tensor>> v{manager.tensor({1}), manager.tensor({2}),
                                               manager.tensor({0})};
    auto device = std::make_shared<vk::Device>(manager.nativeDevice());
    EXPECT_TRUE(std::make_shared<kp::Algorithm>(device, v, multShader())->isInit());
    const auto info = v[1]->constructDescriptorBufferInfo();
    EXPECT_TRUE(info.buffer == vk::Buffer(v[1]->nativeBuffer()));
    EXPECT_EQ(info.range, v[1]->memorySize());
}

TEST_F(Kompute09, HasADataTypeForEveryTrivialType) {
    using DataTypes = kp::Memory::DataTypes;
    struct Pair {
        float x, y;
    };
    EXPECT_EQ(manager.tensorT<long long>({1})->dataType(), DataTypes::eLong);
    EXPECT_EQ(manager.tensorT<unsigned long>({1})->dataTypeMemorySize(), sizeof(unsigned long));
    EXPECT_EQ(manager.tensorT<char>(4)->dataTypeMemorySize(), 1u);
    EXPECT_EQ(manager.tensorT<std::byte>(4)->dataType(), DataTypes::eCustom);
    EXPECT_EQ(manager.tensorT<Pair>({{1, 2}})->dataType(), DataTypes::eCustom);
}

TEST_F(Kompute09, RunsLogisticRegressionWithTheEmbeddedShader) {
    EXPECT_EQ(kp::SHADEROPMULT_COMP_SPV[0], 0x07230203u);
    const std::vector<uint32_t> code(kp::SHADERLOGISTICREGRESSION_COMP_SPV.begin(),
                                     kp::SHADERLOGISTICREGRESSION_COMP_SPV.end());
    const float learningRate = 0.1f;
    auto xI = manager.tensor({0, 1, 1, 1, 1});
    auto xJ = manager.tensor({0, 0, 0, 1, 1});
    auto y = manager.tensor({0, 0, 0, 1, 1});
    auto wIn = manager.tensor({0.001, 0.001}, kp::Memory::MemoryTypes::eHost);
    auto wOutI = manager.tensor({0, 0, 0, 0, 0});
    auto wOutJ = manager.tensor({0, 0, 0, 0, 0});
    auto bIn = manager.tensor({0}, kp::Memory::MemoryTypes::eHost);
    auto bOut = manager.tensor({0, 0, 0, 0, 0});
    auto lOut = manager.tensor({0, 0, 0, 0, 0});
    std::vector<std::shared_ptr<kp::Memory>> params{xI, xJ, y, wIn, wOutI, wOutJ, bIn, bOut, lOut};
    manager.sequence()->record<kp::OpSyncDevice>(params)->eval();
    auto algorithm = manager.algorithm(params, code, kp::Workgroup({5}), std::vector<float>({5.0}));
    auto sq = manager.sequence()->record<kp::OpAlgoDispatch>(algorithm)->record<kp::OpSyncLocal>(
        {wOutI, wOutJ, bOut, lOut});
    for (int round = 0; round < 100; ++round) {
        sq->eval();
        for (size_t j = 0; j < 5; ++j) {
            wIn->data()[0] -= learningRate * wOutI->data()[j];
            wIn->data()[1] -= learningRate * wOutJ->data()[j];
            bIn->data()[0] -= learningRate * bOut->data()[j];
        }
    }
    EXPECT_LT(wIn->data()[0], 0.01);
    EXPECT_GT(wIn->data()[1], 1.0);
    EXPECT_LT(bIn->data()[0], 0.0);
    KP_LOG_WARN("weights {} {}, bias {}", wIn->data()[0], wIn->data()[1], bIn->data()[0]);
    EXPECT_NE(logText().find("W weights "), std::string::npos);
}

} // namespace
} // namespace kp::test
