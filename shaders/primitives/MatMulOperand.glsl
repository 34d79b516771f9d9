// SPDX-License-Identifier: Apache-2.0
//
// Reads the matrix Operand, which stands for A or B in this text.
//
// Macros: OPERAND_ALONG_INNER: rows are stored along `inner`, else across. OPERAND_ALIGNED: rows
// begin at vectors of four.

layout(binding = OPERAND_BINDING) readonly buffer ElementsOperand {
    OPERAND_STORED elementsOperand[];
};
layout(binding = OPERAND_BINDING + 1) readonly buffer VectorsOperand {
    OPERAND_VECTOR vectorsOperand[];
};

// Returns neighbouring elements from index `at` on, 0 for those from `count` on.
FOUR fourOperand(uint at, uint count) {
#ifdef OPERAND_ALIGNED
    if (count >= 4u)
        return OPERAND_FOUR(vectorsOperand[at / 4u]);
#endif
    FOUR four = FOUR(0);
    [[unroll]] for (uint i = 0u; i < 4u; ++i)
        if (i < count)
            four[i] = ACC(OPERAND_LOAD(elementsOperand[at + i]));
    return four;
}

#ifdef OPERAND_TILE
// A row of the tile per step along `inner`, and a vector between rows against bank conflicts.
#define OPERAND_ROW (OPERAND_TILE / 4u + 1u)
#define OPERAND_LOADS (OPERAND_TILE * DEPTH / 4u / THREADS)
shared FOUR tilesOperand[2u * DEPTH * OPERAND_ROW];

// Reads this invocation's part of the tile that begins at `outer` and `k`.
void loadOperand(out FOUR loaded[OPERAND_LOADS], uint origin, uint outer, uint outerEnd, uint k,
                 uint kEnd) {
    [[unroll]] for (uint i = 0u; i < OPERAND_LOADS; ++i) {
        uint v = gl_LocalInvocationIndex + i * THREADS;
#ifdef OPERAND_ALONG_INNER
        uint across = outer + v / (DEPTH / 4u);
        uint along = k + v % (DEPTH / 4u) * 4u;
        bool exists = across < outerEnd && along < kEnd;
        uint count = exists ? kEnd - along : 0u;
#else
        uint across = k + v / (OPERAND_TILE / 4u);
        uint along = outer + v % (OPERAND_TILE / 4u) * 4u;
        bool exists = across < kEnd && along < outerEnd;
        uint count = exists ? outerEnd - along : 0u;
#endif
        loaded[i] = fourOperand(origin + across * strideOperand + along, count);
    }
}

// The place of four neighbouring elements in shared memory. Every other eight rows have their
// vectors exchanged, so that the writes below hit different banks.
uint sharedOperand(uint stage, uint k, uint four) {
    return (stage * DEPTH + k) * OPERAND_ROW + (four ^ ((k & 8u) >> 2));
}

void storeOperand(FOUR loaded[OPERAND_LOADS], uint stage) {
    [[unroll]] for (uint i = 0u; i < OPERAND_LOADS; ++i) {
        uint v = gl_LocalInvocationIndex + i * THREADS;
#ifdef OPERAND_ALONG_INNER
        uint outer = v / (DEPTH / 4u);
        uint k = v % (DEPTH / 4u) * 4u;
        [[unroll]] for (uint j = 0u; j < 4u; ++j)
            tilesOperand[sharedOperand(stage, k + j, outer / 4u)][outer % 4u] = loaded[i][j];
#else
        uint k = v / (OPERAND_TILE / 4u);
        tilesOperand[sharedOperand(stage, k, v % (OPERAND_TILE / 4u))] = loaded[i];
#endif
    }
}
#endif
