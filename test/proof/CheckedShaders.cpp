// SPDX-License-Identifier: Apache-2.0
//
// Mutated shaders in checked mode: no out-of-bounds access reaches the driver.
#include <cstdio>
#include <iterator>
#include <memory>
#include <optional>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include <kompute/Kompute.hpp>

#include "fuzz/SourceMutation.hpp"
#include "proof/Settings.hpp"
#include "proof/Watch.hpp"

namespace kp::proof {
namespace {

constexpr uint64_t kShadersOfAManager = 250; ///< pipelines stay in its cache
constexpr size_t kLongest = 2000;            ///< bytes; larger ones are the compilers' matter
constexpr size_t kLongestModule = 10'000; ///< words, since macros make long shaders of short texts
constexpr uint64_t kMutationsPerShader = 100; ///< most do not compile

const char* const kDeclarations = R"(#version 450
layout(local_size_x = 8) in;
struct Item { vec3 at; int links[3]; mat2 m; };
layout(binding = 0) buffer X { int x[]; };
layout(binding = 1) buffer Y { float y[]; };
layout(binding = 2) buffer B { int head; Item items[4]; } block;
layout(binding = 3, r32f) uniform image2D picture;
layout(push_constant) uniform P { int a, b, c, d; };
layout(constant_id = 0) const int N = 5;
shared int tile[8];
shared vec2 pairs[3][N];
int few[4];
uint u[7];
int twice(int few[4], int k) { return few[k] + few[k + 1]; }
void change(inout float z[3], int k) { z[k] += 1.0; }
void main() {
int i = int(gl_GlobalInvocationID.x), t = int(gl_LocalInvocationID.x);
if (i > 99) { y[0] = block.items[0].at.x; imageStore(picture, ivec2(0), vec4(x[0] + a)); }
)";

const std::vector<std::string> kBodies = {
    "tile[t] = x[i];\nbarrier();\nx[i] = tile[7 - t] + tile[t / 2];\n",
    "few[i % 4] = i;\nint k = x[i] % 4;\nx[i + 1] = few[k] + twice(few, a);\n",
    "block.items[a].links[i % 3] = x[b];\ny[i] = block.items[t % 4].m[a % 2][1];\n",
    "for (int k = 0; k < 4; ++k) {\n y[k] += y[k + a] * 2.0;\n u[k] = uint(k);\n}\n"
    "x[0] = int(u[a]);\n",
    "vec4 v = vec4(1.0);\nv[a & 3] = y[i];\ny[b] = v[c] + v.x;\n",
    "imageStore(picture, ivec2(i, a), imageLoad(picture, ivec2(t, b)));\n",
    "atomicAdd(x[a + i], 1);\natomicMax(tile[t], x[b]);\nbarrier();\nx[i] = tile[a];\n",
    "pairs[t % 3][a] = vec2(y[i], 1.0);\nbarrier();\ny[i] = pairs[b][t % N].y;\n",
    "int n = x[x[x[i & 7] & 7] & 7];\nwhile (n > 0) {\n n -= 1;\n y[n] += 1.0;\n}\n",
    "int q = x[i] / a, r = x[t] % b;\nx[q] = r << c;\nx[r] = q >> d;\n",
    "float z[3] = float[3](1.0, 2.0, 3.0);\nchange(z, a);\ny[i] = z[t % 3];\n",
    "switch (a) {\ncase 0: x[i * b] = 1; break;\ncase 1: y[c] = 2.0;\ndefault: tile[d] = i;\n}\n"};

/// The memory of the shaders.
class Bench {
public:
    explicit Bench(const std::string& checks) : mManager(optionsOf(checks)) {}

