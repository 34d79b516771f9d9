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

#define HALF_TILE (TILE_SIDE / 2u)
#define TILE_STRIDE (TILE_SIDE + 1u)
#define ACROSS 16u
shared REAL sTile[TILE_SIDE * TILE_STRIDE];

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
    UNROLL for (uint i = 0u; i < TILE_SIDE / DOWN; ++i)
        UNROLL for (uint j = 0u; j < TILE_SIDE / ACROSS; ++j)
            sums[i][j] = REAL(0);
    uint end = min(width, (slice + 1u) * length);
    [[dont_unroll]] for (uint start = slice * length; start < end; start += TILE_SIDE) {
        barrier();
        for (uint place = gl_LocalInvocationIndex; place < TILE_SIDE * TILE_SIDE;
             place += GROUP_SIZE) {
            uint row = place / TILE_SIDE;
            uint column = start + place % TILE_SIDE;
            uint from = row < HALF_TILE ? met.x * HALF_TILE + row
                                        : met.y * HALF_TILE + row - HALF_TILE;
            sTile[row * TILE_STRIDE + place % TILE_SIDE] =
                column < end ? rows[origin + from * width + column] : REAL(0);
        }
        barrier();
        [[dont_unroll]] for (uint k = 0u; k < TILE_SIDE; ++k) {
            REAL down[TILE_SIDE / DOWN];
            UNROLL for (uint i = 0u; i < TILE_SIDE / DOWN; ++i)
                down[i] = sTile[(y + DOWN * i) * TILE_STRIDE + k];
            UNROLL for (uint j = 0u; j < TILE_SIDE / ACROSS; ++j) {
                REAL across = sTile[(x + ACROSS * j) * TILE_STRIDE + k];
                UNROLL for (uint i = 0u; i < TILE_SIDE / DOWN; ++i)
                    sums[i][j] += down[i] * across;
            }
        }
    }
    UNROLL for (uint i = 0u; i < TILE_SIDE / DOWN; ++i)
        UNROLL for (uint j = 0u; j < TILE_SIDE / ACROSS; ++j)
            products[firstProduct + number * (TILE_SIDE * TILE_SIDE) +
                     (y + DOWN * i) * TILE_SIDE + x + ACROSS * j] = sums[i][j];
}
