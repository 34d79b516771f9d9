// SPDX-License-Identifier: Apache-2.0
#include <kompute/primitives/sort/OpTopK.hpp>

#include <memory>
#include <utility>

#include <kompute/Error.hpp>

#include "base/Text.hpp"
#include "operations/GlslType.hpp"
#include "primitives/move/MoveUnit.hpp"
#include "primitives/plan/Axis.hpp"
#include "primitives/plan/KnownPlans.hpp"
#include "primitives/sort/SortKeys.hpp"
#include "primitives/sort/TopKPlan.hpp"

namespace kp {
namespace {

std::unique_ptr<primitives::BoundPlan> topKPlan(const TensorRange& in, uint64_t k,
                                                const TensorRange& values,
                                                const TensorRange& indices,
                                                const TopKOptions& options) {
    constexpr const char* kName = "OpTopK";
    if (!values && !indices)
        fail<InvalidArgument>("{}: neither values nor indices are given; give one or both", kName);
    std::vector<primitives::Argument> arguments = {{in, "the input"}};
    if (values)
        arguments.push_back({values, "the tensor of values", true});
    if (indices)
        arguments.push_back({indices, "the tensor of indices", true});
    const std::shared_ptr<vulkan::Device> device = primitives::deviceOf(arguments, kName);
    for (size_t output = 1; output < arguments.size(); ++output)
        for (size_t other = 0; other < output; ++other)
            primitives::requireDisjoint(arguments[output], arguments[other], kName);

    primitives::TopKProblem problem;
    problem.type = in.tensor->dataType();
    glslTypeOf(problem.type, "ordered");
    const uint64_t count = primitives::elementsOf(in);
    problem.array = primitives::rowsOf(options.shape, options.axis, count, kName);
    problem.k = k;
    if (k > problem.array.length)
        fail<InvalidArgument>("{}: there are no {} {} of {} elements; give a k up to {}", kName, k,
                              options.smallest ? "smallest" : "largest", problem.array.length,
                              problem.array.length);
    const uint64_t results = problem.array.outer * problem.array.inner * k;
    const auto requireResults = [&](const TensorRange& range, const char* what) {
        if (primitives::elementsOf(range) != results)
            fail<InvalidArgument>("{}: the result has {}, but there are {} {}", kName,
                                  counted(results, "element"), primitives::elementsOf(range), what);
    };
    problem.smallest = options.smallest;
    problem.values = static_cast<bool>(values);
    problem.inUnit = primitives::startUnit(in);
    if (values) {
        requireResults(values, "places for values");
        primitives::requireSameElements(arguments[0], arguments[1], kName);
        problem.valuesUnit = primitives::startUnit(values);
    }
    if (indices) {
        requireResults(indices, "places for indices");
        problem.indexBytes =
            primitives::indexBytes({indices, "the indices"}, problem.array.length, kName);
        problem.indicesUnit = primitives::startUnit(indices);
    }
    return primitives::boundPlan(device, problem, primitives::planTopK, std::move(arguments),
                                 kName);
}

} // namespace

OpTopK::OpTopK(const TensorRange& in, uint64_t k, const TensorRange& values,
               const TensorRange& indices, const TopKOptions& options)
    : Primitive(topKPlan(in, k, values, indices, options)) {}

OpTopK::~OpTopK() = default;

} // namespace kp
