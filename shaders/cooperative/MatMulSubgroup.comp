#version 450
// SPDX-License-Identifier: Apache-2.0
//
// Multiplies with cooperative matrices of subgroups (VK_KHR_cooperative_matrix). A work group brings
// tiles of A and B to shared memory, as they are stored. Each of its first PARTS subgroups computes
// PART_ROWS x PART_COLUMNS elements, in matrices of UNIT_ROWS x UNIT_COLUMNS. Subgroups may be
// smaller than the size that the work group was made for: then there are more than PARTS.

#extension GL_GOOGLE_include_directive : require
#extension GL_KHR_shader_subgroup_basic : require
#include "MatMulShared.glsl"

layout(constant_id = 6) const uint PART_ROWS = 64u;
layout(constant_id = 7) const uint PART_COLUMNS = 64u;
layout(constant_id = 8) const uint UNIT_ROWS = 16u;
layout(constant_id = 9) const uint UNIT_COLUMNS = 16u;
layout(constant_id = 10) const uint UNIT_DEPTH = 16u;

layout(binding = 0) readonly buffer A { uint16_t elementsA[]; };
layout(binding = 0) readonly buffer VectorsA { uvec4 vectorsA[]; };
layout(binding = 1) readonly buffer B { uint16_t elementsB[]; };
layout(binding = 1) readonly buffer VectorsB { uvec4 vectorsB[]; };
layout(binding = 2) buffer Wide { float wideC[]; };
layout(binding = 2) buffer Narrow { NARROW narrowC[]; };
layout(binding = 3) readonly buffer WideBias { float wideBias[]; };
layout(binding = 3) readonly buffer NarrowBias { NARROW narrowBias[]; };

const uint THREADS = gl_WorkGroupSize.x;
const uint PARTS_ACROSS = TILE_COLUMNS / PART_COLUMNS;
const uint PARTS = TILE_ROWS / PART_ROWS * PARTS_ACROSS;
const uint UNITS_DOWN = PART_ROWS / UNIT_ROWS;
const uint UNITS_ACROSS = PART_COLUMNS / UNIT_COLUMNS;

// Lines of tiles, which are stored rows, in vectors of eight elements. One more lies between lines
// against bank conflicts.
const uint LINES_A = TRANSPOSE_A ? DEPTH : TILE_ROWS;
const uint LINES_B = TRANSPOSE_B ? TILE_COLUMNS : DEPTH;
const uint LENGTH_A = (TRANSPOSE_A ? TILE_ROWS : DEPTH) / 8u;
const uint LENGTH_B = (TRANSPOSE_B ? DEPTH : TILE_COLUMNS) / 8u;
const uint STEP_A = LENGTH_A + 1u;
const uint STEP_B = LENGTH_B + 1u;
const uint SIZE_A = LINES_A * STEP_A;
const uint SIZE_B = LINES_B * STEP_B;
shared uvec4 tilesA[SIZE_A];
shared uvec4 tilesB[SIZE_B];
// Vectors that an invocation reads, and lines that all read at a time: both are whole numbers.
const uint LOADS_A = LINES_A * LENGTH_A / THREADS;
const uint LOADS_B = LINES_B * LENGTH_B / THREADS;
const uint ACROSS_A = THREADS / LENGTH_A;
const uint ACROSS_B = THREADS / LENGTH_B;

shared float staged[PARTS * UNIT_ROWS * UNIT_COLUMNS]; // sums on their way to C

#define SUMS                                                                                       \
    coopmat<float, gl_ScopeSubgroup, UNIT_ROWS, UNIT_COLUMNS, gl_MatrixUseAccumulator>
#define A_UNIT coopmat<NARROW, gl_ScopeSubgroup, UNIT_ROWS, UNIT_DEPTH, gl_MatrixUseA>
#define B_UNIT coopmat<NARROW, gl_ScopeSubgroup, UNIT_DEPTH, UNIT_COLUMNS, gl_MatrixUseB>

