// SPDX-License-Identifier: Apache-2.0
//
// The calls of programs for Kompute, in their spelling. Each must compile and choose the intended
// overload.
#include <array>
#include <chrono>
#include <list>

#include "../TestSupport.hpp"
#include "../VulkanHpp.hpp"

namespace {

struct TestElement {
    float x;
    uint32_t y;
    int32_t z;
};
struct TestConstants {
    float x;
    uint32_t y;
    int32_t z;
};

} // namespace

template <>
kp::Memory::DataTypes kp::Memory::dataType<TestElement>() {
    return DataTypes::eCustom;
}

namespace kp::test {
namespace {

using DataTypes = kp::Memory::DataTypes;
using MemoryTypes = kp::Memory::MemoryTypes;

std::vector<uint32_t> constantsShader(const std::string& members) {
    return spirv(
        shader(buffer(0, "", "float", "v") + "layout(push_constant) uniform P { " + members + " };",
               "v[i] = float(x) + float(y) + float(z);"));
}

class Overload : public DeviceTest {
protected:
    std::vector<uint32_t> mult =
        std::vector<uint32_t>(kp::SHADEROPMULT_COMP_SPV.begin(), kp::SHADEROPMULT_COMP_SPV.end());
};

TEST_F(Overload, CreatesTensorsFromBracesPointersAndSizes) {
    EXPECT_EQ(manager.tensor({0})->size(), 1u);
    EXPECT_EQ(manager.tensor({2., 2., 2.})->vector(), (std::vector<float>{2, 2, 2}));
    EXPECT_EQ(manager.tensor({0.001, 0.001}, kp::Memory::MemoryTypes::eHost)->memoryType(),
              MemoryTypes::eHost);
    EXPECT_EQ(manager.tensor(nullptr, 3, sizeof(float), DataTypes::eFloat)->size(), 3u);
    EXPECT_EQ(manager.tensor(3, sizeof(float), DataTypes::eFloat)->memorySize(), 12u);
    EXPECT_EQ(manager.tensorT<uint32_t>({0, 0, 0})->dataType(), DataTypes::eUnsignedInt);
    EXPECT_EQ(manager.tensorT<float>(3)->size(), 3u);
    EXPECT_EQ(manager.tensorT<TestElement>({{0.1, 2, 3}})->vector()[0].z, 3);
    EXPECT_EQ(manager.tensorT<TestElement>(3)->memorySize(), 3 * sizeof(TestElement));
    const std::vector<int32_t> integers{1, 2};
    EXPECT_EQ(manager.tensorT(integers)->dataType(), DataTypes::eInt);
    EXPECT_EQ(manager.tensorT<bool>({true, false})->memorySize(), 2u);
    std::shared_ptr<kp::Tensor> base = manager.tensor({0, 0, 0});
    EXPECT_EQ(base->vector<float>().size(), 3u);
    std::shared_ptr<kp::Memory> memory = base;
    EXPECT_EQ(memory->vector<float>().size(), 3u);
}

TEST_F(Overload, CreatesImagesFromBracesPointersAndSizes) {
    EXPECT_EQ(manager.image({0, 0, 0}, 3, 1, 1, MemoryTypes::eStorage)->getX(), 3u);
    EXPECT_EQ(manager.image(nullptr, 0, 3, 3, 1, DataTypes::eFloat)->size(), 9u);
    EXPECT_EQ(manager.image(3, 3, 1)->size(), 9u);
    EXPECT_EQ(manager.image(3, 1, 1, MemoryTypes::eStorage)->memoryType(), MemoryTypes::eStorage);
    EXPECT_THROW(manager.image(3, 3, 1, DataTypes::eCustom), std::runtime_error);
    EXPECT_THROW(manager.image(3, 3, 1, DataTypes::eCustom, vk::ImageTiling::eOptimal),
                 std::runtime_error);
    const std::vector<uint32_t> integers{1, 2, 3, 4};
    EXPECT_EQ(manager.imageT(integers, 2, 2, 1)->dataType(), DataTypes::eUnsignedInt);
    const std::vector<float> floats{1, 2, 3, 4};
    EXPECT_EQ(manager.imageT<float>(floats, 2, 2, 1, vk::ImageTiling::eOptimal)->getY(), 2u);
    EXPECT_THROW(
        manager.image(floats, 1, 1, 1, vk::ImageTiling::eOptimal, MemoryTypes::eDeviceAndHost),
        std::runtime_error);
}

TEST_F(Overload, CreatesAlgorithmsWithConstantsOfEveryKind) {
    const auto t = manager.tensor({0, 0, 0});
    EXPECT_FALSE(manager.algorithm()->isInit());

    auto floats = manager.algorithm({t}, constantsShader("float x; float y; float z;"),
                                    kp::Workgroup({1}), {}, {0.0, 0.0, 0.0});
    EXPECT_EQ(floats->getPushConstants<float>().size(), 3u);
    auto structs = manager.algorithm<float, TestConstants>(
        {t}, constantsShader("float x; uint y; int z;"), kp::Workgroup({1}), {}, {{0, 0, 0}});
    EXPECT_EQ(structs->getPushConstants<TestConstants>().size(), 1u);
    auto integers = manager.algorithm<int32_t, int32_t>(
        {t}, constantsShader("int x; int y; int z;"), kp::Workgroup({1}), {}, {{0, 0, 0}});
    EXPECT_EQ(integers->getPushConstants<int32_t>().size(), 3u);

    const auto specialized = [](const std::string& type) {
        return spirv(shader("layout(constant_id = 0) const " + type + " c = " + type + "(1);" +
                                buffer(0, "readonly", "float", "a") +
                                buffer(1, "readonly", "float", "b") +
                                buffer(2, "writeonly", "float", "r"),
                            "r[i] = a[i] + b[i] + float(c);"));
    };
    std::vector<std::shared_ptr<kp::Memory>> params{t, manager.tensor({1, 1, 1}),
                                                    manager.tensor({1, 1, 1})};
    std::vector<int32_t> specInt32{7};
    auto fromVector = manager.algorithm(params, specialized("int"), {}, specInt32, {});
    EXPECT_EQ(fromVector->getSpecializationConstants<int32_t>(), specInt32);
    auto fromBraces = manager.algorithm(params, specialized("float"), kp::Workgroup({5}),
                                        std::vector<float>({5.0}));
    EXPECT_EQ(fromBraces->getSpecializationConstants<float>(), std::vector<float>{5.0f});
    EXPECT_EQ(fromBraces->getWorkgroup(), (kp::Workgroup{5, 1, 1}));

    std::vector<std::shared_ptr<kp::Tensor>> tensors{t, manager.tensor({1, 1, 1}),
                                                     manager.tensor({1, 1, 1})};
    EXPECT_EQ(manager.algorithm(tensors, mult)->getMemObjects().size(), 3u);
    std::vector<std::shared_ptr<kp::TensorT<float>>> typed{t, t, t};
    EXPECT_EQ(manager.algorithm(typed, mult, {3, 1, 1})->getWorkgroup()[0], 3u);
}

TEST_F(Overload, CreatesOperationsFromBracesAndVectors) {
    auto a = manager.tensor({1, 2, 3});
    auto b = manager.tensor({2, 2, 2});
    auto c = manager.tensor({0, 0, 0});
    auto sq = manager.sequence();
    std::vector<std::shared_ptr<kp::Memory>> params{a, b, c};
    std::vector<std::shared_ptr<kp::Tensor>> tensors{a, b, c};

    sq->eval<kp::OpSyncDevice>({a, b});
    sq->record<kp::OpMult>(params, manager.algorithm());
    sq->record<kp::OpMult>(tensors, manager.algorithm());
    std::shared_ptr<kp::OpMemoryBarrier> barrier{new kp::OpMemoryBarrier(
        {c}, vk::AccessFlagBits::eShaderWrite, vk::AccessFlagBits::eTransferRead,
        vk::PipelineStageFlagBits::eComputeShader, vk::PipelineStageFlagBits::eTransfer)};
    sq->record(barrier);
    sq->eval();
    sq->eval<kp::OpSyncLocal>({params});
    EXPECT_EQ(c->vector(), (std::vector<float>{2, 4, 6}));
    EXPECT_EQ(params[2]->vector<float>(), (std::vector<float>{2, 4, 6}));

    auto algo = manager.algorithm({a, b, c}, mult);
    sq->record<kp::OpSyncDevice>(algo->getMemObjects())->eval();
    sq->record<kp::OpSyncLocal>(tensors)->eval();
    algo->rebuild({c, a, b}, mult);
    sq->eval<kp::OpAlgoDispatch>(algo)->eval<kp::OpSyncLocal>({b});
    EXPECT_EQ(b->vector(), (std::vector<float>{2, 8, 18}));
    sq->evalAsync<kp::OpSyncLocal>({a, c})->evalAwait();
    sq->evalAsync<kp::OpAlgoDispatch>(algo)->evalAwait();
    sq->eval<kp::OpFill>({a}, 1.5f);
    EXPECT_EQ(a->vector(), (std::vector<float>{1.5, 1.5, 1.5}));
}

TEST_F(Overload, TakesEveryRangeOfMemoryObjectsAndEveryArray) {
    auto a = manager.tensor({1, 2, 3});
    const std::array<std::shared_ptr<kp::Tensor>, 3> objects{a, manager.tensor({2, 2, 2}),
                                                             manager.tensor({0, 0, 0})};
    const std::list<std::shared_ptr<kp::TensorT<float>>> one{a};
    EXPECT_EQ(manager.algorithm(objects, kp::SHADEROPMULT_COMP_SPV)->getMemObjects().size(), 3u);
    auto algorithm = manager.algorithm(
        {objects}, {kp::SHADEROPMULT_COMP_SPV.begin(), kp::SHADEROPMULT_COMP_SPV.end()});
    manager.sequence()->record<kp::OpSyncDevice>(objects)->record<kp::OpSyncLocal>(one)->eval();
    EXPECT_EQ(manager.algorithm(objects, {mult.begin(), mult.end()})->isInit(), true);

    const std::array<uint32_t, 3> numbers{4, 5, 6};
    auto t = manager.tensorT(numbers);
    EXPECT_EQ(t->vector(), (std::vector<uint32_t>{4, 5, 6}));
    t->upload(std::array<uint32_t, 2>{8, 9}, 1);
    std::array<uint32_t, 2> back{};
    t->download(back, 1);
    EXPECT_EQ(back[1], 9u);
    EXPECT_ERROR(kp::InvalidArgument, "elements of 8 bytes", t->upload(std::vector<double>{1}));
    EXPECT_THROW(t->upload(std::vector<uint32_t>{1}, 3), kp::InvalidArgument);
    EXPECT_THROW(t->upload(std::vector<uint32_t>{1}, UINT64_MAX), kp::InvalidArgument);
}

TEST(Version, CanBeComparedInThePreprocessor) {
    static_assert(KOMPUTE_VERSION >= KOMPUTE_MAKE_VERSION(0, 10, 0), "older than expected");
    EXPECT_EQ(std::to_string(KOMPUTE_VERSION_MAJOR) + "." + std::to_string(KOMPUTE_VERSION_MINOR) +
                  "." + std::to_string(KOMPUTE_VERSION_PATCH),
              KOMPUTE_VERSION_STRING);
}

TEST_F(Overload, TakesTimeoutsAsDurations) {
    const kp::UserEvent event;
    EXPECT_FALSE(event.wait(std::chrono::milliseconds(1)));
    EXPECT_FALSE(event.wait(std::chrono::duration<double>(-1.0)));
    EXPECT_FALSE(kp::Event::waitAll({event}, std::chrono::microseconds(1)));
    EXPECT_EQ(kp::Event::waitAny({event, kp::Event()}, std::chrono::hours(1)), 1u);
    auto sq = manager.sequence()->record<kp::OpSyncDevice>({manager.tensor({1})})->evalAsync();
    EXPECT_FALSE(sq->evalAwait(std::chrono::seconds(30))->isRunning());
}

TEST_F(Overload, AcceptsPushConstantsOfADispatch) {
    auto t = manager.tensor({0});
    auto structs = manager.algorithm<float, TestConstants>(
        {t}, constantsShader("float x; uint y; int z;"), kp::Workgroup({1}), {}, {{0, 0, 0}});
    auto sq = manager.sequence();
    sq->record<kp::OpAlgoDispatch>(structs, std::vector<TestConstants>{{15.32, 2147483650, 10}});
    sq->record<kp::OpSyncLocal>({t})->eval();
    EXPECT_FLOAT_EQ(t->vector()[0], 15.32f + 2147483650.0f + 10.0f);

    auto floats = manager.algorithm({t}, constantsShader("float x; float y; float z;"),
                                    kp::Workgroup({1}), {}, {0.0, 0.0, 0.0});
    sq->record<kp::OpAlgoDispatch>(floats, kp::Constants{0.5, 1, 2});
    sq->record<kp::OpSyncLocal>({t})->eval();
    EXPECT_FLOAT_EQ(t->vector()[0], 3.5f);
}

} // namespace
} // namespace kp::test
