// SPDX-License-Identifier: Apache-2.0
#include <kompute/primitives/spectral/OpEigh.hpp>

#include <memory>
#include <utility>
#include <vector>

#include "primitives/dense/DenseArguments.hpp"
#include "primitives/plan/KnownPlans.hpp"
#include "primitives/spectral/EighPlan.hpp"

namespace kp {
namespace {

std::unique_ptr<primitives::BoundPlan> eighPlan(const TensorRange& a, const TensorRange& values,
                                                const TensorRange& vectors,
                                                const SquareMatrices& matrices,
                                                const EighOptions& options) {
    constexpr const char* kName = "OpEigh";
    std::vector<primitives::Argument> arguments = {{a, "A"}, {values, "the eigenvalues", true}};
    if (vectors)
        arguments.push_back({vectors, "the eigenvectors", true});
    const std::shared_ptr<vulkan::Device> device = primitives::deviceOf(arguments, kName);
    primitives::requireExtents({matrices.size, matrices.batches}, kName);
    for (size_t i = 0; i < arguments.size(); ++i) {
        primitives::requireDenseType(arguments[i], kName, i > 0 ? arguments.data() : nullptr);
        primitives::requireMatrices(arguments[i], i == 1 ? 1 : matrices.size, matrices.size,
                                    matrices.batches, kName);
        for (size_t earlier = 0; earlier < i; ++earlier)
            primitives::requireDisjoint(arguments[earlier], arguments[i], kName);
    }
    primitives::EighProblem problem;
    problem.type = a.tensor->dataType();
    problem.size = matrices.size;
    problem.batches = matrices.batches;
    problem.vectors = static_cast<bool>(vectors);
    problem.upper = options.upper;
    return primitives::boundPlan(device, problem, primitives::planEigh, std::move(arguments),
                                 kName);
}

} // namespace

OpEigh::OpEigh(const TensorRange& a, const TensorRange& values, const TensorRange& vectors,
               const SquareMatrices& matrices, const EighOptions& options)
    : Primitive(eighPlan(a, values, vectors, matrices, options)) {}

OpEigh::~OpEigh() = default;

} // namespace kp
