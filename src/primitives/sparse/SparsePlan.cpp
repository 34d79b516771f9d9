// SPDX-License-Identifier: Apache-2.0
#include "primitives/sparse/SparsePlan.hpp"

#include <algorithm>
#include <bit>
#include <string>
#include <string_view>
#include <utility>

#include <Sparse.glsl.hpp>
#include <SparseCarries.glsl.hpp>
#include <SparseColumns.glsl.hpp>
#include <SparseRows.glsl.hpp>
#include <SparseTiles.glsl.hpp>

#include <kompute/Error.hpp>

#include "base/Text.hpp"
#include "operations/GlslType.hpp"
#include "primitives/source/Division.hpp"
#include "primitives/source/Source.hpp"

namespace kp::primitives {
namespace {

struct SparseRules {
    uint32_t groupSize = 256;
    /// Of balanced products with vectors, whose work groups wait for their invocations: smaller
    /// ones leave more of them to a core. On an H100, 128 were 12 to 19% faster than 256.
    uint32_t tileGroupSize = 128;
    /// Elements of a row that an invocation adds up, before another one is worth its share of the
    /// sum.
    uint32_t elementsPerLane = 4;
    uint32_t mostLanes = 32;
    /// Of a product with a matrix: steps of a tile, and the invocations that fill a device.
    uint32_t leastTile = 8;
    uint32_t mostTile = 256;
    uint64_t invocations = uint64_t{1} << 18;
    /// Columns that an invocation has in registers: each has its own load in flight.
    uint32_t columnsPerInvocation = 4;
};

/// A row this many times longer than the mean, and this long, keeps its lanes busy while others
/// wait.
constexpr uint64_t kSkew = 16;
constexpr uint64_t kLongRow = 256;

class SparsePlanner {
public:
    SparsePlanner(const SparseProblem& problem, const DeviceTraits& traits)
        : mProblem(problem), mTraits(traits) {
        mRules.groupSize = std::min(mRules.groupSize, std::bit_floor(traits.maxGroupSize));
    }

    Plan plan() {
        const uint64_t results = mProblem.rows * mProblem.columns;
        if (results == 0)
            return std::move(mPlan);
        if (mProblem.nonzeros == 0 || mProblem.inner == 0) {
            const uint64_t bytes = results * mProblem.numberBytes();
            mPlan.steps.emplace_back(Fill{4, 0, bytes, 0});
            return std::move(mPlan);
        }
        if (mProblem.columns > 1)
            addColumns();
        else if (mProblem.method == SparseMethod::eRows)
            addRows();
        else
            addTiles();
        return std::move(mPlan);
    }

private:
    std::string macros() const {
        const bool isDouble = mProblem.part == Memory::DataTypes::eDouble;
        std::string all = glslTypeMacros("T", mProblem.part);
        const char* number = isDouble ? "double" : "float";
        if (mProblem.isComplex)
            number = isDouble ? "dvec2" : "vec2";
        all += formatted("#define NUMBER {}\n#define OFFSET_WORDS {}\n#define INDEX_WORDS {}\n",
                         number, mProblem.wideOffsets ? 2 : 1, mProblem.wideIndices ? 2 : 1);
        if (mProblem.isComplex)
            all += "#define COMPLEX\n";
        return all;
    }

    uint32_t addKernel(const std::string& more, std::string_view text, uint32_t groupSize,
                       bool subgroups = false) {
        Kernel kernel;
        kernel.name = "OpSparseMatMul";
        const std::string_view matrix = text == SPARSECARRIES_GLSL ? "" : SPARSE_GLSL;
        kernel.source = composeSource(macros() + more, std::string(matrix), text, subgroups);
        kernel.constants = {groupSize};
        kernel.subgroups = subgroups;
        return mPlan.addKernel(std::move(kernel));
    }

    View view(uint32_t memory, uint64_t count, uint32_t elementBytes,
              View::Use use = View::Use::eRead) const {
        View view;
        view.memory = memory;
        view.bytes = count * elementBytes;
        view.elementBytes = elementBytes;
        view.use = use;
        if (view.bytes > mTraits.maxViewBytes)
            fail<Unsupported>("OpSparseMatMul: a tensor of {} bytes is larger than the device can "
                              "bind at a time: {} bytes; multiply by blocks of rows",
                              view.bytes, mTraits.maxViewBytes);
        return view;
    }

    Dispatch product(uint32_t kernel) const {
        const uint32_t bytes = mProblem.numberBytes();
        Dispatch dispatch;
        dispatch.kernel = kernel;
        dispatch.views = {view(0, mProblem.rows + 1, mProblem.wideOffsets ? 8 : 4),
                          view(1, mProblem.nonzeros, mProblem.wideIndices ? 8 : 4),
                          view(2, mProblem.nonzeros, bytes),
                          view(3, mProblem.inner * mProblem.columns, bytes),
                          view(4, mProblem.rows * mProblem.columns, bytes, View::Use::eWrite)};
        return dispatch;
    }

    SparsePush push(uint64_t tiles) const {
        return {.rows = lowWord(mProblem.rows),
                .columns = lowWord(mProblem.inner),
                .nonzeros = lowWord(mProblem.nonzeros),
                .width = lowWord(mProblem.columns),
                .tiles = lowWord(tiles)};
    }

