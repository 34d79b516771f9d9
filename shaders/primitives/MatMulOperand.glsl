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
// @param inside  all of the tile exists; the same in the whole work group
void loadOperand(out FOUR loaded[OPERAND_LOADS], uint origin, uint outer, uint outerEnd, uint k,
                 uint kEnd, bool inside) {
    uint thread = gl_LocalInvocationIndex;
#ifdef OPERAND_ALONG_INNER
    const uint perLine = DEPTH / 4u;
    uint across = outer + thread / perLine;
    uint along = k + thread % perLine * 4u;
    uint acrossEnd = outerEnd;
    uint alongEnd = kEnd;
#else
    const uint perLine = OPERAND_TILE / 4u;
    uint across = k + thread / perLine;
    uint along = outer + thread % perLine * 4u;
    uint acrossEnd = kEnd;
    uint alongEnd = outerEnd;
#endif
    const uint step = THREADS / perLine; // lines from load to load
    uint at = origin + across * strideOperand + along;
#ifdef OPERAND_ALIGNED
    if (inside) {
        [[unroll]] for (uint i = 0u; i < OPERAND_LOADS; ++i)
            loaded[i] = OPERAND_FOUR(vectorsOperand[(at + i * step * strideOperand) / 4u]);
        return;
    }
#endif
    [[unroll]] for (uint i = 0u; i < OPERAND_LOADS; ++i) {
        bool exists = across + i * step < acrossEnd && along < alongEnd;
        loaded[i] = fourOperand(at + i * step * strideOperand, exists ? alongEnd - along : 0u);
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
