// SPDX-License-Identifier: Apache-2.0
//
// Factors a panel of up to 32 columns with partial pivoting, one matrix per work group. Invocations
// keep ROWS rows each of COLUMNS columns in registers, and take the panel COLUMNS at a time: they
// subtract the products of earlier columns, factor, and finish the rows of the pivots in the
// columns that follow. Memory holds the other columns, and shared memory the rows of pivots.
//
// The registers of a row are rotated once for each column, so that the column that is factored is
// always the first: one body for all columns, with constant indices, where compilers of GPUs take half a
// minute for a body of each.
//
// APART: the matrix is read from `given`, and the panel has no more than COLUMNS columns. ORDER: the
// order of the rows is kept, too. ARITHMETIC: subgroups can reduce.

#ifdef APART
layout(binding = 0) readonly buffer Given { REAL given[]; };
#define NEXT_BINDING 1
#else
#define NEXT_BINDING 0
#endif
layout(binding = NEXT_BINDING) coherent buffer Factors { REAL factors[]; };
layout(binding = NEXT_BINDING + 1) writeonly buffer Pivots { uint pivots[]; };
layout(binding = NEXT_BINDING + 2) buffer Info { uint infos[]; };
#ifdef ORDER
layout(binding = NEXT_BINDING + 3) buffer Order { uint order[]; };
#endif

layout(push_constant) uniform Push {
#ifdef APART
    uint firstGiven;
#endif
    uint firstFactor;
    uint firstPivot;
    uint firstInfo;
#ifdef ORDER
    uint firstOrder;
#endif
    uint rows; // from the panel's first row on
    uint width;
    uint begin; // the panel's first row and column in the matrix
    uint batches;
    uint givenRowStride;
    uint givenColumnStride;
    uint givenBatchStride;
    uint rowStride;
    uint columnStride;
    uint batchStride;
    uint pivotStride;
    uint orderStride;
};

#define PANEL 32u
shared REAL sTop[PANEL * (PANEL + 1u)]; // rows of pivots
shared REAL sPivotRow[2][COLUMNS];
shared REAL sReplaced[2][COLUMNS];
shared uint sPivots[PANEL];
shared uvec3 sBest[THREADS];

uint gOrigin;

uint place(uint row, uint column) {
    return gOrigin + row * rowStride + column * columnStride;
}
uint top(uint row, uint column) { return row * (PANEL + 1u) + column; }

// A magnitude, whose words order as it does, and its row. NaN is the largest.
uvec3 candidate(REAL x, uint row) {
#ifdef HAS_Double
    uvec2 words = wordsOf(x);
    return uvec3(words.y & 0x7fffffffu, words.x, row);
#else
    return uvec3(floatBitsToUint(x) & 0x7fffffffu, 0u, row);
#endif
}
bool isBetter(uvec3 a, uvec3 b) {
    if (a.x != b.x)
        return a.x > b.x;
    if (a.y != b.y)
        return a.y > b.y;
    return a.z < b.z;
}

#ifdef SUBGROUPS
uvec3 bestOfLanes(uvec3 best) {
    subgroupBarrier(); // lanes may have left a branch one by one
#ifdef ARITHMETIC
    uint high = subgroupMax(best.x);
    bool isLargest = best.x == high;
#ifdef HAS_Double
    uint low = subgroupMax(isLargest ? best.y : 0u);
    isLargest = isLargest && best.y == low;
#else
    const uint low = 0u;
#endif
    return uvec3(high, low, subgroupMin(isLargest ? best.z : ~0u));
#else
    [[dont_unroll]] for (uint step = gl_SubgroupSize / 2u; step > 0u; step /= 2u) {
        uint lane = gl_SubgroupInvocationID ^ step;
        uvec2 magnitude = lanesValue(best.xy, lane);
        uvec3 other = uvec3(magnitude, lanesValue(best.z, lane));
        if (isBetter(other, best))
            best = other;
    }
    return best;
#endif
}
#endif

// Returns the best of all invocations.
uvec3 bestOfGroup(uvec3 best) {
#ifdef SUBGROUPS
    best = bestOfLanes(best);
    uint count = THREADS / gl_SubgroupSize;
    if (count == 1u)
        return best;
    if (gl_SubgroupInvocationID == 0u)
        sBest[gl_SubgroupID] = best;
    barrier();
    best = uvec3(0u, 0u, ~0u);
    [[dont_unroll]] for (uint i = gl_SubgroupInvocationID; i < count; i += gl_SubgroupSize)
        if (isBetter(sBest[i], best))
            best = sBest[i];
    return bestOfLanes(best);
#else
    uint thread = threadIndex();
    sBest[thread] = best;
    barrier();
    [[dont_unroll]] for (uint step = THREADS / 2u; step > 0u; step /= 2u) {
        if (thread < step && isBetter(sBest[thread + step], sBest[thread]))
            sBest[thread] = sBest[thread + step];
        barrier();
    }
    return sBest[0];
#endif
}

