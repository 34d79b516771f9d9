// SPDX-License-Identifier: Apache-2.0
//
// Multiplies by tiles of A_TILE x B_TILE elements of C, DEPTH steps along `inner` at a time. Each of
// the THREADS invocations computes THREAD_ROWS x THREAD_COLUMNS elements, in blocks of 4 x 4, 16
// rows and 32 columns apart: 32 neighbouring invocations then read few and different vectors from
// shared memory. Each eight of them, whose reads an NVIDIA GPU takes together, read two rows and four
// columns of vectors.

// Tiles are taken in bands of this many rows of tiles, so that groups that run at the same time
// share more of A and B in the cache.
#define BAND 8u

void main() {
    uint thread = gl_LocalInvocationIndex;
    uint tiles = tileRows * tileColumns;
    uint group = flatGroup();
    uint tile = group % tiles;
    uint slice = group / tiles % slices;
    uint batch = group / tiles / slices;
    if (batch >= batches)
        return;
    uint band = tile / (BAND * tileColumns);
    uint bandRows = min(BAND, tileRows - band * BAND);
    uint inBand = tile - band * BAND * tileColumns;
    uint row = (band * BAND + inBand % bandRows) * A_TILE;
    uint column = inBand / bandRows * B_TILE;
    uint kBegin = slice * sliceLength;
    uint kEnd = min(inner, kBegin + sliceLength);
    uint originA = firstA + batch * batchStrideA;
    uint originB = firstB + batch * batchStrideB;

    const uint across = B_TILE / THREAD_COLUMNS / 8u; // blocks of 32 invocations
    uint block = thread / 32u;
    uint lane = thread % 32u;
    uint fourRow = block / across * THREAD_ROWS + lane / 16u * 2u + lane % 2u;
    uint fourColumn = block % across * (2u * THREAD_COLUMNS) + lane / 2u % 8u;
    bool inside = row + A_TILE <= rows && column + B_TILE <= columns;

    FOUR sums[THREAD_ROWS][THREAD_COLUMNS / 4];
    [[unroll]] for (uint i = 0u; i < THREAD_ROWS; ++i)
        [[unroll]] for (uint j = 0u; j < THREAD_COLUMNS / 4u; ++j)
            sums[i][j] = FOUR(0);

// Reads the vectors of a step.
#define READ(a, b, step)                                                                           \
    [[unroll]] for (uint i = 0u; i < THREAD_ROWS / 4u; ++i)                                        \
        a[i] = tilesA[sharedA(stage, step, fourRow + 4u * i)];                                     \
    [[unroll]] for (uint j = 0u; j < THREAD_COLUMNS / 4u; ++j)                                     \
        b[j] = tilesB[sharedB(stage, step, fourColumn + 8u * j)];
#define MULTIPLY(a, b)                                                                             \
    [[unroll]] for (uint i = 0u; i < THREAD_ROWS; ++i)                                             \
        [[unroll]] for (uint j = 0u; j < THREAD_COLUMNS / 4u; ++j)                                 \
            sums[i][j] += a[i / 4u][i % 4u] * b[j];

    FOUR nextA[A_LOADS];
    FOUR nextB[B_LOADS];
    bool whole = inside && kBegin + DEPTH <= kEnd;
    loadA(nextA, originA, row, rows, kBegin, kEnd, whole);
    loadB(nextB, originB, column, columns, kBegin, kEnd, whole);
    storeA(nextA, 0u);
    storeB(nextB, 0u);
    barrier();
    uint stage = 0u;
    [[dont_unroll]] for (uint k = kBegin; k < kEnd; k += DEPTH) {
        bool hasNext = k + DEPTH < kEnd;
        if (hasNext) {
            whole = inside && k + 2u * DEPTH <= kEnd;
            loadA(nextA, originA, row, rows, k + DEPTH, kEnd, whole);
            loadB(nextB, originB, column, columns, k + DEPTH, kEnd, whole);
        }
        UNROLL for (uint step = 0u; step < DEPTH; ++step) {
            FOUR a[THREAD_ROWS / 4];
            FOUR b[THREAD_COLUMNS / 4];
            READ(a, b, step)
            MULTIPLY(a, b)
        }
        if (hasNext) {
            stage ^= 1u;
            storeA(nextA, stage);
            storeB(nextB, stage);
            barrier();
        }
    }

    [[unroll]] for (uint i = 0u; i < THREAD_ROWS; ++i) {
        uint at = row + 4u * (fourRow + i / 4u * 4u) + i % 4u;
        if (at < rows)
            [[unroll]] for (uint j = 0u; j < THREAD_COLUMNS / 4u; ++j)
                writeFour(sums[i][j], firstSlice + slice, at,
                          column + 4u * (fourColumn + 8u * j), batch);
    }
}
