// SPDX-License-Identifier: Apache-2.0
//
// Applies the rotations of JacobiPairs.glsl. Macros: TILE_SIDE, DOWN: the work groups are 16 x DOWN
// invocations; BOTH: to the rows and columns of a symmetric matrix, else to rows alone, TILE_SIDE
// columns of a pair of blocks per work group.

layout(binding = 0) buffer Matrices { REAL matrices[]; };
layout(binding = 1) readonly buffer Turns { REAL turns[]; };
layout(binding = 2) readonly buffer States { uint states[]; };

layout(push_constant) uniform Push {
    uint firstMatrix;
    uint firstTurn;
    uint firstState;
    uint batches;
    uint blocks;
    uint round;
    uint width; // elements of a row
    uint parts; // of a pair of blocks: work groups
};

#define HALF_TILE (TILE_SIDE / 2u)
#define TILE_STRIDE (TILE_SIDE + 1u)
#define ACROSS 16u
shared REAL sTile[TILE_SIDE * TILE_STRIDE];
shared REAL sFactor[TILE_SIDE * TILE_STRIDE];

uint rowOf(uvec2 met, uint row) {
    return row < HALF_TILE ? met.x * HALF_TILE + row : met.y * HALF_TILE + row - HALF_TILE;
}

void loadTurns(uint number) {
    for (uint place = gl_LocalInvocationIndex; place < TILE_SIDE * TILE_SIDE; place += GROUP_SIZE)
        sFactor[place / TILE_SIDE * TILE_STRIDE + place % TILE_SIDE] =
            turns[firstTurn + number * (TILE_SIDE * TILE_SIDE) + place];
}

void main() {
    uint pairs = blocks / 2u;
    uint number = flatGroup();
    uint part = number % parts;
    uint pair = number / parts % pairs;
    uint batch = number / parts / pairs;
    if (batch >= batches)
        return;
    uint flags = firstState + batch * (1u + SWEEPS + pairs) + 1u + SWEEPS;
    bool turned = states[flags + pair] != 0u;
#ifdef BOTH
    if (part <= pair) // those on the diagonal are done
        return;
    bool turnedColumns = states[flags + part] != 0u;
    if (!turned && !turnedColumns)
        return;
    uvec2 metColumns = tournamentPair(blocks, round, part);
#else
    if (!turned)
        return;
#endif
    uvec2 met = tournamentPair(blocks, round, pair);
    uint origin = firstMatrix + batch * (blocks * HALF_TILE) * width;
    for (uint place = gl_LocalInvocationIndex; place < TILE_SIDE * TILE_SIDE; place += GROUP_SIZE) {
        uint row = place / TILE_SIDE;
        uint column = place % TILE_SIDE;
#ifdef BOTH
        uint from = rowOf(metColumns, column);
#else
        uint from = part * TILE_SIDE + column;
#endif
        sTile[row * TILE_STRIDE + column] =
            from < width ? matrices[origin + rowOf(met, row) * width + from] : REAL(0);
    }
    uint x = gl_LocalInvocationIndex % ACROSS;
    uint y = gl_LocalInvocationIndex / ACROSS;
    REAL sums[TILE_SIDE / DOWN][TILE_SIDE / ACROSS];
    if (turned) {
        loadTurns(batch * pairs + pair);
        barrier();
        UNROLL for (uint i = 0u; i < TILE_SIDE / DOWN; ++i)
            UNROLL for (uint j = 0u; j < TILE_SIDE / ACROSS; ++j)
                sums[i][j] = REAL(0);
        [[dont_unroll]] for (uint k = 0u; k < TILE_SIDE; ++k) {
            REAL down[TILE_SIDE / DOWN];
            UNROLL for (uint i = 0u; i < TILE_SIDE / DOWN; ++i)
                down[i] = sFactor[(y + DOWN * i) * TILE_STRIDE + k];
            UNROLL for (uint j = 0u; j < TILE_SIDE / ACROSS; ++j) {
                REAL across = sTile[k * TILE_STRIDE + x + ACROSS * j];
                UNROLL for (uint i = 0u; i < TILE_SIDE / DOWN; ++i)
                    sums[i][j] += down[i] * across;
            }
        }
        barrier();
        UNROLL for (uint i = 0u; i < TILE_SIDE / DOWN; ++i)
            UNROLL for (uint j = 0u; j < TILE_SIDE / ACROSS; ++j)
                sTile[(y + DOWN * i) * TILE_STRIDE + x + ACROSS * j] = sums[i][j];
    }
#ifdef BOTH
    if (turnedColumns) {
        loadTurns(batch * pairs + part);
        barrier();
        UNROLL for (uint i = 0u; i < TILE_SIDE / DOWN; ++i)
            UNROLL for (uint j = 0u; j < TILE_SIDE / ACROSS; ++j)
                sums[i][j] = REAL(0);
        [[dont_unroll]] for (uint k = 0u; k < TILE_SIDE; ++k) {
            REAL down[TILE_SIDE / DOWN];
            UNROLL for (uint i = 0u; i < TILE_SIDE / DOWN; ++i)
                down[i] = sTile[(y + DOWN * i) * TILE_STRIDE + k];
            UNROLL for (uint j = 0u; j < TILE_SIDE / ACROSS; ++j) {
                REAL across = sFactor[(x + ACROSS * j) * TILE_STRIDE + k];
                UNROLL for (uint i = 0u; i < TILE_SIDE / DOWN; ++i)
                    sums[i][j] += down[i] * across;
            }
        }
        barrier();
        UNROLL for (uint i = 0u; i < TILE_SIDE / DOWN; ++i)
            UNROLL for (uint j = 0u; j < TILE_SIDE / ACROSS; ++j)
                sTile[(y + DOWN * i) * TILE_STRIDE + x + ACROSS * j] = sums[i][j];
    }
#endif
    barrier();
    for (uint place = gl_LocalInvocationIndex; place < TILE_SIDE * TILE_SIDE; place += GROUP_SIZE) {
        uint row = place / TILE_SIDE;
        uint column = place % TILE_SIDE;
#ifdef BOTH
        matrices[origin + rowOf(met, row) * width + rowOf(metColumns, column)] =
            sTile[row * TILE_STRIDE + column];
        // The tile on the other side of the diagonal.
        matrices[origin + rowOf(metColumns, row) * width + rowOf(met, column)] =
            sTile[column * TILE_STRIDE + row];
#else
        uint to = part * TILE_SIDE + column;
        if (to < width)
            matrices[origin + rowOf(met, row) * width + to] = sTile[row * TILE_STRIDE + column];
#endif
    }
}
