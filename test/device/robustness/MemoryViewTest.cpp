// SPDX-License-Identifier: Apache-2.0
//
// Several tensors that are views of one memory, and memory that is not mapped.
#include "device/CallCounter.hpp"
#include "device/TestSupport.hpp"

#include "vulkan/device/Device.hpp"

namespace kp::test {
namespace {

using DataTypes = kp::Memory::DataTypes;
using Values = std::vector<uint32_t>;

class MemoryViewTest : public DeviceTest {
protected:
    const uint64_t step = std::max<uint64_t>(
        deviceOf(manager)->physical().properties.limits.minStorageBufferOffsetAlignment, 256);

    std::shared_ptr<kp::Tensor> viewOf(const kp::Tensor& tensor, uint64_t count,
                                       uint64_t offset = 0) {
        return manager.wrapBuffer(tensor.nativeBuffer(), count, 4, DataTypes::eUnsignedInt,
                                  tensor.nativeOffset() + offset);
    }
};

TEST_F(MemoryViewTest, OrdersAWrapOfATensorsBufferAgainstTheTensor) {
    const auto tensor = manager.tensorT<uint32_t>(Values(2 * step / 4, 0));
    auto sq = manager.sequence();
    sq->record<kp::OpSyncDevice>({tensor});
    // Used before anything is known of views.
    sq->record<kp::OpAlgoDispatch>(manager.algorithm({tensor}, addShader(1)));
    const auto high = viewOf(*tensor, step / 4, step);
    {
        const CallCounter calls(manager);
        for (int i = 0; i < 10; ++i) {
            sq->record<kp::OpAlgoDispatch>(manager.algorithm({high}, addShader(1)));
            sq->record<kp::OpAlgoDispatch>(manager.algorithm({tensor}, addShader(1)));
        }
        sq->end();
        EXPECT_GE(calls.barriers(), 20u);
    }
    sq->eval();
    const Values values = onDevice<uint32_t>(*tensor);
    EXPECT_EQ(values.front(), 11u);
    EXPECT_EQ(values.back(), 21u);

    // The mirror of the tensor follows what the view writes.
    manager.sequence()->eval<kp::OpFill>({high}, 5u);
    EXPECT_EQ(tensor->vector().back(), 5u);
    EXPECT_EQ(tensor->vector().front(), 11u);
}

TEST_F(MemoryViewTest, RefusesCopiesBetweenViewsThatOverlap) {
    const auto tensor = manager.tensorT<uint32_t>(Values(3 * step / 4, 7));
    const auto low = viewOf(*tensor, 2 * step / 4);
    const auto high = viewOf(*tensor, 2 * step / 4, step);
    const auto last = viewOf(*tensor, step / 4, 2 * step);
    const auto first = viewOf(*tensor, step / 4);
    const auto other = manager.tensorT<uint32_t>(Values(2 * step / 4, 1));
    EXPECT_ERROR(kp::InvalidArgument, "views of the same",
                 manager.sequence()->eval<kp::OpCopy>({low, high}));
    EXPECT_ERROR(kp::InvalidArgument, "share memory",
                 manager.sequence()->eval<kp::OpCopy>({other, low, high}));
    manager.sequence()->eval<kp::OpCopy>({other, low});
    manager.sequence()->eval<kp::OpFill>({last}, 9u);
    manager.sequence()->eval<kp::OpCopy>({last, first}); // apart
    const Values values = onDevice<uint32_t>(*tensor);
    EXPECT_EQ(values[0], 9u);
    EXPECT_EQ(values[step / 4], 1u);
}

} // namespace
} // namespace kp::test
