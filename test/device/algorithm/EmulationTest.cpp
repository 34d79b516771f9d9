// SPDX-License-Identifier: Apache-2.0
//
// Shaders whose types the device lacks compute the same, to the bit, as on a device that has them.
// The device is the same, once with its features and once without. Mesa folds conversions to a type
// and back, such as int64_t(float(a)), so the bits between are compared.
#include <array>
#include <cstdio>
#include <cstring>
#include <limits>
#include <optional>
#include <random>
#include <string_view>

#include "../TestSupport.hpp"
#include "unit/ScopedEnvironment.hpp"
#include "vulkan/device/Device.hpp"

namespace kp::test {
namespace {

using Bytes = std::vector<uint8_t>;
/// Bytes of an element of the buffers a, b and c.
using Sizes = std::array<uint32_t, 3>;

constexpr size_t kNumbers = 1000;
constexpr const char* kFeatures =
    "shaderInt64,shaderFloat64,shaderInt8,shaderInt16,shaderFloat16,storageBuffer8BitAccess,"
    "storageBuffer16BitAccess,uniformAndStorageBuffer8BitAccess,"
    "uniformAndStorageBuffer16BitAccess,storagePushConstant8,storagePushConstant16";

const std::string kExtensions = "#extension GL_EXT_shader_explicit_arithmetic_types : require\n"
                                "#extension GL_EXT_shader_8bit_storage : require\n"
                                "#extension GL_EXT_shader_16bit_storage : require\n";

class EmulationTest : public ::testing::Test {
protected:
    EmulationTest() : mWithout("KOMPUTE_WITHOUT", kFeatures), lowered(optionsOf()) {}

    /// Returns the output of a shader with the buffers a, b and c, which is written.
    Bytes run(Manager& manager, const std::string& code, const Bytes& a, const Bytes& b,
              size_t resultBytes, const Sizes& sizes) {
        const auto tensorOf = [&](const Bytes& bytes, uint32_t size) {
            return manager.tensor(const_cast<uint8_t*>(bytes.data()), bytes.size() / size, size,
                                  Memory::DataTypes::eCustom);
        };
        const Bytes before(resultBytes, 0xa5);
        const auto first = tensorOf(a, sizes[0]);
        const auto second = tensorOf(b, sizes[1]);
        const auto result = tensorOf(before, sizes[2]);
        AlgorithmOptions options;
        options.emulateTypes = true;
        const auto algorithm =
            manager.algorithm(reinterpreted({first, second, result}), manager.compile(code),
                              Workgroup{static_cast<uint32_t>(kNumbers), 1, 1}, {}, {}, options);
        manager.sequence()
            ->record<OpSyncDevice>({first, second, result})
            ->record<OpAlgoDispatch>(algorithm)
            ->record<OpSyncLocal>({result})
            ->eval();
        return onDeviceBytes(*result);
    }

    static Bytes onDeviceBytes(Memory& memory) {
        Bytes bytes(memory.memorySize());
        memory.download(bytes.data(), bytes.size());
        return bytes;
    }

    static std::string bitsAt(const Bytes& bytes, size_t element, size_t size) {
        std::string text;
        for (size_t i = 0; i < size && element * size + i < bytes.size(); ++i) {
            char digits[3] = {};
            std::snprintf(digits, sizeof digits, "%02x", bytes[element * size + i]);
            text.insert(0, digits);
        }
        return "0x" + text;
    }

