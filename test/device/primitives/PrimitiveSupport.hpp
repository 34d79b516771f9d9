// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <random>
#include <type_traits>
#include <utility>
#include <vector>

#include <kompute/Primitives.hpp>

#include "core/memory/MemoryImpl.hpp"
#include "device/TestSupport.hpp"
#include "primitives/plan/BoundPlan.hpp"
#include "primitives/plan/DeviceTraits.hpp"

namespace kp::test {

/// An operation with a plan of the test's own.
class PlannedOperation : public kp::Primitive {
public:
    explicit PlannedOperation(std::unique_ptr<kp::primitives::BoundPlan> plan)
        : Primitive(std::move(plan)) {}
};

/// Returns an operation that runs @p plan over whole tensors.
inline std::shared_ptr<kp::OpBase> plannedOperation(kp::primitives::Plan plan,
                                                    const std::vector<kp::TensorRange>& tensors) {
    std::vector<kp::primitives::Argument> arguments;
    for (const kp::TensorRange& tensor : tensors)
        arguments.push_back({tensor, "an argument"});
    const auto device = kp::primitives::deviceOf(arguments, "a test");
    return std::make_shared<PlannedOperation>(std::make_unique<kp::primitives::BoundPlan>(
        device, std::move(plan), std::move(arguments), "a test"));
}

/// The traits of a manager's device.
inline kp::primitives::DeviceTraits traitsOf(const kp::Manager& manager) {
    return kp::primitives::DeviceTraits::of(*deviceOf(manager));
}

/// Sizes at which work is divided differently: 1, powers of two and their neighbours, primes.
inline constexpr size_t kSizes[] = {1,    2,    3,    7,    8,     9,     31,    32,   33,
                                    97,   255,  256,  257,  1023,  1024,  1025,  1031, 4095,
                                    4096, 4097, 8191, 8192, 10007, 65535, 65536, 65537};

/// Pseudo-random integers of a type, the same for the same seed; numbers in [-1, 1] of a
/// floating-point type.
template <typename T>
std::vector<T> randomValues(size_t count, uint64_t seed = 1) {
    std::mt19937_64 random(seed);
    std::vector<T> values(count);
    for (T& value : values) {
        if constexpr (std::is_integral_v<T>)
            value = static_cast<T>(random());
        else
            value = static_cast<T>(static_cast<float>(static_cast<int32_t>(random())) * 0x1p-31f);
    }
    return values;
}

/// a combined with b in a type; integers wrap around, as on the device.
template <typename T, typename Operation>
T wrapped(T a, T b, Operation operation) {
    if constexpr (std::is_integral_v<T>)
        return static_cast<T>(operation(static_cast<uint64_t>(a), static_cast<uint64_t>(b)));
    else
        return operation(a, b);
}

} // namespace kp::test
