// SPDX-License-Identifier: Apache-2.0
#include "device/primitives/transforms/FftSupport.hpp"

namespace kp::test {
namespace {

TEST_F(FftTest, WorksInPlace) {
    for (const uint64_t length : {6u}) {
        SCOPED_TRACE(length);
        const std::vector<float> input = randomValues<float>(2 * length * 2, length);
        const std::vector<float> expected = run<float>(input, input.size(), {length}, {});
        const auto tensor = manager.tensorT<float>(input);
        manager.sequence()
            ->record<kp::OpSyncDevice>({tensor})
            ->record<kp::OpFFT>(tensor, TensorRange(), Extents{length})
            ->record<kp::OpSyncLocal>({tensor})
            ->eval();
        for (size_t i = 0; i < input.size(); ++i)
            ASSERT_NEAR(tensor->data()[i], expected[i], 1e-3f) << i;
        FftOptions inverse;
        inverse.inverse = true;
        manager.sequence()
            ->record<kp::OpFFT>(tensor, tensor, Extents{length}, inverse)
            ->record<kp::OpSyncLocal>({tensor})
            ->eval();
        for (size_t i = 0; i < input.size(); ++i)
            ASSERT_NEAR(tensor->data()[i], input[i], 1e-5f) << i;
    }
}

TEST_F(FftTest, WorksInPlaceOnRealRowsWithRoom) {
    for (const Extents& extents : std::vector<Extents>{{6}, {2, 3}}) {
        SCOPED_TRACE(testing::PrintToString(extents));
        const uint64_t length = extents.back();
        const uint64_t room = 2 * (length / 2 + 1);
        const uint64_t rows = 2 * productOf(extents) / length;
        const std::vector<float> values = randomValues<float>(rows * length, length);
        FftOptions options;
        options.real = true;
        const std::vector<float> expected = run<float>(values, rows * room, extents, options);
        std::vector<float> padded(rows * room, 99.0f);
        for (uint64_t row = 0; row < rows; ++row)
            std::copy_n(values.begin() + static_cast<ptrdiff_t>(row * length), length,
                        padded.begin() + static_cast<ptrdiff_t>(row * room));
        const auto tensor = manager.tensorT<float>(padded);
        manager.sequence()
            ->record<kp::OpSyncDevice>({tensor})
            ->record<kp::OpFFT>(tensor, TensorRange(), extents, options)
            ->record<kp::OpSyncLocal>({tensor})
            ->eval();
        for (size_t i = 0; i < expected.size(); ++i)
            ASSERT_NEAR(tensor->data()[i], expected[i], 1e-4f) << i;
        options.inverse = true;
        manager.sequence()
            ->record<kp::OpFFT>(tensor, TensorRange(), extents, options)
            ->record<kp::OpSyncLocal>({tensor})
            ->eval();
        for (uint64_t row = 0; row < rows; ++row)
            for (uint64_t i = 0; i < length; ++i)
                ASSERT_NEAR(tensor->data()[row * room + i], values[row * length + i], 1e-5f);
    }
}

TEST_F(FftTest, TransformsAnyAxes) {
    // Along the first axis, the transform of the transposed array.
    constexpr uint64_t kRows = 6;
    constexpr uint64_t kColumns = 5;
    for (const bool real : {false, true}) {
        const uint64_t parts = real ? 1 : 2;
        const std::vector<float> input = randomValues<float>(kRows * kColumns * parts, 4);
        std::vector<float> transposed(input.size());
        for (uint64_t row = 0; row < kRows; ++row)
            for (uint64_t column = 0; column < kColumns; ++column)
                for (uint64_t part = 0; part < parts; ++part)
                    transposed[(column * kRows + row) * parts + part] =
                        input[(row * kColumns + column) * parts + part];
        const uint64_t bins = real ? kRows / 2 + 1 : kRows;
        FftOptions options;
        options.real = real;
        const std::vector<float> expected =
            run<float>(transposed, 2 * bins * kColumns, {kRows}, options);
        options.axes = {0};
        const Extents shape{kRows, kColumns};
        const std::vector<float> actual = run<float>(input, expected.size(), shape, options);
        for (uint64_t bin = 0; bin < bins; ++bin)
            for (uint64_t column = 0; column < kColumns; ++column)
                for (uint64_t part = 0; part < 2; ++part)
                    ASSERT_NEAR(actual[(bin * kColumns + column) * 2 + part],
                                expected[(column * bins + bin) * 2 + part], 1e-5f);
        options.inverse = true;
        const std::vector<float> back = run<float>(actual, input.size(), shape, options);
        for (size_t i = 0; i < input.size(); ++i)
            ASSERT_NEAR(back[i], input[i], 1e-5f);
    }
    const std::vector<float> input = randomValues<float>(2 * 4 * 3 * 5, 4);
    FftOptions two;
    two.axes = {0, 2};
    FftOptions first;
    first.axes = {0};
    FftOptions last;
    last.axes = {-1};
    const Extents shape{4, 3, 5};
    const std::vector<float> expected =
        run<float>(run<float>(input, input.size(), shape, first), input.size(), shape, last);
    const std::vector<float> actual = run<float>(input, input.size(), shape, two);
    for (size_t i = 0; i < input.size(); ++i)
        ASSERT_NEAR(actual[i], expected[i], 1e-4f);
}

TEST_F(FftTest, CutsAndPadsItsInput) {
    const std::vector<float> input = randomValues<float>(4 * 6, 4);
    for (const Extents& shape : std::vector<Extents>{{2, 8}, {6, 4}}) {
        std::vector<float> changed(productOf(shape));
        for (uint64_t i = 0; i < std::min<uint64_t>(4, shape[0]); ++i)
            for (uint64_t j = 0; j < std::min<uint64_t>(6, shape[1]); ++j)
                changed[i * shape[1] + j] = input[i * 6 + j];
        FftOptions options;
        options.real = true;
        const uint64_t numbers = shape[0] * (shape[1] / 2 + 1) * 2;
        const std::vector<float> expected = run<float>(changed, numbers, shape, options);
        options.inputShape = {4, 6};
        const std::vector<float> actual = run<float>(input, numbers, shape, options);
        for (size_t i = 0; i < numbers; ++i)
            ASSERT_NEAR(actual[i], expected[i], 1e-4f);
    }
}

TEST_F(FftTest, TransformsPartsOfTensors) {
    const std::vector<float> input = randomValues<float>(16, 5);
    const std::vector<float> expected = run<float>(input, 16, {8}, {});
    std::vector<float> shifted(3, 1.0f);
    shifted.insert(shifted.end(), input.begin(), input.end());
    const auto in = manager.tensorT<float>(shifted);
    const auto out = manager.tensorT<float>(std::vector<float>(32, 5.0f));
    manager.sequence()
        ->record<kp::OpSyncDevice>({in, out})
        ->record<kp::OpFFT>(TensorRange(in, 3), TensorRange(out, 7, 16), Extents{8})
        ->record<kp::OpSyncLocal>({out})
        ->eval();
    for (size_t i = 0; i < 32; ++i)
        ASSERT_NEAR(out->data()[i], i < 7 || i >= 23 ? 5.0f : expected[i - 7], 1e-5f) << i;
}

TEST_F(FftTest, OperationsOfOneShapeShareNoScratchMemory) {
    // Two passes each, with scratch memory between them, in sequences that run at once.
    constexpr uint64_t kLength = 8192;
    std::vector<std::shared_ptr<kp::TensorT<float>>> ins;
    std::vector<std::shared_ptr<kp::TensorT<float>>> outs;
    std::vector<std::shared_ptr<kp::Sequence>> sequences;
    for (int i = 0; i < 3; ++i) {
        ins.push_back(
            manager.tensorT<float>(std::vector<float>(2 * kLength, static_cast<float>(i + 1))));
        outs.push_back(manager.tensorT<float>(std::vector<float>(2 * kLength)));
        sequences.push_back(manager.sequence());
        sequences.back()
            ->record<kp::OpSyncDevice>({ins.back()})
            ->record<kp::OpFFT>(ins.back(), outs.back())
            ->record<kp::OpSyncLocal>({outs.back()});
    }
    for (const auto& sequence : sequences)
        sequence->evalAsync();
    for (int i = 0; i < 3; ++i) {
        sequences[i]->evalAwait();
        EXPECT_NEAR(outs[i]->data()[0], static_cast<float>(i + 1) * kLength, 1);
        EXPECT_NEAR(outs[i]->data()[2], 0, 1);
    }
}

TEST_F(FftTest, DividesWhatIsLargerThanAStorageBuffer) {
    const auto& device = deviceOf(manager)->physical();
    if (device.properties.limits.minStorageBufferOffsetAlignment > 32)
        GTEST_SKIP() << "the bindings of a few arrays would not be aligned";
    // An invented limit of 4 KiB cuts 13 arrays of 100 numbers into three dispatches of a GPU.
    kp::primitives::FftTraits traits = kp::primitives::FftTraits::of(*deviceOf(manager));
    traits.limits.isCpu = false;
    traits.maxRange = 4096;
    kp::primitives::FftProblem problem;
    problem.extents = {100};
    problem.batches = 13;
    kp::primitives::FftPrograms programs(traits);
    kp::primitives::Plan plan = planFft(problem, traits, programs);
    EXPECT_EQ(plan.steps.size(), 3u);
    const std::vector<float> input = randomValues<float>(2600, 8);
    const auto in = manager.tensorT<float>(input);
    const auto out = manager.tensorT<float>(std::vector<float>(2600));
    std::vector<TensorRange> tensors = {in, out};
    for (const auto& constant : programs.constants(deviceOf(manager)))
        tensors.push_back(kp::tensorOf(deviceOf(manager), constant, 1));
    manager.sequence()
        ->record<kp::OpSyncDevice>({in})
        ->record(plannedOperation(std::move(plan), tensors))
        ->record<kp::OpSyncLocal>({out})
        ->eval();
    const std::vector<float> expected = run<float>(input, 2600, {100}, {});
    for (size_t i = 0; i < expected.size(); ++i)
        ASSERT_NEAR(out->data()[i], expected[i], 1e-4f) << i;

    problem.extents = {1000};
    kp::primitives::FftPrograms none(traits);
    EXPECT_ERROR(kp::Unsupported, "at most 4096", planFft(problem, traits, none));
}

} // namespace
} // namespace kp::test
