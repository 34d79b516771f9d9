// SPDX-License-Identifier: Apache-2.0
//
// What changes, and what stays: assignment, expressions that wait, and memory shared with tensors.
#include "ArraySupport.hpp"

#include <kompute/Launch.hpp>

namespace kp::test {
namespace {

class ArrayAssignmentTest : public ArrayTest {};

TEST_F(ArrayAssignmentTest, ExpressionsKeepTheValuesTheyWereWrittenWith) {
    const Array x = of<float>({1, 2, 3});
    const Array doubled = x * 2;
    const Array shifted = doubled + x;
    x.assign(0);
    x(1).assign(100);
    expectRow<float>(doubled, {2, 4, 6});
    expectRow<float>(shifted, {3, 6, 9});
    expectRow<float>(x, {0, 100, 0});
}

TEST_F(ArrayAssignmentTest, AValueMayReadWhatItChanges) {
    const Array x = counting({6});
    x.assign(x(Slice(begin, end, -1)));
    expectRow<float>(x, {5, 4, 3, 2, 1, 0});
    x(Slice(1, end)).assign(x(Slice(begin, -1)));
    expectRow<float>(x, {5, 5, 4, 3, 2, 1});
    x.assign(x + 1);
    expectRow<float>(x, {6, 6, 5, 4, 3, 2});
    const Array square = counting({3, 3});
    square.assign(square.transpose());
    expectArray<float>(square, {3, 3}, {0, 3, 6, 1, 4, 7, 2, 5, 8});
}

TEST_F(ArrayAssignmentTest, ValuesConvertAndBroadcast) {
    const Array x = zeros({2, 3}, DType::eInt32, &manager);
    x.assign(of<float>({1.5f, 2.5f, -3.5f}));
    expectArray<int32_t>(x, {2, 3}, {1, 2, -3, 1, 2, -3});
    x(0).assign(7);
    expectArray<int32_t>(x(0), {3}, {7, 7, 7});
    EXPECT_ERROR(InvalidArgument, "does not broadcast to (2, 3)", x.assign(of<int32_t>({1, 2})));
    EXPECT_ERROR(InvalidArgument, "holds integers, not 0.5", x.assign(0.5));
    EXPECT_ERROR(InvalidArgument, "out of bounds for int32", x.assign(3000000000));
}

TEST_F(ArrayAssignmentTest, TensorsAndArraysShareMemory) {
    const auto tensor = manager.tensor({1, 2, 3, 4});
    const Array x = Array::in(tensor, manager, {2, 2}, DType::eFloat32);
    expectArray<float>(x, {2, 2}, {1, 2, 3, 4});
    x(1).assign(9);
    EXPECT_EQ(onDevice<float>(*tensor), (std::vector<float>{1, 2, 9, 9}));
    EXPECT_EQ(x.tensor(), tensor);
    const auto row = x(1).tensor(); // a copy: the tensor has more
    EXPECT_EQ(row->size(), 2u);
    EXPECT_NE(row, tensor);
    tensor->upload(std::vector<float>{5, 6, 7, 8});
    expectArray<float>(x, {2, 2}, {5, 6, 7, 8});
    EXPECT_ERROR(InvalidArgument, "the tensor is null",
                 Array::in(std::shared_ptr<Tensor>(), manager));
    EXPECT_ERROR(InvalidArgument, "has 12 bytes, but the tensor 16",
                 Array::in(tensor, manager, {3}, DType::eFloat32));
}

TEST_F(ArrayAssignmentTest, AlgorithmsSequencesAndLaunchersTakeTensorsOfArrays) {
    const Array x = (counting({4}) * 2).evaluate();
    const auto algorithm = manager.algorithm({x.tensor()}, incrementFloats());
    manager.sequence()->eval<OpAlgoDispatch>(algorithm);
    expectRow<float>(x, {1, 2 + 1, 4 + 1, 6 + 1});
    const Array later = x + 1;
    manager.sequence()->eval<OpAlgoDispatch>(algorithm);
    expectRow<float>(later, {2, 4, 6, 8}); // computed at once, since others have the memory
    KernelOptions options;
    options.globalSize = WorkSize(4);
    options.queue = manager.defaultQueue();
    KernelLauncher launcher("increment", Kernel(manager, incrementFloats()), {x.tensor()}, options);
    launcher();
    expectRow<float>(x, {3, 5, 7, 9});
    auto sequence = manager.sequence();
    sequence->record<OpAlgoDispatch>(algorithm)->evalAsync();
    expectRow<float>(x * 10, {40, 60, 80, 100});
    sequence->evalAwait();
}

} // namespace
} // namespace kp::test