    /// Returns true if the shader ran.
    bool run(const std::vector<uint32_t>& spirv, const std::vector<int32_t>& constants) {
        try {
            mX->setData(std::vector<int32_t>{0, -1, 2, 2147483647, -2147483647 - 1, 7, 3, 1});
            const auto algorithm = mManager.algorithm<int32_t, int32_t>(
                {mX, mY, mBlock, mPicture}, spirv, {2, 1, 1}, {}, constants);
            try {
                mManager.sequence()->record<OpSyncDevice>({mX})->eval<OpAlgoDispatch>(algorithm);
            } catch (const CheckFailed&) {
                ++mFaulty;
            }
        } catch (const Error&) { // other bindings, or more than the device has
            return false;
        }
        ++mRan;
        return true;
    }
    uint64_t ran() const { return mRan; }
    uint64_t faulty() const { return mFaulty; }

private:
    static ManagerOptions optionsOf(const std::string& checks) {
        ManagerOptions options;
        options.check = checks;
        return options;
    }

    Manager mManager;
    uint64_t mRan = 0;
    uint64_t mFaulty = 0;
    std::shared_ptr<Memory> mY = mManager.tensor(std::vector<float>(16, 1.0f));
    std::shared_ptr<TensorT<int32_t>> mX = mManager.tensorT<int32_t>(std::vector<int32_t>(8));
    std::shared_ptr<Memory> mBlock = mManager.tensorT<uint32_t>(std::vector<uint32_t>(4 + 4 * 12));
    std::shared_ptr<Memory> mPicture = mManager.imageT<float>(8, 4, 1);
};

std::string mutated(std::mt19937& random) {
    std::string body = kBodies[random() % kBodies.size()];
    for (uint32_t changes = 1 + random() % 4; changes > 0; --changes)
        fuzz::mutateSource(body, kBodies, random);
    return body.size() > kLongest ? std::string() : kDeclarations + body + "\n}\n";
}

std::vector<int32_t> constantsOf(std::mt19937& random) {
    constexpr int32_t kNumbers[] = {0,  1,  2,  3,     4,          7,          8,
                                    31, 32, -1, 65536, 2147483647, -2147483647};
    std::vector<int32_t> constants;
    for (int i = 0; i < 4; ++i)
        constants.push_back(kNumbers[random() % std::size(kNumbers)]);
    return constants;
}

} // namespace

int proveChecked(const Settings& settings) {
    const std::string checks = "bounds,arithmetic,steps=300";
    if (!settings.plant.empty()) {
        Watch::begin("an access outside of shared memory");
        Bench bench("off");
        const auto shader =
            compile(std::string(kDeclarations) + "tile[i + b] = 1;\nx[i] = tile[t + b];\n}\n");
        // Memory of the process may lie at one distance, but not at all of them.
        for (int32_t distance = 20'000'000; distance < 500'000'000; distance += 20'000'000)
            if (!bench.run(shader, {0, distance, 0, 0}))
                throw std::runtime_error("the planted shader did not run");
        return 0;
    }
    std::optional<Bench> bench;
    uint64_t ran = 0;
    uint64_t faulty = 0;
    const uint64_t first = settings.only.value_or(0);
    const uint64_t end = settings.only ? first + 1 : settings.count * kMutationsPerShader;
    for (uint64_t number = first; number < end && ran < settings.count; ++number) {
        Watch::begin("checked", settings, number);
        std::seed_seq sequence{settings.seed, settings.seed >> 32, number, number >> 32};
        std::mt19937 random(sequence);
        const std::string source = mutated(random);
        if (source.empty())
            continue;
        if (settings.only)
            std::printf("%s\n", source.c_str());
        if (!bench || bench->ran() == kShadersOfAManager) {
            faulty += bench ? bench->faulty() : 0;
            bench.reset();
            bench.emplace(checks);
        }
        try {
            const CheckScope scope(checks);
            CompileOptions options;
            options.cacheFolder = "off";
            options.includes = IncludePolicy::eNone;
            const std::vector<uint32_t> spirv = compile(source, options);
            if (spirv.size() <= kLongestModule)
                ran += bench->run(spirv, constantsOf(random)) ? 1 : 0;
        } catch (const ShaderError&) {
        }
    }
    faulty += bench ? bench->faulty() : 0;
    std::printf("checked: %llu mutated shaders ran, %llu of them with faults\n",
                static_cast<unsigned long long>(ran), static_cast<unsigned long long>(faulty));
    if (!settings.only && (ran < settings.count || faulty == 0))
        throw std::runtime_error("too few shaders ran, or none had a fault");
    return 0;
}

} // namespace kp::proof
