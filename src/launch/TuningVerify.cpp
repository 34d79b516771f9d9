// SPDX-License-Identifier: Apache-2.0
#include "launch/TuningVerify.hpp"

#include <cmath>
#include <cstring>

#include <fmt/format.h>

namespace kp::launch {
namespace {

template <typename T, typename Number>
std::string compareNumbers(const unsigned char* actual, const unsigned char* expected, size_t bytes,
                           double relative, double absolute, Number toNumber) {
    for (size_t i = 0; i < bytes / sizeof(T); ++i) {
        T a;
        T b;
        std::memcpy(&a, actual + i * sizeof(T), sizeof(T));
        std::memcpy(&b, expected + i * sizeof(T), sizeof(T));
        if (std::memcmp(&a, &b, sizeof(T)) == 0)
            continue;
        const double got = toNumber(a);
        const double wanted = toNumber(b);
        if (std::isnan(got) && std::isnan(wanted))
            continue;
        // Also false where one is not a number, or infinite and the other is not.
        if (got == wanted || (std::isfinite(wanted) &&
                              std::abs(got - wanted) <= absolute + relative * std::abs(wanted)))
            continue;
        return fmt::format("element {} is {} instead of {}", i, got, wanted);
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
        return compareNumbers<float>(actual, expected, bytes, relative, absolute,
                                     [](float value) { return static_cast<double>(value); });
    case Type::eDouble:
        return compareNumbers<double>(actual, expected, bytes, relative, absolute,
                                      [](double value) { return value; });
    case Type::eHalf:
        return compareNumbers<Half>(actual, expected, bytes, relative, absolute, [](Half value) {
            return static_cast<double>(static_cast<float>(value));
        });
    case Type::eBFloat16:
        return compareNumbers<BFloat16>(
            actual, expected, bytes, relative, absolute,
            [](BFloat16 value) { return static_cast<double>(static_cast<float>(value)); });
    default:
        break;
    }
    for (size_t i = 0; i < bytes; ++i)
        if (actual[i] != expected[i])
            return fmt::format("element {} differs", i / std::max(elementSize, 1u));
    return "";
}

std::string verifyResults(const TuningArguments& arguments,
                          const TuningConfiguration& configuration) {
    for (const TuningArguments::Expected& expected : arguments.expectations()) {
        std::vector<unsigned char> actual(expected.bytes.size());
        expected.memory->download(actual.data(), actual.size());
        const std::string problem =
            compareValues(expected.memory->dataType(), expected.memory->dataTypeMemorySize(),
                          actual.data(), expected.bytes.data(), actual.size(), expected.relative,
                          expected.absolute);
        if (problem.empty())
            continue;
        size_t place = 0;
        while (arguments.memObjects()[place] != expected.memory)
            ++place;
        return "memory object " + std::to_string(place) + ": " + problem;
    }
    return arguments.verifier() ? arguments.verifier()(configuration) : "";
}

bool verifiesResults(const TuningArguments& arguments) {
    return arguments.verifier() || !arguments.expectations().empty();
}

} // namespace kp::launch
