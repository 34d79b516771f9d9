// SPDX-License-Identifier: Apache-2.0
#include <kompute/primitives/random/OpRandom.hpp>

#include <memory>
#include <utility>
#include <vector>

#include "core/queue/LaunchCapture.hpp"
#include "operations/GlslType.hpp"
#include "primitives/plan/KnownPlans.hpp"
#include "primitives/random/RandomPlan.hpp"

namespace kp {
namespace {

std::unique_ptr<primitives::BoundPlan>
randomPlan(const TensorRange& out, const Distribution& distribution, const RandomState& state) {
    constexpr const char* kName = "OpRandom";
    LaunchCapture::refuseRandom();
    std::vector<primitives::Argument> arguments = {{out, "the output", true}};
    const std::shared_ptr<vulkan::Device> device = primitives::deviceOf(arguments, kName);
    primitives::RandomProblem problem;
    problem.out = out.tensor->dataType();
    problem.distribution = distribution;
    problem.state = state;
    problem.count = primitives::elementsOf(out);
    primitives::KnownPlans& known = primitives::KnownPlans::of(*device);
    primitives::BoundPlan::Pushes pushes = primitives::randomPushes(problem, known.traits());
    const shader::CheckKinds checks = primitives::checksOf(arguments);
    auto plan = known.get(primitives::RandomShape(problem), checks, [&] {
        return primitives::PreparedPlan(device, primitives::planRandom(problem, known.traits()),
                                        checks);
    });
    return std::make_unique<primitives::BoundPlan>(device, std::move(plan), std::move(arguments),
                                                   kName, std::move(pushes));
}

} // namespace

OpRandom::OpRandom(const TensorRange& out, const Distribution& distribution,
                   const RandomState& state)
    : Primitive(randomPlan(out, distribution, state)) {}

OpRandom::~OpRandom() = default;

} // namespace kp
