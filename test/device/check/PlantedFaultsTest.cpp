// SPDX-License-Identifier: Apache-2.0
//
// Each kind of fault in each language, at a marked line.
#include <algorithm>
#include <functional>
#include <ostream>
#include <string>

#include <gtest/gtest.h>
#include <kompute/Kompute.hpp>

#include "device/TestSupport.hpp"
#include "device/check/CheckSupport.hpp"
#include "vulkan/device/Device.hpp"

namespace kp::test {
namespace {

/// Statements of invocation `i` of 4, with x[k] == k and y[k] == k for k below 8, and zero == 0.
struct Planted {
    const char* name;
    const char* checks;
    const char* glsl;
    const char* hlsl; ///< also Slang; null: as GLSL, "": not in these
    const char* kind;
    const char* target; ///< "" for any
    int64_t index;
};

constexpr const char* kMark = "//!";

// clang-format off
const Planted kFaults[] = {
    {"Read", "1", "if (i == 3) x[0] = x[i + 6]; //!", nullptr, "read", "x", 9},
    {"Write", "1", "if (i == 3) x[i + 5] = 1; //!", nullptr, "write", "x", 8},
    {"Atomic", "1", "if (i == 3) atomicAdd(x[i + 7], 1); //!",
     "if (i == 3) InterlockedAdd(x[i + 7], 1); //!", "atomic", "x", 10},
    {"ArrayInBlock", "1", "if (i == 3) block.items[i + 1] = 1; //!",
     "if (i == 3) blocks[0].items[i + 1] = 1; //!", "write", "", 4},
    {"SharedMemory", "1", "if (i == 3) tile[i + 5] = 1; //!", nullptr, "write", "tile", 8},
    {"LocalArray", "1", "int few[4];\nfew[i] = i;\nif (i == 3) x[1] = few[i + 2]; //!", nullptr,
     "read", "", 5},
    {"Image", "1", "if (i == 3) imageStore(picture, ivec2(i + 1, 0), vec4(1)); //!",
     "if (i == 3) picture[uint2(i + 1, 0)] = 1; //!", "write", "picture along x", 4},
    {"Overflow", "1", "if (i == 3) x[x[7] + 2147483647] = 1; //!", nullptr, "overflow", "",
     2147483654},
    {"Division", "1", "if (i == 3) x[1] = i / zero; //!", nullptr, "division", "", 0},
    {"Remainder", "1", "if (i == 3) x[1] = i % zero; //!", nullptr, "division", "", 0},
    {"Shift", "1", "if (i == 3) x[1] = i << (x[7] + 25); //!", nullptr, "shift", "", 32},
    {"Infinity", "nan", "if (i == 3) y[1] = y[2] / y[0]; //!", nullptr, "nan", "", 0},
    {"NaN", "nan", "if (i == 3) y[1] = sqrt(y[1] - y[3]); //!", nullptr, "nan", "", 0},
    {"UnwrittenSharedMemory", "uninitialised", "if (i == 3) x[1] = tile[i]; //!", nullptr,
     "uninitialised", "tile", 3},
    {"UnwrittenBuffer", "uninitialised", "fresh[i] = i;\nif (i == 3) x[1] = fresh[i + 2]; //!",
     nullptr, "uninitialised", "fresh", 5},
    {"RaceInABuffer", "races", "x[2] = i; //!", nullptr, "race", "x", 2},
    {"RaceInSharedMemory", "races", "tile[2] = i; //!", nullptr, "race", "tile", 2},
    {"Assertion", "1", "kp_assert(x[i] < 3, \"x is small\", x[i]); //!", nullptr, "assert", "", 0},
    {"Loop", "steps=100", "if (i == 3)\nwhile (x[1] == 1) //!\ny[2] += 1;", nullptr, "steps", "",
     100},
};
// clang-format on

const char* const kGlsl = R"(#version 450
#include <kompute/check.glsl>
layout(local_size_x = 4) in;
layout(binding = 0) buffer X { int x[]; };
layout(binding = 1) buffer Y { float y[]; };
layout(binding = 2) buffer B { int head; int items[4]; } block;
layout(binding = 3, r32f) uniform image2D picture;
layout(binding = 4) buffer F { int fresh[]; };
shared int tile[8];
void main() {
int i = int(gl_GlobalInvocationID.x);
int zero = x[0];
if (i == 9) { y[0] = block.items[0]; imageStore(picture, ivec2(0), vec4(tile[0])); fresh[0] = 0; }
)";

const char* const kHlsl = R"(#include <kompute/check.glsl>
struct Block { int head; int items[4]; };
RWStructuredBuffer<int> x : register(u0);
RWStructuredBuffer<float> y : register(u1);
RWStructuredBuffer<Block> blocks : register(u2);
[[vk::image_format("r32f")]] RWTexture2D<float> picture : register(u3);
RWStructuredBuffer<int> fresh : register(u4);
groupshared int tile[8];
[numthreads(4, 1, 1)] void main(uint3 id : SV_DispatchThreadID) {
int i = int(id.x);
int zero = x[0];
if (i == 9) { y[0] = blocks[0].items[0]; picture[uint2(0, 0)] = tile[0]; fresh[0] = 0; }
)";

struct Case {
    Planted planted;
    ShaderLanguage language;
};

void PrintTo(const Case& tested, std::ostream* out) {
    *out << tested.planted.name;
}

std::vector<Case> casesOf(ShaderLanguage language) {
    std::vector<Case> cases;
    for (const Planted& each : kFaults) {
        // kp_assert() is for GLSL and HLSL.
        if (language == ShaderLanguage::eSlang && std::string(each.kind) == "assert")
            continue;
        cases.push_back({each, language});
    }
    return cases;
}

std::string sourceOf(const Case& tested) {
    const Planted& planted = tested.planted;
    if (tested.language == ShaderLanguage::eGlsl)
        return std::string(kGlsl) + planted.glsl + "\n}\n";
    std::string source =
        std::string(kHlsl) + (planted.hlsl ? planted.hlsl : planted.glsl) + "\n}\n";
    if (tested.language == ShaderLanguage::eSlang)
        source = source.substr(source.find('\n') + 1); // without kp_assert()
    return source;
}

class PlantedFault : public ::testing::TestWithParam<Case> {};

TEST_P(PlantedFault, IsFoundWithItsLineAndIndex) {
    const Case& tested = GetParam();
    const Planted& planted = tested.planted;
    const std::string source = sourceOf(tested);
    const size_t mark = source.find(kMark);
    const auto line =
        1 + std::count(source.begin(), source.begin() + static_cast<ptrdiff_t>(mark), '\n');

    ManagerOptions managerOptions;
    managerOptions.check = planted.checks;
    Manager manager(managerOptions);
    constexpr uint32_t kBuffers = 10; // of the shader and, with all checks, of the reports
    if (deviceOf(manager)->physical().properties.limits.maxPerStageDescriptorStorageBuffers <
        kBuffers)
        GTEST_SKIP() << "the device binds fewer than " << kBuffers << " storage buffers";
    CompileOptions options;
    options.language = tested.language;
    options.fileName = "planted";
    std::vector<uint32_t> spirv;
    try {
        spirv = manager.compile(source, options);
    } catch (const Unsupported& error) {
        GTEST_SKIP() << error.what();
    }
    const auto x = manager.tensorT<int>({0, 1, 2, 3, 4, 5, 6, 7});
    const auto y = manager.tensor({0, 1, 2, 3, 4, 5, 6, 7});
    const auto block = manager.tensorT<int>({0, 0, 0, 0, 0});
    const auto picture = manager.imageT<float>(4, 3, 1);
    const auto fresh = manager.tensorT<int>(8, Memory::MemoryTypes::eStorage);
    const auto algorithm =
        manager.algorithm(reinterpreted({x, y, block, picture, fresh}), spirv, {1, 1, 1});
    const auto faults = faultsOf([&] { manager.sequence()->eval<OpAlgoDispatch>(algorithm); });
    const auto found = std::find_if(faults.begin(), faults.end(), [&](const CheckFault& fault) {
        return fault.kind == planted.kind;
    });
    ASSERT_NE(found, faults.end()) << (faults.empty() ? "no fault" : faults[0].kind) << '\n'
                                   << source;
    EXPECT_EQ(found->file, "planted");
    EXPECT_EQ(found->line, static_cast<uint32_t>(line));
    EXPECT_NE(found->text.find(kMark), std::string::npos) << found->text;
    if (*planted.target != '\0') {
        EXPECT_EQ(found->target, planted.target);
    }
    EXPECT_EQ(found->index, planted.index);
    if (std::string(planted.kind) != "race") {
        EXPECT_EQ(found->globalInvocation[0], 3u);
        EXPECT_EQ(faults.size(), std::string(planted.kind) == "overflow" ? 2u : 1u)
            << "one mistake was planted";
    }
}

std::string nameOf(const ::testing::TestParamInfo<Case>& info) {
    return info.param.planted.name;
}

INSTANTIATE_TEST_SUITE_P(Glsl, PlantedFault, ::testing::ValuesIn(casesOf(ShaderLanguage::eGlsl)),
                         nameOf);
INSTANTIATE_TEST_SUITE_P(Hlsl, PlantedFault, ::testing::ValuesIn(casesOf(ShaderLanguage::eHlsl)),
                         nameOf);
INSTANTIATE_TEST_SUITE_P(Slang, PlantedFault, ::testing::ValuesIn(casesOf(ShaderLanguage::eSlang)),
                         nameOf);

} // namespace
} // namespace kp::test
