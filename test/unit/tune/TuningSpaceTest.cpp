// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <set>

#include <gtest/gtest.h>
#include <kompute/Error.hpp>

#include "tune/TuningSpace.hpp"
#include "unit/TestText.hpp"

namespace kp::tune {
namespace {

using test::contains;

TuningLimits limits() {
    TuningLimits limits;
    limits.maxInvocations = 256;
    limits.maxSize = {256, 256, 64};
    limits.maxCount = {65535, 65535, 65535};
    limits.maxSharedBytes = 32768;
    limits.subgroupSize = 32;
    return limits;
}

std::vector<std::string> texts(const TuningDraw& draw) {
    std::vector<std::string> all;
    for (const TuningConfiguration& configuration : draw.configurations)
        all.push_back(configuration.toString());
    return all;
}

/// Returns the message of the InvalidArgument that @p statement must throw.
template <typename Statement>
std::string refusalOf(Statement statement) {
    try {
        statement();
    } catch (const InvalidArgument& error) {
        return error.what();
    }
    ADD_FAILURE() << "nothing was thrown";
    return "";
}

TEST(TuningConfiguration, ReturnsValuesByNameAndType) {
    const TuningConfiguration configuration(
        {{"local_size_x", int64_t{8}}, {"factor", 0.5}, {"layout", std::string("rows")}});
    EXPECT_EQ(configuration.integer("local_size_x"), 8);
    EXPECT_DOUBLE_EQ(configuration.number("local_size_x"), 8.0);
    EXPECT_DOUBLE_EQ(configuration.number("factor"), 0.5);
    EXPECT_EQ(configuration.text("layout"), "rows");
    EXPECT_TRUE(configuration.has("layout"));
    EXPECT_FALSE(configuration.has("none"));
    EXPECT_EQ(configuration.localSize(), (Workgroup{8, 1, 1}));
    EXPECT_EQ(configuration.toString(), "local_size_x=8, factor=0.5, layout=rows");
    EXPECT_TRUE(contains(refusalOf([&] { configuration.integer("factor"); }), "'factor'"));
    EXPECT_TRUE(contains(refusalOf([&] { configuration.text("none"); }), "'none'"));
    EXPECT_TRUE(contains(refusalOf([&] { configuration.number("layout"); }), "rows"));
}

TEST(TunableKernel, RefusesInvalidDeclarations) {
    EXPECT_THROW(TunableKernel(""), InvalidArgument);
    TunableKernel kernel("k", {1});
    kernel.parameter("a", std::vector<int64_t>{1, 2})
        .specialization(3, "b", std::vector<int64_t>{1});
    EXPECT_TRUE(
        contains(refusalOf([&] { kernel.parameter("a", std::vector<int64_t>{1}); }), "'a'"));
    EXPECT_TRUE(contains(refusalOf([&] { kernel.parameter("c", std::vector<int64_t>{}); }), "'c'"));
    EXPECT_TRUE(contains(refusalOf([&] {
                             kernel.parameter("c", std::vector<int64_t>{1, 2, 1});
                         }),
                         "twice"));
    EXPECT_TRUE(contains(
        refusalOf([&] { kernel.specialization(3, "c", std::vector<double>{1.0}); }), "'b'"));
    EXPECT_THROW(kernel.localSize({0}), InvalidArgument);
    EXPECT_THROW(kernel.variant("v", {1}), InvalidArgument) << "the kernel has SPIR-V already";
    EXPECT_THROW(kernel.factory([](const TuningConfiguration&) { return std::vector<uint32_t>(); }),
                 InvalidArgument);
    EXPECT_THROW(kernel.constraint("none", nullptr), InvalidArgument);
    kernel.constant(SpecializationConstant::of(1, 2.0f));
    EXPECT_THROW(kernel.constant(SpecializationConstant::of(1, 3.0f)), InvalidArgument);
    EXPECT_EQ(kernel.configurationCount(), 2u);

    TunableKernel variants("v");
    variants.variant("one", {1}).variant("two", {2});
    EXPECT_THROW(variants.variant("one", {3}), InvalidArgument);
    EXPECT_EQ(variants.configurationCount(), 2u);
}

TEST(TuningSpace, NumbersEveryConfiguration) {
    TunableKernel kernel("k", {1});
    kernel.parameter("a", std::vector<int64_t>{1, 2}).parameter("b", std::vector<int64_t>{3, 4, 5});
    ASSERT_EQ(kernel.configurationCount(), 6u);
    std::set<std::string> all;
    for (uint64_t number = 0; number < 6; ++number) {
        const TuningConfiguration configuration = configurationAt(kernel, number);
        EXPECT_TRUE(belongsTo(kernel, configuration));
        all.insert(configuration.toString());
    }
    EXPECT_EQ(all.size(), 6u);
    EXPECT_EQ(configurationAt(kernel, 1).toString(), "a=1, b=4");
    EXPECT_FALSE(belongsTo(kernel, TuningConfiguration({{"a", int64_t{1}}})));
    EXPECT_FALSE(belongsTo(kernel, TuningConfiguration({{"a", int64_t{1}}, {"b", int64_t{9}}})));
    EXPECT_FALSE(belongsTo(kernel, TuningConfiguration({{"a", int64_t{1}}, {"b", 3.0}})));
}

TEST(TuningSpace, LeavesOutConfigurationsBeyondConstraintsAndLimits) {
    TunableKernel kernel("k", {1});
    kernel.localSize({32, 64, 512}, {1, 4, 8}).parameter("unroll", std::vector<int64_t>{1, 2});
    kernel.constraint("unrolled only in one dimension", [](const TuningConfiguration& c) {
        return c.integer("unroll") == 1 || c.integer("local_size_y") == 1;
    });
    const TuningDraw draw = drawConfigurations(kernel, limits(), 1000, 1, true);
    EXPECT_EQ(draw.constrained, 6u);
    EXPECT_EQ(draw.pruned, 3u + 1u + 1u) << "512 is too wide, and 64 x 8 has too many invocations";
    EXPECT_EQ(draw.configurations.size(), 18u - 6 - 5);
    for (const TuningConfiguration& configuration : draw.configurations) {
        const Workgroup size = configuration.localSize();
        EXPECT_LE(size[0] * size[1], 256u);
        EXPECT_TRUE(isAllowed(kernel, limits(), configuration));
    }
}

TEST(TuningSpace, KeepsOnlySubgroupMultiplesIfThereAreAny) {
    TunableKernel some("k", {1});
    some.localSize({8, 32, 48, 64});
    const TuningDraw draw = drawConfigurations(some, limits(), 100, 1, true);
    EXPECT_EQ(texts(draw), (std::vector<std::string>{"local_size_x=32", "local_size_x=64"}));
    EXPECT_EQ(draw.pruned, 2u);
    EXPECT_EQ(drawConfigurations(some, limits(), 100, 1, false).configurations.size(), 4u);
    TunableKernel none("k", {1});
    none.localSize({8, 48});
    EXPECT_EQ(drawConfigurations(none, limits(), 100, 1, true).configurations.size(), 2u);
    TunableKernel other("k", {1});
    other.parameter("a", std::vector<int64_t>{1, 2});
    EXPECT_EQ(drawConfigurations(other, limits(), 100, 1, true).configurations.size(), 2u);
}

TEST(TuningSpace, ExplainsWhyNoConfigurationIsLeft) {
    TunableKernel kernel("matmul", {1});
    kernel.localSize({512, 1024});
    std::string refusal = refusalOf([&] { drawConfigurations(kernel, limits(), 9, 1, true); });
    EXPECT_TRUE(contains(refusal, "matmul") && contains(refusal, "2 by limits") &&
                contains(refusal, "maxComputeWorkGroupSize[0] = 256"))
        << refusal;
    TunableKernel impossible("k", {1});
    impossible.constraint("never", [](const TuningConfiguration&) { return false; });
    refusal = refusalOf([&] { drawConfigurations(impossible, limits(), 9, 1, true); });
    EXPECT_TRUE(contains(refusal, "'never'")) << refusal;
}

TEST(TuningSpace, DrawsEvenlyAndReproducibly) {
    TunableKernel kernel("k", {1});
    std::vector<int64_t> values;
    for (int64_t i = 0; i < 1000; ++i)
        values.push_back(i);
    kernel.parameter("a", values);
    const TuningDraw draw = drawConfigurations(kernel, limits(), 10, 7, true);
    ASSERT_EQ(draw.configurations.size(), 10u);
    for (size_t i = 0; i < 10; ++i)
        EXPECT_EQ(draw.configurations[i].integer("a") / 100, static_cast<int64_t>(i));
    EXPECT_EQ(texts(draw), texts(drawConfigurations(kernel, limits(), 10, 7, true)));
    EXPECT_NE(texts(draw), texts(drawConfigurations(kernel, limits(), 10, 8, true)));
}

TEST(TuningSpace, DrawsFromHugeSpaces) {
    TunableKernel kernel("k", {1});
    std::vector<int64_t> values;
    for (int64_t i = 0; i < 1000; ++i)
        values.push_back(i);
    for (const char* name : {"a", "b", "c", "d", "e", "f", "g"})
        kernel.parameter(name, values);
    EXPECT_EQ(kernel.configurationCount(), UINT64_MAX);
    int checks = 0;
    kernel.constraint("even", [&](const TuningConfiguration& c) {
        ++checks;
        return c.integer("a") % 2 == 0;
    });
    const TuningDraw draw = drawConfigurations(kernel, limits(), 32, 1, true);
    EXPECT_EQ(draw.configurations.size(), 32u);
    EXPECT_LT(checks, 1000);
}

TEST(TuningSpace, RanksByTheRuleOfThumb) {
    TunableKernel kernel("k", {1});
    kernel.parameter("unroll", std::vector<int64_t>{4, 1}).localSize({32, 256, 128});
    const auto ranked = rankByRule(
        kernel, limits(), drawConfigurations(kernel, limits(), 100, 1, true).configurations);
    ASSERT_EQ(ranked.size(), 6u);
    EXPECT_EQ(ranked[0].toString(), "unroll=4, local_size_x=256");
    EXPECT_EQ(ranked[1].toString(), "unroll=1, local_size_x=256");
    EXPECT_EQ(ranked[2].toString(), "unroll=4, local_size_x=128");
}

TEST(TuningSpace, PropagatesExceptionsOfConstraints) {
    TunableKernel kernel("k", {1});
    kernel.constraint("throws",
                      [](const TuningConfiguration&) -> bool { throw std::logic_error("mine"); });
    EXPECT_THROW(drawConfigurations(kernel, limits(), 9, 1, true), std::logic_error);
}

} // namespace
} // namespace kp::tune
