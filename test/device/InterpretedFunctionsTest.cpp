// SPDX-License-Identifier: Apache-2.0
//
// Functions that an interpreter runs, because drivers would take minutes to compile them, compute
// the same, to the bit, as functions that are compiled.
#include <cmath>
#include <cstring>
#include <random>

#include <kompute/shader/ShaderLibrary.hpp>

#include "TestSupport.hpp"
#include "shader/lower/LowerModule.hpp"

namespace kp::test {
namespace {

constexpr uint32_t kPairs = 512;

/// Returns the results of an expression of doubles x and y, without doubles on the device.
std::vector<double> computed(const std::string& functions, const std::string& expression,
                             bool longFunctions, size_t& words) {
    const std::string code =
        shader(buffer(0, "readonly", "double", "a") + buffer(1, "readonly", "double", "b") +
                   buffer(2, "", "double", "c") + functions,
               "double x = a[i], y = b[i]; c[i] = " + expression + ";");
    shader::NumberSupport support;
    support.float64 = false;
    support.longFunctions = longFunctions;
    const shader::LoweredModule lowered = shader::lowerModule(compile(code), support);
    words = lowered.spirv.size();

    std::mt19937_64 random(3);
    std::uniform_real_distribution<double> numbers(-3, 9);
    std::vector<double> a(kPairs), b(kPairs);
    for (uint32_t i = 0; i < kPairs; ++i) {
        a[i] = i % 7 == 0 ? numbers(random) * 1e9 : numbers(random);
        b[i] = i % 5 == 0 ? std::round(numbers(random)) : numbers(random);
    }
    const double special[] = {0.0, -0.0, INFINITY, -INFINITY, NAN, 1.0, 4e-310};
    for (uint32_t i = 0; i < 49; ++i) {
        a[i] = special[i % 7];
        b[i] = special[i / 7];
    }
    Manager manager;
    const auto first = manager.tensorT<double>(a), second = manager.tensorT<double>(b),
               result = manager.tensorT<double>(std::vector<double>(kPairs));
    const std::vector<std::shared_ptr<Memory>> memory{first, second, result};
    manager.sequence()
        ->record<OpSyncDevice>(memory)
        ->record<OpAlgoDispatch>(manager.algorithm(reinterpreted({first, second, result}),
                                                   lowered.spirv, Workgroup{kPairs, 1, 1}))
        ->record<OpSyncLocal>(memory)
        ->eval();
    return result->vector();
}

void expectSame(const std::string& functions, const std::string& expression) {
    size_t compiledWords = 0, interpretedWords = 0;
    const std::vector<double> expected = computed(functions, expression, true, compiledWords);
    const std::vector<double> found = computed(functions, expression, false, interpretedWords);
    EXPECT_NE(interpretedWords, compiledWords);
    EXPECT_EQ(std::memcmp(found.data(), expected.data(), kPairs * sizeof(double)), 0);
}

TEST(InterpretedFunctions, AreAsExactAsCompiledOnes) {
    shader::LibraryText library;
    library.use("kp_pow(x, y)", "double");
    expectSame(library.text(), "kp_pow(x, y)");
}

TEST(InterpretedFunctions, HaveLoopsBranchesArraysAndVariablesOfCallers) {
    expectSame(R"(
        // Several results, of which one goes into a part of an array.
        double split(double x, out int whole, inout double parts[3]) {
            whole = int(clamp(x, -100.0LF, 100.0LF));
            parts[1] += x - double(whole);
            return x == 0.0LF || (x < 1.0LF && whole != 2) ? x * 0.5LF : parts[1] / x;
        }
        dvec2 turned(dvec2 v) { return dvec2(v.y, -v.x) * 1.5LF; }
        double longOne(double x, double y) {
            const uint table[5] = uint[5](3u, 1u, 4u, 1u, 5u);
            double parts[3] = double[3](x, y, 1.0LF);
            uint counts[4] = uint[4](0u, 0u, 0u, 0u);
            int whole = 0;
            dvec2 v = dvec2(x, y);
            double sum = 0.0LF;
            for (int i = 0; i < 5; ++i) {
                sum += split(parts[0] + double(table[i]), whole, parts);
                counts[uint(whole) & 3u] += table[uint(i)];
                if (whole == 3) continue;
                v = turned(v.yx + dvec2(sum, parts[2]));
                v.x = fma(v.x, y, sqrt(abs(v.y)));
                uvec2 words = unpackDouble2x32(v.x);
                words.x ^= counts[1];
                v.x = packDouble2x32(words);
                if (isinf(v.x) || v.y > 1e30LF) break;
            }
            for (uint i = 0u; i < 4u; ++i) sum = sum * 0.75LF + double(counts[i]);
            return sum + v.x * v.y - floor(v.x / (1.0LF + y * y)) + parts[1] * parts[2] + turned(v).x
                   + round(v.y) * ceil(sum) + mod(sum, 3.0LF) + min(v.x, max(y, sum)) / (x * x + 0.1LF)
                   + inversesqrt(abs(sum)) + fma(v.x, v.y, sum) * fma(x, y, v.x) / fma(y, y, 2.0LF)
                   + (x + 1.0LF) * (x + 2.0LF) * (x + 3.0LF) * (x + 4.0LF) * (x + 5.0LF) * (x + 6.0LF)
                   + (y + 1.0LF) * (y + 2.0LF) * (y + 3.0LF) * (y + 4.0LF) * (y + 5.0LF) * (y + 6.0LF);
        }
    )",
               "longOne(x, y)");
}

} // namespace
} // namespace kp::test
