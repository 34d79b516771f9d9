// SPDX-License-Identifier: Apache-2.0
#include "shader/limits/SpirvLimits.hpp"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <functional>

#include "ShaderTestTools.hpp"
#include "base/Hash.hpp"
#include "base/Text.hpp"
#include "shader/Validate.hpp"
#include "shader/compile/CompileCache.hpp"
#include "shader/compile/ContentKey.hpp"
#include "shader/reflect/Reflection.hpp"

namespace kp::shader {
namespace {

using test::assemble;
using test::contains;
using test::shaderErrorOf;
using test::vulkan;

const std::string kComputeHead = "OpCapability Shader\nOpMemoryModel Logical GLSL450\n"
                                 "OpEntryPoint GLCompute %main \"main\"\n"
                                 "OpExecutionMode %main LocalSize 1 1 1\n";
const std::string kScalarTypes = "%void = OpTypeVoid\n%fn = OpTypeFunction %void\n"
                                 "%uint = OpTypeInt 32 0\n";

std::string function(const std::string& name, const std::string& body) {
    return "%" + name + " = OpFunction %void None %fn\n%in_" + name + " = OpLabel\n" + body +
           "OpReturn\nOpFunctionEnd\n";
}

std::vector<uint32_t> moduleWith(const std::string& types, const std::string& functions) {
    return assemble(kComputeHead + kScalarTypes + types + functions, SPV_ENV_UNIVERSAL_1_3);
}

/// Lines for the numbers from 1 on, in which {0} is the number and {1} the one before.
std::string lines(size_t count, const std::function<std::string(size_t)>& line) {
    std::string all;
    for (size_t i = 1; i <= count; ++i)
        all += line(i);
    return all;
}

void expectBombRefused(const std::vector<uint32_t>& words, const std::string& part) {
    const auto begin = std::chrono::steady_clock::now();
    const auto error = shaderErrorOf([&] { validate(words, vulkan(1)); });
    EXPECT_TRUE(contains(error.what(), part)) << error.what();
    EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(5));
}

TEST(SpirvLimits, RefuseConstantsThatDouble) {
    const auto words = moduleWith(
        "%c0 = OpSpecConstant %uint 1\n" +
            lines(60,
                  [](size_t i) {
                      return formatted("%c{} = OpSpecConstantOp %uint IAdd %c{} %c{}\n", i, i - 1,
                                       i - 1);
                  }) +
            "%array = OpTypeArray %uint %c60\n%pointer = OpTypePointer Workgroup %array\n"
            "%shared = OpVariable %pointer Workgroup\n",
        function("main", ""));
    expectBombRefused(words, "the constant with id");
}

TEST(SpirvLimits, RefuseLongChainsOfConstants) {
    const auto words = moduleWith(
        "%c0 = OpSpecConstant %uint 1\n" +
            lines(5'000,
                  [](size_t i) {
                      return formatted("%c{} = OpSpecConstantOp %uint IAdd %c{} %c0\n", i, i - 1);
                  }),
        function("main", ""));
    expectBombRefused(words, "levels inside each other");
}

TEST(SpirvLimits, RefuseStructsThatDouble) {
    const auto words = moduleWith("%s0 = OpTypeStruct %uint %uint\n" +
                                      lines(60,
                                            [](size_t i) {
                                                return formatted("%s{} = OpTypeStruct %s{} %s{}\n",
                                                                 i, i - 1, i - 1);
                                            }),
                                  function("main", ""));
    expectBombRefused(words, "the type with id");
}

TEST(SpirvLimits, RefuseCallsThatDouble) {
    std::string functions = function("f0", "");
    for (int i = 1; i <= 60; ++i)
        functions += function(formatted("f{}", i), formatted("%a{0} = OpFunctionCall %void %f{1}\n"
                                                             "%b{0} = OpFunctionCall %void %f{1}\n",
                                                             i, i - 1));
    const std::string main = function("main", "%call = OpFunctionCall %void %f60\n");
    expectBombRefused(moduleWith("", functions + main), "instructions");
}

TEST(SpirvLimits, RefuseDeepControlFlow) {
    std::string body = "if (data[0] > 1.0) data[0] = 1.0;\n";
    for (int i = 0; i < 1000; ++i)
        body += "else if (data[0] > 1.0) { data[0] = 1.0; }\n";
    expectBombRefused(
        compile(test::glsl("layout(binding = 0) buffer Data { float data[]; };", body)), "else-if");
}

TEST(SpirvLimits, RefuseHeadersThatLie) {
    auto words = moduleWith("", function("main", ""));
    EXPECT_NO_THROW(validate(words, vulkan(1)));
    words[4] = 1;
    expectBombRefused(words, "expected 0");
    words[4] = 0;
    words[3] = 0xffffffff;
    expectBombRefused(words, "ids are below 4294967295");
}

TEST(SpirvLimits, AllowLargeModules) {
    std::string parts;
    for (int i = 0; i < 10'000; ++i)
        parts += " %one";
    const auto words = moduleWith(
        "%one = OpConstant %uint 1\n%count = OpConstant %uint 10000\n"
        "%array = OpTypeArray %uint %count\n%table = OpConstantComposite %array" +
            parts + "\n%c0 = OpSpecConstant %uint 1\n" +
            lines(500,
                  [](size_t i) {
                      return formatted("%c{} = OpSpecConstantOp %uint IAdd %c{} %c0\n", i, i - 1);
                  }),
        function("f", "") + function("main", lines(2000, [](size_t i) {
                                         return formatted("%r{} = OpFunctionCall %void %f\n", i);
                                     })));
    EXPECT_NO_THROW(validate(words, vulkan(1)));
    EXPECT_NO_THROW(reflect(words));
}

// --- keys of caches ------------------------------------------------------------------------------

/// Computes, for MurmurHash3, the 16 bytes that lead from one state to another.
struct MurmurState {
    uint64_t low = 0;
    uint64_t high = 0;

    static constexpr uint64_t kFirst = 0x87c37b91114253d5ULL;
    static constexpr uint64_t kSecond = 0x4cf5ad432745937fULL;

    static uint64_t rotated(uint64_t value, int bits) {
        return (value << bits) | (value >> (64 - bits));
    }
    static uint64_t inverse(uint64_t odd) {
        uint64_t result = odd;
        for (int i = 0; i < 6; ++i)
            result *= 2 - odd * result;
        return result;
    }
    void add(uint64_t a, uint64_t b) {
        low = (rotated(low ^ (rotated(a * kFirst, 31) * kSecond), 27) + high) * 5 + 0x52dce729;
        high = (rotated(high ^ (rotated(b * kSecond, 33) * kFirst), 31) + low) * 5 + 0x38495ab5;
    }
    std::pair<uint64_t, uint64_t> blockTo(const MurmurState& target) const {
        const uint64_t fifth = inverse(5);
        const uint64_t a = rotated((target.low - 0x52dce729) * fifth - high, 64 - 27) ^ low;
        const uint64_t b = rotated((target.high - 0x38495ab5) * fifth - target.low, 64 - 31) ^ high;
        return {rotated(a * inverse(kSecond), 64 - 31) * inverse(kFirst),
                rotated(b * inverse(kFirst), 64 - 33) * inverse(kSecond)};
    }
    static MurmurState after(const void* data, size_t bytes) {
        MurmurState state;
        for (size_t at = 0; at + 16 <= bytes; at += 16) {
            uint64_t block[2];
            std::memcpy(block, static_cast<const char*>(data) + at, 16);
            state.add(block[0], block[1]);
        }
        return state;
    }
};

/// Changes 16 bytes at @p at so that the hash of @p forged equals the hash of @p model, which it
/// equals from there on.
template <typename Container>
void forge(const Container& model, Container& forged, size_t at) {
    const auto [a, b] =
        MurmurState::after(forged.data(), at).blockTo(MurmurState::after(model.data(), at + 16));
    auto* bytes = reinterpret_cast<char*>(forged.data());
    std::memcpy(bytes + at, &a, 8);
    std::memcpy(bytes + at + 8, &b, 8);
    const size_t size = model.size() * sizeof(model[0]);
    ASSERT_EQ(hashBytes(model.data(), size), hashBytes(forged.data(), size));
}

TEST(CacheKeys, AreNotForgedByAModuleWithTheHashOfAnother) {
    // A name with 32 bytes of which 16 are aligned, in a module and in one with another local size.
    std::vector<uint32_t> model =
        assemble(kComputeHead + "OpName %main \"0123456789abcdef0123456789abcde\"\n" +
                     kScalarTypes + function("main", ""),
                 SPV_ENV_UNIVERSAL_1_3);
    const auto name = std::ranges::find(model, uint32_t{0x33323130});
    const size_t at = static_cast<size_t>((name - model.begin()) * 4 + 15) / 16 * 16;
    std::vector<uint32_t> forged = model;
    const auto size = std::ranges::find(forged, uint32_t{(6u << 16) | spv::OpExecutionMode});
    size[3] = 77; // the local size
    forge(model, forged, at);
    ASSERT_NO_FATAL_FAILURE();
    EXPECT_NE(contentKey(model), contentKey(forged));
    EXPECT_EQ(contentKey(model), contentKey(model)) << "it must be remembered";
    EXPECT_EQ(reflectCached(model)->localSize[0], 1u);
    EXPECT_EQ(reflectCached(forged)->localSize[0], 77u);

    std::vector<uint32_t> invalid = model;
    invalid[static_cast<size_t>(size - forged.begin()) + 1] = 999; // not an entry point
    forge(model, invalid, at);
    EXPECT_NO_THROW(validate(model, vulkan(1)));
    EXPECT_THROW(validate(invalid, vulkan(1)), ShaderError);
}

TEST(CacheKeys, AreNotForgedByASourceWithTheHashOfAnother) {
    const std::string model(64, 'a');
    std::string forged = model;
    forged[0] = 'b';
    forge(model, forged, 16);
    const test::TemporaryFolder folder;
    const DiskCache cache(folder.path().string());
    ASSERT_TRUE(cache.store({model, {spv::MagicNumber, 1}, {}}));
    EXPECT_EQ(cache.file(model), cache.file(forged));
    EXPECT_TRUE(cache.load(model));
    EXPECT_FALSE(cache.load(forged));
}

} // namespace
} // namespace kp::shader