    void addRows() {
        const uint64_t mean = divideUp(mProblem.nonzeros, mProblem.rows);
        // A CPU has its vectors along rows of the grid, and no loads to combine.
        uint32_t lanes = 1;
        while (!mTraits.isCpu && lanes < mRules.mostLanes && lanes * mRules.elementsPerLane < mean)
            lanes *= 2;
        const bool subgroups = lanes > 1 && mTraits.subgroups && mTraits.minSubgroupSize >= lanes;
        const std::string more =
            formatted("#define LANES {}u\n{}", lanes, lanes > 1 ? "#define SHARED_ROWS\n" : "");
        Dispatch dispatch = product(addKernel(more, SPARSEROWS_GLSL, mRules.groupSize, subgroups));
        dispatch.setPush(push(0));
        dispatch.groups = divideUp(mProblem.rows, mRules.groupSize / lanes);
        mPlan.steps.emplace_back(std::move(dispatch));
    }

    /// An odd number of steps, so that neighbouring invocations use different banks of shared
    /// memory.
    uint32_t stepsPerInvocation() const {
        const uint32_t bytes = mProblem.numberBytes();
        return bytes == 4 ? 7 : bytes == 8 ? 5 : 3;
    }

    void addTiles() {
        const uint32_t bytes = mProblem.numberBytes();
        const uint32_t perInvocation = stepsPerInvocation();
        const uint32_t bytesPerInvocation = (perInvocation + 1) * (bytes + 4);
        uint32_t groupSize = std::min(mRules.groupSize, mRules.tileGroupSize);
        while (groupSize > 32 && groupSize * bytesPerInvocation + 64 > mTraits.sharedBytes)
            groupSize /= 2;
        const uint64_t tile = uint64_t{groupSize} * perInvocation;
        const uint64_t tiles = divideUp(mProblem.rows + mProblem.nonzeros, tile);
        const std::string more =
            formatted("#define CARRIES\n#define PER_INVOCATION {}u\n", perInvocation);
        const bool subgroups = mTraits.subgroups && groupSize >= mTraits.maxSubgroupSize;
        const uint32_t kernel = addKernel(more, SPARSETILES_GLSL, groupSize, subgroups);
        addWithCarries(product(kernel), tiles, tiles);
    }

    void addColumns() {
        const uint64_t steps = mProblem.rows + mProblem.nonzeros;
        const auto width = static_cast<uint32_t>(std::min<uint64_t>(mProblem.columns, 1 << 16));
        const uint32_t lanes = std::min(mRules.mostLanes, std::bit_ceil(width));
        uint32_t perInvocation = 1;
        while (perInvocation < mRules.columnsPerInvocation && perInvocation * lanes < width)
            perInvocation *= 2;
        const uint64_t wanted = mTraits.isCpu ? 1 << 10 : mRules.invocations;
        const uint64_t tile = std::clamp<uint64_t>(steps * lanes / wanted, mRules.leastTile,
                                                   mTraits.isCpu ? 1 << 14 : mRules.mostTile);
        const uint64_t tiles = divideUp(steps, tile);
        const std::string more = formatted(
            "#define CARRIES\n#define TILE {}u\n#define LANES {}u\n#define PER_INVOCATION {}u\n",
            tile, lanes, perInvocation);
        addWithCarries(product(addKernel(more, SPARSECOLUMNS_GLSL, mRules.groupSize)), tiles,
                       divideUp(tiles, mRules.groupSize / lanes));
    }

    void addWithCarries(Dispatch dispatch, uint64_t tiles, uint64_t groups) {
        const uint32_t bytes = mProblem.numberBytes();
        const uint64_t width = mProblem.columns;
        const uint32_t carryRows = mPlan.addScratch(tiles * 4);
        const uint32_t carries = mPlan.addScratch(tiles * width * bytes);
        dispatch.views.push_back(view(carryRows, tiles, 4, View::Use::eWrite));
        dispatch.views.push_back(view(carries, tiles * width, bytes, View::Use::eWrite));
        dispatch.setPush(push(tiles));
        dispatch.groups = groups;
        mPlan.steps.emplace_back(std::move(dispatch));

        // Most work groups find nothing to do, so small ones end sooner.
        const auto lanes = std::bit_ceil(static_cast<uint32_t>(std::min<uint64_t>(width, 32)));
        const uint32_t group = std::min(mRules.groupSize, mTraits.isCpu ? 32u : 32 * lanes);
        Dispatch add;
        add.kernel = addKernel(formatted("#define LANES {}u\n", lanes), SPARSECARRIES_GLSL, group);
        add.views = {view(carryRows, tiles, 4), view(carries, tiles * width, bytes),
                     view(4, mProblem.rows * width, bytes, View::Use::eReadWrite)};
        add.setPush(SparseCarriesPush{
            .rows = lowWord(mProblem.rows), .width = lowWord(width), .tiles = lowWord(tiles)});
        add.groups = tiles;
        mPlan.steps.emplace_back(std::move(add));
    }

    const SparseProblem& mProblem;
    const DeviceTraits& mTraits;
    SparseRules mRules;
    Plan mPlan{5};
};

} // namespace

SparseMethod sparseMethod(const SparseProblem& problem, uint64_t longestRow) {
    if (problem.method != SparseMethod::eAutomatic)
        return problem.method;
    const uint64_t mean = problem.rows == 0 ? 0 : divideUp(problem.nonzeros, problem.rows);
    const bool even = longestRow != 0 && longestRow <= std::max(kLongRow, kSkew * mean);
    return even ? SparseMethod::eRows : SparseMethod::eBalanced;
}

Plan planSparse(const SparseProblem& problem, const DeviceTraits& traits) {
    return SparsePlanner(problem, traits).plan();
}

} // namespace kp::primitives
