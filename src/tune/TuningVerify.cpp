// SPDX-License-Identifier: Apache-2.0
#include "tune/TuningVerify.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <type_traits>

#include "base/Text.hpp"

namespace kp::tune {
namespace {

template <typename T>
double toDouble(T value) {
    if constexpr (std::is_floating_point_v<T>)
        return value;
    else
        return static_cast<float>(value);
}

template <typename T>
std::string compareNumbers(const unsigned char* actual, const unsigned char* expected, size_t bytes,
                           double relative, double absolute) {
    for (size_t i = 0; i < bytes / sizeof(T); ++i) {
        T a;
        T b;
        std::memcpy(&a, actual + i * sizeof(T), sizeof(T));
        std::memcpy(&b, expected + i * sizeof(T), sizeof(T));
        if (std::memcmp(&a, &b, sizeof(T)) == 0)
            continue;
        const double got = toDouble(a);
        const double wanted = toDouble(b);
        if (std::isnan(got) && std::isnan(wanted))
            continue;
        // False if one is NaN, or if exactly one is infinite.
        if (got == wanted || (std::isfinite(wanted) &&
                              std::abs(got - wanted) <= absolute + relative * std::abs(wanted)))
            continue;
        return formatted("element {} is {} instead of {}", i, got, wanted);
    }
    return "";
}

} // namespace

std::string compareValues(Memory::DataTypes type, uint32_t elementSize, const unsigned char* actual,
                          const unsigned char* expected, size_t bytes, double relative,
                          double absolute) {
    using Type = Memory::DataTypes;
    switch (type) {
    case Type::eFloat:
        return compareNumbers<float>(actual, expected, bytes, relative, absolute);
    case Type::eDouble:
        return compareNumbers<double>(actual, expected, bytes, relative, absolute);
    case Type::eHalf:
        return compareNumbers<Half>(actual, expected, bytes, relative, absolute);
    case Type::eBFloat16:
        return compareNumbers<BFloat16>(actual, expected, bytes, relative, absolute);
    default:
        break;
    }
    for (size_t i = 0; i < bytes; ++i) {
        if (actual[i] != expected[i])
            return formatted("element {} differs", i / std::max(elementSize, 1u));
    }
    return "";
}

std::string verifyResults(const TuningArguments& arguments,
                          const TuningConfiguration& configuration) {
    for (const TuningArguments::Expected& expected : arguments.expectations()) {
        std::vector<unsigned char> actual(expected.bytes.size());
        expected.memory->download(actual.data(), actual.size());
        const std::string problem = compareValues(
            expected.memory->dataType(), expected.memory->dataTypeMemorySize(), actual.data(),
            expected.bytes.data(), actual.size(), expected.relative, expected.absolute);
        if (problem.empty())
            continue;
        const auto& all = arguments.memObjects();
        return formatted("memory object {}: {}",
                         std::find(all.begin(), all.end(), expected.memory) - all.begin(), problem);
    }
    return arguments.verifier() ? arguments.verifier()(configuration) : "";
}

bool verifiesResults(const TuningArguments& arguments) {
    return arguments.verifier() || !arguments.expectations().empty();
}

} // namespace kp::tune
