// SPDX-License-Identifier: Apache-2.0
#include <kompute/primitives/OpPermutation.hpp>

#include <memory>
#include <utility>
#include <vector>

#include "primitives/Axis.hpp"
#include "primitives/BoundPlan.hpp"
#include "primitives/PermutationPlan.hpp"

namespace kp {
namespace {

std::unique_ptr<primitives::BoundPlan> permutationPlan(const TensorRange& out,
                                                       const RandomState& state) {
    constexpr const char* kName = "OpPermutation";
    std::vector<primitives::Argument> arguments = {{out, "the indices", true}};
    const std::shared_ptr<vulkan::Device> device = primitives::deviceOf(arguments, kName);
    const uint64_t count = primitives::elementsOf(out);
    const uint32_t bytes = primitives::indexBytes(arguments[0], count, kName);
    primitives::Plan plan =
        primitives::planPermutation(count, bytes, state, primitives::DeviceTraits::of(*device));
    return std::make_unique<primitives::BoundPlan>(device, std::move(plan), std::move(arguments),
                                                   kName);
}

} // namespace

OpPermutation::OpPermutation(const TensorRange& out, const RandomState& state)
    : Primitive(permutationPlan(out, state)) {}

OpPermutation::~OpPermutation() = default;

} // namespace kp
