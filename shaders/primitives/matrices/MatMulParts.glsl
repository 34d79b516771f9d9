// SPDX-License-Identifier: Apache-2.0
//
// Multiplies matrices, PART_ROWS rows and four columns of C per invocation, for drivers that compute on
// the processor: operands come from its caches, and no invocation waits for another. Macros as in
// MatMulTiles.glsl, without the tiles' parts. PART_ROWS is a multiple of 4. INNER_FOURS: `inner` is
// a multiple of 4.

// Vectors that are known to be whole need no checks. Of others, elements are read one by one, with
// places that exist and no branches, which compilers take long for; 0 from `count` on.
#define PART(name, element)                                                                        \
    FOUR name(uint at, uint count) {                                                               \
        uint last = max(count, 1u) - 1u;                                                           \
        FOUR four = FOUR(element(at), element(at + min(1u, last)), element(at + min(2u, last)),    \
                         element(at + min(3u, last)));                                             \
        return FOUR(count > 0u ? four.x : ACC(0), count > 1u ? four.y : ACC(0),                    \
                    count > 2u ? four.z : ACC(0), count > 3u ? four.w : ACC(0));                   \
    }
#if defined(A_FOURS) && defined(INNER_FOURS)
#define FOUR_A(at, count) fourA(at)
#else
PART(partA, elementA)
#define FOUR_A(at, count) partA(at, count)
#endif
#if defined(B_FOURS) && defined(INNER_FOURS)
#define FOUR_B(at, count) fourB(at)
#else
PART(partB, elementB)
#define FOUR_B(at, count) partB(at, count)
#endif

// Four steps along `inner` of rows of A, from `k` on; 0 from kEnd on. Element [i][j] is of row i and
// step j, or without A_ALONG_INNER of row i / 4 * 4 + j and step i % 4.
void loadA(uint origin, uint row, uint k, uint kEnd, out FOUR a[PART_ROWS]) {
    [[unroll]] for (uint i = 0u; i < PART_ROWS; ++i) {
#ifdef A_ALONG_INNER
        a[i] = FOUR_A(origin + min(row + i, rows - 1u) * strideA + k, kEnd - k);
#else
        uint step = k + i % 4u;
        uint first = row + i / 4u * 4u;
        a[i] = FOUR_A(origin + min(step, kEnd - 1u) * strideA + first,
                      step < kEnd && first < rows ? rows - first : 0u);
#endif
    }
}

// The same of four columns of B: element [i][j] is of step i and column j.
void loadB(uint origin, uint column, uint k, uint kEnd, out FOUR b[4]) {
#ifdef B_ALONG_INNER
    FOUR lines[4];
    [[unroll]] for (uint i = 0u; i < 4u; ++i)
        lines[i] = FOUR_B(origin + min(column + i, columns - 1u) * strideB + k, kEnd - k);
    [[unroll]] for (uint i = 0u; i < 4u; ++i)
        b[i] = FOUR(lines[0][i], lines[1][i], lines[2][i], lines[3][i]);
#else
    [[unroll]] for (uint i = 0u; i < 4u; ++i)
        b[i] = FOUR_B(origin + min(k + i, kEnd - 1u) * strideB + column, k + i < kEnd ? columns - column : 0u);
#endif
}

void main() {
    uint index = flatGroup() * GROUP_SIZE + gl_LocalInvocationIndex;
    uint across = (columns + 3u) / 4u;
    uint parts = (rows + PART_ROWS - 1u) / PART_ROWS * across;
    uint slice = index / parts % slices;
    uint batch = index / parts / slices;
    if (batch >= batches)
        return;
    uint row = index % parts / across * PART_ROWS;
    uint column = index % across * 4u;
    uint kBegin = slice * sliceLength;
    uint kEnd = min(inner, kBegin + sliceLength);
    uint originA = firstA + batch * batchStrideA;
    uint originB = firstB + batch * batchStrideB;
    FOUR sums[PART_ROWS];
    [[unroll]] for (uint i = 0u; i < PART_ROWS; ++i)
        sums[i] = FOUR(0);
    for (uint k = kBegin; k < kEnd; k += 4u) {
        FOUR a[PART_ROWS];
        FOUR b[4];
        loadA(originA, row, k, kEnd, a);
        loadB(originB, column, k, kEnd, b);
        [[unroll]] for (uint i = 0u; i < PART_ROWS; ++i)
            [[unroll]] for (uint step = 0u; step < 4u; ++step)
#ifdef A_ALONG_INNER
                sums[i] += a[i][step] * b[step];
#else
                sums[i] += a[i / 4u * 4u + step][i % 4u] * b[step];
#endif
    }
    [[dont_unroll]] for (uint i = 0u; i < PART_ROWS; ++i) // compilers take long for what writes
        if (row + i < rows)
            writeFour(sums[i], firstSlice + slice, row + i, column, 0u, batch);
}
