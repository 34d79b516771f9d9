// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <cmath>
#include <functional>
#include <limits>

#include "device/primitives/PrimitiveSupport.hpp"
#include "primitives/select/SelectPlan.hpp"

namespace kp::test {
namespace {

using kp::Predicate;
using kp::SelectOptions;
using kp::TensorRange;

constexpr auto kOnDevice = kp::Memory::MemoryTypes::eStorage;

using Words3 = std::array<uint32_t, 3>;

class SelectTest : public DeviceTest {
protected:
    template <typename T>
    std::shared_ptr<kp::TensorT<T>> deviceTensor(const std::vector<T>& values) {
        return manager.tensorT<T>(values, kOnDevice);
    }

    template <typename T, typename Flag>
    void expectSelected(const std::vector<T>& values, const std::vector<Flag>& flags) {
        std::vector<T> chosen;
        std::vector<T> others;
        for (size_t i = 0; i < values.size(); ++i)
            (flags[i] != Flag(0) ? chosen : others).push_back(values[i]);
        const auto in = deviceTensor(values);
        const auto flagTensor = deviceTensor(flags);
        const auto out = deviceTensor(std::vector<T>(values.size()));
        const auto count = manager.tensorT<uint32_t>(1);
        manager.sequence()->eval<kp::OpSelect>(in, flagTensor, out, count);
        ASSERT_EQ(count->vector().front(), chosen.size()) << values.size();
        auto given = onDevice<T>(*out);
        given.resize(chosen.size());
        EXPECT_EQ(given, chosen) << values.size();

        const auto wideCount = manager.tensorT<int64_t>(1);
        manager.sequence()->eval<kp::OpPartition>(in, flagTensor, out, wideCount);
        EXPECT_EQ(wideCount->vector().front(), static_cast<int64_t>(chosen.size()));
        chosen.insert(chosen.end(), others.begin(), others.end());
        EXPECT_EQ(onDevice<T>(*out), chosen) << values.size();
    }

