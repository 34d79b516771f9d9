// SPDX-License-Identifier: Apache-2.0
#include "primitives/matrices/MatMulCooperative.hpp"

#include <algorithm>
#include <vector>

#include <MatMulSubgroupBFloat16.spv.hpp>
#include <MatMulSubgroupHalf.spv.hpp>
#include <MatMulWorkgroupBFloat16.spv.hpp>
#include <MatMulWorkgroupHalf.spv.hpp>

#include "primitives/source/Division.hpp"

namespace kp::primitives {
namespace {

/// Bits of the specialization constant FLAGS in shaders/cooperative/MatMulShared.glsl.
enum CooperativeFlag : uint32_t {
    kFlagTransposeA = 1,
    kFlagTransposeB = 2,
    kFlagAlignedA = 4,
    kFlagAlignedB = 8,
    kFlagAlignedC = 16,
    kFlagPartials = 32,
    kFlagNarrowC = 64,
    kFlagReadsC = 128,
    kFlagBias = 256,
    kFlagBiasOfRows = 512,
    kFlagClamp = 1024,
    kFlagExactGrid = 2048,
    kFlagOneSize = 4096,
};

} // namespace

Kernel cooperativeMatMul(const MatMulProblem& problem, const DeviceTraits& traits,
                         const MatMulPanels& panels, const MatMulChoice& choice, bool final) {
    const MatMulTile& tile = choice.tile;
    const auto module = [&](const auto& half, const auto& bfloat16) {
        return problem.in == Memory::DataTypes::eHalf
                   ? std::vector(half.begin(), half.end())
                   : std::vector(bfloat16.begin(), bfloat16.end());
    };
    const auto divides = [](uint64_t extent, uint64_t whole, uint64_t part) {
        return extent % part == 0 && whole % part == 0;
    };
    uint32_t flags = 0;
    const auto set = [&](bool condition, uint32_t flag) { flags |= condition ? flag : 0; };
    set(problem.transposeA, kFlagTransposeA);
    set(problem.transposeB, kFlagTransposeB);
    set(panels.isAligned(problem.a, 8), kFlagAlignedA);
    set(panels.isAligned(problem.b, 8), kFlagAlignedB);
    set(panels.isAligned(problem.c, 4), kFlagAlignedC);
    set(!final, kFlagPartials);
    set(problem.out == problem.in, kFlagNarrowC);
    set(final && problem.beta != 0, kFlagReadsC);
    set(final && problem.hasBias, kFlagBias);
    set(problem.biasOfRows, kFlagBiasOfRows);
    // Slices are whole tiles deep.
    set(!divides(panels.rows, problem.rows, tile.rows) ||
            !divides(panels.columns, problem.columns, tile.columns) ||
            !divides(std::min(panels.inner, problem.inner), problem.inner, tile.depth),
        kFlagClamp);
    // The first panel is the largest.
    set(divideUp(panels.rows, tile.rows) * divideUp(panels.columns, tile.columns) *
                std::max<uint64_t>(1, choice.slices) * panels.batches <=
            traits.maxGroupCount,
        kFlagExactGrid);
    set(traits.minSubgroupSize == traits.maxSubgroupSize, kFlagOneSize);
    Kernel made;
    made.constants = {tile.threads(traits), tile.rows, tile.columns, tile.depth, flags, tile.band};
    if (tile.method == MatMulMethod::eWorkgroups) {
        made.name = "OpMatMul with matrices of work groups";
        made.spirv = module(MATMULWORKGROUPHALF_SPV, MATMULWORKGROUPBFLOAT16_SPV);
        return made;
    }
    const vulkan::CooperativeShape shape = subgroupShape(tile, problem, traits).value();
    for (const uint32_t constant :
         {tile.partRows, tile.partColumns, shape.rows, shape.columns, shape.inner})
        made.constants.push_back(constant);
    made.name = "OpMatMul with matrices of subgroups";
    made.spirv = module(MATMULSUBGROUPHALF_SPV, MATMULSUBGROUPBFLOAT16_SPV);
    made.subgroups = true;
    return made;
}

} // namespace kp::primitives
