// SPDX-License-Identifier: Apache-2.0
#include "device/primitives/select/SelectSupport.hpp"

namespace kp::test {
namespace {

TEST_F(SelectTest, SelectsAndPartitionsAnyNumberOfElements) {
    for (const size_t count : kSizes) {
        auto flags = randomValues<uint8_t>(count, count + 1);
        for (uint8_t& flag : flags)
            flag %= 3;
        expectSelected(ascending<uint32_t>(count), flags);
    }
}

TEST_F(SelectTest, SelectsNoneAFewOrAll) {
    for (const size_t count : {1, 4096, 50001}) {
        const auto values = ascending<uint32_t>(count);
        std::vector<int32_t> flags(count);
        expectSelected(values, flags);
        flags.back() = -1;
        expectSelected(values, flags);
        flags.front() = 1;
        expectSelected(values, flags);
        expectSelected(values, std::vector<int32_t>(count, 7));
    }
}

TEST_F(SelectTest, TakesElementsAndFlagsOfEveryType) {
    const size_t count = 9001;
    const auto flags = [&]<typename Flag>(Flag one) {
        std::vector<Flag> result;
        for (const uint8_t x : randomValues<uint8_t>(count))
            result.push_back(x % 5 < 2 ? one : Flag(0));
        return result;
    };
    expectSelected(distinctValues<uint8_t>(count), flags(uint8_t{200}));
    expectSelected(distinctValues<uint16_t>(count), flags(int16_t{-3}));
    expectSelected(distinctValues<uint64_t>(count), flags(uint32_t{1} << 31));
    expectSelected(distinctValues<Words3>(count), flags(int64_t{1} << 32));
    expectSelected(distinctValues<std::array<uint32_t, 4>>(count), flags(0.5f));
    expectSelected(distinctValues<std::array<uint8_t, 7>>(count), flags(1e-300));
    expectSelected(distinctValues<std::array<uint16_t, 21>>(count), flags(uint64_t{1} << 40));
}

TEST_F(SelectTest, SelectsByAPredicateInGlsl) {
    for (const size_t count : {1, 100, 20011}) {
        const auto values = randomValues<float>(count, count);
        std::vector<float> expected;
        for (const float x : values)
            if (x > 0.25f || x < -0.75f)
                expected.push_back(x);
        const auto out = manager.tensorT<float>(std::vector<float>(count));
        const auto number = manager.tensorT<int32_t>(1);
        manager.sequence()->eval<kp::OpSelect>(deviceTensor(values),
                                               Predicate("x > 0.25 || x < T(-0.75)"), out, number);
        auto given = out->vector();
        given.resize(static_cast<size_t>(number->vector().front()));
        EXPECT_EQ(given, expected);
    }
    const auto bytes = ascending<int8_t>(100);
    const auto out = manager.tensorT<int8_t>(100);
    manager.sequence()->eval<kp::OpPartition>(deviceTensor(bytes), Predicate("(x & 1) != 0"), out,
                                              TensorRange());
    EXPECT_EQ(out->vector()[0], 1);
    EXPECT_EQ(out->vector()[49], 99);
    EXPECT_EQ(out->vector()[50], 0);
    EXPECT_EQ(out->vector()[99], 98);
}

TEST_F(SelectTest, SaysWhatIsWrongWithAPredicate) {
    const auto values = manager.tensorT<float>({1, 2});
    const auto out = manager.tensorT<float>(2);
    EXPECT_ERROR(kp::ShaderError, "predicate:1:5: error: 'q' : undeclared identifier\n 1 | x < q",
                 kp::OpSelect(values, Predicate("x < q"), out, {}));
    EXPECT_ERROR(kp::ShaderError,
                 "predicate:2:2: error: syntax error, unexpected ')' after the end",
                 kp::OpSelect(values, Predicate("x\n> \n"), out, {}));
    EXPECT_ERROR(kp::InvalidArgument, "OpSelect: the predicate is empty",
                 kp::OpSelect(values, Predicate(""), out, {}));
}

TEST_F(SelectTest, RefusesAPredicateThatIsNoCondition) {
    const std::string asked = "a predicate is a condition over x, true or false";
    const std::string hint = "; with '=', did you mean '=='?";
    const auto values = manager.tensorT<int32_t>({1, 2, 3});
    const auto out = manager.tensorT<int32_t>(3);
    for (const char* predicate : {"x = 2", "x += 1", "(x = 2) == 2"})
        EXPECT_ERROR(kp::ShaderError, asked + hint,
                     kp::OpSelect(values, Predicate(predicate), out, {}));
    for (const char* predicate : {"x + 2", "x", "x++ > 1", "x++ == 2", "x >= y"})
        EXPECT_ERROR(kp::ShaderError, asked, kp::OpSelect(values, Predicate(predicate), out, {}));
    EXPECT_ERROR(kp::ShaderError, "predicate:1: error: 'assign' :  l-value required",
                 kp::OpSelect(values, Predicate("x = 2"), out, {}));
    EXPECT_ERROR(kp::ShaderError, "predicate:1: error: 'return' :",
                 kp::OpSelect(values, Predicate("x + 2"), out, {}));
    const auto flags = manager.tensorT<bool>({false, true, false});
    const auto set = manager.tensorT<bool>(3);
    EXPECT_ERROR(kp::ShaderError, asked, kp::OpPartition(flags, Predicate("x = true"), set, {}));
    manager.sequence()->eval<kp::OpPartition>(flags, Predicate("x"), set, TensorRange());
    EXPECT_EQ(set->vector(), (std::vector<bool>{true, false, false}));
    manager.sequence()->eval<kp::OpPartition>(flags, Predicate("!x"), set, TensorRange());
    EXPECT_EQ(set->vector(), (std::vector<bool>{false, false, true}));
    EXPECT_NO_THROW(kp::OpSelect(values, Predicate("x <= 2 && x != 0"), out, {}));
}

TEST_F(SelectTest, CountsWhatDoesNotFitButWritesNothingBehindTheOutput) {
    const auto out = deviceTensor(std::vector<uint32_t>(100, 7));
    const auto count = manager.tensorT<uint32_t>(1);
    manager.sequence()->eval<kp::OpSelect>(deviceTensor(ascending<uint32_t>(5000)),
                                           Predicate("x % 3u == 0u"), TensorRange(out, 10, 20),
                                           count);
    EXPECT_EQ(count->vector().front(), 1667u);
    std::vector<uint32_t> expected(100, 7);
    for (uint32_t i = 0; i < 20; ++i)
        expected[10 + i] = 3 * i;
    EXPECT_EQ(onDevice<uint32_t>(*out), expected);
}

TEST_F(SelectTest, TakesPartsOfTensors) {
    const auto values = distinctValues<uint8_t>(20000);
    auto flags = randomValues<uint8_t>(20000, 3);
    for (uint8_t& flag : flags)
        flag &= 1;
    const auto in = deviceTensor(values);
    const auto flagTensor = deviceTensor(flags);
    for (const size_t first : {0, 1, 5, 16, 33})
        for (const size_t count : {1, 31, 32, 4097, 15000}) {
            const auto out = deviceTensor(std::vector<uint8_t>(20000, 9));
            const auto number = manager.tensorT<uint32_t>(3);
            manager.sequence()->eval<kp::OpPartition>(
                TensorRange(in, first, count), TensorRange(flagTensor, first + 3, count),
                TensorRange(out, first + 1, count), TensorRange(number, 1, 1));
            std::vector<uint8_t> expected(20000, 9);
            size_t place = first + 1;
            for (const uint8_t wanted : {1, 0})
                for (size_t i = 0; i < count; ++i)
                    if (flags[first + 3 + i] == wanted)
                        expected[place++] = values[first + i];
            EXPECT_EQ(onDevice<uint8_t>(*out), expected) << first << " " << count;
        }
}

TEST_F(SelectTest, OfNothingIsNothing) {
    const auto values = manager.tensorT<float>({1, 2, 3});
    const auto out = manager.tensorT<float>(3);
    const auto count = manager.tensorT<uint64_t>({77});
    const auto groups = manager.tensorT<uint32_t>({7, 7, 7});
    SelectOptions options;
    options.dispatch = groups;
    manager.sequence()->eval<kp::OpSelect>(TensorRange(values, 1, 0), Predicate("true"),
                                           TensorRange(out, 0, 0), count, options);
    EXPECT_EQ(count->vector().front(), 0u);
    EXPECT_EQ(groups->vector(), (std::vector<uint32_t>{0, 1, 1}));
    manager.sequence()->eval<kp::OpSelect>(values, Predicate("false"), TensorRange(out, 0, 0),
                                           count, options);
    EXPECT_EQ(groups->vector(), (std::vector<uint32_t>{0, 1, 1}));
}

TEST_F(SelectTest, ItsGroupCountsAreWithinTheLimits) {
    const auto limits = manager.deviceInfo().maxWorkgroupCount;
    const uint64_t most = std::min({limits[0], limits[1], limits[2]});
    const uint32_t chosen = 70'001; // more groups than Vulkan promises along one axis
    const auto values = manager.tensorT<uint32_t>(ascending<uint32_t>(100'000));
    const auto out = manager.tensorT<uint32_t>(1); // room for fewer than are chosen
    const auto count = manager.tensorT<uint32_t>(1);
    const auto groups = manager.tensorT<uint32_t>(3);
    const auto visited = manager.tensorT<uint32_t>({0});
    SelectOptions options;
    options.dispatch = groups;
    options.groupSize = 1;
    const auto algorithm = manager.algorithm({visited, count}, kp::compile(R"(
        #version 450
        layout(local_size_x = 1) in;
        layout(binding = 0) buffer A { uint visited; };
        layout(binding = 1) readonly buffer B { uint count; };
        void main() {
            uint group = gl_WorkGroupID.x + gl_NumWorkGroups.x *
                         (gl_WorkGroupID.y + gl_NumWorkGroups.y * gl_WorkGroupID.z);
            if (group < count)
                atomicAdd(visited, 1u);
        })"));
    manager.sequence()
        ->record<kp::OpSelect>(values, Predicate("x < 70001u"), out, count, options)
        ->record<kp::OpAlgoDispatch>(algorithm, groups, uint64_t{0})
        ->eval();
    const std::vector<uint32_t> given = groups->vector();
    for (const uint32_t each : given)
        EXPECT_LE(each, most);
    EXPECT_GE(uint64_t{given[0]} * given[1] * given[2], chosen);
    EXPECT_EQ(visited->vector(), std::vector<uint32_t>{chosen});
}

TEST_F(SelectTest, ItsCountDispatchesLaterWork) {
    const auto values = manager.tensorT<uint32_t>(ascending<uint32_t>(10000));
    const auto chosen = manager.tensorT<uint32_t>(10000);
    const auto count = manager.tensorT<uint32_t>(1);
    const auto groups = manager.tensorT<uint32_t>(3);
    SelectOptions options;
    options.dispatch = groups;
    options.groupSize = 64;
    const auto algorithm = manager.algorithm({chosen, count}, kp::compile(R"(
        #version 450
        layout(local_size_x = 64) in;
        layout(binding = 0) buffer A { uint values[]; };
        layout(binding = 1) buffer B { uint count; };
        void main() {
            if (gl_GlobalInvocationID.x < count)
                values[gl_GlobalInvocationID.x] += 1000000;
        })"));
    manager.sequence()
        ->record<kp::OpSyncDevice>({values, chosen})
        ->record<kp::OpSelect>(values, Predicate("x % 7u == 0u"), chosen, count, options)
        ->record<kp::OpAlgoDispatch>(algorithm, groups, uint64_t{0})
        ->eval();
    EXPECT_EQ(groups->vector(), (std::vector<uint32_t>{(1429 + 63) / 64, 1, 1}));
    std::vector<uint32_t> expected(10000);
    for (uint32_t i = 0; i < 1429; ++i)
        expected[i] = 7 * i + 1000000;
    auto given = chosen->vector();
    std::fill(given.begin() + 1429, given.end(), 0u);
    EXPECT_EQ(given, expected);
}

TEST_F(SelectTest, RefusesArgumentsThatDoNotMatch) {
    const auto six = manager.tensorT<float>({1, 2, 3, 4, 5, 6});
    const auto out = manager.tensorT<float>(6);
    const auto flags = manager.tensorT<uint32_t>(6);
    const auto count = manager.tensorT<uint32_t>(1);
    const auto expect = [](const char* message, const TensorRange& in, const TensorRange& which,
                           const TensorRange& to, const TensorRange& number,
                           const SelectOptions& options = {}) {
        EXPECT_ERROR(kp::InvalidArgument, message, kp::OpPartition(in, which, to, number, options));
    };
    expect("the flags is null", six, {}, out, count);
    expect("the output is null", six, flags, {}, count);
    expect("the input has 5 elements, but there are 6 flags", TensorRange(six, 1), flags,
           TensorRange(out, 1), count);
    expect("the input has 6 elements, but the output has 5", six, flags, TensorRange(out, 1),
           count);
    expect("overlap", six, flags, six, count);
    expect("overlap", six, flags, out, TensorRange(flags, 2, 1));
    expect("the count is one element, but 6 were given", six, manager.tensorT<uint32_t>(6), out,
           manager.tensorT<uint32_t>(6));
    expect("the count must be of eUnsignedInt", six, flags, out, manager.tensorT<float>(1));
    SelectOptions options;
    options.dispatch = manager.tensorT<uint32_t>(4);
    expect("the dispatch is three elements of eUnsignedInt, not 4 of eUnsignedInt", six, flags, out,
           count, options);
    options.dispatch = manager.tensorT<uint32_t>(3);
    options.groupSize = 0;
    expect("the group size of the dispatch is 0", six, flags, out, count, options);
    const auto custom = manager.tensor(uint64_t{6}, uint64_t{12}, kp::Memory::DataTypes::eCustom);
    const auto other = manager.tensor(uint64_t{6}, uint64_t{12}, kp::Memory::DataTypes::eCustom);
    EXPECT_ERROR(kp::InvalidArgument, "elements of eCustom cannot be given to a predicate",
                 kp::OpSelect(custom, Predicate("true"), other, count));
}

} // namespace
} // namespace kp::test