    /// Runs a shader on both devices, and compares the bytes.
    void expectSame(const std::string& declarations, const std::string& body, const Bytes& a,
                    const Bytes& b, size_t resultBytes, const Sizes& sizes, const char* needs) {
        if (!hasFeature(native(), needs))
            GTEST_SKIP() << "the device lacks " << needs;
        const std::string code = shader(declarations, body, kExtensions);
        const Bytes found = run(lowered, code, a, b, resultBytes, sizes);
        const Bytes expected = run(native(), code, a, b, resultBytes, sizes);
        size_t at = 0;
        while (at < found.size() && found[at] == expected[at])
            ++at;
        const size_t element = at / sizes[2];
        EXPECT_EQ(at, found.size())
            << body << "\nelement " << element << " is " << bitsAt(found, element, sizes[2])
            << " without the types and " << bitsAt(expected, element, sizes[2]) << " with them, of "
            << bitsAt(a, element, sizes[0]) << " and " << bitsAt(b, element, sizes[1]);
    }
    /// Compares T c[i] = expression, over a[i] and b[i] of a GLSL type.
    void expectSame(const std::string& type, size_t bytes, const std::string& expression,
                    const Bytes& a, const Bytes& b, const char* needs) {
        expectSame(buffer(0, "readonly", type, "a") + buffer(1, "readonly", type, "b") +
                       buffer(2, "", type, "c"),
                   "c[i] = " + type + "(" + expression + ");", a, b, kNumbers * bytes,
                   {static_cast<uint32_t>(bytes), static_cast<uint32_t>(bytes),
                    static_cast<uint32_t>(bytes)},
                   needs);
    }

    Manager& native() {
        if (!mNative) {
            const ScopedEnvironment with("KOMPUTE_WITHOUT", nullptr);
            mNative.emplace(optionsOf());
        }
        return *mNative;
    }

private:
    static ManagerOptions optionsOf() {
        ManagerOptions options;
        options.shareDevice = false;
        return options;
    }

