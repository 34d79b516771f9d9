// SPDX-License-Identifier: Apache-2.0
//
// Products of all rows of two blocks that meet with each other, in slices along the rows. Macros:
// TILE_SIDE: rows of two blocks; DOWN: work groups are 16 x DOWN invocations. For the state, see
// JacobiPairs.glsl.

layout(binding = 0) readonly buffer Rows { REAL rows[]; };
layout(binding = 1) readonly buffer States { uint states[]; };
layout(binding = 2) writeonly buffer Products { REAL products[]; };

layout(push_constant) uniform Push {
    uint firstRow;
    uint firstState;
    uint firstProduct;
    uint batches;
    uint blocks;
    uint round;
    uint sweep;
    uint width;
    uint slices;
    uint length; // of a slice, a multiple of TILE_SIDE
};

shared REAL sTile[TILE_SIDE * TILE_STRIDE];

#define TILE(row, column) sTile[(row) * TILE_STRIDE + (column)]
#define TURNED(row, column) TILE(column, row)

void main() {
    uint pairs = blocks / 2u;
    uint number = flatGroup();
    uint slice = number % slices;
    uint pair = number / slices % pairs;
    uint batch = number / slices / pairs;
    if (batch >= batches)
        return;
    if (sweep > 0u && states[firstState + batch * (1u + SWEEPS + pairs) + sweep] == 0u)
        return;
    uvec2 met = tournamentPair(blocks, round, pair);
    uint origin = firstRow + batch * (blocks * HALF_TILE) * width;
    uint x = gl_LocalInvocationIndex % ACROSS;
    uint y = gl_LocalInvocationIndex / ACROSS;
    REAL sums[TILE_SIDE / DOWN][TILE_SIDE / ACROSS];
    EACH_SUM sums[i][j] = REAL(0);
    uint end = min(width, (slice + 1u) * length);
    [[dont_unroll]] for (uint start = slice * length; start < end; start += TILE_SIDE) {
        barrier();
        for (uint place = gl_LocalInvocationIndex; place < TILE_SIDE * TILE_SIDE;
             place += GROUP_SIZE) {
            uint row = place / TILE_SIDE;
            uint column = start + place % TILE_SIDE;
            TILE(row, place % TILE_SIDE) =
                column < end ? rows[origin + rowOf(met, HALF_TILE, row) * width + column] : REAL(0);
        }
        barrier();
        ADD_PRODUCTS(TILE, TURNED)
    }
    EACH_SUM
        products[firstProduct + number * (TILE_SIDE * TILE_SIDE) + (y + DOWN * i) * TILE_SIDE + x +
                 ACROSS * j] = sums[i][j];
}