// Defines a function that returns eight neighbouring elements from index `at` on, 0 for those from
// `count` on.
#define EIGHT(name, elements, vectors, ALIGNED)                                                    \
    uvec4 name(uint at, uint count) {                                                              \
        if (ALIGNED && count >= 8u)                                                                \
            return vectors[at / 8u];                                                               \
        uvec4 eight = uvec4(0u);                                                                   \
        [[unroll]] for (uint i = 0u; i < 8u; ++i)                                                  \
            if (i < count)                                                                         \
                eight[i / 2u] |= uint(elements[at + i]) << (i % 2u * 16u);                         \
        return eight;                                                                              \
    }
EIGHT(eightA, elementsA, vectorsA, ALIGNED_A)
EIGHT(eightB, elementsB, vectorsB, ALIGNED_B)

uint countFrom(uint at, uint end) {
    return at < end ? end - at : 0u;
}

// Reads this invocation's part of a tile. Neighbouring loads are STRIDE lines apart.
#define LOAD_INSIDE(loaded, LOADS, vectors, start, STRIDE)                                         \
    [[unroll]] for (uint i = 0u; i < LOADS; ++i)                                                   \
        loaded[i] = vectors[(start) / 8u + i * ((STRIDE) / 8u)];

// The same if some of the tile may not exist, or lines begin anywhere.
#define LOAD_ANY(loaded, LOADS, eight, start, LINES, across, acrossEnd, along, alongEnd, stride)   \
    [[unroll]] for (uint i = 0u; i < LOADS; ++i)                                                   \
        loaded[i] = eight((start) + i * (LINES) * (stride),                                        \
                          (across) + i * (LINES) < (acrossEnd) ? countFrom(along, alongEnd) : 0u);

#define LOAD(k, loadedA, loadedB)                                                                  \
    {                                                                                              \
        bool whole = !CLAMP || (inside && (k) + DEPTH <= place.kEnd);                              \
        uint startA = firstOfA + (k) * (TRANSPOSE_A ? strideA : 1u);                               \
        uint startB = firstOfB + (k) * (TRANSPOSE_B ? 1u : strideB);                               \
        if (ALIGNED_A && whole) {                                                                  \
            LOAD_INSIDE(loadedA, LOADS_A, vectorsA, startA, ACROSS_A * strideA)                    \
        } else {                                                                                   \
            LOAD_ANY(loadedA, LOADS_A, eightA, startA, ACROSS_A,                                   \
                     (TRANSPOSE_A ? (k) : place.row) + lineA, TRANSPOSE_A ? place.kEnd : rows,     \
                     (TRANSPOSE_A ? place.row : (k)) + alongA, TRANSPOSE_A ? rows : place.kEnd,    \
                     strideA)                                                                      \
        }                                                                                          \
        if (ALIGNED_B && whole) {                                                                  \
            LOAD_INSIDE(loadedB, LOADS_B, vectorsB, startB, ACROSS_B * strideB)                    \
        } else {                                                                                   \
            LOAD_ANY(loadedB, LOADS_B, eightB, startB, ACROSS_B,                                   \
                     (TRANSPOSE_B ? place.column : (k)) + lineB,                                   \
                     TRANSPOSE_B ? columns : place.kEnd,                                           \
                     (TRANSPOSE_B ? (k) : place.column) + alongB,                                  \
                     TRANSPOSE_B ? place.kEnd : columns, strideB)                                  \
        }                                                                                          \
    }

#define STORE(loadedA, loadedB)                                                                    \
    [[unroll]] for (uint i = 0u; i < LOADS_A; ++i)                                                 \
        tilesA[(lineA + i * ACROSS_A) * STEP_A + alongA / 8u] = loadedA[i];                        \
    [[unroll]] for (uint i = 0u; i < LOADS_B; ++i)                                                 \
        tilesB[(lineB + i * ACROSS_B) * STEP_B + alongB / 8u] = loadedB[i];

