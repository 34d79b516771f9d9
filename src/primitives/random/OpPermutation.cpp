// SPDX-License-Identifier: Apache-2.0
#include <kompute/primitives/random/OpPermutation.hpp>

#include <memory>
#include <utility>
#include <vector>

#include "core/queue/LaunchCapture.hpp"
#include "primitives/plan/Axis.hpp"
#include "primitives/plan/KnownPlans.hpp"
#include "primitives/random/PermutationPlan.hpp"

namespace kp {
namespace {

/// The inputs of a plan besides the state.
struct PermutationShape {
    uint64_t count;
    uint32_t indexBytes;
    bool operator==(const PermutationShape&) const = default;
};

std::unique_ptr<primitives::BoundPlan> permutationPlan(const TensorRange& out,
                                                       const RandomState& state) {
    constexpr const char* kName = "OpPermutation";
    LaunchCapture::refuseRandom();
    std::vector<primitives::Argument> arguments = {{out, "the indices", true}};
    const std::shared_ptr<vulkan::Device> device = primitives::deviceOf(arguments, kName);
    const uint64_t count = primitives::elementsOf(out);
    const uint32_t bytes = primitives::indexBytes(arguments[0], count, kName);
    primitives::KnownPlans& known = primitives::KnownPlans::of(*device);
    const shader::CheckKinds checks = primitives::checksOf(arguments);
    auto plan = known.get(PermutationShape{count, bytes}, checks, [&] {
        return primitives::PreparedPlan(
            device, primitives::planPermutation(count, bytes, state, known.traits()), checks);
    });
    return std::make_unique<primitives::BoundPlan>(
        device, std::move(plan), std::move(arguments), kName,
        primitives::randomPushes(primitives::permutationKeys(count, state), known.traits()));
}

} // namespace

OpPermutation::OpPermutation(const TensorRange& out, const RandomState& state)
    : Primitive(permutationPlan(out, state)) {}

OpPermutation::~OpPermutation() = default;

} // namespace kp
