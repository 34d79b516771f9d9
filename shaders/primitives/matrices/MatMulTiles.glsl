// SPDX-License-Identifier: Apache-2.0
//
// Multiplies by tiles of A_TILE x B_TILE elements of C, DEPTH steps along `inner` at a time. Each of
// the THREADS invocations computes THREAD_ROWS x THREAD_COLUMNS elements, in blocks of 4 x 4, 16
// rows and 32 columns apart: 32 neighbouring invocations then read few and different vectors from
// shared memory. Each eight of them, whose reads an NVIDIA GPU takes together, read two rows and four
// columns of vectors.
//
// Macros: A_WHOLE, B_WHOLE: there are as many rows (columns) as a tile has. Tiles at the edge begin
// earlier, so that they lie inside and need no checks, and write what no other tile writes.
// INNER_WHOLE: `inner` is at least DEPTH, which A_WHOLE and B_WHOLE imply. CUT: it is not a
// multiple of the steps of a turn of the loop; the last steps are done likewise. AHEAD: a turn
// takes two tiles, so that the addresses in shared memory are constants, and a step reads the
// vectors of the next one from there, which hides the time that takes. At STORE_STEP it stores the
// next tile and begins to read the one after it. ONLY_LOWER: tiles above the diagonal of C are left
// out. EACH_ROW(F) and its like apply a macro to 0u, 1u, ...:
// registers are indexed by constants, whether or not a driver unrolls loops.

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
    uint firstRow = row; // that this tile writes
    uint firstColumn = column;
#ifdef ONLY_LOWER
    if (column + columnOffset >= row + rowOffset + A_TILE)
        return; // the whole work group
#endif
#ifdef A_WHOLE
    row = min(row, rows - A_TILE);
#endif
#ifdef B_WHOLE
    column = min(column, columns - B_TILE);
#endif
    uint kBegin = slice * sliceLength;
    uint kEnd = min(inner, kBegin + sliceLength);
    uint originA = firstA + batch * batchStrideA;
    uint originB = firstB + batch * batchStrideB;

    const uint across = B_TILE / THREAD_COLUMNS / 8u; // blocks of 32 invocations
    uint block = thread / 32u;
    uint lane = thread % 32u;
    uint fourRow = block / across * THREAD_ROWS + lane / 16u * 2u + lane % 2u;
    uint fourColumn = block % across * (2u * THREAD_COLUMNS) + lane / 2u % 8u;

    FOUR sums[THREAD_ROWS][THREAD_COLUMNS / 4];
    FOUR nextA[A_LOADS];
    FOUR nextB[B_LOADS];
#define CLEAR(i, j) sums[i][j] = FOUR(0);
#define CLEAR_ROW(i) EACH_COLUMN(CLEAR, i)
    EACH_ROW(CLEAR_ROW)
#define LOAD_A(i) nextA[i] = loadA(i, originA, row, rows, next, kEnd);
#define LOAD_B(i) nextB[i] = loadB(i, originB, column, columns, next, kEnd);
#define STORE_A(i) storeA(i, nextA[i], stage);
#define STORE_B(i) storeB(i, nextB[i], stage);
#ifdef AHEAD
#define FRAGMENTS 2u
#else
#define FRAGMENTS 1u
#endif
    FOUR a[FRAGMENTS][THREAD_ROWS / 4];
    FOUR b[FRAGMENTS][THREAD_COLUMNS / 4];
#define READ_A(i) a[into][i] = tileA(sharedA(stage, along, fourRow + 4u * i));
#define READ_B(j) b[into][j] = tileB(sharedB(stage, along, fourColumn + 8u * j));
#define MULTIPLY(i, j) sums[i][j] += a[from][i / 4u][i % 4u] * b[from][j];
#define MULTIPLY_ROW(i) EACH_COLUMN(MULTIPLY, i)
#define STORE_NEXT                                                                                 \
    EACH_A_LOAD(STORE_A)                                                                           \
    EACH_B_LOAD(STORE_B)
// Begins to read the tile at `at` along `inner`. The last times, it is something that is not used,
// without a branch.
#if defined(INNER_WHOLE) && !defined(CUT)
#define NEXT(at) min(at, kEnd - DEPTH)
#else
#define NEXT(at) at
#endif
#define LOAD_NEXT(at)                                                                              \
    next = NEXT(at);                                                                               \
    EACH_A_LOAD(LOAD_A)                                                                            \
    EACH_B_LOAD(LOAD_B)
    uint next;
    uint stage = 0u;
    LOAD_NEXT(kBegin)
    STORE_NEXT
    barrier();
#ifdef AHEAD
// The last step reads from the next tile, which is there since the barrier.
#define STEP(step)                                                                                 \
    {                                                                                              \
        const uint from = (step) & 1u;                                                             \
        const uint into = from ^ 1u;                                                               \
        const uint along = ((step) + 1u) % DEPTH;                                                  \
        if ((step) == STORE_STEP) {                                                                \
            const uint stage = current ^ 1u;                                                       \
            STORE_NEXT                                                                             \
            LOAD_NEXT(tile + 2u * DEPTH)                                                           \
        }                                                                                          \
        if (along == 0u)                                                                           \
            barrier();                                                                             \
        const uint stage = along == 0u ? current ^ 1u : current;                                   \
        EACH_FOUR_ROWS(READ_A)                                                                     \
        EACH_FOUR_COLUMNS(READ_B)                                                                  \
        EACH_ROW(MULTIPLY_ROW)                                                                     \
    }
#define TILE(stageOfTile, k)                                                                       \
    {                                                                                              \
        const uint current = stageOfTile;                                                          \
        const uint tile = k;                                                                       \
        EACH_STEP(STEP)                                                                            \
    }
    LOAD_NEXT(kBegin + DEPTH)
    {
        const uint into = 0u;
        const uint along = 0u;
        EACH_FOUR_ROWS(READ_A)
        EACH_FOUR_COLUMNS(READ_B)
    }
    [[dont_unroll]] for (uint k = kBegin; k < kEnd; k += 2u * DEPTH) {
        TILE(0u, k)
        TILE(1u, k + DEPTH)
    }
#else
#define STEP(step)                                                                                 \
    {                                                                                              \
        const uint from = 0u;                                                                      \
        const uint into = 0u;                                                                      \
        const uint along = step;                                                                   \
        EACH_FOUR_ROWS(READ_A)                                                                     \
        EACH_FOUR_COLUMNS(READ_B)                                                                  \
        EACH_ROW(MULTIPLY_ROW)                                                                     \
    }
    [[dont_unroll]] for (uint k = kBegin; k < kEnd; k += DEPTH) {
        LOAD_NEXT(k + DEPTH)
        EACH_STEP(STEP)
        stage ^= 1u;
        STORE_NEXT
        barrier();
    }
#endif

#define WRITE(i, j)                                                                                \
    writeFour(sums[i][j], firstSlice + slice, at, column + 4u * (fourColumn + 8u * j),             \
              firstColumn, batch);
#define WRITE_ROW(i)                                                                               \
    at = row + 4u * (fourRow + i / 4u * 4u) + i % 4u;                                              \
    if (at >= firstRow && at < rows) {                                                             \
        EACH_COLUMN(WRITE, i)                                                                      \
    }
    uint at;
    EACH_ROW(WRITE_ROW)
}
