// SPDX-License-Identifier: Apache-2.0
#include <kompute/primitives/spectral/OpSvd.hpp>

#include <algorithm>
#include <array>
#include <memory>
#include <utility>
#include <vector>

#include <kompute/Error.hpp>

#include "base/Text.hpp"
#include "primitives/dense/DenseArguments.hpp"
#include "primitives/plan/KnownPlans.hpp"
#include "primitives/spectral/SvdPlan.hpp"

namespace kp {
namespace {

std::unique_ptr<primitives::BoundPlan> svdPlan(const TensorRange& a, const TensorRange& u,
                                               const TensorRange& s, const TensorRange& vh,
                                               const RectangularMatrices& matrices,
                                               const SvdOptions& options) {
    constexpr const char* kName = "OpSvd";
    const auto [rows, columns, batches] = matrices;
    if (static_cast<bool>(u) != static_cast<bool>(vh))
        fail<InvalidArgument>("{}: {} was given without {}; give both, or neither", kName,
                              u ? "U" : "V^T", u ? "V^T" : "U");
    std::vector<primitives::Argument> arguments = {{a, "A"}, {s, "the singular values", true}};
    if (u) {
        arguments.push_back({u, "U", true});
        arguments.push_back({vh, "V^T", true});
    }
    const std::shared_ptr<vulkan::Device> device = primitives::deviceOf(arguments, kName);
    primitives::requireExtents({rows, columns, batches}, kName);
    const uint64_t count = std::min(rows, columns);
    const std::array<std::array<uint64_t, 2>, 4> extents = {
        {{rows, columns},
         {1, count},
         {rows, options.full ? rows : count},
         {options.full ? columns : count, columns}}};
    for (size_t i = 0; i < arguments.size(); ++i) {
        primitives::requireDenseType(arguments[i], kName, i > 0 ? arguments.data() : nullptr);
        primitives::requireMatrices(arguments[i], extents[i][0], extents[i][1], batches, kName);
        for (size_t earlier = 0; earlier < i; ++earlier)
            primitives::requireDisjoint(arguments[earlier], arguments[i], kName);
    }
    primitives::SvdProblem problem;
    problem.type = a.tensor->dataType();
    problem.rows = rows;
    problem.columns = columns;
    problem.batches = batches;
    problem.vectors = static_cast<bool>(u);
    problem.full = options.full;
    return primitives::boundPlan(device, problem, primitives::planSvd, std::move(arguments), kName);
}

} // namespace

OpSvd::OpSvd(const TensorRange& a, const TensorRange& u, const TensorRange& s,
             const TensorRange& vh, const RectangularMatrices& matrices, const SvdOptions& options)
    : Primitive(svdPlan(a, u, s, vh, matrices, options)) {}

OpSvd::~OpSvd() = default;

} // namespace kp
