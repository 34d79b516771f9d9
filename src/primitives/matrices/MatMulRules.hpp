// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include <kompute/Memory.hpp>

#include "primitives/plan/DeviceTraits.hpp"
#include "primitives/source/ExactNumber.hpp"

namespace kp::primitives {

/// A matrix as it is stored.
struct StoredMatrix {
    uint64_t stride = 0;      ///< elements from row to row
    uint64_t batchStride = 0; ///< elements from matrix to matrix
    /// The matrices begin at a multiple of this many elements in their buffer, up to 8.
    uint32_t alignment = 8;
    bool operator==(const StoredMatrix&) const = default;
};

struct MatMulProblem {
    Memory::DataTypes in = Memory::DataTypes::eFloat;
    Memory::DataTypes out = Memory::DataTypes::eFloat;
    uint64_t rows = 0;
    uint64_t columns = 0;
    uint64_t inner = 0;
    uint64_t batches = 1;
    bool transposeA = false;
    bool transposeB = false;
    StoredMatrix a;
    StoredMatrix b;
    StoredMatrix c;
    ExactNumber alpha = 1;
    ExactNumber beta = 0;
    std::string epilogue;
    bool hasBias = false;
    bool biasOfRows = false;
    bool onlyLower = false; ///< tiles of C that lie above the diagonal may be left out
    bool operator==(const MatMulProblem&) const = default;
};

/// Who multiplies what.
enum class MatMulMethod {
    eTiles,     ///< each invocation elements of a tile in shared memory
    eSubgroups, ///< VK_KHR_cooperative_matrix: each subgroup a part of a tile in shared memory
    eWorkgroups ///< VK_NV_cooperative_matrix2: each work group a tile
};

/// How a work group of a product divides its work: tiles of rows x columns of C, `depth` steps
/// along `inner` at a time.
struct MatMulTile {
    uint32_t rows;
    uint32_t columns;
    uint32_t depth;
    /// Elements per invocation; with eSubgroups, per subgroup.
    uint32_t partRows;
    uint32_t partColumns;
    MatMulMethod method = MatMulMethod::eTiles;
    /// With cooperative matrices: rows of tiles that are taken together, for the caches.
    uint32_t band = 8;

    uint32_t parts() const { return rows / partRows * (columns / partColumns); }
    /// Invocations of a work group.
    uint32_t threads(const DeviceTraits& traits) const {
        return parts() * (method == MatMulMethod::eSubgroups ? traits.maxSubgroupSize : 1);
    }
    /// Bytes of an invocation's accumulators, with eTiles.
    uint32_t sumBytes(const MatMulProblem& problem) const;
    /// Bytes of shared memory that the kernel takes.
    uint64_t sharedBytes(const MatMulProblem& problem) const;
    bool operator==(const MatMulTile&) const = default;
};

/// A tile, and into how many slices `inner` is cut.
struct MatMulChoice {
    MatMulTile tile;
    uint64_t slices = 1;
};

/// How work is divided. One table, with the reason of each number.
struct MatMulRules {
    /// Cores, and the invocations of the tiled kernel that run on one at the same time: two groups
    /// of 256, which registers allow, on the 132 cores of an H200, and half as many if each has
    /// more than 256 bytes of sums. On smaller devices, work is cut finer than necessary.
    uint64_t cores = 132;
    uint64_t threadsPerCore = 512;
    /// Bytes in the accumulators of an invocation. More do not fit the registers. NVIDIA's GPUs
    /// have 255 registers of 4 bytes per invocation, and take 512.
    uint32_t maxSumBytes = 256;
    /// Slices shorter than this do not pay for the pass that adds them.
    uint64_t minSliceLength = 256;
    /// The same with cooperative matrices: 1024^3 takes 23.1 us, and in two slices 26.0.
    uint64_t minCooperativeSlice = 2048;
    uint64_t maxSlices = 256;
    /// A core that runs n invocations of the tiled kernel takes 1 + threadsToHide / (n depth) times
    /// as long as one that runs enough of them to hide how long memory takes (an H200's).
    double threadsToHide = 512;
    double cooperativeThreadsToHide = 10'000; ///< the same of cooperative matrices of work groups
    double narrowTiles = 0.75;                ///< the tiled kernel's rate with half, 1 being float
    /// Costs of slices, in multiplications of a core: the pass that adds them (1 us), and writing
    /// and reading a sum (as at 0.5 TB/s, which fits measured times best: kernels also begin and
    /// end).
    double sliceCost = 130'000;
    double sumCost = 1;
    /// If not 0, invocations multiply parts of partRows() x 4 alone, in groups of so many, and
    /// tiles only say into how many slices `inner` is cut.
    uint32_t partsInvocations = 0;
    /// Rows of the parts of large matrices: more operands are used twice, but compilers take 0.2 s
    /// longer, in which they multiply matrices of 128 rows three hundred times.
    uint32_t mostPartRows = 8;
    uint32_t partRows(const MatMulProblem& problem) const {
        return problem.rows >= 16 * mostPartRows ? mostPartRows : 4;
    }
    /// Products with a vector: groups, and elements of a row per invocation.
    uint32_t vectorGroupSize = 256;
    uint64_t vectorGroups = 132 * 8;
    uint64_t vectorElements = 32;
    uint64_t minVectorSlice = 2048;

    static MatMulRules of(const DeviceTraits& traits);
};

/// Returns the type of sums.
Memory::DataTypes matMulSumType(Memory::DataTypes in);

/// Returns true if the device can compute the product with this tile.
bool fits(const MatMulTile& tile, const MatMulProblem& problem, const DeviceTraits& traits);

/// Returns the matrices that a subgroup multiplies with eSubgroups: the largest that divide the
/// tile's parts.
std::optional<vulkan::CooperativeShape>
subgroupShape(const MatMulTile& tile, const MatMulProblem& problem, const DeviceTraits& traits);

/// True if the pass that adds slices must also run for one slice: modules of SPIR-V have no place
/// for GLSL of the user. Subgroups write floats alone: their sums would have to pass through shared
/// memory otherwise, which takes 3.9 ms instead of 0.53 for 4096^3 on an H200.
bool needsFinish(const MatMulTile& tile, const MatMulProblem& problem);

/// Returns the tile that a rule of costs prefers.
MatMulChoice chooseMatMulTile(const MatMulProblem& problem, const DeviceTraits& traits);

} // namespace kp::primitives