    ScopedEnvironment mWithout;
    std::optional<Manager> mNative;

protected:
    Manager lowered;
};

/// Random words, of which many are small, or near the ends of the types.
template <typename T>
Bytes integers(uint32_t seed) {
    std::mt19937_64 random(seed);
    std::vector<T> values(kNumbers);
    for (T& each : values) {
        const uint64_t word = random();
        const uint64_t shift = random() % 64;
        each = static_cast<T>(word >> shift);
        if (word % 4 == 0)
            each = static_cast<T>(std::numeric_limits<T>::max() - static_cast<T>(shift % 3));
        if (word % 4 == 1)
            each = static_cast<T>(std::numeric_limits<T>::min() + static_cast<T>(shift % 3));
    }
    Bytes bytes(kNumbers * sizeof(T));
    std::memcpy(bytes.data(), values.data(), bytes.size());
    return bytes;
}

/// Halves or doubles of all magnitudes, with zeros, infinities and denormal numbers.
template <typename Word>
Bytes floats(uint32_t seed, int exponentBits) {
    constexpr int kBits = 8 * sizeof(Word);
    const Word infinity =
        static_cast<Word>(((Word{1} << exponentBits) - 1) << (kBits - 1 - exponentBits));
    std::mt19937_64 random(seed);
    std::vector<Word> values(kNumbers);
    for (Word& each : values) {
        each = static_cast<Word>(random());
        if ((each & infinity) == infinity || random() % 16 == 0) // no NaN
            each = random() % 2 == 0 ? infinity : static_cast<Word>(random() % 4);
        else if (random() % 2 == 0) // near one
            each = static_cast<Word>(
                (infinity >> 1) ^ (random() % 7) ^
                (Word(random()) << (kBits - 1 - exponentBits) >> (kBits - 1 - exponentBits)));
    }
    Bytes bytes(kNumbers * sizeof(Word));
    std::memcpy(bytes.data(), values.data(), bytes.size());
    return bytes;
}

TEST_F(EmulationTest, ComputesSixtyFourBitIntegersAsTheDeviceDoes) {
    const Bytes a = integers<uint64_t>(1), b = integers<uint64_t>(2);
    for (const char* const type : {"int64_t", "uint64_t"})
        for (const char* const expression : {"a[i] + b[i]",
                                             "a[i] - b[i]",
                                             "a[i] * b[i]",
                                             "(a[i] >> 2) / (b[i] | 1)",
                                             "(a[i] & 0xffffffffffffL) % ((b[i] & 0xffffffL) | 1)",
                                             "a[i] & b[i]",
                                             "a[i] | b[i]",
                                             "a[i] ^ b[i]",
                                             "~a[i]",
                                             "a[i] << uint(b[i] & 63)",
                                             "a[i] >> uint(b[i] & 63)",
                                             "a[i] < b[i]",
                                             "a[i] <= b[i]",
                                             "a[i] > b[i]",
                                             "a[i] >= b[i]",
                                             "a[i] == b[i]",
                                             "a[i] != b[i]",
                                             "min(a[i], b[i])",
                                             "max(a[i], b[i])",
                                             "a[i] < b[i] ? a[i] : b[i]",
                                             "int(a[i])",
                                             "uint(a[i])",
                                             "floatBitsToUint(float(a[i]))",
                                             "int16_t(a[i])",
                                             "uint8_t(a[i])"})
            expectSame(type, 8, expression, a, b, "shaderInt64");
    for (const char* const expression : {"-a[i]", "abs(a[i])", "sign(a[i])"})
        expectSame("int64_t", 8, expression, a, b, "shaderInt64");
}

TEST_F(EmulationTest, MovesVectorsOfWideNumbers) {
    expectSame(buffer(0, "readonly", "i64vec4", "a") + buffer(1, "readonly", "i64vec2", "b") +
                   buffer(2, "", "i64vec4", "c"),
               "i64vec4 v = a[i / 4].wzyx; v[int(i % 4)] += b[i / 2].y; v.xy *= b[i / 2];\n"
               "c[i / 4][i % 4] = (i64vec4(b[i / 2], v.yz) + v)[int(i % 3)];",
               integers<uint64_t>(1), integers<uint64_t>(2), kNumbers * 8, {32, 16, 32},
               "shaderInt64");
}

TEST_F(EmulationTest, WrapsNarrowIntegersAfterEachOperation) {
    for (const char* const expression :
         {"a[i] + b[i]", "a[i] - b[i]", "a[i] * b[i]", "a[i] / (b[i] == 0 ? 1 : b[i])",
          "(a[i] + b[i]) / 2", "~a[i]", "a[i] << (b[i] & 7)", "a[i] >> (b[i] & 7)",
          "a[i] < b[i] ? a[i] : b[i]", "min(a[i], b[i]) + a[i]", "float(a[i]) * 0.5",
          "a[i] == b[i]"}) {
        const Bytes a = integers<uint8_t>(3), b = integers<uint8_t>(4);
        const Bytes c = integers<uint16_t>(5), d = integers<uint16_t>(6);
        for (const char* const type : {"int8_t", "uint8_t"})
            expectSame(type, 1, expression, a, b, "shaderInt8");
        for (const char* const type : {"int16_t", "uint16_t"})
            expectSame(type, 2, expression, c, d, "shaderInt16");
    }
}

TEST_F(EmulationTest, RoundsHalvesAfterEachOperation) {
    const Bytes a = floats<uint16_t>(7, 5), b = floats<uint16_t>(8, 5);
    for (const char* const expression :
         {"a[i] + b[i]", "a[i] - b[i]", "a[i] * b[i]", "-a[i]", "abs(a[i]) + b[i]", "a[i] < b[i]",
          "a[i] * b[i] + a[i]", "float(a[i])",
          "int(clamp(a[i] + b[i], float16_t(-9), float16_t(9)))", "sqrt(abs(a[i])) * a[i]",
          "floor(a[i]) + b[i]"}) {
        // GPUs have roots of halves that are less exact than the rounded ones.
        if (std::string_view(expression).starts_with("sqrt") &&
            native().deviceInfo().type != DeviceType::eCpu)
            continue;
        expectSame(buffer(0, "readonly", "float16_t", "a") +
                       buffer(1, "readonly", "float16_t", "b") + buffer(2, "", "float16_t", "c"),
                   "precise float v = float(" + std::string(expression) +
                       "); c[i] = float16_t(isnan(v) ? 0.0 : v);",
                   a, b, kNumbers * 2, {2, 2, 2}, "shaderFloat16");
    }
}

TEST_F(EmulationTest, ComputesDoublesAsTheDeviceDoes) {
    const Bytes a = floats<uint64_t>(9, 11), b = floats<uint64_t>(10, 11);
    for (const char* const expression : {"a[i] + b[i]",
                                         "a[i] - b[i]",
                                         "a[i] * b[i]",
                                         "a[i] / b[i]",
                                         "-a[i]",
                                         "abs(a[i])",
                                         "sqrt(abs(a[i]))",
                                         "a[i] < b[i]",
                                         "a[i] <= b[i]",
                                         "a[i] > b[i]",
                                         "a[i] >= b[i]",
                                         "a[i] == b[i]",
                                         "a[i] != b[i]",
                                         "floor(a[i])",
                                         "ceil(a[i])",
                                         "trunc(a[i])",
                                         "3 * int(clamp(a[i], -9.0LF, 9.0LF))",
                                         "abs(a[i]) > 1e-30LF ? floatBitsToUint(float(a[i])) : 0u",
                                         "min(a[i], b[i])",
                                         "max(a[i], b[i])",
                                         "3 * int64_t(clamp(a[i], -1e15LF, 1e15LF))"})
        expectSame("double", 8,
                   "isnan(" + std::string("double(") + expression + ")) ? 0 : double(" +
                       expression + ")",
                   a, b, "shaderFloat64");
}

TEST_F(EmulationTest, KeepsTheNeighboursOfNarrowElements) {
    // Four invocations write the bytes of each word; every third element stays as it was.
    expectSame(buffer(0, "readonly", "uint8_t", "a") + buffer(1, "readonly", "uint8_t", "b") +
                   buffer(2, "", "uint8_t", "c"),
               "if (i % 3 != 0 && i < 997) c[i] = uint8_t(a[i] + b[i]);", integers<uint8_t>(1),
               integers<uint8_t>(2), kNumbers - 3, {1, 1, 1}, "storageBuffer8BitAccess");
}

TEST_F(EmulationTest, ReadsStructsWithNarrowMembers) {
    Bytes a = integers<uint32_t>(1);
    for (uint8_t& each : a)
        each &= 0x3b; // no half is NaN
    const std::string item = "struct Item { uint8_t n; uint16_t m; float x; f16vec2 h; uint64_t w; "
                             "uint8_t k[3]; };\n";
    expectSame(item + "layout(binding = 0, std430) readonly buffer A { uint first; Item a[]; };\n" +
                   buffer(1, "readonly", "uint", "b") +
                   "layout(binding = 2, std430) buffer C { uint last; Item c[]; };\n",
               "if (i > 30) return; Item v = a[i]; v.m += uint16_t(v.n); v.k[i % 3]++;\n"
               "v.w *= 3; v.h = v.h.yx; c[i] = v; c[i].k[2] = uint8_t(a[i].k[i % 3]);",
               a, integers<uint32_t>(2), kNumbers * 4, {1, 4, 1}, "shaderInt8");
}

TEST_F(EmulationTest, SharesMemoryOfLoweredTypes) {
    expectSame("shared int64_t wide[4]; shared uint8_t narrow[4];\n" +
                   buffer(0, "readonly", "int64_t", "a") + buffer(1, "readonly", "uint8_t", "b") +
                   buffer(2, "", "int64_t", "c"),
               "wide[i % 4] = a[i]; narrow[i % 4] = b[i]; barrier();\n"
               "c[i] = wide[i % 4] + int64_t(uint8_t(narrow[i % 4] + uint8_t(7)));",
               integers<uint64_t>(1), integers<uint8_t>(2), kNumbers * 8, {8, 1, 8}, "shaderInt8");
}

TEST_F(EmulationTest, RefusesAUsersShaderWithoutTheOption) {
    const auto tensor = lowered.tensorT<int64_t>({1, 2});
    const std::string code = shader(buffer(0, "", "int64_t", "v"), "v[i] += 1;", kExtensions);
    EXPECT_ERROR(ShaderError, "shaderInt64",
                 static_cast<void>(lowered.algorithm({tensor}, lowered.compile(code))));
}

} // namespace
} // namespace kp::test
