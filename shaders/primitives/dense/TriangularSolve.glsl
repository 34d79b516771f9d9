// SPDX-License-Identifier: Apache-2.0
//
// Solves T X = B for lower triangular blocks T of up to a few hundred rows, in the place of B. Each
// invocation solves for a column of X, 32 elements at a time, which it keeps in registers. The
// tiles of T are in shared memory. Strides may be negative: an upper triangle is a lower one that
// is read from its end.
//
// UNIT: the diagonal counts as 1; stored values are ignored. EACH_ROW(F) applies a macro to 0u, 1u,
// ... up to TILE: registers are indexed by constants, whether or not a driver unrolls loops.

layout(binding = 0) readonly buffer Triangles { REAL triangles[]; };
layout(binding = 1) buffer Sides { REAL sides[]; };

layout(push_constant) uniform Push {
    uint firstTriangle;
    uint firstSide;
    uint size;
    uint columns;
    uint groups; // work groups per matrix
    uint batches;
    uint originTriangle; // the element where the solution begins
    uint rowStride;
    uint columnStride;
    uint batchStride;
    uint originSide;
    uint sideRowStride;
    uint sideColumnStride;
    uint sideBatchStride;
    uint alongRows; // 1 if elements of a column of T are neighbours
};

shared FOUR sTile[TILE * TILE / 4u]; // column by column
shared REAL sDiagonal[TILE];

void loadTile(uint origin, uint row, uint column) {
    barrier();
    [[dont_unroll]] for (uint e = gl_LocalInvocationIndex; e < TILE * TILE; e += GROUP_SIZE) {
        uint i = alongRows != 0u ? e % TILE : e / TILE;
        uint k = alongRows != 0u ? e / TILE : e % TILE;
        bool isInside = row + i < size && column + k < row + i;
        uint at = origin + (row + i) * rowStride + (column + k) * columnStride;
        sTile[k * (TILE / 4u) + i / 4u][i % 4u] = isInside ? triangles[at] : REAL(0);
    }
    if (row == column)
        [[dont_unroll]] for (uint i = gl_LocalInvocationIndex; i < TILE; i += GROUP_SIZE)
            sDiagonal[i] = row + i < size
                               ? triangles[origin + (row + i) * (rowStride + columnStride)]
                               : REAL(1);
    barrier();
}

#ifdef UNIT
#define QUOTIENT(k) x[(k) / 4u][(k) % 4u]
#else
#define QUOTIENT(k) x[(k) / 4u][(k) % 4u] / sDiagonal[k]
#endif
#define SUBSTITUTE(k)                                                                              \
    {                                                                                              \
        REAL known = QUOTIENT(k);                                                                  \
        x[(k) / 4u][(k) % 4u] = known;                                                             \
        UNROLL for (uint i = (k) / 4u; i < TILE / 4u; ++i)                                         \
            x[i] -= sTile[(k) * (TILE / 4u) + i] * known;                                          \
    }

void main() {
    uint group = flatGroup();
    uint batch = group / groups;
    if (batch >= batches)
        return; // the whole work group
    uint column = (group - batch * groups) * GROUP_SIZE + gl_LocalInvocationIndex;
    bool exists = column < columns;
    uint origin = firstTriangle + originTriangle + batch * batchStride;
    uint side = firstSide + originSide + batch * sideBatchStride + column * sideColumnStride;
    FOUR x[TILE / 4u];
    [[dont_unroll]] for (uint row = 0u; row < size; row += TILE) {
        UNROLL for (uint i = 0u; i < TILE; ++i)
            x[i / 4u][i % 4u] =
                exists && row + i < size ? sides[side + (row + i) * sideRowStride] : REAL(0);
        [[dont_unroll]] for (uint before = 0u; before < row; before += TILE) {
            loadTile(origin, row, before);
            [[dont_unroll]] for (uint k = 0u; k < TILE; ++k) {
                REAL known = exists ? sides[side + (before + k) * sideRowStride] : REAL(0);
                UNROLL for (uint i = 0u; i < TILE / 4u; ++i)
                    x[i] -= sTile[k * (TILE / 4u) + i] * known;
            }
        }
        loadTile(origin, row, row);
        EACH_ROW(SUBSTITUTE)
        UNROLL for (uint i = 0u; i < TILE; ++i)
            if (exists && row + i < size)
                sides[side + (row + i) * sideRowStride] = x[i / 4u][i % 4u];
    }
}