// Returns where the row that is at `row` after the exchanges for `count` columns was before them.
uint before(uint row, uint column, uint count) {
    [[dont_unroll]] for (uint i = count; i-- > 0u;) {
        uint pivot = sPivots[column + i];
        if (row == column + i)
            row = pivot;
        else if (row == pivot)
            row = column + i;
    }
    return row;
}

void finishMemory() {
    memoryBarrierBuffer();
    barrier();
}

// Exchanges rows of the panel's other columns as `count` columns from `first` on did.
void exchangeOthers(uint thread, uint first, uint count) {
    uint others = width - count;
    uint columnsAtATime = THREADS / count;
    uint lane = thread % count;
    uint mine = thread / count;
    uint rowA = first + lane;
    uint rowB = sPivots[first + lane];
    uint fromA = before(rowA, first, count);
    uint fromB = before(rowB, first, count);
    [[dont_unroll]] for (uint other = 0u; other < others; other += columnsAtATime) {
        bool exists = mine < columnsAtATime && other + mine < others;
        uint column = other + mine;
        column += column < first ? 0u : count;
        REAL a = exists ? factors[place(fromA, column)] : REAL(0);
        REAL b = exists ? factors[place(fromB, column)] : REAL(0);
        barrier();
        if (exists) {
            factors[place(rowA, column)] = a;
            factors[place(rowB, column)] = b;
        }
    }
}

// Finishes the rows of `count` pivots from `first` on in the panel's later columns.
void finishPivotRows(uint thread, uint first, uint count) {
    [[dont_unroll]] for (uint e = thread; e < count * width; e += THREADS) {
        uint row = first + e % count;
        sTop[top(row, e / count)] = factors[place(row, e / count)];
    }
    barrier();
    uint start = first + count;
    uint later = width - start;
    [[dont_unroll]] for (uint e = thread; e < count * later; e += THREADS) {
        uint row = first + e % count;
        uint column = start + e / count;
        REAL sum = sTop[top(row, column)];
        [[dont_unroll]] for (uint k = 0u; k < first; ++k)
            sum -= sTop[top(row, k)] * sTop[top(k, column)];
        sTop[top(row, column)] = sum;
    }
    barrier();
    [[dont_unroll]] for (uint column = start + thread; column < width; column += THREADS)
        [[dont_unroll]] for (uint row = first; row < start; ++row) {
            REAL sum = sTop[top(row, column)];
            [[dont_unroll]] for (uint k = first; k < row; ++k)
                sum -= sTop[top(row, k)] * sTop[top(k, column)];
            sTop[top(row, column)] = sum;
            factors[place(row, column)] = sum;
        }
    barrier();
}

REAL a[ROWS][COLUMNS]; // of this invocation

// Exchanges the row of the largest element of column k, which is the first in the registers, with row k,
// and subtracts its multiples from the rows below. Of the columns of the panel, j are done; they
// are the last ones in the registers.
void factorColumn(uint j, uint thread, uint k, uint batch, inout uint failed) {
    uint stage = j & 1u;
    uvec3 best = uvec3(0u, 0u, ~0u);
    UNROLL for (uint i = 0u; i < ROWS; ++i) {
        uint row = thread + i * THREADS;
        uvec3 other = candidate(a[i][0], row);
        if (row >= k && row < rows && isBetter(other, best))
            best = other;
    }
    uint pivotRow = bestOfGroup(best).z;
    UNROLL for (uint i = 0u; i < ROWS; ++i) {
        uint row = thread + i * THREADS;
        if (row == k)
            UNROLL for (uint c = 0u; c < COLUMNS; ++c)
                sReplaced[stage][c] = a[i][c];
        if (row == pivotRow)
            UNROLL for (uint c = 0u; c < COLUMNS; ++c)
                sPivotRow[stage][c] = a[i][c];
    }
    if (thread == 0u) {
        sPivots[k] = pivotRow;
        pivots[firstPivot + batch * pivotStride + k] = begin + pivotRow;
    }
    barrier();
    REAL pivot = sPivotRow[stage][0];
    bool isZero = pivot == REAL(0);
    if (isZero && failed == 0u)
        failed = begin + k + 1u;
    REAL inverse = REAL(1) / pivot;
    // Of the smallest pivots, the inverse is infinite.
    bool hasInverse = abs(pivot) >= SMALLEST;
    UNROLL for (uint i = 0u; i < ROWS; ++i) {
        uint row = thread + i * THREADS;
        if (row == pivotRow)
            UNROLL for (uint c = 0u; c < COLUMNS; ++c)
                a[i][c] = sReplaced[stage][c];
        if (row == k)
            UNROLL for (uint c = 0u; c < COLUMNS; ++c)
                a[i][c] = sPivotRow[stage][c];
        if (row > k && !isZero) {
            REAL l = hasInverse ? a[i][0] * inverse : a[i][0] / pivot;
            a[i][0] = l;
            UNROLL for (uint c = 1u; c < COLUMNS; ++c)
                if (c + j < COLUMNS)
                    a[i][c] -= l * sPivotRow[stage][c];
        }
    }
}

