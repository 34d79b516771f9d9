// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <kompute/Memory.hpp>

#include "primitives/plan/DeviceTraits.hpp"
#include "primitives/plan/Plan.hpp"

namespace kp::primitives {

/// A stack of matrices in a memory of a plan, or a part of each. Counts elements.
struct DenseBlock {
    uint32_t memory = 0;
    uint64_t first = 0;
    uint64_t stride = 0; ///< from a stored row to the next
    uint64_t batchStride = 0;
    /// The memory begins at a multiple of so many elements, up to 8.
    uint32_t alignment = 8;

    /// Returns the part from an element on.
    DenseBlock at(uint64_t row, uint64_t column) const {
        DenseBlock moved = *this;
        moved.first += row * stride + column;
        return moved;
    }
};

/// C = alpha op(A) op(B) + beta C of blocks, which may be parts of one matrix that do not overlap.
struct DenseProduct {
    DenseBlock a;
    DenseBlock b;
    DenseBlock c;
    uint64_t rows = 0;
    uint64_t columns = 0;
    uint64_t inner = 0;
    bool transposeA = false;
    bool transposeB = false;
    double alpha = -1;
    double beta = 1;
    bool onlyLower = false; ///< elements of C above the diagonal need not be right
};

/// op(T) X = B, in the place of B.
struct DenseTriangle {
    DenseBlock triangle;
    DenseBlock side;
    uint64_t size = 0;
    uint64_t columns = 0;
    bool upper = false; ///< of T as it is stored
    bool transposed = false;
    bool unit = false;           ///< the diagonal is 1
    bool sideTransposed = false; ///< B and X are stored as columns x size
};

/// Builds plans of dense linear algebra for stacks of matrices.
class DensePlanner {
public:
    /// @param type  eFloat or eDouble
    DensePlanner(Memory::DataTypes type, uint64_t batches, uint32_t arguments,
                 const DeviceTraits& traits);

    Plan plan;
    uint64_t batches; ///< of the steps that are added
    const DeviceTraits& traits;

    /// Calls add(first) for some matrices of the stack at a time, whose views the device can bind.
    /// `batches` is their number meanwhile.
    /// @param elements  the most that a matrix of the stack takes in a memory
    template <typename Add>
    void forEachPass(uint64_t elements, Add&& add) {
        const uint64_t all = batches;
        const uint64_t most = mostBatches(elements);
        for (uint64_t first = 0; first < all; first += most) {
            batches = all - first < most ? all - first : most;
            add(first);
        }
        batches = all;
    }

    uint32_t elementBytes() const { return mBytes; }
    /// Returns a kernel, one for equal texts. The text has REAL; FOUR, a vector of four; and with
    /// subgroups ARITHMETIC if they can reduce.
    /// @param macros  besides the type's
    uint32_t kernel(const char* name, const std::string& macros, std::string_view text,
                    uint32_t groupSize, bool subgroups = false);
    /// Returns the view of `rows` stored rows of `columns` elements in each matrix.
    View view(const DenseBlock& block, uint64_t rows, uint64_t columns, View::Use use) const;
    void add(Dispatch dispatch) { plan.steps.emplace_back(std::move(dispatch)); }

    /// Sets `count` words from the beginning of a memory to 0.
    void fill(uint32_t memory, uint64_t count) {
        if (count > 0)
            plan.steps.emplace_back(Fill{memory, 0, count * sizeof(uint32_t), 0});
    }
    void multiply(const DenseProduct& product);
    void solve(const DenseTriangle& triangle);
    /// Copies matrices of columns x rows without gaps to their transposes.
    void transpose(const DenseBlock& from, const DenseBlock& to, uint64_t rows, uint64_t columns);
    /// Writes rows x columns elements of each matrix.
    /// @param source  GLSL over given, from, row and column: "given[from]"
    void copy(const DenseBlock& from, const DenseBlock& to, uint64_t rows, uint64_t columns,
              const char* source = "given[from]");
    /// Writes 1 on the diagonals, and 0.
    void identity(const DenseBlock& to, uint64_t rows, uint64_t columns) {
        copy(to, to, rows, columns, "row == column ? REAL(1) : REAL(0)");
    }

private:
    uint64_t mostBatches(uint64_t elements) const;
    void solveBlock(const DenseTriangle& triangle);

    Memory::DataTypes mType;
    uint32_t mBytes;
    std::optional<uint32_t> mPartials; ///< of all products
};

} // namespace kp::primitives
