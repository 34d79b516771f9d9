#version 450
// SPDX-License-Identifier: Apache-2.0
//
// Multiplies with cooperative matrices of a work group (VK_NV_cooperative_matrix2). The driver
// divides them among the invocations, and brings A and B to where they are multiplied.

#extension GL_GOOGLE_include_directive : require
#extension GL_NV_cooperative_matrix2 : require
#include "MatMulShared.glsl"

layout(binding = 0) readonly buffer A { NARROW elementsA[]; };
layout(binding = 1) readonly buffer B { NARROW elementsB[]; };
layout(binding = 2) buffer Wide { float wideC[]; };
layout(binding = 2) buffer Narrow { NARROW narrowC[]; };
layout(binding = 3) readonly buffer WideBias { float wideBias[]; };
layout(binding = 3) readonly buffer NarrowBias { NARROW narrowBias[]; };

#define SUMS(type)                                                                                 \
    coopmat<type, gl_ScopeWorkgroup, TILE_ROWS, TILE_COLUMNS, gl_MatrixUseAccumulator>

const int INSIDE = gl_CooperativeMatrixClampModeUndefinedNV;
const int CLAMPED = gl_CooperativeMatrixClampModeConstantNV;

// Declares the layout of a matrix.
#define LAYOUT(name, mode, lines, length, stride)                                                  \
    tensorLayoutNV<2, mode> name = createTensorLayoutNV(2, mode);                                  \
    name = setTensorLayoutDimensionNV(name, lines, length);                                        \
    name = setTensorLayoutStrideNV(name, stride, 1u);

// Adds the products along `inner` to `sums`.
#define MULTIPLY(mode)                                                                             \
    {                                                                                              \
        LAYOUT(layoutA, mode, TRANSPOSE_A ? place.kEnd : rows, TRANSPOSE_A ? rows : place.kEnd,    \
               rowStrideA)                                                                         \
        LAYOUT(layoutB, mode, TRANSPOSE_B ? columns : place.kEnd,                                  \
               TRANSPOSE_B ? place.kEnd : columns, rowStrideB)                                     \
        [[dont_unroll]] for (uint k = place.kBegin; k < place.kEnd; k += DEPTH) {                  \
            coopmat<NARROW, gl_ScopeWorkgroup, TILE_ROWS, DEPTH, gl_MatrixUseA> a;                 \
            coopmat<NARROW, gl_ScopeWorkgroup, DEPTH, TILE_COLUMNS, gl_MatrixUseB> b;              \
            if (TRANSPOSE_A)                                                                       \
                coopMatLoadTensorNV(                                                               \
                    a, elementsA, originA,                                                         \
                    sliceTensorLayoutNV(layoutA, k, DEPTH, place.row, TILE_ROWS), swapped);        \
            else                                                                                   \
                coopMatLoadTensorNV(                                                               \
                    a, elementsA, originA,                                                         \
                    sliceTensorLayoutNV(layoutA, place.row, TILE_ROWS, k, DEPTH));                 \
            if (TRANSPOSE_B)                                                                       \
                coopMatLoadTensorNV(                                                               \
                    b, elementsB, originB,                                                         \
                    sliceTensorLayoutNV(layoutB, place.column, TILE_COLUMNS, k, DEPTH), swapped);  \
            else                                                                                   \
                coopMatLoadTensorNV(                                                               \
                    b, elementsB, originB,                                                         \
                    sliceTensorLayoutNV(layoutB, k, DEPTH, place.column, TILE_COLUMNS));           \
            sums = coopMatMulAdd(a, b, sums);                                                      \
        }                                                                                          \
    }

void main() {
    Place place = placeOfGroup();
    if (!EXACT_GRID && place.batch >= batches)
        return;
    uint originA = firstA + place.batch * batchStrideA;
    uint originB = firstB + place.batch * batchStrideB;
    uint rowStrideA = strideA;
    uint rowStrideB = strideB;
    // The compiler reads 16 bytes at a time if it sees that all is a multiple of them.
    if (ALIGNED_A) {
        originA &= ~7u;
        rowStrideA &= ~7u;
    }
    if (ALIGNED_B) {
        originB &= ~7u;
        rowStrideB &= ~7u;
    }
    tensorViewNV<2, false, 1, 0> swapped = createTensorViewNV(2, false, 1, 0);
    SUMS(float) sums = SUMS(float)(0.0);
    if (CLAMP)
        MULTIPLY(CLAMPED)
    else
        MULTIPLY(INSIDE)

    uint originC = resultOrigin(place);
    uint rowStrideC = resultStride();
    LAYOUT(layoutC, CLAMPED, rows, columns, rowStrideC)
    layoutC = sliceTensorLayoutNV(layoutC, place.row, TILE_ROWS, place.column, TILE_COLUMNS);
    if (!PARTIALS) {
        sums *= alpha;
        if (READS_C) {
            SUMS(float) old;
            if (NARROW_C) {
                SUMS(NARROW) narrow;
                coopMatLoadTensorNV(narrow, narrowC, originC, layoutC);
                old = SUMS(float)(narrow);
            } else {
                coopMatLoadTensorNV(old, wideC, originC, layoutC);
            }
            sums += old * beta;
        }
        if (BIAS) {
            tensorLayoutNV<2, CLAMPED> layoutBias = createTensorLayoutNV(2, CLAMPED);
            layoutBias = setTensorLayoutDimensionNV(layoutBias, rows, columns);
            layoutBias = setTensorLayoutStrideNV(layoutBias, BIAS_OF_ROWS ? 1u : 0u,
                                                 BIAS_OF_ROWS ? 0u : 1u);
            layoutBias = sliceTensorLayoutNV(layoutBias, place.row, TILE_ROWS, place.column,
                                             TILE_COLUMNS);
            SUMS(float) bias;
            if (NARROW_C) {
                SUMS(NARROW) narrow;
                coopMatLoadTensorNV(narrow, narrowBias, firstBias, layoutBias);
                bias = SUMS(float)(narrow);
            } else {
                coopMatLoadTensorNV(bias, wideBias, firstBias, layoutBias);
            }
            sums += bias;
        }
    }
    if (NARROW_C && !PARTIALS)
        coopMatStoreTensorNV(SUMS(NARROW)(sums), narrowC, originC, layoutC);
    else
        coopMatStoreTensorNV(sums, wideC, originC, layoutC);
}