// Reads the units of a step along `inner` from shared memory.
#define FRAGMENTS(step)                                                                            \
    [[unroll]] for (uint i = 0u; i < UNITS_DOWN; ++i) {                                            \
        uint row = partRow + i * UNIT_ROWS;                                                        \
        if (TRANSPOSE_A)                                                                           \
            coopMatLoad(a[i], tilesA, (step) * STEP_A + row / 8u, STEP_A,                          \
                        gl_CooperativeMatrixLayoutColumnMajor);                                    \
        else                                                                                       \
            coopMatLoad(a[i], tilesA, row * STEP_A + (step) / 8u, STEP_A,                          \
                        gl_CooperativeMatrixLayoutRowMajor);                                       \
    }                                                                                              \
    [[unroll]] for (uint j = 0u; j < UNITS_ACROSS; ++j) {                                          \
        uint column = partColumn + j * UNIT_COLUMNS;                                               \
        if (TRANSPOSE_B)                                                                           \
            coopMatLoad(b[j], tilesB, column * STEP_B + (step) / 8u, STEP_B,                       \
                        gl_CooperativeMatrixLayoutColumnMajor);                                    \
        else                                                                                       \
            coopMatLoad(b[j], tilesB, (step) * STEP_B + column / 8u, STEP_B,                       \
                        gl_CooperativeMatrixLayoutRowMajor);                                       \
    }

#define MULTIPLY                                                                                   \
    [[unroll]] for (uint j = 0u; j < UNITS_ACROSS; ++j)                                            \
        [[unroll]] for (uint i = 0u; i < UNITS_DOWN; ++i)                                          \
            sums[i][j] = coopMatMulAdd(a[i], b[j], sums[i][j]);

// Where a tile begins that is read ahead. After the last one, something that is not used, without a
// branch: zeros, or the last tile again.
uint within(uint k, Place place) {
    return CLAMP ? k : min(k, place.kEnd - DEPTH);
}

// Multiplies the tile in shared memory. To read one takes longer, so two are on their way: the next
// one, which is stored while the last units are multiplied, and the one after it. A second place for
// tiles in shared memory would take that of a second work group.
#define TURN(k, nextA, nextB, afterNextA, afterNextB)                                              \
    {                                                                                              \
        uint ahead = within((k) + 2u * DEPTH, place);                                              \
        LOAD(ahead, afterNextA, afterNextB)                                                        \
        A_UNIT a[UNITS_DOWN];                                                                      \
        B_UNIT b[UNITS_ACROSS];                                                                    \
        if (takesPart) {                                                                           \
            [[unroll]] for (uint step = 0u; step + UNIT_DEPTH < DEPTH; step += UNIT_DEPTH) {       \
                FRAGMENTS(step)                                                                    \
                MULTIPLY                                                                           \
            }                                                                                      \
            FRAGMENTS(DEPTH - UNIT_DEPTH)                                                          \
        }                                                                                          \
        barrier();                                                                                 \
        STORE(nextA, nextB)                                                                        \
        if (takesPart) {                                                                           \
            MULTIPLY                                                                               \
        }                                                                                          \
        barrier();                                                                                 \
    }

void writeOne(Place place, uint origin, uint row, uint column, float sum) {
    uint at = origin + row * resultStride() + column;
    if (PARTIALS) {
        wideC[at] = sum;
        return;
    }
    float c = alpha * sum;
    if (READS_C)
        c += beta * (NARROW_C ? float(narrowC[at]) : wideC[at]);
    if (BIAS) {
        uint bias = firstBias + (BIAS_OF_ROWS ? row : column);
        c += NARROW_C ? float(narrowBias[bias]) : wideBias[bias];
    }
    if (NARROW_C)
        narrowC[at] = NARROW(c);
    else
        wideC[at] = c;
}