// Brings the next column to the front of the registers.
void rotate() {
    UNROLL for (uint i = 0u; i < ROWS; ++i) {
        REAL done = a[i][0];
        UNROLL for (uint c = 1u; c < COLUMNS; ++c)
            a[i][c - 1u] = a[i][c];
        a[i][COLUMNS - 1u] = done;
    }
}

void main() {
    uint thread = threadIndex();
    uint batch = flatGroup();
    if (batch >= batches)
        return; // the whole work group
    gOrigin = firstFactor + batch * batchStride;
    uint failed = 0u;
    [[dont_unroll]] for (uint first = 0u; first < width; first += COLUMNS) {
        uint count = min(COLUMNS, width - first);
        UNROLL for (uint i = 0u; i < ROWS; ++i)
            UNROLL for (uint j = 0u; j < COLUMNS; ++j) {
                uint row = thread + i * THREADS;
                bool isInside = row < rows && j < count;
#ifdef APART
                uint at = firstGiven + batch * givenBatchStride + row * givenRowStride +
                          j * givenColumnStride;
                a[i][j] = isInside ? given[at] : REAL(0);
#else
                a[i][j] = isInside ? factors[place(row, first + j)] : REAL(0);
#endif
            }
        [[dont_unroll]] for (uint k = 0u; k < first; ++k) {
            REAL u[COLUMNS];
            UNROLL for (uint j = 0u; j < COLUMNS; ++j)
                u[j] = j < count ? sTop[top(k, first + j)] : REAL(0);
            UNROLL for (uint i = 0u; i < ROWS; ++i) {
                uint row = thread + i * THREADS;
                REAL l = row >= first && row < rows ? factors[place(row, k)] : REAL(0);
                UNROLL for (uint j = 0u; j < COLUMNS; ++j)
                    a[i][j] -= l * u[j];
            }
        }
        [[dont_unroll]] for (uint j = 0u; j < COLUMNS; ++j) {
            if (j < count)
                factorColumn(j, thread, first + j, batch, failed);
            rotate();
        }
        UNROLL for (uint i = 0u; i < ROWS; ++i)
            UNROLL for (uint j = 0u; j < COLUMNS; ++j) {
                uint row = thread + i * THREADS;
                if (row >= first && row < rows && j < count)
                    factors[place(row, first + j)] = a[i][j];
            }
#ifndef APART
        if (count < width) {
            finishMemory();
            exchangeOthers(thread, first, count);
            finishMemory();
            if (first + count < width)
                finishPivotRows(thread, first, count);
        }
#endif
    }
    if (thread == 0u && begin == 0u)
        infos[firstInfo + batch] = failed;
    else if (thread == 0u && failed != 0u && infos[firstInfo + batch] == 0u)
        infos[firstInfo + batch] = failed;
#ifdef ORDER
    barrier();
    uint start = firstOrder + batch * orderStride;
    if (begin == 0u) {
        [[dont_unroll]] for (uint row = thread; row < rows; row += THREADS)
            order[start + row] = before(row, 0u, width);
        return;
    }
    bool exists = thread < width;
    uint rowB = exists ? sPivots[thread] : 0u;
    uint a0 = exists ? order[start + before(thread, 0u, width)] : 0u;
    uint b0 = exists ? order[start + before(rowB, 0u, width)] : 0u;
    barrier();
    if (exists) {
        order[start + thread] = a0;
        order[start + rowB] = b0;
    }
#endif
}
