// SPDX-License-Identifier: Apache-2.0
#include <kompute/primitives/reduce/OpHistogram.hpp>

#include <cmath>
#include <memory>
#include <utility>
#include <vector>

#include <kompute/Error.hpp>

#include "base/Text.hpp"
#include "operations/GlslType.hpp"
#include "primitives/move/MoveUnit.hpp"
#include "primitives/plan/Axis.hpp"
#include "primitives/plan/KnownPlans.hpp"
#include "primitives/reduce/HistogramEdges.hpp"
#include "primitives/reduce/HistogramPlan.hpp"
#include "primitives/sort/SortKeys.hpp"
#include "primitives/source/OperatorSource.hpp"

namespace kp {
namespace {

using DataTypes = Memory::DataTypes;
using primitives::Argument;
using primitives::elementsOf;
using primitives::HistogramProblem;

constexpr const char* kHistogramName = "OpHistogram";

void checkLimits(const HistogramProblem& problem) {
    if (!primitives::isFiniteIn(problem.low, problem.type) ||
        !primitives::isFiniteIn(problem.high, problem.type) || problem.low >= problem.high ||
        !std::isfinite(problem.high - problem.low))
        fail<InvalidArgument>("{}: there are no even bins of {} from {} to {}; give finite limits "
                              "in ascending order",
                              kHistogramName, Memory::toString(problem.type),
                              static_cast<double>(problem.low), static_cast<double>(problem.high));
}

void checkTypes(const HistogramProblem& problem, const std::vector<Argument>& arguments) {
    glslTypeOf(problem.type, "counted");
    if (problem.kind == Bins::Kind::eIntegers && primitives::isFloatingPoint(problem.type))
        fail<InvalidArgument>("{}: Bins::integers() counts integers, but the input is of {}; use "
                              "even bins, or edges",
                              kHistogramName, Memory::toString(problem.type));
    if (!problem.weighted) {
        primitives::isWideCount(arguments.back(), problem.count, kHistogramName);
        return;
    }
    const DataTypes weights = arguments[problem.memories().weights].range.tensor->dataType();
    if (problem.out != DataTypes::eFloat && problem.out != DataTypes::eDouble)
        fail<InvalidArgument>("{}: sums of weights are of eFloat or eDouble, not of {}",
                              kHistogramName, Memory::toString(problem.out));
    if (weights != problem.out)
        fail<InvalidArgument>("{}: weights of {} cannot be added up to {}; give both the same type",
                              kHistogramName, Memory::toString(weights),
                              Memory::toString(problem.out));
}

std::unique_ptr<primitives::BoundPlan> histogramPlan(const TensorRange& in, const TensorRange& out,
                                                     const Bins& bins,
                                                     const HistogramOptions& options) {
    std::vector<Argument> arguments = {{in, "the input"}};
    if (bins.kind == Bins::Kind::eEdges)
        arguments.push_back({bins.edges, "the tensor of edges"});
    if (options.weights)
        arguments.push_back({options.weights, "the tensor of weights"});
    arguments.push_back({out, "the output", true});
    const std::shared_ptr<vulkan::Device> device = primitives::deviceOf(arguments, kHistogramName);
    for (size_t i = 0; i + 1 < arguments.size(); ++i)
        primitives::requireDisjoint(arguments[i], arguments.back(), kHistogramName);

    HistogramProblem problem;
    problem.type = in.tensor->dataType();
    problem.count = elementsOf(in);
    problem.kind = bins.kind;
    problem.low = bins.low;
    problem.high = bins.high;
    problem.bins = elementsOf(out);
    problem.out = out.tensor->dataType();
    problem.weighted = static_cast<bool>(options.weights);
    problem.determinism = options.determinism;
    checkTypes(problem, arguments);
    if (bins.kind == Bins::Kind::eEven)
        checkLimits(problem);
    if (bins.kind == Bins::Kind::eEdges) {
        const Argument& edges = arguments[problem.memories().edges];
        primitives::requireSameElements(arguments[0], edges, kHistogramName);
        if (elementsOf(bins.edges) != problem.bins + 1)
            fail<InvalidArgument>("{}: {} bins have {} edges, but {} were given", kHistogramName,
                                  problem.bins, problem.bins + 1, elementsOf(bins.edges));
    }
    if (problem.weighted && elementsOf(options.weights) != problem.count)
        fail<InvalidArgument>("{}: the input has {}, but there are {}", kHistogramName,
                              counted(problem.count, "element"),
                              counted(elementsOf(options.weights), "weight"));
    if (problem.sorts() && problem.bins >= UINT32_MAX)
        fail<InvalidArgument>("{}: weights are sorted by the number of their bin, of which there "
                              "can be {}, but {} were given",
                              kHistogramName, UINT32_MAX - 1, problem.bins);
    return primitives::boundPlan(device, problem, primitives::planHistogram, std::move(arguments),
                                 kHistogramName);
}

} // namespace

OpHistogram::OpHistogram(const TensorRange& in, const TensorRange& out, const Bins& bins,
                         const HistogramOptions& options)
    : Primitive(histogramPlan(in, out, bins, options)) {}

OpHistogram::~OpHistogram() = default;

} // namespace kp