    template <typename T>
    std::vector<T> distinctValues(size_t count) {
        const auto bytes = randomValues<uint8_t>(count * sizeof(T), count);
        std::vector<T> values(count);
        std::memcpy(values.data(), bytes.data(), bytes.size());
        return values;
    }
};

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

TEST_F(SelectTest, WorksWithoutSubgroupOperationsAndWithSmallViews) {
    const auto values = distinctValues<uint32_t>(30011);
    auto flags = randomValues<uint32_t>(30011, 9);
    for (uint32_t& flag : flags)
        flag &= 4;
    std::vector<uint32_t> expected;
    for (const bool wanted : {true, false})
        for (size_t i = 0; i < values.size(); ++i)
            if ((flags[i] != 0) == wanted)
                expected.push_back(values[i]);
    kp::primitives::SelectProblem problem;
    problem.flagType = kp::Memory::DataTypes::eUnsignedInt;
    problem.count = problem.outCount = values.size();
    problem.arguments = 4;
    problem.flags = 1;
    problem.out = 2;
    problem.number = 3;
    problem.partition = true;
    for (const uint64_t bytes : {uint64_t{1} << 27, uint64_t{60000}, uint64_t{20000}}) {
        kp::primitives::DeviceTraits traits = traitsOf(manager);
        traits.subgroups = false;
        traits.isCpu = bytes > 100000;
        traits.maxViewBytes = bytes;
        const auto out = manager.tensorT<uint32_t>(values.size());
        const auto count = manager.tensorT<uint32_t>(1);
        const auto plan = kp::primitives::planSelect(problem, traits);
        EXPECT_EQ(plan.steps.size() > 4, bytes < 100000);
        manager.sequence()->eval(
            plannedOperation(plan, {deviceTensor(values), deviceTensor(flags), out, count}));
        EXPECT_EQ(out->vector(), expected) << bytes;
    }
}

// What GPUs do: one pass, in which work groups wait for each other, or help those that say nothing.
TEST_F(SelectTest, SelectsByLookBack) {
    kp::primitives::DeviceTraits traits = traitsOf(manager);
    if (!traits.memoryModel || !traits.subgroups)
        GTEST_SKIP() << "the device has no memory model with device scope, or no subgroups";
    traits.isCpu = false;
    kp::primitives::SelectProblem problem;
    problem.type = kp::Memory::DataTypes::eUnsignedInt;
    problem.arguments = 5;
    problem.flags = 1;
    problem.flagType = kp::Memory::DataTypes::eUnsignedChar;
    problem.out = 2;
    problem.number = 3;
    problem.dispatch = 4;
    problem.groupSize = 1000;
    for (const bool byPredicate : {false, true}) {
        if (byPredicate) {
            problem.choice = kp::primitives::SelectProblem::Choice::ePredicate;
            problem.predicate = "x % 3u == 0u";
        }
        for (const uint32_t silent : {0u, 1u}) { // drivers take long to compile each
            if (byPredicate && silent != 0)
                continue;
            for (const size_t count : {1, 255, 256, 257, 30011}) {
                const auto values = distinctValues<uint32_t>(count);
                auto flags = randomValues<uint8_t>(count, 9);
                for (size_t i = 0; i < count; ++i)
                    flags[i] = byPredicate ? values[i] % 3 == 0 : flags[i] & 4;
                std::vector<uint32_t> chosen;
                for (size_t i = 0; i < count; ++i)
                    if (flags[i] != 0)
                        chosen.push_back(values[i]);
                problem.count = count;
                problem.outCount = count;
                auto rules = kp::primitives::SelectRules::of(problem, traits);
                EXPECT_EQ(rules.way, kp::primitives::SelectWay::eLookBack) << rules.reason;
                rules.tile = {64, 4, 4};
                rules.silentGroups = silent;
                rules.spins = 8;
                rules.ahead = byPredicate || silent != 0;
                const auto out = manager.tensorT<uint32_t>(count);
                const auto number = manager.tensorT<uint32_t>(1);
                const auto groups = manager.tensorT<uint32_t>(3);
                manager.sequence()->eval(plannedOperation(
                    kp::primitives::planSelect(problem, traits, rules),
                    {deviceTensor(values), deviceTensor(flags), out, number, groups}));
                ASSERT_EQ(number->vector().front(), chosen.size()) << count << " " << silent;
                auto given = out->vector();
                given.resize(chosen.size());
                EXPECT_EQ(given, chosen) << count << " " << silent;
                const auto wanted = static_cast<uint32_t>((chosen.size() + 999) / 1000);
                EXPECT_EQ(groups->vector(), (std::vector<uint32_t>{wanted, 1, 1}));
            }
        }
    }
}

// What devices without look-back do, with a tile per work group or per invocation, in one piece and
// in several.
TEST_F(SelectTest, FindsRunsByThreeDispatchesInAnyTiles) {
    kp::primitives::DeviceTraits traits = traitsOf(manager);
    traits.isCpu = false;
    traits.memoryModel = false;
    kp::primitives::SelectProblem problem;
    problem.choice = kp::primitives::SelectProblem::Choice::eHeads;
    problem.type = kp::Memory::DataTypes::eUnsignedInt;
    problem.arguments = 5;
    problem.out = 1;
    problem.lengths = 2;
    problem.inverse = 3;
    problem.number = 4;
    for (const uint64_t viewBytes : {traits.maxViewBytes, uint64_t{8192}})
        for (const uint64_t strip : {0, 32, 1024})
            for (const size_t count : {1, 31, 33, 1024, 5003}) {
                traits.maxViewBytes = viewBytes;
                auto values = randomValues<uint32_t>(count, 3);
                std::vector<uint32_t> heads, lengths, inverse;
                for (uint32_t& value : values) {
                    value = value % 5 / 3; // long runs, and short ones
                    if (heads.empty() || heads.back() != value) {
                        heads.push_back(value);
                        lengths.push_back(0);
                    }
                    ++lengths.back();
                    inverse.push_back(static_cast<uint32_t>(heads.size() - 1));
                }
                problem.count = problem.outCount = problem.lengthCount = count;
                auto rules = kp::primitives::SelectRules::of(problem, traits);
                EXPECT_EQ(rules.way, kp::primitives::SelectWay::eThreeDispatches);
                rules.strip = strip;
                const auto out = manager.tensorT<uint32_t>(count);
                const auto sizes = manager.tensorT<uint32_t>(count);
                const auto places = manager.tensorT<uint32_t>(count);
                const auto number = manager.tensorT<uint32_t>(1);
                manager.sequence()->eval(
                    plannedOperation(kp::primitives::planSelect(problem, traits, rules),
                                     {deviceTensor(values), out, sizes, places, number}));
                ASSERT_EQ(number->vector().front(), heads.size()) << count << " " << strip;
                const auto first = [&](const std::vector<uint32_t>& all) {
                    return std::vector<uint32_t>(all.begin(), all.begin() + heads.size());
                };
                EXPECT_EQ(first(out->vector()), heads) << count << " " << strip;
                EXPECT_EQ(first(sizes->vector()), lengths) << count << " " << strip;
                EXPECT_EQ(places->vector(), inverse) << count << " " << strip;
            }
}

// What drivers of processors do with few elements.
TEST_F(SelectTest, FindsFewRunsByOneInvocation) {
    kp::primitives::DeviceTraits traits = traitsOf(manager);
    traits.isCpu = true;
    kp::primitives::SelectProblem problem;
    problem.choice = kp::primitives::SelectProblem::Choice::eHeads;
    problem.type = kp::Memory::DataTypes::eUnsignedInt;
    problem.arguments = 6;
    problem.out = 1;
    problem.lengths = 2;
    problem.inverse = 3;
    problem.number = 4;
    problem.dispatch = 5;
    problem.groupSize = 10;
    for (const bool wide : {false, true})
        for (const size_t count : {1, 31, 33, 1024}) {
            std::vector<uint32_t> values(count), heads, lengths, inverse;
            for (size_t i = 0; i < count; ++i) {
                values[i] = static_cast<uint32_t>(i * i / 50);
                if (heads.empty() || heads.back() != values[i]) {
                    heads.push_back(values[i]);
                    lengths.push_back(0);
                }
                ++lengths.back();
                inverse.push_back(static_cast<uint32_t>(heads.size() - 1));
            }
            problem.count = count;
            problem.outCount = problem.lengthCount =
                heads.size() - heads.size() / 4; // the rest is dropped
            problem.wideNumber = problem.wideLengths = problem.wideInverse = wide;
            ASSERT_EQ(kp::primitives::SelectRules::of(problem, traits).way,
                      kp::primitives::SelectWay::eAlone);
            const auto out = manager.tensorT<uint32_t>(problem.outCount);
            const uint32_t words = wide ? 2 : 1;
            const auto sizes = manager.tensorT<uint32_t>(problem.lengthCount * words);
            const auto places = manager.tensorT<uint32_t>(count * words);
            const auto number = manager.tensorT<uint32_t>(words);
            const auto groups = manager.tensorT<uint32_t>(3);
            manager.sequence()->eval(
                plannedOperation(kp::primitives::planSelect(problem, traits),
                                 {deviceTensor(values), out, sizes, places, number, groups}));
            const auto low = [&](const std::vector<uint32_t>& all) {
                std::vector<uint32_t> kept;
                for (size_t i = 0; i < all.size(); i += words)
                    kept.push_back(all[i]);
                return kept;
            };
            EXPECT_EQ(number->vector()[0], heads.size()) << count;
            heads.resize(problem.outCount);
            lengths.resize(problem.lengthCount);
            EXPECT_EQ(groups->vector()[0], (low(number->vector())[0] + 9) / 10);
            EXPECT_EQ(out->vector(), heads) << count;
            EXPECT_EQ(low(sizes->vector()), lengths) << count;
            EXPECT_EQ(low(places->vector()), inverse) << count;
        }
}

// Small tiles for few elements, and large ones. The first element does not start a block.
TEST_F(SelectTest, SelectsByLookBackAsOnAGpu) {
    kp::primitives::DeviceTraits traits = traitsOf(manager);
    if (!traits.memoryModel || !traits.subgroups)
        GTEST_SKIP() << "the device has no memory model with device scope, or no subgroups";
    traits.isCpu = false;
    const auto expectSelected = [&](auto first, size_t count, bool asOfMany = false) {
        using T = decltype(first);
        const auto values = randomValues<T>(count + 1);
        std::vector<T> chosen;
        for (size_t i = 1; i <= count; ++i)
            if (values[i] > T(0.25))
                chosen.push_back(values[i]);
        const auto in = deviceTensor(values);
        const auto out = manager.tensorT<T>(count);
        const auto number = manager.tensorT<uint32_t>(1);
        kp::primitives::SelectProblem problem;
        problem.choice = kp::primitives::SelectProblem::Choice::ePredicate;
        problem.predicate = "x > T(0.25)";
        problem.type = in->dataType();
        problem.elementBytes = sizeof(T);
        problem.count = problem.outCount = count;
        problem.arguments = 3;
        problem.out = 1;
        problem.number = 2;
        auto rules = kp::primitives::SelectRules::of(problem, traits);
        if (asOfMany) {
            rules.tile = kp::primitives::SelectRules{}.tile;
            rules.ahead = sizeof(T) == 4;
        }
        manager.sequence()->eval(
            plannedOperation(kp::primitives::planSelect(problem, traits, rules),
                             {kp::TensorRange(in, 1, count), out, number}));
        ASSERT_EQ(number->vector().front(), chosen.size()) << count;
        auto given = out->vector();
        given.resize(chosen.size());
        EXPECT_TRUE(given == chosen) << count << " " << sizeof(T);
    };
    for (const size_t count : {3, 4096, 60011})
        expectSelected(float{}, count);
    for (const size_t count : {12288, 300007})
        expectSelected(float{}, count, true);
    expectSelected(uint8_t{}, 60011);
    expectSelected(uint16_t{}, 60011);
    expectSelected(double{}, 300007, true);
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