void main() {
    Place place = placeOfGroup();
    if (!EXACT_GRID && place.batch >= batches)
        return;
    uint originA = firstA + place.batch * batchStrideA;
    uint originB = firstB + place.batch * batchStrideB;
    uint partRow = gl_SubgroupID / PARTS_ACROSS * PART_ROWS;
    uint partColumn = gl_SubgroupID % PARTS_ACROSS * PART_COLUMNS;

    SUMS sums[UNITS_DOWN][UNITS_ACROSS];
    [[unroll]] for (uint i = 0u; i < UNITS_DOWN; ++i)
        [[unroll]] for (uint j = 0u; j < UNITS_ACROSS; ++j)
            sums[i][j] = SUMS(0.0);

    uvec4 nearA[LOADS_A]; // of the next tile
    uvec4 nearB[LOADS_B];
    uvec4 farA[LOADS_A]; // of the one after it
    uvec4 farB[LOADS_B];
    uint lineA = gl_LocalInvocationIndex / LENGTH_A;
    uint lineB = gl_LocalInvocationIndex / LENGTH_B;
    uint alongA = gl_LocalInvocationIndex % LENGTH_A * 8u;
    uint alongB = gl_LocalInvocationIndex % LENGTH_B * 8u;
    uint firstOfA = originA + (TRANSPOSE_A ? lineA * strideA + place.row + alongA
                                           : (place.row + lineA) * strideA + alongA);
    uint firstOfB = originB + (TRANSPOSE_B ? (place.column + lineB) * strideB + alongB
                                           : lineB * strideB + place.column + alongB);
    // The same for the whole work group. Only its edges read with tests.
    bool inside = !CLAMP || (place.row + TILE_ROWS <= rows && place.column + TILE_COLUMNS <= columns);
    bool takesPart = ONE_SIZE || gl_SubgroupID < PARTS;
    LOAD(place.kBegin, nearA, nearB)
    STORE(nearA, nearB)
    uint following = within(place.kBegin + DEPTH, place);
    LOAD(following, nearA, nearB)
    barrier();
    [[dont_unroll]] for (uint k = place.kBegin; k < place.kEnd; k += 2u * DEPTH) {
        TURN(k, nearA, nearB, farA, farB)
        if (k + DEPTH >= place.kEnd)
            break;
        TURN(k + DEPTH, farA, farB, nearA, nearB)
    }
    if (!ONE_SIZE && gl_SubgroupID >= PARTS)
        return;

    uint originC = resultOrigin(place);
    if (inside && (PARTIALS || (!NARROW_C && !BIAS))) {
        [[unroll]] for (uint i = 0u; i < UNITS_DOWN; ++i)
            [[unroll]] for (uint j = 0u; j < UNITS_ACROSS; ++j) {
                uint at = originC + (place.row + partRow + i * UNIT_ROWS) * resultStride() +
                          place.column + partColumn + j * UNIT_COLUMNS;
                if (!PARTIALS)
                    sums[i][j] *= alpha;
                if (READS_C) {
                    SUMS old;
                    coopMatLoad(old, wideC, at, strideC, gl_CooperativeMatrixLayoutRowMajor);
                    sums[i][j] += old * beta;
                }
                coopMatStore(sums[i][j], wideC, at, resultStride(),
                             gl_CooperativeMatrixLayoutRowMajor);
            }
        return;
    }
    // Through shared memory, whose elements have a known place in the matrix.
    uint base = gl_SubgroupID * UNIT_ROWS * UNIT_COLUMNS;
    [[unroll]] for (uint i = 0u; i < UNITS_DOWN; ++i)
        [[unroll]] for (uint j = 0u; j < UNITS_ACROSS; ++j) {
            coopMatStore(sums[i][j], staged, base, UNIT_COLUMNS,
                         gl_CooperativeMatrixLayoutRowMajor);
            controlBarrier(gl_ScopeSubgroup, gl_ScopeSubgroup, gl_StorageSemanticsShared,
                           gl_SemanticsAcquireRelease);
            for (uint v = gl_SubgroupInvocationID; v < UNIT_ROWS * UNIT_COLUMNS;
                 v += gl_SubgroupSize) {
                uint row = place.row + partRow + i * UNIT_ROWS + v / UNIT_COLUMNS;
                uint column = place.column + partColumn + j * UNIT_COLUMNS + v % UNIT_COLUMNS;
                if (row < rows && column < columns)
                    writeOne(place, originC, row, column, staged[base + v]);
            }
            controlBarrier(gl_ScopeSubgroup, gl_ScopeSubgroup, gl_StorageSemanticsShared,
                           gl_SemanticsAcquireRelease);
        }
}
