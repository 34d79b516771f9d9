// SPDX-License-Identifier: Apache-2.0
//
// Shared by the kernels of OpMatMul: the push constants, and the conversion of sums to elements of
// C. ACC is the type of sums, FOUR a vector of four of them.
//
// Macros: OPERANDS: the kernel reads A and B. PARTIALS: it writes (or, with RESULT, reads) sums of
// slices along `inner`. RESULT: it writes C. READS_C: beta is not 0. BIAS, BIAS_OF_ROWS. C_ALIGNED:
// four neighbouring elements from a multiple of 4 on are aligned as a vector.

layout(push_constant) uniform Push {
#ifdef OPERANDS
    uint firstA;
    uint firstB;
#endif
#ifdef PARTIALS
    uint firstPartial;
#endif
#ifdef RESULT
    uint firstC;
#ifdef BIAS
    uint firstBias;
#endif
#endif
    uint rows;
    uint columns;
    uint inner;
    uint batches;
    uint strideA;
    uint strideB;
    uint strideC;
    uint batchStrideA;
    uint batchStrideB;
    uint batchStrideC;
    uint tileRows; // tiles in a column of tiles
    uint tileColumns;
    uint slices;
    uint sliceLength;
    uint firstSlice;
    uint rowOffset; // of the part of C bound here
    uint columnOffset;
    uint batchOffset;
    uint lanes; // invocations per row in a product with a vector
    uint alphaWords[2];
    uint betaWords[2];
};

#ifdef PARTIALS
layout(binding = PARTIAL_BINDING) buffer Partials { ACC partials[]; };
uint partialIndex(uint slice, uint batch, uint row, uint column) {
    return firstPartial + ((slice * batches + batch) * rows + row) * columns + column;
}
#endif

#ifdef RESULT
layout(binding = C_BINDING) buffer ElementsC { C_STORED elementsC[]; };
layout(binding = C_BINDING + 1) buffer VectorsC { C_VECTOR vectorsC[]; };
#ifdef BIAS
layout(binding = BIAS_BINDING) readonly buffer Bias { C_STORED biases[]; };
#endif

ACC epilogue(ACC c, ACC bias, uint row, uint column, uint batch) {
    return ACC(
#include "epilogue"
    );
}

// Returns the element of C at index `at` for a sum.
ACC finished(ACC sum, uint at, uint row, uint column, uint batch) {
    ACC c = SUM_OF_WORDS(uvec2(alphaWords[0], alphaWords[1])) * sum;
#ifdef READS_C
    c += SUM_OF_WORDS(uvec2(betaWords[0], betaWords[1])) * ACC(C_LOAD(elementsC[at]));
#endif
    ACC bias = ACC(0);
#ifdef BIAS
#ifdef BIAS_OF_ROWS
    bias = ACC(C_LOAD(biases[firstBias + row]));
#else
    bias = ACC(C_LOAD(biases[firstBias + column]));
#endif
#endif
    return epilogue(c, bias, row + rowOffset, column + columnOffset, batch + batchOffset);
}

void writeElement(ACC sum, uint row, uint column, uint batch) {
    uint at = firstC + batch * batchStrideC + row * strideC + column;
    elementsC[at] = C_STORE(C_VALUE(finished(sum, at, row, column, batch)));
}
#endif

// Writes the sum of one slice, or of all.
void writeSum(ACC sum, uint slice, uint row, uint column, uint batch) {
#ifdef RESULT
    writeElement(sum, row, column, batch);
#else
    partials[partialIndex(slice, batch, row, column)] = sum;
#endif
}

// Writes the existing ones of four neighbouring elements, from column `first` on.
void writeFour(FOUR sum, uint slice, uint row, uint column, uint first, uint batch) {
#if defined(RESULT) && defined(C_ALIGNED)
    if (column >= first && column + 4u <= columns && column % 4u == 0u) {
        uint at = firstC + batch * batchStrideC + row * strideC + column;
        FOUR four;
        [[unroll]] for (uint i = 0u; i < 4u; ++i)
            four[i] = finished(sum[i], at + i, row, column + i, batch);
        vectorsC[at / 4u] = C_VECTOR_OF(four);
        return;
    }
#endif
    [[unroll]] for (uint i = 0u; i < 4u; ++i)
        if (column + i >= first && column + i < columns)
            writeSum(sum[i], slice, row, column + i, batch);
}
