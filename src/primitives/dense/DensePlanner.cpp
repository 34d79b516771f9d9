// SPDX-License-Identifier: Apache-2.0
#include "primitives/dense/DensePlanner.hpp"

#include <algorithm>
#include <bit>
#include <numeric>
#include <utility>

#include <DenseCopy.glsl.hpp>
#include <TriangularSolve.glsl.hpp>

#include <kompute/Error.hpp>

#include "base/Text.hpp"
#include "operations/GlslType.hpp"
#include "primitives/matrices/MatMulPlan.hpp"
#include "primitives/move/MovePlan.hpp"
#include "primitives/source/Division.hpp"
#include "primitives/source/Source.hpp"

namespace kp::primitives {
namespace {

/// Rows of a triangle that one dispatch solves with: a dispatch and its barrier take about as long.
constexpr uint64_t kTriangleRows = 128;
/// Columns of a work group. More would leave cores without work for up to 4096 columns.
constexpr uint32_t kTriangleGroup = 32;
/// Rows of X that an invocation keeps in registers.
constexpr uint32_t kTriangleTile = 32;
constexpr uint32_t kCopyGroup = 256;

} // namespace

DensePlanner::DensePlanner(Memory::DataTypes type, uint64_t batchCount, uint32_t arguments,
                           const DeviceTraits& deviceTraits)
    : plan(arguments), batches(batchCount), traits(deviceTraits), mType(type),
      mBytes(Memory::dataTypeMemorySize(type)) {}

uint64_t DensePlanner::mostBatches(uint64_t elements) const {
    const uint64_t most = traits.maxViewBytes / mBytes;
    if (elements > most)
        fail<Unsupported>("a matrix of {} elements of {} is larger than the device can bind at a "
                          "time: {} elements",
                          elements, Memory::toString(mType), most);
    return elements == 0 ? UINT32_MAX : std::min<uint64_t>(UINT32_MAX, most / elements);
}

uint32_t DensePlanner::kernel(const char* name, const std::string& macros, std::string_view text,
                              uint32_t groupSize, bool subgroups) {
    std::string all = glslTypeMacros("T", mType) + macros;
    all +=
        formatted("#define REAL {}\n#define FOUR {}\n#define UNROLL {}\n", glslComputedName(mType),
                  glslComputedVector(mType), traits.isCpu ? "[[dont_unroll]]" : "[[unroll]]");
    std::vector<std::string> extensions;
    if (subgroups && traits.subgroupArithmetic) {
        all += "#define ARITHMETIC\n";
        extensions.emplace_back("GL_KHR_shader_subgroup_arithmetic");
    }
    Kernel made;
    made.name = name;
    made.source = composeSource(all, "", text, subgroups, false, extensions);
    made.constants = {groupSize};
    made.subgroups = subgroups;
    return plan.sharedKernel(std::move(made));
}

View DensePlanner::view(const DenseBlock& block, uint64_t rows, uint64_t columns,
                        View::Use use) const {
    View view;
    view.memory = block.memory;
    view.offset = block.first * mBytes;
    view.bytes = ((batches - 1) * block.batchStride + (rows - 1) * block.stride + columns) * mBytes;
    view.elementBytes = mBytes;
    view.use = use;
    return view;
}

void DensePlanner::multiply(const DenseProduct& product) {
    if (product.rows == 0 || product.columns == 0 || batches == 0)
        return;
    const auto stored = [&](const DenseBlock& block) {
        StoredMatrix matrix;
        matrix.stride = block.stride;
        matrix.batchStride = batches > 1 ? block.batchStride : 0;
        matrix.alignment = static_cast<uint32_t>(
            std::gcd(std::gcd(block.first, uint64_t{block.alignment}), uint64_t{8}));
        return matrix;
    };
    MatMulProblem problem;
    problem.in = problem.out = mType;
    problem.rows = product.rows;
    problem.columns = product.columns;
    problem.inner = product.inner;
    problem.batches = batches;
    problem.transposeA = product.transposeA;
    problem.transposeB = product.transposeB;
    problem.a = stored(product.a);
    problem.b = stored(product.b);
    problem.c = stored(product.c);
    problem.alpha = product.alpha;
    problem.beta = product.beta;
    problem.onlyLower = product.onlyLower;
    Plan made = planMatMul(problem, traits);
    std::vector<Plan::Placed> memories;
    for (const DenseBlock* const block : {&product.a, &product.b, &product.c})
        memories.push_back({block->memory, block->first * mBytes});
    if (!made.scratch.empty()) { // of one product at a time
        if (!mPartials)
            mPartials = plan.addScratch(0);
        uint64_t& bytes = plan.scratch[*mPartials - plan.arguments];
        bytes = std::max(bytes, made.scratch.front());
        memories.push_back({*mPartials, 0});
        made.scratch.clear();
        made.arguments = 4;
    }
    plan.appendAt(std::move(made), memories);
}

void DensePlanner::solve(const DenseTriangle& whole) {
    if (whole.size == 0 || whole.columns == 0 || batches == 0)
        return;
    if (whole.size <= kTriangleRows) {
        solveBlock(whole);
        return;
    }
    // Halves of whole blocks, so that few products have many steps each.
    const uint64_t blocks = divideUp(whole.size, kTriangleRows);
    const uint64_t cut = std::bit_ceil(blocks) / 2 * kTriangleRows;
    const uint64_t rest = whole.size - cut;
    const bool fromEnd = whole.upper != whole.transposed;
    const uint64_t firstStart = fromEnd ? rest : 0;
    const uint64_t lastStart = fromEnd ? 0 : cut;
    const auto sideAt = [&](uint64_t row) {
        return whole.sideTransposed ? whole.side.at(0, row) : whole.side.at(row, 0);
    };
    DenseTriangle first = whole;
    first.triangle = whole.triangle.at(firstStart, firstStart);
    first.side = sideAt(firstStart);
    first.size = cut;
    DenseTriangle last = whole;
    last.triangle = whole.triangle.at(lastStart, lastStart);
    last.side = sideAt(lastStart);
    last.size = rest;
    solve(first);
    DenseProduct update;
    const DenseBlock between = whole.transposed ? whole.triangle.at(firstStart, lastStart)
                                                : whole.triangle.at(lastStart, firstStart);
    update.inner = cut;
    update.c = last.side;
    if (whole.sideTransposed) { // X^T op(T)^T
        update.a = first.side;
        update.b = between;
        update.transposeB = !whole.transposed;
        update.rows = whole.columns;
        update.columns = rest;
    } else {
        update.a = between;
        update.transposeA = whole.transposed;
        update.b = first.side;
        update.rows = rest;
        update.columns = whole.columns;
    }
    multiply(update);
    solve(last);
}

void DensePlanner::solveBlock(const DenseTriangle& given) {
    const bool fromEnd = given.upper != given.transposed;
    uint64_t row = given.transposed ? 1 : given.triangle.stride;
    uint64_t column = given.transposed ? given.triangle.stride : 1;
    uint64_t sideRow = given.sideTransposed ? 1 : given.side.stride;
    const uint64_t sideColumn = given.sideTransposed ? given.side.stride : 1;
    const uint64_t last = given.size - 1;
    Dispatch dispatch;
    dispatch.kernel = kernel(
        "OpTriangularSolve",
        formatted("#define TILE {}u\n{}", kTriangleTile, given.unit ? "#define UNIT\n" : "") +
            // A compiler of CPUs takes long for repeated text.
            eachMacro("ROW", "", kTriangleTile, !traits.isCpu),
        TRIANGULARSOLVE_GLSL, kTriangleGroup);
    dispatch.views = {view(given.triangle, given.size, given.size, View::Use::eRead),
                      view(given.side, given.sideTransposed ? given.columns : given.size,
                           given.sideTransposed ? given.size : given.columns,
                           View::Use::eReadWrite)};
    const uint64_t origin = fromEnd ? last * (row + column) : 0;
    const uint64_t sideOrigin = fromEnd ? last * sideRow : 0;
    if (fromEnd) {
        row = 0 - row;
        column = 0 - column;
        sideRow = 0 - sideRow;
    }
    const uint64_t groups = divideUp(given.columns, kTriangleGroup);
    dispatch.setPush(TriangularSolvePush{.size = lowWord(given.size),
                                         .columns = lowWord(given.columns),
                                         .groups = lowWord(groups),
                                         .batches = lowWord(batches),
                                         .originTriangle = lowWord(origin),
                                         .rowStride = lowWord(row),
                                         .columnStride = lowWord(column),
                                         .batchStride = lowWord(given.triangle.batchStride),
                                         .originSide = lowWord(sideOrigin),
                                         .sideRowStride = lowWord(sideRow),
                                         .sideColumnStride = lowWord(sideColumn),
                                         .sideBatchStride = lowWord(given.side.batchStride),
                                         .alongRows = given.transposed ? 1u : 0u});
    dispatch.groups = groups * batches;
    add(std::move(dispatch));
}

void DensePlanner::transpose(const DenseBlock& from, const DenseBlock& to, uint64_t rows,
                             uint64_t columns) {
    if (rows == 0 || columns == 0 || batches == 0)
        return;
    const auto in = [&](uint64_t stride) { return static_cast<int64_t>(stride * mBytes); };
    const auto unit = [&](const DenseBlock& block) {
        return static_cast<uint32_t>(
            std::min<uint64_t>(16, std::gcd(block.alignment * uint64_t{mBytes}, uint64_t{16})));
    };
    MoveProblem move;
    move.elementBytes = mBytes;
    move.inMemory = from.memory;
    move.outMemory = to.memory;
    move.inOffset = from.first * mBytes;
    move.outOffset = to.first * mBytes;
    move.inUnit = unit(from);
    move.outUnit = unit(to);
    move.axes = {{batches, in(from.batchStride), to.batchStride * mBytes},
                 {rows, in(1), to.stride * mBytes},
                 {columns, in(from.stride), mBytes}};
    planMove(plan, move, traits);
}

void DensePlanner::copy(const DenseBlock& from, const DenseBlock& to, uint64_t rows,
                        uint64_t columns, const char* source) {
    if (rows == 0 || columns == 0 || batches == 0)
        return;
    Dispatch dispatch;
    const uint32_t group = std::min(kCopyGroup, traits.maxGroupSize);
    dispatch.kernel =
        kernel("copy of matrices", formatted("#define SOURCE {}\n", source), DENSECOPY_GLSL, group);
    dispatch.views = {view(from, rows, columns, View::Use::eRead),
                      view(to, rows, columns, View::Use::eWrite)};
    dispatch.setPush(DenseCopyPush{.rows = lowWord(rows),
                                   .columns = lowWord(columns),
                                   .batches = lowWord(batches),
                                   .rowStride = lowWord(from.stride),
                                   .batchStride = lowWord(from.batchStride),
                                   .madeRowStride = lowWord(to.stride),
                                   .madeBatchStride = lowWord(to.batchStride)});
    dispatch.groups = divideUp(rows * columns * batches, group);
    add(std::move(dispatch));
}

} // namespace kp::primitives
