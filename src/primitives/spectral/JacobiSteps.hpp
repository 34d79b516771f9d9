// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "primitives/dense/DensePlanner.hpp"
#include "primitives/plan/DeviceTraits.hpp"
#include "primitives/plan/Plan.hpp"

namespace kp::primitives {

/// How matrices are diagonalised by Jacobi rotations. One table, with the reason of each number.
struct JacobiRules {
    /// Rows of the matrices that a work group rotates in shared memory: two blocks.
    uint32_t side = 64;
    uint32_t groupSize = 256; ///< 16 columns of invocations
    /// Random matrices of floats take about 10 sweeps, graded ones up to 17; doubles 11 and 24.
    /// Each sweep is recorded, whether it is needed or not. From the sweep `late` on, more is
    /// tolerated.
    uint32_t sweeps = 30;
    uint32_t late = 15;

    static JacobiRules of(uint32_t elementBytes, const DeviceTraits& traits);
    uint32_t down() const { return groupSize / 16; }
    /// Returns the shared memory that rotations of a symmetric matrix take.
    static uint64_t sharedBytes(uint64_t side, uint32_t elementBytes);
};

/// Adds the steps of a Jacobi method on blocks of rows to a plan: a tournament, in each round of
/// which every work group rotates the rows of a pair of blocks. The first sweep without a rotation
/// is the last; kernels of later ones return at once, as a state in device memory tells them.
class JacobiSteps {
public:
    /// @param rows     that are rotated; of SVDs `columns` long, else square and symmetric
    /// @param vectors  rotations are also applied to an identity matrix
    JacobiSteps(DensePlanner& dense, uint64_t rows, uint64_t columns, bool symmetric, bool vectors);

    /// Returns the rows, including rows of 0 that fill the last blocks.
    uint64_t allRows() const { return mBlocks * mRules.side / 2; }
    /// Returns the elements of a row, in memory.
    uint64_t width() const { return mSymmetric ? allRows() : mColumns; }

    /// Returns the maximum number of elements that a matrix takes in a memory.
    uint64_t mostElements() const;

    /// Takes memory for the matrices of a pass. The first pass is the largest.
    void beginPass();
    /// Copies the matrices of the pass, scaled.
    /// @param part  see ScaledCopy
    void load(const DenseBlock& given, const std::string& part);
    /// Adds all sweeps.
    void sweep();
    /// Sorts the values, and makes the order of rows.
    /// @param keys  elements of the diagonal, or `count` numbers
    void sort(const DenseBlock& keys, uint64_t keyStride, const DenseBlock& values,
              bool descending);
    /// Writes rows in order.
    void place(const DenseBlock& from, uint64_t length, const DenseBlock& to, bool transposed);

    DenseBlock matrix() const { return {mMatrix, 0, width(), allRows() * width()}; }
    /// The product of all rotations: its rows are vectors.
    DenseBlock turned() const { return {mTurned, 0, allRows(), allRows() * allRows()}; }
    /// Returns a kernel with the text of Jacobi.glsl before its own.
    uint32_t kernel(const char* name, const std::string& macros, std::string_view text,
                    uint32_t groupSize) const;
    const JacobiRules& rules() const { return mRules; }
    /// Returns how far from orthogonal vectors may stay, in units of the last place: the rounding
    /// of products of their elements. A literal.
    static std::string tolerance(uint64_t length);

private:
    View states(View::Use use) const;
    void makeKernels();
    uint64_t pairs() const { return mBlocks / 2; }
    uint64_t stateWords() const { return 1 + mRules.sweeps + pairs(); }
    std::string macros(bool rotates) const;
    /// Elements of the square matrices of all pairs of blocks.
    uint64_t squares() const { return pairs() * mRules.side * mRules.side; }
    void addGram(uint64_t round, uint64_t sweep);
    void addPairs(uint64_t round, uint64_t sweep);
    void addRows(const DenseBlock& rows, uint64_t round, bool both);

    DensePlanner& mDense;
    JacobiRules mRules;
    uint64_t mRows;
    uint64_t mColumns;
    bool mSymmetric;
    bool mVectors;
    uint64_t mBlocks;
    uint64_t mSlices = 1; ///< of the rows, in products of blocks
    bool mHasMemory = false;
    uint32_t mState = 0;
    uint32_t mMatrix = 0;
    uint32_t mTurned = 0;
    uint32_t mTurns = 0; ///< of the pairs of a round
    uint32_t mGram = 0;
    uint32_t mOrder = 0;
    uint32_t mGramKernel = 0;
    uint32_t mPairsKernel = 0;
    uint32_t mRowsKernel = 0;
    uint32_t mBothKernel = 0; ///< of rows and columns
};

} // namespace kp::primitives
