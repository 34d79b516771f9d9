// SPDX-License-Identifier: Apache-2.0
#include "primitives/matrices/MatMulRules.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <iterator>

#include <kompute/Error.hpp>

#include "base/Text.hpp"
#include "operations/GlslType.hpp"
#include "primitives/source/Division.hpp"

namespace kp::primitives {
namespace {

using DataTypes = Memory::DataTypes;
using Method = MatMulMethod;
using vulkan::CooperativeShape;

/// Tiles, and how much of a device's arithmetic in float they reach in a large product.
struct TileRule {
    MatMulTile tile;
    double efficiency;
    double efficiencyOfEightBytes = 0; ///< the same with sums of eight bytes. 0: not used with them
    uint32_t groupsPerCore = 0; ///< that run at the same time; 0: as many as threadsPerCore says
    double atEdges = 1; ///< the remaining share if rows do not begin at multiples of 16 bytes, or
                        ///< extents are not multiples of the tile
};

constexpr TileRule kTiles[] = {
    // 4096^3 on an H200, 1 being 34 TFLOP/s. Chosen among 70 tiles: the choice below is at most
    // 1.12 times, and on average 1.02 times as slow as the fastest tile and number of slices, of
    // float and double from 256^3 to 4096^3, and of tall and wide products. Not used where the
    // table would then choose worse ones: 64 x 64 x 16 by 4 x 4 in float (1.11), 64 x 128 in double
    // (0.51).
    {{128, 128, 8, 8, 16}, 1.40},
    {{64, 128, 8, 8, 8}, 1.36},
    {{128, 128, 8, 8, 8}, 0, 0.67},
    {{64, 64, 16, 4, 8}, 1.18},
    {{64, 64, 8, 4, 8}, 0, 0.57},
    {{64, 64, 16, 4, 4}, 0, 0.51},
    {{32, 64, 16, 4, 4}, 1.07, 0.36},
    {{128, 32, 16, 8, 4}, 1.12, 0.43},
    {{32, 128, 16, 4, 8}, 1.17, 0.45},
    {{32, 32, 16, 4, 4}, 0.99, 0.35},
    {{32, 32, 8, 4, 4}, 0.94, 0.43},
    // The same product of half, in TFLOP/s: 293 of subgroups with 128 x 128, by 64 x 64 of each, in
    // two groups per core; 279 with 128 x 256 and 273 with a depth of 64 and 64 x 32, in one group.
    // Groups of a core share 48 KiB, so that its barriers are hardly hidden: without them and the
    // reads of memory it would be 468. With one tile that is read ahead, and not two, 263, 241 and
    // 266. 64 x 64 gave 93, at edges 31, 128 x 128 at edges 32; 64 x 128 at edges is estimated. One
    // group of 128 x 128 takes as long as two, of the others half as long: 1024^3 takes 34 us with
    // 128 x 128, 15.6 us with 64 x 128, and 23 us with 64 x 64.
    {{128, 128, 32, 64, 64, Method::eSubgroups}, 9.5, 0, 2, 0.1},
    {{64, 128, 64, 32, 32, Method::eSubgroups}, 4.8, 0, 1, 0.2},
    {{64, 64, 64, 32, 32, Method::eSubgroups}, 2.9, 0, 1, 0.33},
    // Work groups, where subgroups cannot be used, such as 4095 x 4093 x 4097: 151 TFLOP/s with
    // 128 x 256, 130 with 64 x 256 x 32, 123 with 64 x 128, 109 with 64 x 64, 104 with 128 x 128.
    // Of 1000^3, the largest takes 56 us, and the smallest 29.
    {{128, 256, 64, 8, 16, Method::eWorkgroups}, 4.6, 0, 1},
    {{64, 128, 32, 8, 8, Method::eWorkgroups}, 3.85, 0, 3},
    {{64, 64, 32, 4, 8, Method::eWorkgroups}, 3.3, 0, 4},
};

constexpr uint64_t kEight = 8; // elements that the kernels with cooperative matrices read
constexpr uint64_t kVectorBytes = 16;

VkComponentTypeKHR componentOf(DataTypes type) {
    return type == DataTypes::eBFloat16 ? VK_COMPONENT_TYPE_BFLOAT16_KHR
                                        : VK_COMPONENT_TYPE_FLOAT16_KHR;
}

uint32_t sumBytesOf(const MatMulProblem& problem) {
    return Memory::dataTypeMemorySize(matMulSumType(problem.in));
}

bool isNarrowFloat(DataTypes type) {
    return type == DataTypes::eHalf || type == DataTypes::eBFloat16;
}

bool multiplies(const CooperativeShape& shape, const MatMulProblem& problem) {
    return isNarrowFloat(problem.in) && shape.type == componentOf(problem.in) &&
           shape.sum == VK_COMPONENT_TYPE_FLOAT32_KHR;
}

bool divides(const CooperativeShape& shape, uint32_t rows, uint32_t columns, uint32_t depth) {
    return shape.rows > 0 && shape.columns > 0 && shape.inner > 0 && rows % shape.rows == 0 &&
           columns % shape.columns == 0 && depth % shape.inner == 0;
}

bool hasWorkgroupShape(const MatMulTile& tile, const MatMulProblem& problem,
                       const DeviceTraits& traits) {
    if (std::max({tile.rows, tile.columns, tile.depth}) > traits.cooperative.maxDimension)
        return false;
    return std::ranges::any_of(traits.cooperative.shapes, [&](const CooperativeShape& shape) {
        return shape.groupSize == tile.threads(traits) && multiplies(shape, problem) &&
               divides(shape, tile.rows, tile.columns, tile.depth);
    });
}

/// True if A and B can be read in the vectors of cooperative matrices.
bool isAlignedForCooperative(const MatMulProblem& problem) {
    return std::ranges::all_of(std::array{problem.a, problem.b}, [](const auto& m) {
        return m.alignment % kEight == 0 && m.stride % kEight == 0 && m.batchStride % kEight == 0;
    });
}

double efficiencyOf(const TileRule& rule, const MatMulProblem& problem) {
    return sumBytesOf(problem) == 8 ? rule.efficiencyOfEightBytes : rule.efficiency;
}

/// Returns how long a product takes, in multiplications of a core. A core runs some groups at the
/// same time. In the last round there may be fewer, which then hide less of the time that memory
/// takes.
double costOf(const TileRule& rule, uint64_t slices, const MatMulProblem& problem,
              const DeviceTraits& traits, const MatMulRules& rules) {
    const MatMulTile& tile = rule.tile;
    const uint32_t threads = tile.threads(traits);
    const bool isExact = isAlignedForCooperative(problem) && problem.rows % tile.rows == 0 &&
                         problem.columns % tile.columns == 0 && problem.inner % tile.depth == 0;
    const double efficiency =
        efficiencyOf(rule, problem) * (isExact ? 1 : rule.atEdges) *
        (tile.method == Method::eTiles && isNarrowFloat(problem.in) ? rules.narrowTiles : 1);
    const uint64_t groups = divideUp(problem.rows, tile.rows) *
                            divideUp(problem.columns, tile.columns) * problem.batches * slices;
    const uint64_t room = rules.threadsPerCore / (tile.sumBytes(problem) > 256 ? 2 : 1);
    const uint64_t perCore =
        rule.groupsPerCore ? rule.groupsPerCore : std::max<uint64_t>(1, room / threads);
    const auto time = [&](uint64_t running) {
        if (tile.method == Method::eSubgroups)
            return 1.0; // few take as long as many
        const double toHide =
            tile.method == Method::eTiles ? rules.threadsToHide : rules.cooperativeThreadsToHide;
        return static_cast<double>(running) + toHide / static_cast<double>(tile.depth * threads);
    };
    const uint64_t slots = rules.cores * perCore;
    double rounds = static_cast<double>(groups / slots);
    if (const uint64_t last = groups % slots)
        rounds += time(divideUp(last, rules.cores)) / time(perCore);
    double cost = rounds * static_cast<double>(perCore) *
                  static_cast<double>(tile.rows * tile.columns) *
                  static_cast<double>(divideUp(problem.inner, slices)) / efficiency;
    if (slices > 1 || needsFinish(tile, problem))
        cost += rules.sliceCost + rules.sumCost * static_cast<double>(slices * problem.batches) *
                                      static_cast<double>(problem.rows) *
                                      static_cast<double>(problem.columns);
    return cost;
}

/// True if the invocations read whole lines of the tiles at a time, regardless of the layout.
bool dividesLines(const MatMulTile& tile, uint32_t threads) {
    for (const uint32_t length : {tile.rows, tile.columns, tile.depth})
        if (length % kEight != 0 || threads % (length / kEight) != 0)
            return false;
    return true;
}

} // namespace

MatMulRules MatMulRules::of(const DeviceTraits& traits) {
    MatMulRules rules;
    if (traits.isNvidia)
        rules.maxSumBytes = 512;
    rules.vectorGroupSize = std::min(rules.vectorGroupSize, std::bit_floor(traits.maxGroupSize));
    if (traits.isCpu) {
        rules.cores = 4;
        rules.partsInvocations = 64;
        // Its compiler takes seconds for larger tiles, which are not faster there.
        rules.maxSumBytes = 64;
        // A row per invocation, or a slice of a few: barriers take a microsecond.
        rules.vectorGroupSize = std::min(rules.vectorGroupSize, 32u);
        rules.vectorGroups = 256;
        rules.vectorElements = 1024;
    }
    return rules;
}

DataTypes matMulSumType(DataTypes in) {
    if (in == DataTypes::eBool)
        fail<InvalidArgument>("OpMatMul: matrices of eBool cannot be multiplied; numbers can");
    return glslTypeOf(in, "multiplied").computed;
}

uint32_t MatMulTile::sumBytes(const MatMulProblem& problem) const {
    return partRows * partColumns * sumBytesOf(problem);
}

uint64_t MatMulTile::sharedBytes(const MatMulProblem& problem) const {
    if (method == Method::eWorkgroups)
        return 0; // the driver's
    if (method == Method::eSubgroups) {
        const auto lines = [&](uint64_t count, uint64_t length) {
            return count * (length / kEight + 1) * kVectorBytes;
        };
        return (problem.transposeA ? lines(depth, rows) : lines(rows, depth)) +
               (problem.transposeB ? lines(columns, depth) : lines(depth, columns));
    }
    return uint64_t{2} * depth * (rows + columns + 8) * sumBytesOf(problem);
}

std::optional<CooperativeShape> subgroupShape(const MatMulTile& tile, const MatMulProblem& problem,
                                              const DeviceTraits& traits) {
    std::optional<CooperativeShape> best;
    for (const CooperativeShape& shape : traits.cooperative.shapes)
        if (shape.groupSize == 0 && multiplies(shape, problem) && shape.columns % 4 == 0 &&
            divides(shape, tile.partRows, tile.partColumns, tile.depth) &&
            (!best ||
             shape.rows * shape.columns * shape.inner > best->rows * best->columns * best->inner))
            best = shape;
    return best;
}

bool fits(const MatMulTile& tile, const MatMulProblem& problem, const DeviceTraits& traits) {
    if (tile.sharedBytes(problem) > traits.sharedBytes || tile.threads(traits) == 0 ||
        tile.threads(traits) > traits.maxGroupSize)
        return false;
    if (tile.method == Method::eWorkgroups)
        return hasWorkgroupShape(tile, problem, traits);
    if (tile.method == Method::eSubgroups) {
        const std::optional<CooperativeShape> shape = subgroupShape(tile, problem, traits);
        if (!traits.subgroups || !shape)
            return false;
        // A part of each subgroup's sums passes through shared memory on its way to C.
        const uint64_t staged =
            uint64_t{tile.parts()} * shape->rows * shape->columns * sizeof(float);
        const uint32_t vectors = tile.threads(traits);
        return tile.sharedBytes(problem) + staged <= traits.sharedBytes &&
               tile.rows * tile.depth / kEight % vectors == 0 &&
               tile.columns * tile.depth / kEight % vectors == 0 && dividesLines(tile, vectors);
    }
    return tile.sumBytes(problem) <= MatMulRules::of(traits).maxSumBytes;
}

bool needsFinish(const MatMulTile& tile, const MatMulProblem& problem) {
    return (tile.method != Method::eTiles && !problem.epilogue.empty()) ||
           (tile.method == Method::eSubgroups &&
            (problem.hasBias || problem.out != DataTypes::eFloat));
}

MatMulChoice chooseMatMulTile(const MatMulProblem& problem, const DeviceTraits& traits) {
    const MatMulRules rules = MatMulRules::of(traits);
    MatMulChoice best{{32, 32, 8, 4, 4}};
    std::optional<double> least;
    for (const TileRule& rule : kTiles) {
        if (efficiencyOf(rule, problem) <= 0 || !fits(rule.tile, problem, traits))
            continue;
        const uint64_t most = std::clamp<uint64_t>(
            problem.inner / (rule.tile.method == Method::eTiles ? rules.minSliceLength
                                                                : rules.minCooperativeSlice),
            1, rules.maxSlices);
        for (uint64_t slices = 1; slices <= most; slices *= 2) {
            const double cost = costOf(rule, slices, problem, traits, rules);
            if (!least || cost < *least) {
                least = cost;
                best = {rule.tile, slices};
            }
        }
    }
    return best;
}

} // namespace kp::primitives
