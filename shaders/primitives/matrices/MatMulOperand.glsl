// SPDX-License-Identifier: Apache-2.0
//
// Reads the matrix Operand, which stands for A or B in this text.
//
// Macros: OPERAND_ALONG_INNER: rows are stored along `inner`, else across. OPERAND_ALIGNED: rows
// begin at vectors of four. OPERAND_FOURS: they consist of such. PLANES: elements of 8 bytes; TWO is
// a vector of two of them. OPERAND_WHOLE and CUT: see MatMulTiles.glsl.

layout(binding = OPERAND_BINDING) readonly buffer ElementsOperand {
    OPERAND_STORED elementsOperand[];
};
layout(binding = OPERAND_BINDING + 1) readonly buffer VectorsOperand {
    OPERAND_VECTOR vectorsOperand[];
};

ACC elementOperand(uint at) {
    return ACC(OPERAND_LOAD(elementsOperand[at]));
}

// Returns neighbouring elements from index `at` on.
FOUR fourOperand(uint at) {
#ifdef OPERAND_ALIGNED
    return OPERAND_FOUR(vectorsOperand[at / 4u]);
#else
    return FOUR(elementOperand(at), elementOperand(at + 1u), elementOperand(at + 2u),
                elementOperand(at + 3u));
#endif
}

// The same, and 0 for those from `count` on.
FOUR fourOperand(uint at, uint count) {
    if (count >= 4u)
        return fourOperand(at);
    FOUR four = FOUR(0);
#ifndef OPERAND_FOURS
    [[unroll]] for (uint i = 0u; i < 4u; ++i)
        if (i < count)
            four[i] = elementOperand(at + i);
#endif
    return four;
}

#ifdef OPERAND_TILE
// A row of the tile per step along `inner`, and a vector between rows against bank conflicts.
#define OPERAND_ROW (OPERAND_TILE / 4u + 1u)
#define OPERAND_TILES (2u * DEPTH * OPERAND_ROW)
#ifdef PLANES
// The first and the last two of four elements lie apart: reads of 16 bytes by neighbouring
// invocations then hit different banks.
shared TWO tilesOperand[2u * OPERAND_TILES];
#else
shared FOUR tilesOperand[OPERAND_TILES];
#endif

// Vectors in a stored line of the tile, and lines from load to load.
#ifdef OPERAND_ALONG_INNER
#define OPERAND_LINE (DEPTH / 4u)
#else
#define OPERAND_LINE (OPERAND_TILE / 4u)
#endif
#define OPERAND_STEP (THREADS / OPERAND_LINE)

// Returns vector `i` of this invocation's part of the tile that begins at `outer` and `k`. Elements
// beyond the ends are 0; with OPERAND_WHOLE there are none. With CUT, the last tile along `inner`
// begins at kEnd - DEPTH, and elements before `k` are 0.
FOUR loadOperand(uint i, uint origin, uint outer, uint outerEnd, uint k, uint kEnd) {
    uint line = gl_LocalInvocationIndex / OPERAND_LINE + i * OPERAND_STEP;
    uint place = gl_LocalInvocationIndex % OPERAND_LINE * 4u;
    uint kFirst = k;
#ifdef CUT
    kFirst = min(k, kEnd - DEPTH);
#endif
#ifdef OPERAND_ALONG_INNER
    uint across = outer + line;
    uint along = kFirst + place;
#else
    uint across = kFirst + line;
    uint along = outer + place;
#endif
    uint at = origin + across * strideOperand + along;
#ifdef OPERAND_WHOLE
    FOUR four = fourOperand(at);
#else
#ifdef OPERAND_ALONG_INNER
    uint count = across < outerEnd && along < kEnd ? kEnd - along : 0u;
#else
    uint count = across < kEnd && along < outerEnd ? outerEnd - along : 0u;
#endif
    FOUR four = fourOperand(at, count);
#endif
#if defined(CUT) && defined(OPERAND_ALONG_INNER)
    return FOUR(along < k ? ACC(0) : four.x, along + 1u < k ? ACC(0) : four.y,
                along + 2u < k ? ACC(0) : four.z, along + 3u < k ? ACC(0) : four.w);
#elif defined(CUT)
    return across < k ? FOUR(0) : four;
#else
    return four;
#endif
}

// The place of four neighbouring elements in shared memory. Every other eight rows have their
// vectors exchanged, so that the writes below hit different banks.
uint sharedOperand(uint stage, uint k, uint four) {
    return (stage * DEPTH + k) * OPERAND_ROW + (four ^ ((k & 8u) >> 2));
}

FOUR tileOperand(uint at) {
#ifdef PLANES
    return FOUR(tilesOperand[at], tilesOperand[at + OPERAND_TILES]);
#else
    return tilesOperand[at];
#endif
}

void storeOperand(uint i, FOUR loaded, uint stage) {
    uint v = gl_LocalInvocationIndex + i * THREADS;
#ifdef OPERAND_ALONG_INNER
    uint outer = v / OPERAND_LINE;
    uint k = v % OPERAND_LINE * 4u;
#ifdef PLANES
#define OPERAND_PART(j)                                                                            \
    tilesOperand[sharedOperand(stage, k + j, outer / 4u) + outer / 2u % 2u * OPERAND_TILES]        \
                [outer % 2u] = loaded[j];
#else
#define OPERAND_PART(j)                                                                            \
    tilesOperand[sharedOperand(stage, k + j, outer / 4u)][outer % 4u] = loaded[j];
#endif
    OPERAND_PART(0u)
    OPERAND_PART(1u)
    OPERAND_PART(2u)
    OPERAND_PART(3u)
#else
    uint k = v / OPERAND_LINE;
    uint at = sharedOperand(stage, k, v % OPERAND_LINE);
#ifdef PLANES
    tilesOperand[at] = loaded.xy;
    tilesOperand[at + OPERAND_TILES] = loaded.zw;
#else
    tilesOperand[at] = loaded;
#endif
#endif
}
#endif
