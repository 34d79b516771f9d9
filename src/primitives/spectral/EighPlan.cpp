// SPDX-License-Identifier: Apache-2.0
#include "primitives/spectral/EighPlan.hpp"

#include <algorithm>
#include <bit>
#include <utility>

#include <EighWhole.glsl.hpp>
#include <Jacobi.glsl.hpp>

#include "base/Text.hpp"
#include "primitives/dense/DensePlanner.hpp"
#include "primitives/dense/DenseScale.hpp"
#include "primitives/source/Division.hpp"
#include "primitives/spectral/JacobiSteps.hpp"

namespace kp::primitives {
namespace {

/// Rows of the largest matrices that a work group diagonalises alone.
constexpr uint64_t kMaxWhole = 64;

/// Adds one dispatch for all matrices, each of which a work group takes into shared memory.
void addWhole(DensePlanner& dense, const EighProblem& problem, uint64_t first) {
    const uint64_t size = problem.size;
    const uint64_t side = size + size % 2;
    // Two elements of each matrix per invocation, but not less than a subgroup.
    const uint64_t wanted = std::clamp<uint64_t>(std::bit_ceil(side * side / 4), 32, 256);
    const auto group = static_cast<uint32_t>(
        std::min<uint64_t>(wanted, std::bit_floor(dense.traits.maxGroupSize)));
    const JacobiRules rules = JacobiRules::of(dense.elementBytes(), dense.traits);
    const std::string macros =
        formatted("#define COUNT {}u\n#define SIDE {}u\n#define SWEEPS {}u\n#define LATE {}u\n"
                  "#define IS_LARGE(off, first, second) (abs(off) > threshold)\n{}{}",
                  size, side, rules.sweeps, rules.late, problem.vectors ? "#define TURNS\n" : "",
                  problem.upper ? "#define UPPER\n" : "");
    Dispatch dispatch;
    dispatch.kernel = dense.kernel("OpEigh of small matrices", macros,
                                   scaledText({JACOBI_GLSL, EIGHWHOLE_GLSL}), group);
    const DenseBlock given{0, first * size * size, size, size * size};
    dispatch.views = {dense.view(given, size, size, View::Use::eRead),
                      dense.view({1, first * size, size, size}, 1, size, View::Use::eWrite)};
    if (problem.vectors)
        dispatch.views.push_back(
            dense.view({2, given.first, size, size * size}, size, size, View::Use::eWrite));
    dispatch.setPush(EighWholePush{.batches = lowWord(dense.batches)});
    dispatch.groups = dense.batches;
    dense.add(std::move(dispatch));
}

} // namespace

Plan planEigh(const EighProblem& problem, const DeviceTraits& traits) {
    const uint64_t size = problem.size;
    DensePlanner dense(problem.type, problem.batches, problem.vectors ? 3 : 2, traits);
    if (size == 0)
        return std::move(dense.plan);
    if (size <= kMaxWhole &&
        JacobiRules::sharedBytes(size + size % 2, dense.elementBytes()) <= traits.sharedBytes) {
        dense.forEachPass(size * size, [&](uint64_t first) { addWhole(dense, problem, first); });
        return std::move(dense.plan);
    }
    JacobiSteps steps(dense, size, size, true, problem.vectors);
    dense.forEachPass(steps.mostElements(), [&](uint64_t first) {
        steps.beginPass();
        steps.load({0, first * size * size, size, size * size}, problem.upper ? "UPPER" : "LOWER");
        steps.sweep();
        steps.sort(steps.matrix(), steps.allRows() + 1, {1, first * size, size, size}, false);
        if (problem.vectors)
            steps.place(steps.turned(), size, {2, first * size * size, size * size, size * size},
                        true);
    });
    return std::move(dense.plan);
}

} // namespace kp::primitives
