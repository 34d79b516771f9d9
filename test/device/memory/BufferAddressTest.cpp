// SPDX-License-Identifier: Apache-2.0
//
// Shaders that reach memory through buffer addresses in their push constants.
#include <kompute/Launch.hpp>

#include "../TestSupport.hpp"

namespace kp::test {
namespace {

const char* const kAddOne = R"(#version 450
#extension GL_EXT_buffer_reference : require
layout(local_size_x = 1) in;
layout(buffer_reference, std430) buffer Numbers { uint v[]; };
layout(push_constant) uniform P { Numbers numbers; };
void main() { numbers.v[gl_GlobalInvocationID.x] = 3 * numbers.v[gl_GlobalInvocationID.x] + 1; }
)";

class BufferAddressTest : public DeviceTest {
protected:
    void SetUp() override {
        if (!hasFeature(manager, "bufferDeviceAddress"))
            GTEST_SKIP() << "the device has no buffer addresses";
    }
    std::shared_ptr<kp::Algorithm> addOneTo(const std::shared_ptr<kp::TensorT<uint32_t>>& t,
                                            bool named = true) {
        kp::AlgorithmOptions options;
        if (named)
            options.addressed = {t};
        return manager.algorithm<float, uint64_t>({}, manager.compile(kAddOne),
                                                  {static_cast<uint32_t>(t->size())}, {},
                                                  {t->deviceAddress()}, options);
    }
};

TEST_F(BufferAddressTest, OrdersDispatchesByTheMemoryThatIsNamed) {
    auto t = manager.tensorT<uint32_t>({0, 1});
    auto copied = manager.tensorT<uint32_t>({0, 0});
    auto algorithm = addOneTo(t);
    auto copy = manager.algorithm({t, copied}, copyShader());
    manager.sequence()
        ->record<kp::OpAlgoDispatch>(manager.algorithm({t}, addShader(1))) // {1, 2}
        ->record<kp::OpAlgoDispatch>(algorithm)                            // {4, 7}
        ->record<kp::OpAlgoDispatch>(algorithm)                            // {13, 22}
        ->record<kp::OpAlgoDispatch>(copy)
        ->eval();
    EXPECT_EQ(onDevice<uint32_t>(*copied), (std::vector<uint32_t>{13, 22}));
    EXPECT_EQ(t->vector(), (std::vector<uint32_t>{13, 22})) << "the host view follows";
}

TEST_F(BufferAddressTest, OrdersQueuesByTheMemoryThatIsNamed) {
    auto t = manager.tensorT<uint32_t>({0});
    auto algorithm = addOneTo(t);
    kp::KernelOptions options;
    options.globalSize = 1;
    auto first = manager.queue(0);
    auto second = manager.queue(1);
    kp::KernelLauncher launcher("addOne", algorithm, {}, options);
    std::optional<kp::Event> last;
    uint32_t expected = 0;
    for (int i = 0; i < 6; ++i) {
        last = launcher.launch(i % 2 == 0 ? first : second, {});
        expected = 3 * expected + 1;
    }
    last->wait();
    EXPECT_EQ(onDevice<uint32_t>(*t)[0], expected);
}

TEST_F(BufferAddressTest, ReportsTheAccessesOfNamedMemoryAlone) {
    auto t = manager.tensorT<uint32_t>({0});
    const auto accesses = kp::OpAlgoDispatch(addOneTo(t)).accesses();
    ASSERT_EQ(accesses.entries().size(), 1u);
    EXPECT_EQ(accesses.entries()[0].memory, t);
    EXPECT_TRUE(accesses.entries()[0].reads && accesses.entries()[0].writes);
    EXPECT_FALSE(accesses.isAnything());
    EXPECT_TRUE(kp::OpAlgoDispatch(addOneTo(t, false)).accesses().isAnything());
}

TEST_F(BufferAddressTest, KeepsNamedMemoryAliveAndRefusesDestroyedMemory) {
    auto t = manager.tensorT<uint32_t>({2});
    auto algorithm = addOneTo(t);
    const std::weak_ptr<kp::Memory> weak = t;
    t.reset();
    EXPECT_FALSE(weak.expired());
    auto sequence = manager.sequence();
    sequence->eval<kp::OpAlgoDispatch>(algorithm);
    EXPECT_EQ(onDevice<uint32_t>(*weak.lock())[0], 7u);
    weak.lock()->destroy();
    EXPECT_THROW(manager.sequence()->eval<kp::OpAlgoDispatch>(algorithm), kp::InvalidArgument);
}

TEST_F(BufferAddressTest, RefusesMemoryThatCannotBeReached) {
    auto t = manager.tensorT<uint32_t>({2});
    kp::AlgorithmOptions options;
    options.addressed = {t};
    EXPECT_ERROR(kp::InvalidArgument, "uses no buffer addresses",
                 manager.algorithm({t}, addShader(1), {1}, {}, {}, options));
    const auto make = [&] {
        return manager.algorithm<float, uint64_t>({}, manager.compile(kAddOne), {1}, {},
                                                  {t->deviceAddress()}, options);
    };
    options.addressed = {t, nullptr};
    EXPECT_ERROR(kp::InvalidArgument, "memory object 1 is null", make());
    options.addressed = {manager.image({1}, 1, 1, 1)};
    EXPECT_ERROR(kp::InvalidArgument, "images have no address", make());
}

} // namespace
} // namespace kp::test
